"""What flows down the road: a Sample with a typed target, and a model's Prediction of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from decimal import Decimal, InvalidOperation
from math import inf
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from PIL.Image import Image

Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day as a clock shows it, in whole seconds from midnight (or from twelve)."""

    seconds: int
    hours: Literal[12, 24] = 12
    """How many hours the dial tells apart; a 12-hour clock cannot say 22:08."""
    shows_seconds: bool = False
    """Whether the answer has a seconds field."""

    def __post_init__(self) -> None:
        if self.hours not in (12, 24):
            raise ValueError(f"hours={self.hours!r}: a clock has 12 or 24")
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


@dataclass(frozen=True, slots=True)
class Number:
    """An exact decimal, with its unit if the answer names one."""

    value: Decimal
    unit: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.value, Decimal) or not self.value.is_finite():
            raise ValueError(f"value={self.value!r}: give a finite Decimal, such as Decimal('3.5')")


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

    def scaled(self, old: Size, new: Size) -> Box:
        """The same box after the picture was resized from `old` to `new`."""
        sx, sy = new[0] / old[0], new[1] / old[1]
        return Box(self.x1 * sx, self.y1 * sy, self.x2 * sx, self.y2 * sy)


Target: TypeAlias = Time | Number | Box


@dataclass(frozen=True, slots=True)
class Sample:
    """One question with its exact answer; `image` is None where text alone is asked."""

    id: str
    image: Image | None
    question: str
    target: Target
    facts: dict[str, Any] = field(default_factory=dict)
    """What was drawn: enough to ask another question of the same picture without drawing it."""


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
        row["value"] = str(target.value)
    return {"type": type(target).__name__.lower(), **row}


def target_from_json(row: dict[str, Any]) -> Target:
    """The target that `target_to_json` wrote; a ValueError names what is wrong with the row."""
    kinds: dict[str, type[Target]] = {"time": Time, "number": Number, "box": Box}
    values = dict(row)
    name = values.pop("type", None)
    if name not in kinds:
        raise ValueError(f"target type {name!r}: expected one of {', '.join(kinds)}")
    kind = kinds[name]
    extra = values.keys() - {f.name for f in fields(kind)}
    if extra:
        raise ValueError(f"a {name} target has no field {', '.join(sorted(extra))}")
    if kind is Number:
        try:
            values["value"] = Decimal(values["value"])
        except (InvalidOperation, KeyError, TypeError) as error:
            raise ValueError(f"number target {row!r}: its value is no decimal") from error
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"{name} target {row!r}: {error}") from error


def prediction_to_json(prediction: Prediction) -> dict[str, Any]:
    """A plain dict that `prediction_from_json` turns back into the same prediction."""
    return asdict(prediction)


def prediction_from_json(row: dict[str, Any]) -> Prediction:
    """The prediction that `prediction_to_json` wrote."""
    try:
        size = row.get("size")
        return Prediction(**{**row, "size": None if size is None else (size[0], size[1])})
    except (AttributeError, IndexError, TypeError) as error:
        raise ValueError(f"prediction {row!r}: {error}") from error
