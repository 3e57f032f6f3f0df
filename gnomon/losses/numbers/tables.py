"""Tables for reading numbers in labels: the text, the digits and the marks of each token.

Shapes: N entries, G the largest number of tokens that spell one entry, L value rows (1, or
1 + MAX_WIDTH if entries have several widths), M marks, V vocabulary size.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import torch
from torch import Tensor


class Tokenizer(Protocol):
    """The methods that gnomon calls on a tokenizer. All transformers tokenizers have them."""

    def get_vocab(self) -> dict[str, int]:
        """Return the id of each piece, the token's text as the vocabulary writes it."""

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Return the ids of the tokens that spell a text."""

    def convert_ids_to_tokens(self, ids: list[int]) -> str | list[str]:
        """Return the pieces of token ids."""


_BYTE_PIECE = re.compile(r"<0x([0-7][0-9A-F])>")  # SentencePiece's fallback to one ASCII byte
# GPT-2 writes a byte as a letter: printable bytes as themselves, the others as U+0100 and up.
_PRINTABLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_UNPRINTABLE = [byte for byte in range(0x100) if byte not in _PRINTABLE]
_BYTE_OF_LETTER = {0x100 + i: byte for i, byte in enumerate(_UNPRINTABLE)}


def texts_of(pieces: Mapping[str, int]) -> dict[int, str]:
    """Decode the text of each token, for SentencePiece and byte-level vocabularies.

    If a character is split into several tokens, each of them reads as U+FFFD.
    """
    # SentencePiece may know Ġ as a letter of Maltese; byte-level vocabularies have no ▁.
    byte_level = any(p.startswith("Ġ") for p in pieces) and not any(
        p.startswith("▁") for p in pieces
    )
    return {token: _text_of(piece, byte_level=byte_level) for piece, token in pieces.items()}


def _text_of(piece: str, *, byte_level: bool) -> str:
    if byte := _BYTE_PIECE.fullmatch(piece):
        return chr(int(byte[1], 16))
    if not byte_level:
        return piece.replace("▁", " ")
    if piece.isascii():  # printable ASCII is written as itself
        return piece
    try:
        return piece.translate(_BYTE_OF_LETTER).encode("latin-1").decode("utf-8", errors="replace")
    except UnicodeEncodeError:  # an added token is written as it is
        return piece


MAX_WIDTH = 3
"""Largest number of digits in a token that is read. GPT-2's token `2024` is not read."""

_READABLE = rf"\s*([0-9]{{1,{MAX_WIDTH}}})\Z"
_DIGITS = r"(\s*[0-9]|.*[0-9]\Z)"
_NO_DIGITS = rf"(?!{_DIGITS})"
_WORD_END = r"\w)\]}%°."
_NAME = "[A-Za-z0-9_]"

MARKS = {
    # The token has digits that may join digits of a neighbour.
    "digits": _DIGITS,
    # Its digits cannot be read, for example `2024`. A number with such a token is skipped.
    "unread": rf"(?!{_READABLE}){_DIGITS}",
    # A space precedes the digits, so they do not join earlier digits.
    "spaced": rf"(?=\s){_DIGITS}",
    # The digits begin with 0.
    "zero": r"\s*0",
    "comma": r",\Z",
    # The token is a point.
    "point": r"\.\Z",
    # A point that does not follow a word, for example ` .`: a number may begin with it.
    "bare point": rf"{_NO_DIGITS}.*[^{_WORD_END}]\.\Z",
    # The token is a minus, or a minus and a point: -.5 may begin with the token `-.`.
    "minus": r"[-−]\.?\Z",
    # A minus that does not follow a word, for example ` -` or `(-`: it is always a sign.
    "negative": rf"{_NO_DIGITS}.*[^{_WORD_END}][-−]\.?\Z",
    # The end of a word, a number or a closed bracket: a minus after it is not a sign.
    "word": rf"{_DIGITS}|.*[{_WORD_END}]\Z",
    # Ends with an opening bracket, or with an opening bracket and a minus.
    "opens": rf"{_NO_DIGITS}.*[(\[{{][-−]?\Z",
    # Begins with a closing bracket.
    "closes": rf"{_NO_DIGITS}[)\]}}]",
    # Ends with an ASCII letter, a digit or an underscore: a name may continue after it.
    "ends in name": rf".*{_NAME}\Z",
    # Consists of ASCII letters, digits and underscores: it continues a name before it.
    "continues name": rf"{_NAME}+\Z",
    # The last name in the token begins with a letter or an underscore.
    "starts name": rf"(.*[^A-Za-z0-9_])?[A-Za-z_]{_NAME}*\Z",
}
"""Pattern of each mark, matched at the start of a token's text.

A pattern must not depend on a particular letter, because `tokens_by_form` replaces letters."""


_LETTERS = re.compile("[A-Za-z]+")
_FOREIGN_LETTERS = re.compile(r"[^\W\d_A-Za-z]+")


def digits_of(text: str) -> str | None:
    """Return the digits of a token that consists of one to three ASCII digits, else None.

    A leading space is ignored.
    """
    match = re.match(_READABLE, text)
    return match[1] if match else None


def tokens_by_form(texts: Mapping[int, str]) -> dict[str, list[int]]:
    """Group tokens by the form of their text. In a form, one letter replaces a run of letters.

    150,000 tokens have a few thousand forms, and matching marks against forms is much faster.
    """
    forms: dict[str, list[int]] = {}
    for token, text in texts.items():
        form = _LETTERS.sub("a", text)
        form = form if form.isascii() else _FOREIGN_LETTERS.sub("é", form)
        forms.setdefault(form, []).append(token)
    return forms


def tokens_with(mark: str, forms: Mapping[str, list[int]]) -> list[int]:
    """List the tokens whose text has the mark, in ascending order."""
    pattern = re.compile(MARKS[mark], re.DOTALL)
    return sorted(chain.from_iterable(forms[form] for form in forms if pattern.match(form)))


@dataclass(frozen=True)
class Entry:
    """A string of digits and the tokens that spell it: `5`, `▁5` and `Ġ5` all spell 5."""

    digits: str
    ids: tuple[int, ...]
    pieces: tuple[str, ...]

    @property
    def value(self) -> int:
        """The digits as an integer: 5 for `05`."""
        return int(self.digits)

    @property
    def width(self) -> int:
        """Number of places: 2 for `05`."""
        return len(self.digits)


def entries_of(pieces: Mapping[str, int], texts: Mapping[int, str]) -> tuple[Entry, ...]:
    """Collect the entries among a tokenizer's pieces, in order of their number of digits."""
    spellings: dict[str, dict[int, str]] = {}
    for piece, token in pieces.items():
        if digits := digits_of(texts[token]):
            spellings.setdefault(digits, {})[token] = piece
    order = sorted(spellings, key=lambda digits: (len(digits), digits))
    return tuple(Entry(d, tuple(spellings[d]), tuple(spellings[d].values())) for d in order)


class Constant:
    """A tensor that never changes, with one copy for each device and dtype that is used.

    It is not a module buffer, because `model.to(torch.bfloat16)` would round a buffer.
    """

    def __init__(self, table: Tensor) -> None:
        # A tensor created in inference mode could not be used in a later backward pass.
        with torch.inference_mode(mode=False):
            self._table = table.clone()
        self._copies: dict[tuple[torch.device, torch.dtype], Tensor] = {}

    def on(self, device: torch.device, dtype: torch.dtype | None = None) -> Tensor:
        """Return the copy on a device, by default in the dtype of the original."""
        key = device, dtype or self._table.dtype
        if key in self._copies:
            return self._copies[key]
        if torch.compiler.is_compiling():
            return self._copy(*key)
        with torch.inference_mode(mode=False):
            self._copies[key] = self._copy(*key)
        return self._copies[key]

    def _copy(self, device: torch.device, dtype: torch.dtype) -> Tensor:
        return self._table.to(dtype=dtype).to(device)  # the dtype first: MPS has no float64


class Tables:
    """The tables of a tokenizer, for the reader of labels and for the losses."""

    def __init__(
        self, entries: tuple[Entry, ...], forms: Mapping[str, list[int]], size: int
    ) -> None:
        # Index N is for tokens without digits, and N + 1 for tokens with unreadable digits.
        widths = torch.tensor([e.width for e in entries] + [0, MAX_WIDTH + 1])
        value = torch.tensor([*(e.value for e in entries), 0, 0], dtype=torch.float64)
        most = max(len(e.ids) for e in entries)
        flags = {mark: torch.zeros(size + 1, dtype=torch.bool) for mark in MARKS}
        for mark, flag in flags.items():
            flag[[token for token in tokens_with(mark, forms) if token < size]] = True
        self.has_several_widths = len({e.width for e in entries}) > 1
        """True if entries differ in width. In fractions, each width then needs a row of values."""
        self.token_ids = Constant(
            torch.tensor([e.ids + e.ids[:1] * (most - len(e.ids)) for e in entries])
        )
        """[N, G]: tokens of each entry, padded with its first token."""
        self.padding = Constant(
            torch.tensor([[g >= len(e.ids) for g in range(most)] for e in entries])
        )
        """[N, G] bool: True for padding in `token_ids`."""
        self.widths = Constant(widths)
        """[N + 2]: number of digits of each entry, then 0 and MAX_WIDTH + 1 for N and N + 1."""
        shift = torch.arange(1, MAX_WIDTH + 1)[:, None] - widths
        # Each row is v · 10**(w - w_i): in a fraction, 5 counts as 50 if the label has two digits.
        in_fractions = value * 10.0 ** shift.double()  # [MAX_WIDTH, N + 2]
        by_width = [value[None], in_fractions[: MAX_WIDTH * self.has_several_widths]]
        self.values_by_width = Constant(torch.cat(by_width))
        """[L, N + 2]: value of each entry. `NumericVocab.value_row` explains the rows."""
        self.marks = Constant(torch.stack(list(flags.values())))
        """[M, V + 1] bool: marks of each token. The last column is False, for ignored labels."""
        entry = torch.where(flags["unread"], len(entries) + 1, len(entries))
        for n, item in enumerate(entries):
            entry[list(item.ids)] = n
        self.entry_of_token = Constant(entry)
        """[V + 1]: entry of each token, N without digits, or N + 1 with unreadable digits."""
