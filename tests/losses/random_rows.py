"""Random rows of labels: numbers in all their forms, cut as a tokenizer does or as it does not."""

import random

import torch

NUMBERS = [
    "0", "7", "12", "05", "007", "123", "456", "000", "2024", "98765", "1,234", "10,000,000",
    "12.5", "0.05", ".5", "-3", "-0.25", "−8", "10:08", "09:30:15", "3/7", "1e-5", "1.2.3",
    "(12,34),(567,890)", "[123,456,78,9]", '{"bbox_2d":[1,23]}', "640x480", "R2D2", "2024-10-05",
]  # fmt: skip
MARKS = [
    "-", "−", ".", ",", ":", "%", "°", "$", "×", "/", "(", "[", "{", ")", "]", "}", '"', "_", "(-",
    "-.", ".-", "a", "e", "it", "is_", "é", "你", "５", "²", "½",
]  # fmt: skip
SPACED = [" -", " .", " x", "\n", "  ", *(" ",) * 12]
FRAGMENTS = NUMBERS + MARKS + SPACED


def text_of(rng, length, fragments=FRAGMENTS):
    """So many of the fragments, one after the other."""
    return "".join(rng.choices(fragments, k=length))


def rows_of(tokenizer, rows, length, seed):
    """[rows, length] labels: one half as texts are cut, one half in any order; -100 between."""
    rng, stream = random.Random(seed), []
    while len(stream) < rows * length:
        stream += tokenizer.encode(text_of(rng, 100), add_special_tokens=False)
    del stream[rows * length :]
    mixed = stream[len(stream) // 2 :]
    rng.shuffle(mixed)
    stream[len(stream) // 2 :] = mixed
    return torch.tensor([-100 if rng.random() < 0.06 else i for i in stream]).view(rows, length)


def texts_of(tokenizer, tokens):
    """What each token adds to a text, by the tokenizer's own decoding."""
    anchor = tokenizer.encode(".", add_special_tokens=False)

    def added(token):
        before, text = (
            tokenizer.decode(tokens, clean_up_tokenization_spaces=False)
            for tokens in (anchor, [*anchor, token])
        )
        return text.removeprefix(before) or tokenizer.convert_ids_to_tokens(token)  # half a letter

    return {token: added(token) for token in tokens}
