"""Base class of a face's parts, and the types of their keys."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from gnomon.generators.drawing.lettering import FONTS
from gnomon.names import hint

if TYPE_CHECKING:
    from gnomon.generators.drawing.pose import Pose
    from gnomon.generators.faces.painter import FacePainter


T = TypeVar("T")


def _check_font(name: str) -> str:
    if name not in FONTS:
        raise ValueError(f"{name!r}: {hint(name, FONTS)}")
    return name


def _as_text(value: Any) -> Any:
    """Convert a number that YAML read, for example the drive `0`, to text."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


FontName = Annotated[str, AfterValidator(_check_font)]
PlainText = Annotated[str, BeforeValidator(_as_text)]
Distance = Annotated[float, Field(ge=-4, le=4)]
Coordinate = Annotated[float, Field(ge=-50, le=50)]
Place = tuple[Coordinate, Coordinate]
"""x to the right and y downwards from the middle of the face, in halves of its width."""
Length = Annotated[float, Field(gt=0, le=4)]


def with_keys(part: T, values: Mapping[str, Any]) -> T:
    """Return a part or body with other values for keys, which are not checked.

    Values that were worked out from the keys are left behind.
    """
    kind: Any = type(part)
    state = vars(part)
    return unchecked(type(part), {**{name: state[name] for name in _keys(kind)}, **values})


def unchecked(kind: type[T], keys: Mapping[str, Any]) -> T:
    """Return a part or body with all of its keys, which are not checked."""
    part = object.__new__(kind)
    object.__setattr__(part, "__dict__", keys)  # faster than key by key
    return part


@cache
def _keys(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


class MountedPart(NamedTuple):
    """A part in its place on the face."""

    name: str
    part: FacePart
    frame: tuple[float, float, float]
    """Scale, x and y of the sub-face that it belongs to, or 1, 0 and 0 on the face itself."""
    number: Fraction | None = None
    """Result of its drive. None if the part does not move."""
    track: FacePart | None = None
    """The track of a pointer."""
    scale_number: float = 0.0
    """The number on the scale of its track or card. On a full ring it wraps."""
    share: float = 0.0
    """Position of this number on the track: 0 is the start, 1 the end."""


Layer: TypeAlias = Literal["behind", "beneath", "floor", "above"]


class FacePart(ABC):
    """A part of a face. A subclass adds its keys as fields."""

    @property
    def layer(self) -> Layer:
        """Whether it lies behind the body, beneath the ticks, on the floor, or above it."""
        return "floor"

    @abstractmethod
    def paint(self, painter: FacePainter, mount: MountedPart) -> None:
        """Draw the part with its pose, its palette and its number."""

    @abstractmethod
    def facts(self, pose: Pose, mount: MountedPart) -> dict[str, Any]:
        """Return the part's places in pixels. `pose` maps the part's frame to the picture."""

    def check(self, mount: MountedPart) -> None:  # noqa: B027 - most need no other part
        """Raise a ValueError for keys that contradict. It begins with the key's name."""

    def colours(self) -> Mapping[str, str]:
        """Return the colours that must contrast with the face's floor, by key."""
        return {}

    @property
    def drive_text(self) -> str | None:
        """The formula of its number. None if the part does not move."""
        return getattr(self, "drive", None)
