"""Options in messages, written as the user gives them: in a shell, or to a Python function."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_shell = ContextVar("is_shell", default=False)


@contextmanager
def shell_options() -> Iterator[None]:
    """Write options for a shell within this context."""
    token = _is_shell.set(True)
    try:
        yield
    finally:
        _is_shell.reset(token)


def option(name: str, value: str | float | None = None, *, flag: str = "") -> str:
    """Write an option, such as `--wrong 0.05` in a shell and `wrong=0.05` in Python.

    True is the value of a flag, which takes no value in a shell. `flag` is the name in a shell if
    it differs.
    """
    flag = flag or f"--{name.replace('_', '-')}"
    if value is None or value is True:
        return flag if _is_shell.get() else name + "=True" * (value is True)
    if not isinstance(value, str):
        text = f"{value:g}"
    elif _is_shell.get() and re.fullmatch(r"[\w.:/-]+", value):
        text = value
    else:
        text = json.dumps(value, ensure_ascii=False)
    return f"{flag} {text}" if _is_shell.get() else f"{name}={text}"
