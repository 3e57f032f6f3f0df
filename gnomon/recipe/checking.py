"""Plain values made a recipe, or refused by path and value."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from reprlib import Repr
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from gnomon.names import nearest_names

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


T = TypeVar("T")

_SHOWN = 10
"""Complaints of one recipe that are listed."""
_shown = Repr()
_shown.maxstring = _shown.maxother = 100


class RecipeError(ValueError):
    """A recipe that cannot be run as written; its message names each key, value and way out."""


def checked(kind: type[T], raw: dict[str, Any], *, name: str) -> T:
    """A dataclass of plain values: unknown keys and wrong types refused by path and value."""
    try:
        text = json.dumps(raw, default=str, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:  # of a date as a key, of half an emoji
        raise RecipeError(f"{name}: not plain text: {error}") from error
    try:
        # Strict about types, yet lists may be tuples and dicts dataclasses: that is JSON's mode.
        return TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        lines = [_complaint(kind, e) for e in error.errors()[:_SHOWN]]
        if error.error_count() > _SHOWN:
            lines.append(f"and {error.error_count() - _SHOWN} more")
        raise RecipeError("\n".join(f"{name}: {line}" for line in lines)) from None


def section(kind: type, key: str) -> type | None:
    """The dataclass that stands under a key, one or a list of it; None where a plain value does."""
    return _held(get_type_hints(kind)[key])


def choices(kind: type, key: str) -> tuple[Any, ...]:
    """The values among which a key's is chosen; none where any of its type is taken."""
    hint = get_type_hints(kind)[key]
    return get_args(hint) if get_origin(hint) is Literal else ()


def _complaint(root: type, error: ErrorDetails) -> str:
    loc, message = error["loc"], error["msg"].removeprefix("Value error, ")
    path = ".".join(str(step) for step in loc)
    if error["type"] == "unexpected_keyword_argument":
        near = ", ".join(nearest_names(str(loc[-1]), _keys_at(root, loc[:-1])))
        return f"{path}: no such key; did you mean {near}?"
    if error["type"] == "missing":
        return f"{path}: it must be given"
    if error["type"] == "value_error":
        return f"{path}: {message}" if path else message
    return f"{path}: {_shown.repr(error['input'])}: {message[0].lower()}{message[1:]}"


def _held(hint: Any) -> type | None:
    if isinstance(hint, type) and is_dataclass(hint):
        return hint
    return next((found for inner in get_args(hint) if (found := _held(inner))), None)


def _keys_at(root: type, loc: tuple[int | str, ...]) -> list[str]:
    """The keys that the dataclass at that place has."""
    kind: Any = root
    for step in loc:
        if isinstance(step, str):
            kind = section(kind, step)
    return [f.name for f in fields(kind)]
