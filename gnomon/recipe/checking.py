"""Plain values made a recipe, or refused by path and value."""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from reprlib import Repr
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import TypeAdapter, ValidationError

from gnomon.names import hint, nearest_names

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
        by_key: dict[str, list[ErrorDetails]] = {}
        for found in error.errors():
            by_key.setdefault(_path(kind, found["loc"]), []).append(found)
        lines = [_complaint(kind, path, found) for path, found in by_key.items()][:_SHOWN]
        if len(by_key) > _SHOWN:
            lines.append(f"and {len(by_key) - _SHOWN} more")
        raise RecipeError("\n".join(f"{name}: {line}" for line in lines)) from None


def section(kind: type, key: str) -> type | None:
    """The dataclass that stands under a key, one or a list of it; None where a plain value does."""
    return _held(get_type_hints(kind)[key])


def choices(kind: type, key: str) -> tuple[Any, ...]:
    """The values among which a key's is chosen; none where any of its type is taken."""
    hint = get_type_hints(kind)[key]
    return get_args(hint) if get_origin(hint) is Literal else ()


def _complaint(root: type, path: str, errors: list[ErrorDetails]) -> str:
    """What is wrong at a key: several errors where its value may be of several types."""
    error = errors[0]
    loc, given, message = error["loc"], error["input"], error["msg"].removeprefix("Value error, ")
    said = f"{path}: {_shown.repr(given)}:"
    if error["type"] == "unexpected_keyword_argument":
        return f"{path}: no such key; {hint(str(loc[-1]), _keys_at(root, loc[:-1]))}"
    if error["type"] == "literal_error" and isinstance(given, str):
        among = re.findall("'([^']+)'", error["ctx"]["expected"])
        if loc[-1] == "[key]":
            return f"{path.removesuffix('.[key]')}: no such key; {hint(given, among)}"
        if near := nearest_names(given, among):
            return f"{said} did you mean {near[0]}? {_wanted(errors)}"
    if error["type"] == "missing":
        return f"{path}: it must be given"
    if error["type"] == "value_error":
        return f"{path}: {message}" if path else message
    if error["type"] == "dataclass_type":
        inner = f"{path}.{_keys_at(root, loc)[0]}"
        such_as = f"{inner}={given}" if isinstance(given, str) else inner
        return f"{said} it has keys of its own, such as {such_as}"
    if error["type"] in ("list_type", "tuple_type"):
        keys = _keys_at(root, loc)
        item = f"{{{keys[0]}: {given}}}" if keys and not isinstance(given, dict) else given
        return f"{said} give a list, such as {loc[-1]}=[{item}]"
    return f"{said} {_wanted(errors)}"


def _wanted(errors: list[ErrorDetails]) -> str:
    first = errors[0]["msg"].removeprefix("Value error, ")
    wanted = " or ".join(e["msg"].removeprefix("Input should be ") for e in errors)
    wanted = wanted.replace("a valid array", "a list").replace("an object", "a mapping")
    start = "input should be " if first.startswith("Input should be ") else ""
    return f"{start}{wanted[0].lower()}{wanted[1:]}"


def _path(root: type, loc: tuple[int | str, ...]) -> str:
    """The dotted key. Where a value may be of several types, pydantic appends the one it tried."""
    steps: list[str] = []
    wanted: Any = root
    for step in loc:
        members = [inner for inner in get_args(wanted) if inner is not NoneType]
        if get_origin(wanted) in (Union, UnionType):
            if len(members) > 1:
                break
            wanted = members[0]
        steps.append(str(step))
        wanted = _at(wanted, step)
    return ".".join(steps)


def _at(wanted: Any, step: int | str) -> Any:
    """The type of an item of a list, or of a dataclass's key; None where it is not known."""
    if isinstance(step, int):
        return next(iter(get_args(wanted)), None)
    return get_type_hints(wanted).get(step) if is_dataclass(wanted) else None


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
    return [f.name for f in fields(kind)] if kind else []
