"""What flows down the road: a Sample with a typed target, and a model's Prediction of it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from decimal import Decimal, InvalidOperation
from html import escape
from io import BytesIO
from math import inf, isfinite
from reprlib import repr  # noqa: A004 - what is refused may be long, and deep
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from PIL.Image import Image

Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""
_WIDEST = (1024, 1024)
"""Pixels of a picture in a notebook, which keeps every picture that it shows."""


Form: TypeAlias = Literal["digits", "words", "json"]
FORMS: tuple[Form, ...] = ("digits", "words", "json")


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day as a clock shows it, in whole seconds from midnight (or from twelve)."""

    seconds: int
    hours: Literal[12, 24] = 12
    """How many hours the dial tells apart; a 12-hour clock cannot say 22:08."""
    shows_seconds: bool = False
    """Whether the answer has a seconds field."""
    form: Form = "digits"
    """How it is asked for: 10:08, "eight minutes past ten", or {"hours": 10, "minutes": 8}."""

    def __post_init__(self) -> None:
        if self.hours not in (12, 24):
            raise ValueError(f"hours={self.hours!r}: a clock has 12 or 24")
        if self.form not in FORMS:
            raise ValueError(f"form={self.form!r}: give one of {', '.join(FORMS)}")
        if self.form == "words" and (self.hours == 24 or self.shows_seconds):
            raise ValueError("form='words': only a 12-hour time without seconds is said in words")
        if not 0 <= self.seconds < self.hours * 3600:
            raise ValueError(f"seconds={self.seconds!r}: outside a {self.hours}-hour day")
        if not self.shows_seconds and self.seconds % 60:
            raise ValueError(
                f"seconds={self.seconds!r} is no whole minute: round it, or set shows_seconds=True"
            )

    @property
    def hms(self) -> tuple[int, int, int | None]:
        """Hour, minute, second as written: 12, not 0, at the top of a 12-hour dial."""
        hour, rest = divmod(self.seconds, 3600)
        minute, second = divmod(rest, 60)
        if self.hours == 12 and hour == 0:
            hour = 12
        return hour, minute, second if self.shows_seconds else None


_NONE = Decimal(0)


def _check_finite(name: str, given: object) -> None:
    if not isinstance(given, Decimal) or not given.is_finite():
        raise ValueError(f"{name}={given!r}: give a finite Decimal, such as Decimal('3.5')")


@dataclass(frozen=True, slots=True)
class Number:
    """An exact decimal, with its unit if the answer names one."""

    value: Decimal
    unit: str = ""
    within: Decimal = _NONE
    """How far off an answer may be and still be right, where a scale can be read no finer."""

    def __post_init__(self) -> None:
        _check_finite("value", self.value)
        if self.within is not _NONE:
            _check_finite("within", self.within)
            if self.within < 0:
                raise ValueError(f"within={self.within}: a distance is 0 or more")


@dataclass(frozen=True, slots=True)
class Box:
    """Corners in continuous pixels, origin at the picture's upper left: x1 < x2, y1 < y2."""

    x1: float
    y1: float
    x2: float
    y2: float

    def __post_init__(self) -> None:
        if not (-inf < self.x1 < self.x2 < inf and -inf < self.y1 < self.y2 < inf):
            raise ValueError(f"{self}: a box needs finite corners with x1 < x2 and y1 < y2")

    @property
    def corners(self) -> tuple[float, float, float, float]:
        """x1, y1, x2, y2."""
        return self.x1, self.y1, self.x2, self.y2

    def scaled(self, old: Size, new: Size) -> Box:
        """The same box after the picture was resized from `old` to `new`."""
        sx, sy = new[0] / old[0], new[1] / old[1]
        return Box(self.x1 * sx, self.y1 * sy, self.x2 * sx, self.y2 * sy)


@dataclass(frozen=True, slots=True)
class Text:
    """A word, a phrase or a verdict, on one line."""

    text: str
    choices: tuple[str, ...] = ()
    """The possible answers, where the question lists them."""

    def __post_init__(self) -> None:
        for line in (self.text, *self.choices):
            if not line or line != " ".join(line.split()):
                raise ValueError(f"text={line!r}: give words with one space between them")
        if self.choices and self.text not in self.choices:
            raise ValueError(f"text={self.text!r}: not among the choices {self.choices!r}")


@dataclass(frozen=True, slots=True)
class Spot:
    """A text and where it stands."""

    text: str
    box: Box

    def __post_init__(self) -> None:
        Text(self.text)  # a spot is written on one line


@dataclass(frozen=True, slots=True)
class Spots:
    """Several texts, each with its box; their order does not matter."""

    items: tuple[Spot, ...]

    def __post_init__(self) -> None:
        if not self.items:
            raise ValueError("items is empty: give at least one Spot")

    def scaled(self, old: Size, new: Size) -> Spots:
        """The same spots after the picture was resized from `old` to `new`."""
        return Spots(tuple(Spot(spot.text, spot.box.scaled(old, new)) for spot in self.items))


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a header, as a chart displays them."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for row in (self.header, *self.rows):
            if not row or len(row) != len(self.header):
                raise ValueError(f"row {row!r}: give one cell for each of {self.header!r}")
            for cell in row:
                if not cell or "|" in cell or cell != " ".join(cell.split()):
                    raise ValueError(f"cell {cell!r}: give one line of words without |")


Target: TypeAlias = Time | Number | Box | Text | Spots | Table
TARGETS: dict[str, type[Target]] = {
    kind.__name__.lower(): kind for kind in (Time, Number, Box, Text, Spots, Table)
}


def resized(target: Target, old: Size, new: Size) -> Target:
    """The target in the picture after it was resized; what has no place in it stays as it is."""
    return target.scaled(old, new) if isinstance(target, Box | Spots) else target


@dataclass(frozen=True, slots=True)
class Sample:
    """One question with its exact answer; `image` is None where text alone is asked."""

    id: str
    image: Image | None
    question: str
    target: Target
    facts: dict[str, Any] = field(default_factory=dict)
    """What was drawn: enough to ask another question of the same picture without drawing it."""
    rationale: str = ""
    """The working that leads to the answer, where it is shown before it."""

    def _repr_html_(self) -> str:
        """Picture, question and answer, as a notebook shows them."""
        shown = ""
        if self.image is not None:
            picture, png = self.image.copy(), BytesIO()
            picture.thumbnail(_WIDEST)  # which only ever makes it smaller
            picture.convert("RGBA").save(png, "PNG")
            data = b64encode(png.getvalue()).decode()
            shown = f'<img src="data:image/png;base64,{data}" alt="">'
        words = f"{escape(self.question)}\n<b>{escape(_shown(self.target))}</b>"
        return f'{shown}<div style="white-space: pre-wrap">{words}</div>'


def _shown(target: Target) -> str:
    """An answer as a person would note it down."""
    match target:
        case Time():
            return ":".join(f"{part:02}" for part in target.hms if part is not None)
        case Number():
            return f"{target.value} {target.unit}".rstrip()
        case Text():
            return target.text
    return repr(target)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model answered to one sample, as text; its value is read afresh at every scoring."""

    sample_id: str
    text: str
    size: Size | None
    """The picture's size as the processor resized it; None where there was no picture."""
    dialect: str
    settings: dict[str, Any] = field(default_factory=dict)
    logprobs: dict[str, float] | None = None
    """Log-probability of each answer of a listed set, where these were asked for."""


def target_to_json(target: Target) -> dict[str, Any]:
    """A plain dict that `target_from_json` turns back into the same target."""
    row = asdict(target)
    if isinstance(target, Number):
        row |= {"value": str(target.value), "within": str(target.within)}
    return {"type": type(target).__name__.lower(), **row}


def target_from_json(row: dict[str, Any]) -> Target:
    """The target that `target_to_json` wrote; a ValueError names what is wrong with the row."""
    values = dict(row)
    name = values.pop("type", None)
    if name not in TARGETS:
        raise ValueError(f"target type {name!r}: expected one of {', '.join(TARGETS)}")
    kind = TARGETS[name]
    extra = values.keys() - {f.name for f in fields(kind)}
    if extra:
        raise ValueError(f"a {name} target has no field {', '.join(sorted(extra))}")
    try:
        return kind(**(_FROM_JSON[kind](values) if kind in _FROM_JSON else values))
    except (AttributeError, InvalidOperation, KeyError, TypeError) as error:
        raise ValueError(f"{name} target {row!r}: {_SAYS.get(kind, error)}") from error


def _number(values: dict[str, Any]) -> dict[str, Any]:
    within = Decimal(values.get("within", "0"))
    return {**values, "value": Decimal(values["value"]), "within": within}


def _text(values: dict[str, Any]) -> dict[str, Any]:
    return {**values, "choices": tuple(values.get("choices", ()))}


def _spots(values: dict[str, Any]) -> dict[str, Any]:
    return {"items": tuple(Spot(i["text"], Box(**i["box"])) for i in values["items"])}


def _table(values: dict[str, Any]) -> dict[str, Any]:
    return {"header": tuple(values["header"]), "rows": tuple(map(tuple, values["rows"]))}


_FROM_JSON: dict[type, Callable[[dict[str, Any]], dict[str, Any]]] = {
    Number: _number,
    Text: _text,
    Spots: _spots,
    Table: _table,
}
_SAYS: dict[type, str] = {Number: "its value is no decimal"}


def prediction_to_json(prediction: Prediction) -> dict[str, Any]:
    """A plain dict that `prediction_from_json` turns back into the same prediction."""
    return asdict(prediction)


def prediction_from_json(row: dict[str, Any]) -> Prediction:
    """The prediction that `prediction_to_json` wrote; a ValueError names what else stands there."""
    try:
        size = row.get("size")
        found = Prediction(**{**row, "size": None if size is None else (size[0], size[1])})
    except (AttributeError, LookupError, TypeError) as error:
        raise ValueError(f"prediction {repr(row)}: {error}") from error
    for name, kind in _PREDICTED.items():
        if not isinstance(value := getattr(found, name), kind):
            raise ValueError(f"prediction {found.sample_id!r}: {name} is {value!r}")
    if found.size is not None and not all(isinstance(n, int) and n > 0 for n in found.size):
        raise ValueError(f"prediction {found.sample_id!r}: size is {size!r}")
    try:
        beliefs = isfinite(sum((found.logprobs or {}).values()))
    except TypeError:
        beliefs = False
    if not beliefs:
        raise ValueError(f"prediction {found.sample_id!r}: logprobs are not all finite numbers")
    if found.text.isascii():
        return found
    # A server that stops within an emoji sends half of it, which no file of UTF-8 can hold.
    return replace(found, text=found.text.encode("utf-8", "replace").decode("utf-8"))


_PREDICTED = {
    "sample_id": str,
    "text": str,
    "dialect": str,
    "settings": dict,
    "logprobs": dict | None,
}
