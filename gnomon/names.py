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
_PLACE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_ALLOWED: set[str] = set()


class UnknownNameError(ValueError):
    """A name that stands for nothing here; the message lists what it may have meant."""


def is_place(name: str) -> bool:
    """Whether a name is the place of a class, `module:Class`."""
    return _PLACE.fullmatch(name) is not None


def allow(name: str) -> None:
    """Let a class of the user's be loaded from here on, if it is named by its place."""
    if is_place(name):
        _ALLOWED.add(name)


def refuse_code(places: Iterable[str], file: object) -> None:
    """Refuse a file that names classes outside gnomon which the user did not name himself."""
    others = [name for name in dict.fromkeys(places) if is_place(name) and name not in _ALLOWED]
    if others:
        raise UnknownNameError(
            f"{file} names code outside gnomon: {', '.join(others)}. If it is yours, or you trust"
            f" it, add {' '.join(f'--plugins {name}' for name in others)}"
        )


def load(
    kinds: Mapping[str, str], name: str, *, what: str, listing: str, own: str | None = None
) -> Any:
    """The class that `name` stands for; an unknown one is refused.

    Where `own` names a class by its place, the name may be the place of a user's subclass of it.
    """
    if own is not None and is_place(name):
        return load_own(name, _imported(own), what=what)
    check(kinds, name, what=what, listing=listing)
    return _imported(kinds[name])


def load_own(place: str, base: type, *, what: str) -> Any:
    """A class of the user's own, looked for in the current directory, too."""
    refuse_code([place], what)
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # last, so that no file there hides a library
    try:
        found = _imported(place)
    except (AttributeError, ImportError) as error:
        raise UnknownNameError(f"{what} {place!r} cannot be imported: {error}") from error
    if not isinstance(found, type) or not issubclass(found, base):
        raise UnknownNameError(f"{what} {place!r} is no subclass of {base.__name__}")
    return found


def _imported(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def check(choices: Iterable[str], name: str, *, what: str, listing: str) -> None:
    """Refuse an unknown name, with the nearest choices and the command that lists all."""
    known = list(choices)
    if name not in known:
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
