"""How a target is written for one model family, and read back.

Nothing else formats a training answer. Boxes are in the pixels of `size`, the picture as the
model's processor resized it; the coordinate space belongs to the dialect and is never guessed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from gnomon import names
from gnomon.answers.box.truth import Box
from gnomon.answers.number.truth import Number
from gnomon.answers.spots.truth import Spot, Spots
from gnomon.answers.target import Size, Target
from gnomon.answers.time.truth import Time

ANSWER = "Answer: "
"""What stands between the working and the answer."""


def worked(rationale: str, answer: str) -> str:
    """The answer, after the working where there is some."""
    return f"{rationale}\n{ANSWER}{answer}" if rationale else answer


def final(text: str) -> str:
    """What stands after the last "Answer:" or in the last <answer>, or the whole text."""
    said = text.rpartition("</think>")[2]
    start, end = answer_block(said) or (0, len(said))
    return _ANSWER.split(said[start:end])[-1].strip()


def answer_block(text: str) -> tuple[int, int] | None:
    """Where the content of the last <answer> begins and ends; it may have been cut off."""
    openings = list(_OPENING.finditer(text))
    if not openings:
        return None
    start = openings[-1].end()
    closing = _CLOSING.search(text, start)
    return start, closing.start() if closing else len(text)


_OPENING = re.compile(r"<answer\b[^<>]*>(?!\s*\Z)", re.IGNORECASE)
_CLOSING = re.compile(r"</answer\b", re.IGNORECASE)
_ANSWER = re.compile(r"\banswer[*_]{0,3}\s?:[*_]{0,3}", re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """How one family writes boxes; all else is written the same for all.

    `read` takes only what `write` writes; eval's readers are the tolerant ones.
    """

    name: ClassVar[str] = "plain"
    _BOX: ClassVar[re.Pattern[str]] = re.compile(
        r"\[(\d\.\d{3}), (\d\.\d{3}), (\d\.\d{3}), (\d\.\d{3})\]", re.ASCII
    )

    def write(self, target: Target, size: Size | None = None) -> str:
        """The training answer for `target`, in a picture of `size` (boxes and spots need it)."""
        return target.written(self, size)

    def read(
        self, text: str, size: Size | None = None, *, like: Target | None = None
    ) -> Target | None:
        """The target that was written as `text`, or None.

        `like` is any target of the form asked for: its type, a clock's hours, a text's choices.
        Without it the text may be a 12-hour time, a number or a box.
        """
        return self._read_any(text, size) if like is None else like.read_back(text, self, size)

    def _read_any(self, text: str, size: Size | None) -> Target | None:
        for like in (Time(0), Number(Decimal(0))):
            if found := self.read(text, like=like):
                return found
        return self.read_box(text, size) if size else None

    def precision(self, size: Size) -> tuple[float, float]:
        """How far, in pixels across and down, a box that was written and read back may move."""
        return size[0] / 2000, size[1] / 2000

    def write_box(self, box: Box, size: Size) -> str:
        """An answer that cannot be read back (a sliver, a box outside) must never be trained on."""
        text = self._write_box(box, size)
        if self.read_box(text, size) is None:
            raise ValueError(f"{box} in a picture of {size}: the {self.name} dialect cannot say it")
        return text

    def write_spots(self, spots: Spots, size: Size) -> str:
        text = self._write_spots(spots, size)
        if (back := self.read_spots(text, size)) is None or (
            [spot.text for spot in back.items] != [spot.text for spot in spots.items]
        ):
            raise ValueError(
                f"{spots} in a picture of {size}: the {self.name} dialect cannot say it"
            )
        return text

    def _write_spots(self, spots: Spots, size: Size) -> str:
        """A line for each text with its box after it."""
        return "\n".join(f"{spot.text} {self._write_box(spot.box, size)}" for spot in spots.items)

    def read_spots(self, text: str, size: Size) -> Spots | None:
        found = []
        for line in text.split("\n"):
            match = self._SPOT.fullmatch(line)
            box = self.read_box(match[2], size) if match else None
            if match is None or box is None or self._BOX.search(match[1]):
                return None
            found.append((match[1], box))
        return _spots_from(found)

    @property
    def _SPOT(self) -> re.Pattern[str]:  # noqa: N802 - a pattern made of _BOX
        return re.compile(rf"(.+) ({self._BOX.pattern})", re.ASCII)

    def _write_box(self, box: Box, size: Size) -> str:
        corners = (box.x1 / size[0], box.y1 / size[1], box.x2 / size[0], box.y2 / size[1])
        return "[" + ", ".join(f"{c:.3f}" for c in corners) + "]"

    def read_box(self, text: str, size: Size) -> Box | None:
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

    @property
    def _SPOT(self) -> re.Pattern[str]:  # noqa: N802 - decoding drops the special tokens
        text = r"(?:<\|object_ref_start\|>)?(.+?)(?:<\|object_ref_end\|>)?"
        return re.compile(rf"{text}({self._BOX.pattern})", re.ASCII)

    def _write_spots(self, spots: Spots, size: Size) -> str:
        return "\n".join(
            f"<|object_ref_start|>{spot.text}<|object_ref_end|>{self._write_box(spot.box, size)}"
            for spot in spots.items
        )

    def _write_box(self, box: Box, size: Size) -> str:
        x1, y1, x2, y2 = _rounded(box.scaled(size, (1000, 1000)))
        return f"<|box_start|>({x1},{y1}),({x2},{y2})<|box_end|>"

    def read_box(self, text: str, size: Size) -> Box | None:
        match = self._BOX.fullmatch(text)
        return _box_from([float(c) for c in match.groups()], (1000, 1000), size) if match else None


@dataclass(frozen=True)
class Qwen25VL(Dialect):
    """JSON with `bbox_2d` in absolute pixels of the resized picture, as Qwen2.5-VL answers."""

    name: ClassVar[str] = "qwen2.5-vl"
    _BOX: ClassVar[re.Pattern[str]] = re.compile(
        r'\{"bbox_2d": \[(\d+), (\d+), (\d+), (\d+)\]\}', re.ASCII
    )

    def precision(self, size: Size) -> tuple[float, float]:
        across, down = self._space(size)
        return size[0] / across / 2, size[1] / down / 2

    def _space(self, size: Size) -> Size:
        """The width and height of what corners are counted in."""
        return size

    def _write_spots(self, spots: Spots, size: Size) -> str:
        rows = [
            {"bbox_2d": self._corners(spot.box, size), "label": spot.text} for spot in spots.items
        ]
        return json.dumps(rows, ensure_ascii=False)

    def read_spots(self, text: str, size: Size) -> Spots | None:
        space = self._space(size)
        try:
            rows = [(row["label"], row["bbox_2d"]) for row in json.loads(text)]
            found = [(str(label), _box_from(corners, space, size)) for label, corners in rows]
        except (KeyError, RecursionError, TypeError, ValueError):
            return None
        boxes = [(label, box) for label, box in found if box is not None]
        # With the others left out, precision would not see what was said wrongly.
        return _spots_from(boxes) if len(boxes) == len(found) else None

    def _write_box(self, box: Box, size: Size) -> str:
        return f'{{"bbox_2d": {self._corners(box, size)}}}'

    def _corners(self, box: Box, size: Size) -> list[int]:
        return _rounded(box.scaled(size, self._space(size)))

    def read_box(self, text: str, size: Size) -> Box | None:
        match = self._BOX.fullmatch(text)
        corners = [float(c) for c in match.groups()] if match else None
        return _box_from(corners, self._space(size), size) if corners else None


@dataclass(frozen=True)
class Qwen3VL(Qwen25VL):
    """JSON with `bbox_2d` as Qwen2.5-VL's, but on 0..1000 whatever the picture's size."""

    name: ClassVar[str] = "qwen3-vl"

    def _space(self, size: Size) -> Size:  # noqa: ARG002 - the same for all
        return 1000, 1000


@dataclass(frozen=True)
class Llava(Dialect):
    """Corners as shares of the picture padded to a square around its middle, as LLaVA-1.5 sees it.

    Three decimals where LLaVA's own data has two: a box is then known to a third of a pixel of 336.
    """

    name: ClassVar[str] = "llava"

    def precision(self, size: Size) -> tuple[float, float]:
        return max(size) / 2000, max(size) / 2000

    def _write_box(self, box: Box, size: Size) -> str:
        side, left, top = _square(size)
        padded = Box(box.x1 + left, box.y1 + top, box.x2 + left, box.y2 + top)
        return super()._write_box(padded, (side, side))

    def read_box(self, text: str, size: Size) -> Box | None:
        """None for a box that reaches further into the padding than the whole picture's does."""
        side, left, top = _square(size)
        box = super().read_box(text, (side, side))
        whole = super().read_box(self._write_box(Box(0, 0, *size), size), (side, side))
        if box is None or whole is None:
            return None
        inside = (
            whole.x1 <= box.x1 and whole.y1 <= box.y1 and box.x2 <= whole.x2 and box.y2 <= whole.y2
        )
        return _clipped(box, left, top, size) if inside else None


DIALECTS: dict[str, type[Dialect]] = {
    d.name: d for d in (Dialect, Qwen2VL, Qwen25VL, Qwen3VL, Llava)
}


def create(name: str) -> Dialect:
    """The dialect of that name."""
    names.check(DIALECTS, name, what="dialect", listing="gnomon ls families")
    return DIALECTS[name]()


def _square(size: Size) -> tuple[int, float, float]:
    """The side of the square around a picture, and where in it the picture begins."""
    side = max(size)
    return side, (side - size[0]) / 2, (side - size[1]) / 2


def _clipped(box: Box, left: float, top: float, size: Size) -> Box:
    """A box of the square in the picture's own pixels; rounding may have moved it over the edge."""
    x1, x2 = (min(max(x - left, 0.0), size[0]) for x in (box.x1, box.x2))
    y1, y2 = (min(max(y - top, 0.0), size[1]) for y in (box.y1, box.y2))
    return Box(x1, y1, x2, y2)


def _rounded(box: Box) -> list[int]:
    return [round(c) for c in (box.x1, box.y1, box.x2, box.y2)]


def _spots_from(found: list[tuple[str, Box]]) -> Spots | None:
    try:
        return Spots(tuple(Spot(text, box) for text, box in found))
    except ValueError:
        return None


def _box_from(corners: list[float], space: Size, size: Size) -> Box | None:
    """The box in pixels of `size`; None where corners are swapped, coincide or lie outside."""
    x1, y1, x2, y2 = corners
    inside = 0 <= x1 < x2 <= space[0] and 0 <= y1 < y2 <= space[1]
    return Box(x1, y1, x2, y2).scaled(space, size) if inside else None
