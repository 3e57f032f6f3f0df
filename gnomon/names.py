"""Names for code. A registry maps each name to "module:Class", which is loaded on demand.

A user's own class is named `module:Class`. It is loaded if the user wrote this name on the command
line or in the current recipe. A file that gnomon wrote may not name code.
"""

import difflib
import os
import re
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from gnomon.options import option

_LISTED, _MOST = 12, 100
"""Largest number of choices that a message lists, with a command that lists all and without."""
_PLACE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_ALLOWED: set[str] = set()


class UnknownNameError(ValueError):
    """Unknown name. The message lists similar names."""


def is_place(name: str) -> bool:
    """Return True if a name has the form `module:Class`."""
    return _PLACE.fullmatch(name) is not None


def allow(name: str) -> None:
    """Permit loading a user's `module:Class` from now on. Names of other forms are ignored."""
    if is_place(name):
        _ALLOWED.add(name)


def check_code_is_allowed(places: Iterable[str], file: object) -> None:
    """Refuse a file that names classes outside gnomon, unless the user has also named them."""
    others = [name for name in dict.fromkeys(places) if is_place(name) and name not in _ALLOWED]
    if others:
        plugins = " ".join(option("plugins", name) for name in others)
        raise UnknownNameError(
            f"{file} names code outside gnomon: {', '.join(others)}. If it is yours, or you trust"
            f" it, name it as a plug-in: {plugins}"
        )


def load(
    registry: Mapping[str, str], name: str, *, what: str, command: str, base: str | None = None
) -> Any:
    """Import the class registered under a name. An unknown name is refused.

    With `base`, given as `module:Class`, the name may also be a user's subclass of it in this form.
    """
    if base is not None and is_place(name):
        return load_user_class(name, load_class(base), what=what)
    check(registry, name, what=what, command=command)
    return load_class(registry[name])


def load_export(package: str, places: Mapping[str, str], name: str) -> Any:
    """Import a package's export on first use: the body of the `__getattr__` of its module."""
    if name not in places:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return load_class(places[name])


def load_user_class(path: str, base: type, *, what: str) -> Any:
    """Import a user's subclass of `base`, also from the current directory."""
    check_code_is_allowed([path], what)  # to import is to run it
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # last, so that no file there hides a library
    if not is_place(path):
        raise UnknownNameError(f"{what} {path!r}: give a class as module:Class")
    try:
        user_class = load_class(path)
    except (Exception, SystemExit) as error:  # whatever the user's module does as it is imported
        name = "" if isinstance(error, AttributeError | ImportError) else type(error).__name__
        reason = ": ".join(filter(None, [name, str(error)]))
        raise UnknownNameError(f"{what} {path!r} cannot be imported: {reason}") from error
    if not isinstance(user_class, type) or not issubclass(user_class, base):
        raise UnknownNameError(f"{what} {path!r} is not a subclass of {base.__name__}")
    return user_class


def load_class(path: str) -> Any:
    """Import what gnomon's own code names as `module:Class`."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def check(choices: Iterable[str], name: str, *, what: str, command: str = "") -> None:
    """Refuse an unknown name, with the nearest choices and the command that lists all choices."""
    names = list(choices)
    if name not in names:
        way_out = hint(str(name), names, command=command)  # Python users may give any type
        raise UnknownNameError(f"unknown {what} {name!r}: {way_out}")


def hint(name: str, choices: Iterable[str], *, command: str = "") -> str:
    """Suggest the nearest names. Otherwise list the choices.

    `command` is the command that lists all choices. With it, a long list is left out.
    """
    names = sorted(choices)
    lists_all = f"`{command}` lists all {len(names)}" if command else ""
    if near := nearest_names(name, names):
        return f"did you mean {', '.join(near)}? {lists_all}".rstrip()
    if len(names) > _LISTED and command:
        return lists_all
    rest = len(names) - _MOST
    return f"there are {', '.join(names[:_MOST])}" + (f" and {rest} more" if rest > 0 else "")


def nearest_names(name: str, choices: Iterable[str]) -> list[str]:
    """Return up to three similar names, the nearest first."""
    names = sorted(choices)
    # "lr" is not similar to learning_rate by its letters, but means it.
    by_initials = [c for c in names if "".join(word[:1] for word in c.split("_")) == name]
    # 0.68 finds "clok" and "guage", and keeps "nothing" and "spotting" apart.
    near = by_initials + difflib.get_close_matches(name, names, n=3, cutoff=0.68)
    if not near:  # "quen" means qwen2, whose release counts against it
        near = [
            c for c in names if difflib.get_close_matches(name, [c.rstrip("0123456789")], 1, 0.68)
        ]
    if len(name) >= 4:  # "batch_size" means per_device_train_batch_size
        near += [c for c in names if name.lower() in c.lower()]
    return list(dict.fromkeys(near))[:3]
