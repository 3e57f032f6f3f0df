"""Small vocabularies and tokenizers of the kinds that models have, and labels made with them."""

from functools import cache
from itertools import product

import torch

from gnomon.losses import NumericVocab

SIGNS = [
    "-", "Ġ-", "(-", ".", "Ġ.", ",", ":", "Ġ", "(", ")", "),(", "[", "]", "%", "a", "Ġa", "−", "\n",
]  # fmt: skip
THREE = ["000", "007", "050", "120", "123", "234", "345", "456", "567", "712", "789", "912", "999"]
ODD = ["nan", "inf", "１", "Â²", "1e5", "1_000", "2024"]


def one_digit_pieces():
    """As Qwen2 has it: every digit a token; here `Ġ5` and `<0x35>` spell 5 as well."""
    return [*"0123456789", "Ġ5", "<0x35>", *SIGNS, *ODD]


def many_digit_pieces():
    """As Llama-3 has it: tokens of one to three digits (a few of these), and `Ġ42` besides."""
    strings = ["".join(digits) for w in (1, 2) for digits in product("0123456789", repeat=w)]
    return [*SIGNS, *strings, *THREE, "Ġ42", *ODD]


def numbered(pieces):
    return {piece: token for token, piece in enumerate(pieces)}


@cache
def one_digit():
    return NumericVocab(numbered(one_digit_pieces()))


@cache
def many_digits():
    return NumericVocab(numbered(many_digit_pieces()))


VOCABULARIES = {"one digit": one_digit, "many digits": many_digits}


def pieces_of(vocab_name):
    return one_digit_pieces() if vocab_name == "one digit" else many_digit_pieces()


def tokens_of(vocab_name, text):
    """The tokens of a text, three digits at a time from the left where the vocabulary has them."""
    known = numbered(pieces_of(vocab_name))
    tokens, at = [], 0
    while at < len(text):
        width = next(w for w in (3, 2, 1) if _is_piece(text[at : at + w], known))
        tokens.append(known[_spelled(text[at : at + width])])
        at += width
    return tokens


def labels_of(vocab_name, *texts):
    """[B, T] labels, one row a text, filled up with -100 at the right."""
    rows = [tokens_of(vocab_name, text) for text in texts]
    width = max(map(len, rows))
    return torch.tensor([row + [-100] * (width - len(row)) for row in rows], dtype=torch.long)


def random_labels(vocab_name, batch, length, generator):
    """Rows in which digits, marks, other tokens and -100 follow each other as they may not."""
    pieces = pieces_of(vocab_name)
    likely = [1.0 if p in SIGNS or p == "2024" else 0.2 for p in pieces]
    for mixed in ("1e5", "1_000"):  # one token for the reader, two runs of digits for the loops
        likely[pieces.index(mixed)] = 0
    digits = [i for i, p in enumerate(pieces) if p.isascii() and p.isdigit() and len(p) < 4]
    for i in digits:
        likely[i] = 25.0 / len(digits)
    likely[pieces.index(",")] = likely[pieces.index(".")] = 4.0
    drawn = torch.multinomial(torch.tensor(likely), batch * length, replacement=True,
                              generator=generator).view(batch, length)  # fmt: skip
    dropped = torch.rand(batch, length, generator=generator) < 0.08
    return drawn.masked_fill(dropped, -100)


def _is_piece(text, known):
    return _spelled(text) in known and (len(text) == 1 or text.isdigit())


def _spelled(text):
    return text.replace(" ", "Ġ")
