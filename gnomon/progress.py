"""How far a long job is: a bar on a terminal, a line now and then in a log, nothing if quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from tqdm import tqdm

_SHOWN = "{desc}: {n_fmt} of {total_fmt} [{elapsed}<{remaining}, {rate_fmt}{postfix}]"
_ENDLESS = "{desc}: {n_fmt} [{elapsed}, {rate_fmt}{postfix}]"

quiet = False
"""Whether neither bars nor notes are wanted: --quiet."""


def track(
    items: Iterable[Any] | None = None, *, disable: bool = False, delay: float = 0, **how: Any
) -> tqdm[Any] | Lines:
    """tqdm's bar where standard error is a terminal, else `Lines`; its arguments are tqdm's."""
    from tqdm import tqdm

    if quiet or disable or sys.stderr.isatty():
        disable |= quiet
        return tqdm(items, disable=disable, delay=delay, dynamic_ncols=True, **how)
    return Lines(items, **how)


def note(text: str) -> None:
    """A line on standard error about what goes on; --quiet leaves it out."""
    if not quiet:
        print(text, file=sys.stderr)


def warn(text: str) -> None:
    """A line on standard error about what the results lack; --quiet leaves it in."""
    print(f"gnomon: {text}", file=sys.stderr)


class Lines:
    """What tqdm would show, as a whole line at most every 30 seconds: a log keeps every line."""

    EVERY: ClassVar[float] = 30.0
    told: ClassVar[float] = 0.0
    """When the last line was printed, of whichever job: one may be part of another."""

    def __init__(
        self,
        items: Iterable[Any] | None,
        *,
        desc: str,
        total: int | None = None,
        initial: int = 0,
        unit: str = "",
        **_: Any,
    ) -> None:
        self.items = items
        self.total = len(items) if total is None and isinstance(items, Sized) else total
        self.n = self.initial = initial
        self.desc, self.unit, self.postfix = desc, unit.strip(), ""
        self.began = time.monotonic()

    def __iter__(self) -> Iterator[Any]:
        assert self.items is not None
        for item in self.items:
            yield item
            self.update()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, n: int = 1) -> None:
        """So many more are done."""
        self.n += n
        now = time.monotonic()
        if now - max(self.began, Lines.told) >= self.EVERY:
            Lines.told = now
            print(self, file=sys.stderr, flush=True)

    def set_postfix(self, shown: Mapping[str, float]) -> None:
        """Figures that end the next line."""
        self.postfix = ", ".join(f"{name}={value:.3g}" for name, value in shown.items())

    def close(self) -> None:
        """Nothing is left to be cleared."""

    def __str__(self) -> str:
        from tqdm import tqdm

        return tqdm.format_meter(
            self.n,
            self.total,  # type: ignore[arg-type]  # it takes None as well
            time.monotonic() - self.began,
            prefix=self.desc,
            unit=self.unit,
            bar_format=_ENDLESS if self.total is None else _SHOWN,
            postfix=self.postfix,
            initial=self.initial,
        )
