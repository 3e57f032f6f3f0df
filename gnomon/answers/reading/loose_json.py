"""Parser of JSON as models write it: truncated, with extra commas or keys, or Python's quotes.

Values keep their places in the text. The parser does not guess: a truncated value is marked, and
unknown text is a word.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TypeAlias

# Deeper nesting would exhaust Python's stack.
_DEEPEST = 12


@dataclass(slots=True)
class Node:
    """A value with its place. `whole` is false if the value was cut off."""

    start: int
    end: int = 0
    whole: bool = False


@dataclass(slots=True)
class Scalar(Node):
    """A text, a number or a word, as written but without quotation marks."""

    text: str = ""


@dataclass(slots=True)
class Array(Node):
    """List of values, in square brackets."""

    items: list[Value] = field(default_factory=list)

    @property
    def is_flat(self) -> bool:
        """True if all items are scalars, and there is at least one."""
        return bool(self.items) and all(isinstance(item, Scalar) for item in self.items)


@dataclass(slots=True)
class Mapping(Node):
    """An object. A key may occur twice, if a model forgets to begin a new object."""

    pairs: list[tuple[Scalar, Value]] = field(default_factory=list)


Value: TypeAlias = Scalar | Array | Mapping
# A comma may stand before, after or between values, or be missing.
_BLANKS = re.compile(r"[\s,]*")
_COLON = re.compile(r"\s*[:=]\s*")
# Possessive, because a text full of quotation marks would take quadratic time.
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*+(\"|\Z)|'(?:[^'\\]|\\.)*+('|\Z)", re.DOTALL)
_WORD = re.compile(r"[^\s,:=\[\](){}\"']++")
OBJECT = re.compile(r"\{(?=\s*(?:[\"']|[a-z_]\w{0,40}\s*:))")
"""Beginning of an object. The first key may lack its quotation marks."""


def objects(text: str) -> list[Mapping]:
    """Find the outermost objects of a text, in order."""
    mappings: list[Mapping] = []
    end = 0
    while match := OBJECT.search(text, end):
        value = _value(text, match.start(), 0)
        assert isinstance(value, Mapping)
        mappings.append(value)
        # A truncated object ends at the end of the text, or at a sign outside JSON.
        end = max(value.end, match.end())
    return mappings


def _value(text: str, index: int, depth: int) -> Value | None:
    """Parse the value that begins at a place, if there is one and it is not too deep."""
    opening = text[index : index + 1]
    # A tuple of Python counts as a list.
    if opening and opening in "{[(" and depth < _DEEPEST:
        return _mapping(text, index, depth) if opening == "{" else _array(text, index, depth)
    return _scalar(text, index)


def _array(text: str, start: int, depth: int) -> Array:
    array = Array(start, start + 1)
    while True:
        array.end = _skip(text, array.end)
        if text.startswith(("]", ")"), array.end):
            array.end, array.whole = array.end + 1, True
            return array
        item = _value(text, array.end, depth + 1)
        if item is None:  # the end of the text, or a sign outside the list
            return array
        if isinstance(item, Scalar) and _COLON.match(text, item.end):
            # A key: the bracket was forgotten, as in [1, 2, 3, 4, "label": "cat"}.
            array.whole = True
            return array
        array.items.append(item)
        array.end = item.end


def _mapping(text: str, start: int, depth: int) -> Mapping:
    mapping = Mapping(start, start + 1)
    while True:
        mapping.end = _skip(text, mapping.end)
        if text.startswith("}", mapping.end):
            mapping.end, mapping.whole = mapping.end + 1, True
            return mapping
        key = _scalar(text, mapping.end)
        colon = _COLON.match(text, key.end) if key else None
        value = _value(text, colon.end(), depth + 1) if colon else None
        if key is None or value is None:
            mapping.end = key.end if key else mapping.end
            return mapping
        # A list of pairs, because a dict would keep only the last of equal keys.
        mapping.pairs.append((key, value))
        mapping.end = value.end


def _scalar(text: str, index: int) -> Scalar | None:
    if match := _STRING.match(text, index):
        is_whole = bool(match[1] or match[2])
        inner = match[0][1:-1] if is_whole else match[0][1:]
        return Scalar(index, match.end(), is_whole, _unescape(inner))
    word = _WORD.match(text, index)
    # A number at the very end may have been cut off.
    return Scalar(index, word.end(), word.end() < len(text), word[0]) if word else None


def _unescape(inner: str) -> str:
    try:
        return str(json.loads(f'"{inner}"', strict=False))
    except ValueError:  # Python's quotes, or a backslash that escapes nothing
        return inner


def _skip(text: str, index: int) -> int:
    blanks = _BLANKS.match(text, index)
    assert blanks is not None
    return blanks.end()
