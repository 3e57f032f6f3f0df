"""Progress of long jobs: a bar on a terminal, a line now and then in a log, nothing if quiet."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gnomon.terminal import printable, tell

if TYPE_CHECKING:
    from tqdm import tqdm

_WITH_TOTAL = "{desc}: {n_fmt} of {total_fmt} [{elapsed}<{remaining}, {rate_fmt}{postfix}]"
_WITHOUT_TOTAL = "{desc}: {n_fmt} [{elapsed}, {rate_fmt}{postfix}]"

EVERY = 30.0
"""Seconds between the lines of a log; a job that is done by then has none."""

quiet = False
"""True if the user wants neither bars nor notes: --quiet."""


def track(items: Iterable[Any] | None = None, **options: Any) -> tqdm[Any]:
    """Make a tqdm bar where standard error is a terminal, else whole lines, with tqdm's options."""
    from tqdm import tqdm

    if "desc" in options:
        options["desc"] = printable(options["desc"])
    disable = quiet or options.get("disable")
    # A log has no cursor to move: each state of a bar would stand on the same endless line.
    if disable or sys.stderr.isatty():
        return tqdm(items, **{"dynamic_ncols": True, **options, "disable": disable})
    # TQDM_DISABLE is set for all other libraries' bars, and would silence these lines, too.
    options |= {"disable": False, "delay": EVERY, "mininterval": EVERY, "miniters": 1}
    # The mean rate, not the last seconds' one, and no last line where the caller prints the result.
    options |= {"smoothing": 0, "leave": False}
    lines = tqdm(items, file=_Log(), **options)
    lines.bar_format = _WITHOUT_TOTAL if lines.total is None else _WITH_TOTAL
    return lines


class _Log:
    """File for tqdm that prints each state of a bar on a line."""

    def write(self, text: str) -> None:
        # tqdm clears a bar by writing blanks over it.
        if line := text.strip():
            tell(line)

    def flush(self) -> None:
        """Do nothing: each line is flushed as it is written."""


def note(text: str) -> None:
    """Print a line on standard error about what goes on, unless --quiet."""
    if not quiet:
        tell(text)


def warn(text: str) -> None:
    """Print a line on standard error about what the results lack, even if --quiet."""
    tell(f"gnomon: {text}")


def announce(step: str) -> None:
    """Print the next step of a verb, unless --quiet."""
    note(f"— {step}")
