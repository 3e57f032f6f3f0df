"""Progress of long jobs: a bar on a terminal, occasional lines in a log, nothing with --quiet."""

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
"""Seconds between the lines of a log. A shorter job prints no line."""

quiet = False
"""True with --quiet: neither bars nor notes."""


def track(items: Iterable[Any] | None = None, **options: Any) -> tqdm[Any]:
    """Make a tqdm bar if standard error is a terminal, otherwise whole lines, with tqdm's
    options."""
    from tqdm import tqdm

    if "desc" in options:
        options["desc"] = printable(options["desc"])
    disable = quiet or options.get("disable")
    # A log does not have a cursor, so every state of a bar would be appended to the same line.
    if disable or sys.stderr.isatty():
        return tqdm(items, **{"dynamic_ncols": True, **options, "disable": disable})
    # TQDM_DISABLE is set for the bars of all other libraries, and would also silence these lines.
    options |= {"disable": False, "delay": EVERY, "mininterval": EVERY, "miniters": 1}
    # The mean rate instead of the rate of the last seconds, and no last line if the caller prints
    # the result.
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
        """Do nothing, because each line is flushed when it is written."""


def note(text: str) -> None:
    """Print a note about the progress on standard error, unless --quiet."""
    if not quiet:
        tell(text)


def warn(text: str) -> None:
    """Print a warning about gaps in the results on standard error, even with --quiet."""
    tell(f"gnomon: {text}")


def announce(step: str) -> None:
    """Print the next step of a command, unless --quiet."""
    note(f"— {step}")
