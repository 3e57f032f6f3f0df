"""Names that stand for code: a room's KINDS maps each to "module:Class", loaded when asked for."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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
        nearest = ", ".join(nearest_names(name, known))
        raise UnknownNameError(
            f"unknown {what} {name!r}: did you mean {nearest}? `{listing}` lists all"
        )


def nearest_names(name: str, choices: Iterable[str]) -> list[str]:
    """Up to three likely meant names; the first dozen of the list where none is near."""
    known = sorted(choices)
    by_initials = [c for c in known if "".join(word[:1] for word in c.split("_")) == name]  # lr
    near = by_initials + difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return list(dict.fromkeys(near))[:3] or known[:12]
