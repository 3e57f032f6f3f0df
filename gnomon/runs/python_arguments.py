"""Arguments of the Python functions, checked and written as for the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

from gnomon import names
from gnomon.recipe import RecipeError


def path_of(value: str | Path, name: str) -> Path:
    """Return the argument `name` as a path, or refuse it."""
    try:
        return Path(value)
    except TypeError:
        raise RecipeError(f"{name}: {value!r}: give a path") from None


def whole_number(value: Any, name: str) -> int:
    """Return an argument that is a whole number from 1 on."""
    if not isinstance(value, Integral) or value < 1:
        raise RecipeError(f"{name}={value!r}: give a whole number, 1 or more")
    return int(value)


def override_words(overrides: Mapping[str, Any] | None) -> list[str]:
    """Write overrides as the command line takes them: `train.max_steps=300`."""
    if overrides is not None and not isinstance(overrides, Mapping):
        raise RecipeError(
            f'overrides: {overrides!r}: give a dict, such as {{"train.max_steps": 300}}'
        )
    words = []
    for key, value in (overrides or {}).items():
        try:
            words.append(f"{key}={json.dumps(value, ensure_ascii=False, default=_plain)}")
        except TypeError as error:
            raise RecipeError(f"{key}: {value!r}: give plain values, as YAML has them") from error
        names.allow(str(value))  # the caller named the class
    return words


def _plain(value: Any) -> Any:
    """Return a path as text, and a number of numpy's as Python's."""
    if isinstance(value, Path):
        return str(value)
    if not hasattr(value, "item"):
        raise TypeError
    return value.item()


def register_plugins(places: str | Sequence[str]) -> None:
    """Permit and import a user's classes. A generator registers its kind."""
    from gnomon import generators

    if not isinstance(places, Iterable):
        raise RecipeError(f"plugins: {places!r}: give a list of classes, as module:Class")
    for place in [places] if isinstance(places, str) else places:
        names.allow(place)
        if hasattr(names.load_user_class(place, object, what="plug-in"), "kind"):
            generators.load(place)
