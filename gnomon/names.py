"""Names that stand for code: a registry maps each to "module:Class", loaded when asked for.

A user's own class is named by its place, `module:Class`, once the user has written that on the
command line or in the recipe that is run; a file that gnomon wrote may not name code.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

_SHOWN = 12


PLACE = re.compile(r"(?<![\w.:/])([A-Za-z_][\w.]*:[A-Za-z_]\w*)(?![\w:/.])")
"""How a user's own class is named: the module it is imported from, and its name there."""
_ALLOWED: dict[str, None] = {}


class UnknownNameError(ValueError):
    """A name that stands for nothing here; the message lists what it may have meant."""


def allow(text: str) -> list[str]:
    """Let every `module:Class` in a text of the user's be loaded from here on; which they are.

    Modules are looked for in the current directory, too.
    """
    places: list[str] = PLACE.findall(text)
    _ALLOWED.update(dict.fromkeys(places))
    if places and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return places


def refuse_code(text: str, what: str) -> None:
    """Refuse a text that names classes outside gnomon which the user did not name himself."""
    if places := [place for place in dict.fromkeys(PLACE.findall(text)) if place not in _ALLOWED]:
        named = ", ".join(map(repr, places))
        raise UnknownNameError(
            f"{what} {named} is code of your own, named by a file that was written before: if it is"
            f" to be run, add --plugins {' '.join(places)}"
        )


def is_place(name: str) -> bool:
    """Whether a name is a place of the user's own code."""
    return PLACE.fullmatch(name) is not None


def load(kinds: Mapping[str, str], name: str, *, what: str, listing: str) -> Any:
    """The class that `name` stands for; an unknown one is refused."""
    check(kinds, name, what=what, listing=listing)
    module, _, attribute = kinds.get(name, name).partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (AttributeError, ModuleNotFoundError) as error:
        if not is_place(name):
            raise
        raise UnknownNameError(f"{what} {name!r} cannot be imported: {error}") from error


def check(choices: Iterable[str], name: str, *, what: str, listing: str) -> None:
    """Refuse an unknown name, with the nearest choices and the command that lists all."""
    known = list(choices)
    if is_place(name):
        refuse_code(name, what)
    elif name not in known:
        raise UnknownNameError(f"unknown {what} {name!r}: {hint(name, known, listing=listing)}")


def hint(name: str, choices: Iterable[str], *, listing: str = "") -> str:
    """The likely meant names as a question, else all of a short list, else how many there are.

    Where no command lists them, the first of a long list are shown.
    """
    known = sorted(choices)
    lists_all = f"`{listing}` lists all {len(known)}" if listing else ""
    if near := nearest_names(name, known):
        return f"did you mean {', '.join(near)}? {lists_all}".rstrip()
    if len(known) > _SHOWN and listing:
        return lists_all
    left = len(known) - _SHOWN
    return f"there are {', '.join(known[:_SHOWN])}" + (f" and {left} more" if left > 0 else "")


def nearest_names(name: str, choices: Iterable[str]) -> list[str]:
    """Up to three likely meant names, the nearest first; none where none is near."""
    known = sorted(choices)
    by_initials = [c for c in known if "".join(word[:1] for word in c.split("_")) == name]  # lr
    near = by_initials + difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return list(dict.fromkeys(near))[:3]
