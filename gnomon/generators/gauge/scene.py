"""An instrument before it is drawn: scale, value and look."""

from decimal import Decimal
from typing import NamedTuple, TypeAlias

from gnomon.generators.drawing.colours import Colour
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.instruments.base import Instrument
from gnomon.generators.instruments.scale import Scale

# The case's outline, relative to the floor's.
RIM = 1.06
# Cases of instruments with a round dial.
CASES = ("round", "ring", "cushion", "octagon")
# No case: the instrument is printed on a face that goes on beyond the picture.
FACE = "bare"
ZONES: dict[str, Colour] = {"green": (46, 139, 70), "yellow": (240, 190, 30), "red": (205, 40, 36)}

# Colour, beginning and end of a zone.
Zone: TypeAlias = tuple[str, Decimal, Decimal]


class Look(NamedTuple):
    """Everything about an instrument that does not depend on its value."""

    size: int
    """Pixels of the picture's side."""
    case: str
    hand: str
    palette: str
    background: str
    font: str
    pose: Pose
    photo: bool = False
    """True for a picture as a camera takes it, with light, shadows and glass."""


class GaugeScene(NamedTuple):
    """An instrument with the value that it shows."""

    instrument: Instrument
    scale: Scale
    value: Decimal
    zones: tuple[Zone, ...]
    target: Decimal | None
    """The value that a triangle marks."""
    look: Look

    @property
    def state(self) -> Instrument:
        """The instrument as it stands at the value: its card turned, if it has one that turns."""
        return self.instrument.turn_card(self.scale.share(self.value))
