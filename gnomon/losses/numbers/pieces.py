"""What is asked of a tokenizer, and the text that each piece of its vocabulary stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping
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
_PRINTABLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_OTHERS = [byte for byte in range(0x100) if byte not in _PRINTABLE]
_BYTES = {0x100 + i: byte for i, byte in enumerate(_OTHERS)}
"""GPT-2's letters for bytes: printable ones stand for themselves, U+0100 and up for the others."""


def texts_of(pieces: Mapping[str, int]) -> dict[int, str]:
    """The text of each token, whichever way the vocabulary writes spaces and bytes.

    A character cut into several tokens is U+FFFD in each.
    """
    # SentencePiece may know Ġ as a letter of Maltese; byte-level vocabularies have no ▁.
    in_bytes = any(p.startswith("Ġ") for p in pieces) and not any(p.startswith("▁") for p in pieces)
    return {token: _text_of(piece, in_bytes=in_bytes) for piece, token in pieces.items()}


def _text_of(piece: str, *, in_bytes: bool) -> str:
    if byte := _BYTE.fullmatch(piece):
        return chr(int(byte[1], 16))
    if not in_bytes:
        return piece.replace("▁", " ")
    if piece.isascii():  # which stands for itself
        return piece
    try:
        return piece.translate(_BYTES).encode("latin-1").decode("utf-8", errors="replace")
    except UnicodeEncodeError:  # an added token is written as it is
        return piece
