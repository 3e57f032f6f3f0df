"""What is asked of a tokenizer, and the text that each piece of its vocabulary stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol


class Tokenizer(Protocol):
    """What is asked of a tokenizer; all of transformers' can answer."""

    def get_vocab(self) -> dict[str, int]:
        """The token of each piece."""

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """The tokens of a text."""

    def convert_ids_to_tokens(self, ids: list[int]) -> str | list[str]:
        """The pieces of tokens."""


_BYTE = re.compile(r"<0x([0-7][0-9A-F])>")  # how SentencePiece falls back to one ASCII byte


def texts_of(pieces: Iterable[str]) -> dict[str, str]:
    """The text of each piece, whichever way the vocabulary writes spaces and bytes.

    A character cut into several tokens is U+FFFD in each.
    """
    pieces = tuple(pieces)
    # SentencePiece may know Ġ as a letter of Maltese; byte-level vocabularies have no ▁.
    in_bytes = any(p.startswith("Ġ") for p in pieces) and not any(p.startswith("▁") for p in pieces)
    text_of = _from_bytes if in_bytes else _from_sentencepiece
    return {piece: _from_one_byte(piece) or text_of(piece) for piece in pieces}


def _from_one_byte(piece: str) -> str | None:
    byte = _BYTE.fullmatch(piece) if piece.startswith("<0x") else None
    return chr(int(byte[1], 16)) if byte else None


def _from_sentencepiece(piece: str) -> str:
    return piece.replace("▁", " ")


def _from_bytes(piece: str) -> str:
    if piece.isascii():
        return piece
    try:
        return piece.translate(_BYTES).encode("latin-1").decode("utf-8", errors="replace")
    except UnicodeEncodeError:  # an added token is written as it is
        return piece


def _byte_alphabet() -> dict[int, int]:
    """GPT-2's: printable bytes stand for themselves, and U+0100 and up for the others."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = (byte for byte in range(0x100) if byte not in printable)
    return {0x100 + i: byte for i, byte in enumerate(others)}


_BYTES = _byte_alphabet()
