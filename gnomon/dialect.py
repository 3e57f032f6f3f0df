"""How a target is written for one model family, and read back.

Nothing else formats a training answer. Boxes are in the pixels of `size`, the picture as the
model's processor resized it; the coordinate space belongs to the dialect and is never guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Literal

from gnomon import names
from gnomon.sample import Box, Number, Size, Target, Time

_TIME = re.compile(r"(\d{2}):(\d{2})(?::(\d{2}))?", re.ASCII)
_NUMBER = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(?: (\S+(?: \S+)*))?")


@dataclass(frozen=True)
class Dialect:
    """Times as HH:MM[:SS], numbers in plain decimals; subclasses say how boxes are written.

    `read` takes only what `write` writes; eval's readers are the tolerant ones.
    """

    name: ClassVar[str] = "plain"
    _BOX: ClassVar[re.Pattern[str]] = re.compile(
        r"\[(\d\.\d{3}), (\d\.\d{3}), (\d\.\d{3}), (\d\.\d{3})\]", re.ASCII
    )

    def write(self, target: Target, size: Size | None = None) -> str:
        """The training answer for `target`, in a picture of `size` (needed for boxes only)."""
        if isinstance(target, Time):
            return _write_time(target)
        if isinstance(target, Number):
            return _write_number(target)
        return self._write_readable_box(target, _sized(size))

    def read(
        self, text: str, size: Size | None = None, *, hours: Literal[12, 24] = 12
    ) -> Target | None:
        """The target that was written as `text`, or None; `hours` is the clock's, as asked."""
        if time := _TIME.fullmatch(text):
            return _read_time(time, hours)
        if number := _NUMBER.fullmatch(text):
            return Number(Decimal(number[1]), number[2] or "")
        return self._read_box(text, size) if size else None

    def precision(self, size: Size) -> tuple[float, float]:
        """How far, in pixels across and down, a box that was written and read back may move."""
        return size[0] / 2000, size[1] / 2000

    def _write_readable_box(self, box: Box, size: Size) -> str:
        """An answer that cannot be read back (a sliver, a box outside) must never be trained on."""
        text = self._write_box(box, size)
        if self._read_box(text, size) is None:
            raise ValueError(f"{box} in a picture of {size}: the {self.name} dialect cannot say it")
        return text

    def _write_box(self, box: Box, size: Size) -> str:
        corners = (box.x1 / size[0], box.y1 / size[1], box.x2 / size[0], box.y2 / size[1])
        return "[" + ", ".join(f"{c:.3f}" for c in corners) + "]"

    def _read_box(self, text: str, size: Size) -> Box | None:
        match = self._BOX.fullmatch(text)
        return _box_from([float(c) for c in match.groups()], (1, 1), size) if match else None


@dataclass(frozen=True)
class Qwen2VL(Dialect):
    """Corners as integers on 0..1000 between Qwen2-VL's box tokens."""

    name: ClassVar[str] = "qwen2-vl"
    _BOX: ClassVar[re.Pattern[str]] = re.compile(
        r"(?:<\|box_start\|>)?\((\d{1,4}),(\d{1,4})\),\((\d{1,4}),(\d{1,4})\)(?:<\|box_end\|>)?",
        re.ASCII,
    )

    def _write_box(self, box: Box, size: Size) -> str:
        x1, y1, x2, y2 = _rounded(box.scaled(size, (1000, 1000)))
        return f"<|box_start|>({x1},{y1}),({x2},{y2})<|box_end|>"

    def _read_box(self, text: str, size: Size) -> Box | None:
        match = self._BOX.fullmatch(text)
        return _box_from([float(c) for c in match.groups()], (1000, 1000), size) if match else None


@dataclass(frozen=True)
class Qwen25VL(Dialect):
    """JSON with `bbox_2d` in absolute pixels of the resized picture, as Qwen2.5-VL answers."""

    name: ClassVar[str] = "qwen2.5-vl"
    _BOX: ClassVar[re.Pattern[str]] = re.compile(
        r'\{"bbox_2d": \[(\d+), (\d+), (\d+), (\d+)\]\}', re.ASCII
    )

    def precision(self, size: Size) -> tuple[float, float]:  # noqa: ARG002 - pixels whatever the size
        return 0.5, 0.5

    def _write_box(self, box: Box, size: Size) -> str:  # noqa: ARG002 - pixels whatever the size
        return f'{{"bbox_2d": {_rounded(box)}}}'

    def _read_box(self, text: str, size: Size) -> Box | None:
        match = self._BOX.fullmatch(text)
        return _box_from([float(c) for c in match.groups()], size, size) if match else None


DIALECTS: dict[str, type[Dialect]] = {d.name: d for d in (Dialect, Qwen2VL, Qwen25VL)}


def create(name: str) -> Dialect:
    """The dialect of that name."""
    names.check(DIALECTS, name, what="dialect", listing="gnomon ls families")
    return DIALECTS[name]()


def _write_time(time: Time) -> str:
    hour, minute, second = time.hms
    return f"{hour:02}:{minute:02}" + ("" if second is None else f":{second:02}")


def _read_time(match: re.Match[str], hours: Literal[12, 24]) -> Time | None:
    hour, minute, second = (int(part or 0) for part in match.groups())
    first, last = (1, 12) if hours == 12 else (0, 23)
    if not first <= hour <= last or minute > 59 or second > 59:
        return None
    return Time(hour % hours * 3600 + minute * 60 + second, hours, match[3] is not None)


def _write_number(number: Number) -> str:
    digits = f"{number.value:f}"  # never 1E+3
    text = f"{digits} {number.unit}" if number.unit else digits
    if not _NUMBER.fullmatch(text):  # never trained on what cannot be read back
        raise ValueError(f"unit={number.unit!r}: give words with one space between them")
    return text


def _sized(size: Size | None) -> Size:
    if size is None:
        raise ValueError("a box is written for a picture: give its size as (width, height)")
    return size


def _rounded(box: Box) -> list[int]:
    return [round(c) for c in (box.x1, box.y1, box.x2, box.y2)]


def _box_from(corners: list[float], space: Size, size: Size) -> Box | None:
    """The box in pixels of `size`; None where corners are swapped, coincide or lie outside."""
    x1, y1, x2, y2 = corners
    inside = x1 < x2 <= space[0] and y1 < y2 <= space[1]  # no dialect writes a minus
    return Box(x1, y1, x2, y2).scaled(space, size) if inside else None
