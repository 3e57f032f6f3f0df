"""Tokens as a reader of numbers sees them: their texts, the marks on these, and tables of both.

Shapes: N entries, G the most tokens that spell one entry, L value rows (1, or 1 + MAX_WIDTH
where entries have several widths), M marks, V vocabulary.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import torch
from torch import Tensor


class Tokenizer(Protocol):
    """The methods of a tokenizer that are used here; all of transformers' have them."""

    def get_vocab(self) -> dict[str, int]:
        """Return the token id of each piece."""

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Return the token ids of a text."""

    def convert_ids_to_tokens(self, ids: list[int]) -> str | list[str]:
        """Return the pieces of token ids."""


_BYTE_PIECE = re.compile(r"<0x([0-7][0-9A-F])>")  # SentencePiece's fallback to one ASCII byte
# GPT-2 writes a byte as a letter: printable ones as themselves, the others as U+0100 and up.
_PRINTABLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_UNPRINTABLE = [byte for byte in range(0x100) if byte not in _PRINTABLE]
_BYTE_OF_LETTER = {0x100 + i: byte for i, byte in enumerate(_UNPRINTABLE)}


def texts_of(pieces: Mapping[str, int]) -> dict[int, str]:
    """Decode the text of each token, whichever way the vocabulary writes spaces and bytes.

    A character that is cut into several tokens becomes U+FFFD in each.
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
"""Digits in the widest token that is read; GPT-2's `2024` in one token is not."""

_READABLE = rf"\s*([0-9]{{1,{MAX_WIDTH}}})\Z"
_DIGITS = r"(\s*[0-9]|.*[0-9]\Z)"
_NO_DIGITS = rf"(?!{_DIGITS})"
_WORD_END = r"\w)\]}%°."
_NAME = "[A-Za-z0-9_]"

MARKS = {
    # Digits that may join a neighbour's.
    "digits": _DIGITS,
    # Digits in a form that is not read, such as `2024` in one token: no number has them.
    "unread": rf"(?!{_READABLE}){_DIGITS}",
    # A space before the digits: they join nothing before them.
    "spaced": rf"(?=\s){_DIGITS}",
    # The digits begin with 0.
    "zero": r"\s*0",
    "comma": r",\Z",
    # A point and nothing else.
    "point": r"\.\Z",
    # A point after what cannot be a word, such as ` .`: a number may begin with it.
    "bare point": rf"{_NO_DIGITS}.*[^{_WORD_END}]\.\Z",
    # A minus and nothing else; and -.5 begins with the token `-.`.
    "minus": r"[-−]\.?\Z",
    # A minus after what cannot be a word, such as ` -` or `(-`: always a sign.
    "negative": rf"{_NO_DIGITS}.*[^{_WORD_END}][-−]\.?\Z",
    # Ends as a word, a number or a closed bracket does: a minus after it is no sign.
    "word": rf"{_DIGITS}|.*[{_WORD_END}]\Z",
    # Ends with an opening bracket, or with one and a minus.
    "opens": rf"{_NO_DIGITS}.*[(\[{{][-−]?\Z",
    # Begins with a closing bracket.
    "closes": rf"{_NO_DIGITS}[)\]}}]",
    # Ends with an ASCII letter, a digit or an underscore: a name may go on after it.
    "ends in name": rf".*{_NAME}\Z",
    # Consists of these alone: it continues a name before it.
    "continues name": rf"{_NAME}+\Z",
    # The last name in it begins with a letter or an underscore, and not with a digit.
    "starts name": rf"(.*[^A-Za-z0-9_])?[A-Za-z_]{_NAME}*\Z",
}
"""Patterns at the start of a token's text, by the mark they give it.

No pattern looks at a letter in particular: `tokens_by_form` relies on that."""


_LETTERS = re.compile("[A-Za-z]+")
_FOREIGN_LETTERS = re.compile(r"[^\W\d_A-Za-z]+")


def digits_of(text: str) -> str | None:
    """Return the one to three ASCII digits that a token consists of, without a leading space."""
    match = re.match(_READABLE, text)
    return match[1] if match else None


def tokens_by_form(texts: Mapping[int, str]) -> dict[str, list[int]]:
    """Group tokens by the form of their text, in which a run of letters is one letter.

    150,000 tokens have some thousands of forms, and the marks are matched against these alone.
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
    """Collect the entries among a tokenizer's pieces, narrow ones first, tokens in their order."""
    spellings: dict[str, dict[int, str]] = {}
    for piece, token in pieces.items():
        if digits := digits_of(texts[token]):
            spellings.setdefault(digits, {})[token] = piece
    order = sorted(spellings, key=lambda digits: (len(digits), digits))
    return tuple(Entry(d, tuple(spellings[d]), tuple(spellings[d].values())) for d in order)


class Constant:
    """A tensor that never changes, copied once to each device and dtype that asks for it.

    It is no buffer of a module: `model.to(torch.bfloat16)` would round it.
    """

    def __init__(self, table: Tensor) -> None:
        # An inference tensor, made during an evaluation, could not serve a later backward pass.
        with torch.inference_mode(mode=False):
            self._table = table.clone()
        self._copies: dict[tuple[torch.device, torch.dtype], Tensor] = {}

    def on(self, device: torch.device, dtype: torch.dtype | None = None) -> Tensor:
        """Return the copy on a device, in the table's own dtype unless another is named."""
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
    """Lookup tables of the reader and the losses, on any device."""

    def __init__(
        self, entries: tuple[Entry, ...], forms: Mapping[str, list[int]], size: int
    ) -> None:
        # Two more indices follow the N entries: of tokens without digits, and with unreadable ones.
        widths = torch.tensor([e.width for e in entries] + [0, MAX_WIDTH + 1])
        value = torch.tensor([*(e.value for e in entries), 0, 0], dtype=torch.float64)
        most = max(len(e.ids) for e in entries)
        flags = {mark: torch.zeros(size + 1, dtype=torch.bool) for mark in MARKS}
        for mark, flag in flags.items():
            flag[[token for token in tokens_with(mark, forms) if token < size]] = True
        self.has_several_widths = len({e.width for e in entries}) > 1
        """True if entries have several widths, so that a fraction needs a row for each width."""
        self.token_ids = Constant(
            torch.tensor([e.ids + e.ids[:1] * (most - len(e.ids)) for e in entries])
        )
        """[N, G]: tokens of each entry, padded with its first one."""
        self.padding = Constant(
            torch.tensor([[g >= len(e.ids) for g in range(most)] for e in entries])
        )
        """[N, G] bool: True where `token_ids` is padding."""
        self.widths = Constant(widths)
        """[N + 2]: places of each entry; 0 without digits, MAX_WIDTH + 1 if unreadable."""
        shift = torch.arange(1, MAX_WIDTH + 1)[:, None] - widths
        # Each row is v · 10**(w - w_i): in a fraction, 5 counts as 50 beside tokens of two digits.
        in_fractions = value * 10.0 ** shift.double()  # [MAX_WIDTH, N + 2]
        by_width = [value[None], in_fractions[: MAX_WIDTH * self.has_several_widths]]
        self.values_by_width = Constant(torch.cat(by_width))
        """[L, N + 2]: value of each entry; see `NumericVocab.value_row`."""
        self.marks = Constant(torch.stack(list(flags.values())))
        """[M, V + 1] bool: marks of each token. The last column, of no token, has none."""
        entry = torch.where(flags["unread"], len(entries) + 1, len(entries))
        for n, item in enumerate(entries):
            entry[list(item.ids)] = n
        self.entry_of_token = Constant(entry)
        """[V + 1]: entry of each token; N without digits, N + 1 with unreadable ones."""
