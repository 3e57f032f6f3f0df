"""Parts of a face: what each must say of itself to be drawn, and the colours that it may name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field

from gnomon.generators.drawing.lettering import FONTS
from gnomon.names import hint

if TYPE_CHECKING:
    from gnomon.generators.drawing.pose import Pose
    from gnomon.generators.faces.painter import FacePainter


def _check_font(name: str) -> str:
    if name not in FONTS:
        raise ValueError(f"{name!r}: {hint(name, FONTS)}")
    return name


def _as_text(value: Any) -> Any:
    """Take a number that YAML read, such as the drive `0`, for its text."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


FontName = Annotated[str, AfterValidator(_check_font)]
PlainText = Annotated[str, BeforeValidator(_as_text)]
Distance = Annotated[float, Field(ge=-4, le=4)]
Coordinate = Annotated[float, Field(ge=-50, le=50)]
Place = tuple[Coordinate, Coordinate]
"""x to the right and y downwards from the middle of the face, whose half is 1."""
Length = Annotated[float, Field(gt=0, le=4)]


class MountedPart(NamedTuple):
    """A part in its place on the face."""

    name: str
    part: FacePart
    frame: tuple[float, float, float]
    """Scale, x and y of the sub-face that it belongs to; 1, 0 and 0 on the face itself."""
    number: Fraction | None = None
    """Result of its drive. None if the part does not move."""
    track: FacePart | None = None
    """The track of a pointer."""
    scale_number: float = 0.0
    """The number on the scale of its track or card. On a ring it starts again."""
    share: float = 0.0
    """The place of this number on the way."""


class FacePart(ABC):
    """A part of a face. A subclass adds its keys as fields."""

    @abstractmethod
    def paint(self, painter: FacePainter, mount: MountedPart) -> None:
        """Draw the part with its pose, its palette and its number."""

    @abstractmethod
    def facts(self, pose: Pose, mount: MountedPart) -> dict[str, Any]:
        """Return its places in pixels. The pose maps the part's frame to the picture."""

    def check(self, mount: MountedPart) -> None:  # noqa: B027 - most need no other part
        """Refuse what cannot be drawn together, with the key's name first."""

    def colours(self) -> Mapping[str, str]:
        """Names of colours that must stand out from the floor, by key."""
        return {}

    @property
    def drive_text(self) -> str | None:
        """The formula of its number. None if the part does not move."""
        return getattr(self, "drive", None)
