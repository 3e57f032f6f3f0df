"""Dialects: how model families write boxes, and how a training answer ends.

All training answers are formatted here. Boxes are in the pixels of `size`, the size of the picture
after the model's processor has resized it. The dialect defines the coordinate space. A dialect is
data: the number of the far edge, the order of the numbers, and templates.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from gnomon.answers.base.target import AnswerForm, Corners, Size, Target, escape
from gnomon.answers.reading.base import table
from gnomon.answers.reading.steps import value_start

TextBox: TypeAlias = tuple[str, Corners]
"""A text and its box in pixels. The text may be empty."""


def final_answer(text: str) -> str:
    """Return the text after the last "Answer:" or in the last <answer>, without the thinking.

    The text is empty if an answer stops in the middle of its steps.
    """
    text = text.rpartition("</think>")[2]
    text = text[value_start(text, may_be_label=True) :]
    openings = list(_OPENING.finditer(text))
    if openings:
        # The closing tag is missing if the answer was cut off.
        text = _CLOSING.split(text[openings[-1].end() :])[0]
    return _ANSWER.split(text)[-1].strip()


def bare_text(text: str) -> str:
    """Strip everything around the answer itself. A lone full stop becomes an empty text."""
    return " ".join(final_answer(text).strip(_QUOTES).removesuffix(".").strip(_QUOTES).split())


# Quotation marks and signs of emphasis around an answer.
_QUOTES = "\"'“”‘’«»`*"
# A tag at the very end is empty: the answer is the text before it.
_OPENING = re.compile(r"<answer\b[^<>]*>(?!\s*\Z)", re.IGNORECASE)
_CLOSING = re.compile(r"</answer\b", re.IGNORECASE)
_ANSWER = re.compile(r"\banswer[*_]{0,3}\s?:[*_]{0,3}", re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """A family's way to write boxes. Other answers are the same for every family.

    `read` takes only what `write` writes. The readers of `gnomon.eval` are tolerant.
    """

    name: str = "plain"
    far: int | None = 1
    """Coordinate of the right and lower edge, for example 1000, or None for pixels."""
    number: str = ".3f"
    """Format of a number, a key of _NUMBERS."""
    y_first: bool = False
    """True for the order y1, x1, y2, x2."""
    square: bool = False
    """True if coordinates refer to the picture padded to a square around its middle."""
    box: str = "[%s, %s, %s, %s]"
    """Template of a box, with a %s for each number."""
    key: str = ""
    """Key of a box if answers are JSON. The template `box` is then an object."""
    spot: str = "TEXT BOX"
    """Template of a text with its box."""
    between: str = "\n"
    """Separator of two spots."""
    nothing: str = "none"
    """Answer for an empty list, unless answers are JSON."""

    def write(self, target: Target, size: Size | None = None) -> str:
        """Write the training answer. Boxes and spots need the `size` of the picture."""
        return target.write(self, size)

    def read(
        self, text: str, size: Size | None = None, *, like: Target | AnswerForm
    ) -> Target | None:
        """Read the target that was written as `text`, or None.

        `like` is the form of the question, or any target of that form.
        """
        form = like.answer_form if isinstance(like, Target) else like
        return form.read_back(text, self, size)

    def precision(self, size: Size) -> tuple[float, float]:
        """Largest rounding error of a written box, in pixels across and down."""
        # Rounding moves a number by half of its last decimal at most.
        (sx, sy), step = self._scale(size), 10.0**-self._decimals / 2
        return step * sx, step * sy

    def to_pixels(self, corners: Corners, size: Size) -> Corners:
        """Convert numbers of this space, x first, to pixels of the picture."""
        (sx, sy), (left, top) = self._scale(size), self._padding(size)
        x1, y1, x2, y2 = corners
        return x1 * sx - left, y1 * sy - top, x2 * sx - left, y2 * sy - top

    def write_box(self, corners: Corners, size: Size) -> str:
        """Write a box; raise if it cannot be read back, for example if it is too narrow.

        A model must not be trained on such an answer.
        """
        text = self._write_box(corners, size)
        if self.read_box(text, size) is None:
            raise ValueError(
                f"{corners} in a picture of {size}: the {self.name} dialect cannot say it"
            )
        return text

    def read_box(self, text: str, size: Size) -> Corners | None:
        """Read the box that was written as `text`, in pixels of the picture."""
        match = self._box_pattern.fullmatch(text)
        if match is None:
            return None
        return self._corners_if_inside([float(number) for number in match.groups()], size)

    def write_spots(self, spots: Sequence[TextBox], size: Size) -> str:
        """Write texts with their boxes, or raise if they cannot be read back."""
        # A label that contains marks of this dialect would be read as another label.
        text = self._write_spots(spots, size)
        back = self.read_spots(text, size)
        if back is None or [label for label, _ in back] != [label for label, _ in spots]:
            raise ValueError(
                f"{spots} in a picture of {size}: the {self.name} dialect cannot say it"
            )
        return text

    def read_spots(self, text: str, size: Size) -> list[TextBox] | None:
        """Read the texts and boxes that were written as `text`; None for any other text."""
        if not self.key and text == self.nothing:
            return []
        spots = []
        try:
            for label, numbers in self._rows(text) if self.key else self._lines(text):
                corners = self._corners_if_inside(numbers, size)
                if corners is None:
                    return None
                spots.append((label, corners))
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
            return None
        return spots

    def number_spans(self, text: str) -> list[list[tuple[int, int]]]:
        """Return the places of the four numbers of each box in a text, in this dialect's order.

        There may be any blanks between the numbers.
        """
        spans = []
        for match in self._loose_box_pattern.finditer(text):
            spans.append([match.span(group) for group in range(1, 5)])
        return spans

    def possible_numbers(self, size: Size) -> list[tuple[str, ...]]:
        """Return the possible numbers for each of the four places of a box, in ascending order."""
        left, top, right, bottom = self._numbers((0, 0, *size), size)
        steps = 10**self._decimals
        choices = []
        # Near and far edges have the same numbers.
        for low, high in ((left, right), (top, bottom)) * 2:
            counts = range(round(low * steps), round(high * steps) + 1)
            choices.append(tuple([format(count / steps, self.number) for count in counts]))
        return choices

    def corners_of(self, numbers: Sequence[float], size: Size) -> Corners:
        """Convert four numbers in this dialect's order to pixels, clipped to the picture.

        Swapped corners stay swapped.
        """
        a, b, c, d = numbers
        x1, y1, x2, y2 = self.to_pixels((b, a, d, c) if self.y_first else (a, b, c, d), size)
        wide, tall = size
        across = [min(max(x, 0.0), wide) for x in (x1, x2)]
        down = [min(max(y, 0.0), tall) for y in (y1, y2)]
        return across[0], down[0], across[1], down[1]

    def _rows(self, text: str) -> list[tuple[str, list[float]]]:
        # A label may be a number in JSON.
        values = json.loads(text)
        if not isinstance(values, list):
            raise TypeError("no list of objects")
        rows = []
        for row in values:
            label = row.get("label")
            numbers = [float(number) for number in row[self.key]]
            rows.append(("" if label is None else str(label), numbers))
        return rows

    def _lines(self, text: str) -> list[tuple[str, list[float]]]:
        rows, start = list[tuple[str, list[float]]](), 0
        while start < len(text) or not rows:
            match = self._bare_pattern.match(text, start) or self._spot_pattern.match(text, start)
            label = match.groupdict().get("text", "") if match else ""
            # A box inside the text would belong to another spot.
            if match is None or self._box_pattern.search(label):
                raise ValueError(f"no spot at {start}")
            box = self._box_pattern.fullmatch(match["box"])
            assert box is not None
            rows.append((label, [float(number) for number in box.groups()]))
            start = match.end()
        return rows

    def _write_spots(self, spots: Sequence[TextBox], size: Size) -> str:
        if self.key:
            rows = [
                {self.key: [*map(int, self._numbers(corners, size))]}
                | ({"label": label} if label else {})
                for label, corners in spots
            ]
            # Models write letters as they are, and no \u escapes.
            return json.dumps(rows, ensure_ascii=False)
        if not spots:
            return self.nothing
        return self.between.join(
            (self.spot if label else "BOX")
            .replace("BOX", self._write_box(corners, size))
            .replace("TEXT", label)
            for label, corners in spots
        )

    def _write_box(self, corners: Corners, size: Size) -> str:
        return self.box % tuple(format(n, self.number) for n in self._numbers(corners, size))

    def _numbers(self, corners: Corners, size: Size) -> list[float]:
        """Convert a box to numbers in the order of this dialect."""
        (sx, sy), (left, top) = self._scale(size), self._padding(size)
        # Adding 0.0 makes 0.0 of -0.0.
        x1, x2 = (round((x + left) / sx, self._decimals) + 0.0 for x in corners[::2])
        y1, y2 = (round((y + top) / sy, self._decimals) + 0.0 for y in corners[1::2])
        return [y1, x1, y2, x2] if self.y_first else [x1, y1, x2, y2]

    def _corners_if_inside(self, numbers: Sequence[float], size: Size) -> Corners | None:
        """Convert numbers to corners in pixels; None if they are swapped, equal or outside.

        Rounding may move a box beyond the picture by less than a step. Such a box is clipped.
        """
        # In both orders, x first or y first, the near edges come before the far ones.
        a, b, c, d = numbers
        left, top, right, bottom = self._numbers((0, 0, *size), size)
        if not (left <= a < c <= right and top <= b < d <= bottom):
            return None
        x1, y1, x2, y2 = self.to_pixels((b, a, d, c) if self.y_first else (a, b, c, d), size)
        wide, tall = size
        x1, y1, x2, y2 = max(x1, 0.0), max(y1, 0.0), min(x2, wide), min(y2, tall)
        return (x1, y1, x2, y2) if x1 < x2 and y1 < y2 else None

    def _scale(self, size: Size) -> tuple[float, float]:
        """Number of pixels for each unit of the numbers, across and down."""
        wide, tall = (max(size), max(size)) if self.square else size
        return (1.0, 1.0) if self.far is None else (wide / self.far, tall / self.far)

    def _padding(self, size: Size) -> tuple[float, float]:
        """Pixels from the edge of the padded square to the picture, across and down."""
        wide, tall = size
        return ((max(size) - wide) / 2, (max(size) - tall) / 2) if self.square else (0.0, 0.0)

    @property
    def _decimals(self) -> int:
        return _NUMBERS[self.number][1]

    @cached_property
    def _box_pattern(self) -> re.Pattern[str]:
        return re.compile(_pattern(self.box, f"({_NUMBERS[self.number][0]})"), re.ASCII)

    @cached_property
    def _loose_box_pattern(self) -> re.Pattern[str]:
        """Pattern of a box in a longer text, with any blanks."""
        # The braces are dropped, because a label may stand between them as well.
        template = self.box.strip("{}")
        pattern = _pattern(template.replace(" ", ""), "NUMBER")
        for mark in (",", ":", r"\[", r"\("):
            pattern = pattern.replace(mark, rf"{mark}\s*")
        return re.compile(pattern.replace("NUMBER", f"({_NUMBERS[self.number][0]})"), re.ASCII)

    @property
    def box_regex(self) -> str:
        """Pattern of a box for guided decoders. Special tokens are optional."""
        number = _NUMBERS[self.number][0].replace(r"\d", "[0-9]")
        parts = re.split(r"(%s|<\|\w+\|>|</?(?:ref|box)>)", self.box)
        regex_of_part = {"%s": number, "": ""}
        for part in parts[1::2]:
            regex_of_part.setdefault(part, f"({escape(part)})?")
        return "".join(regex_of_part.get(part) or escape(part) for part in parts)

    @property
    def box_schema(self) -> dict[str, Any] | None:
        """JSON Schema of a box, if the dialect writes JSON."""
        # JSON numbers have no leading zeros.
        if self.box[0] not in "[{" or self.number == "04.0f":
            return None
        kind = "number" if self._decimals else "integer"
        item = {"type": kind, "minimum": 0} | ({} if self.far is None else {"maximum": self.far})
        corners = {"type": "array", "items": item, "minItems": 4, "maxItems": 4}
        if not self.key:
            return corners
        return {
            "type": "object",
            "properties": {self.key: corners},
            "required": [self.key],
            "additionalProperties": False,
        }

    @property
    def list_regex(self) -> str:
        """Pattern of a list of boxes with any labels, for guided decoders. It may be empty."""
        if self.key:
            row = self.box_regex.removesuffix(r"\}") + r'(, "label": "[^"\\]+")?\}'
            return rf"\[({row}(, {row})*)?\]"
        regex_of_part = {"BOX": self.box_regex, "TEXT": r"[^<>()[\]{};]+", "": ""}
        parts = re.split(r"(BOX|TEXT|<\|\w+\|>|</?(?:ref|box)>)", self.spot)
        for part in parts[1::2]:
            regex_of_part.setdefault(part, f"({escape(part)})?")
        spot = "".join(regex_of_part.get(part) or escape(part) for part in parts)
        row = f"({spot}|{self.box_regex})"
        return f"({row}({escape(self.between)}{row})*|{escape(self.nothing)})"

    @property
    def list_schema(self) -> dict[str, Any] | None:
        """JSON Schema of a list of boxes, if the dialect writes JSON lists."""
        row = self.box_schema if self.key else None
        if row is None:
            return None
        properties = row["properties"] | {"label": {"type": "string"}}
        return {"type": "array", "items": row | {"properties": properties}}

    @cached_property
    def _spot_pattern(self) -> re.Pattern[str]:
        """Pattern of a spot and the separator after it, which must precede another spot."""
        return self._with_separator(_pattern(self.spot).replace("TEXT", "(?P<text>.+?)"))

    @cached_property
    def _bare_pattern(self) -> re.Pattern[str]:
        """Pattern of a box without a text and the separator after it."""
        return self._with_separator("BOX")

    def _with_separator(self, pattern: str) -> re.Pattern[str]:
        box = _pattern(self.box, _NUMBERS[self.number][0])
        # If the box comes first, a line without a box belongs to the text before it.
        following = box if self.spot.startswith("BOX") else "."
        between = rf"(?:{re.escape(self.between)}(?={following})|\Z)"
        return re.compile(pattern.replace("BOX", f"(?P<box>{box})") + between, re.ASCII)


# Pattern and decimals of a number, by its format.
_NUMBERS = {
    ".3f": (r"\d\.\d{3}", 3),
    ".1f": (r"\d{1,3}\.\d", 1),
    ".0f": (r"\d+", 0),
    "04.0f": (r"\d{4}", 0),
}

_TABLE = table(__file__, "dialects.toml")
# TOML has no null: a dialect without a far edge counts pixels.
DIALECTS = {name: Dialect(name, **{"far": None, **row}) for name, row in _TABLE.items()}


def _pattern(template: str, number: str = "") -> str:
    """Build the pattern of a template. Special tokens are optional, because decoding drops some."""
    # Brackets and bars in templates are plain characters.
    pattern = re.escape(template).replace("%s", number)
    return re.sub(r"<\\\|\w+\\\|>|</?(?:ref|box)>", r"(?:\g<0>)?", pattern)
