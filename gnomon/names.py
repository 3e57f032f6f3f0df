"""Names that stand for code: a room's KINDS maps each to "module:Class", loaded when asked for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

_SHOWN = 12


class UnknownNameError(ValueError):
    """A name that stands for nothing here; the message lists what it may have meant."""


def load(kinds: Mapping[str, str], name: str, *, what: str, listing: str) -> Any:
    """The class that `name` stands for; an unknown one is refused."""
    check(kinds, name, what=what, listing=listing)
    module, _, attribute = kinds[name].partition(":")
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
