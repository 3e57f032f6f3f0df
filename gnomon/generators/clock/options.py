"""Options of clocks with their levels, and the values that follow from them before drawing."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias

from gnomon.generators.base import LATER, among, read_levels, within
from gnomon.generators.clock import face
from gnomon.generators.clock.clock_questions import BETWEEN, PLACES, QUESTIONS
from gnomon.generators.clock.face import ARABIC_24, NUMERALS, ClockStyle
from gnomon.generators.drawing.backgrounds import BACKGROUNDS, CLUTTER
from gnomon.generators.drawing.colours import FAMILIES, PALETTES, palette_names
from gnomon.generators.drawing.lettering import FONTS
from gnomon.generators.drawing.pose import STEEPEST, WIDEST
from gnomon.generators.drawing.shapes import DIALS, HANDS, UNSEEN_DIALS, UNSEEN_HANDS
from gnomon.generators.looks.instrument_generator import InstrumentGenerator
from gnomon.sample import FORMS, Form


class ClockLevel(NamedTuple):
    """Values of a level. The option of the same name overrides each."""

    rotation: float
    perspective: float
    warp: float
    dial_size: tuple[float, float]
    offset: float
    second_hand: float
    one_hand: float
    minute_track: float
    shadow: float
    variety: float
    brand: float
    date: float
    subdials: float
    alarm: float
    glare: float
    occlusion: float


LEVELS = read_levels(__file__, ClockLevel)
Share: TypeAlias = Annotated[float | None, within(0, 1)]


@dataclass(frozen=True, kw_only=True, repr=False)
class ClockOptions(InstrumentGenerator):
    """Options of clocks; `Clock` draws them."""

    levels: ClassVar[dict[str, ClockLevel]] = LEVELS

    level: Literal["easy", "medium", "hard"] = "medium"
    """easy: upright and bare; medium: turned, in every style; hard: tilted more, smaller, crowded.
    The level sets the options that are None."""
    size: Annotated[int | tuple[int, int], within(64, 2048)] = 224
    """Side of the square picture in pixels, or its range (64 to 2048)."""
    dials: tuple[str, ...] | None = None
    """Shapes of the dial. Default: all except the held-out shapes, or only these with `ood`."""
    hands: tuple[str, ...] | None = None
    """Shapes of the hands. Default: as for the dials."""
    numerals: Annotated[tuple[str, ...], among([*NUMERALS, ARABIC_24])] = NUMERALS
    """Numerals at the hours. `arabic-24` makes a dial of 24 hours."""
    palettes: tuple[str, ...] = FAMILIES
    """Palettes, by name or by family (plain, light, dark, colour), or by file or folder."""
    backgrounds: tuple[str, ...] = BACKGROUNDS
    """plain, gradient, blotches, stripes, clutter (distracting objects, not in the default); or
    photographs, by file or folder."""
    rotation: Annotated[float | None, within(0, 30)] = None
    """Largest turn of the dial to either side, in degrees (0 to 30). Most turns are small."""
    perspective: Annotated[float | None, within(0, STEEPEST)] = None
    """Largest tilt: the share by which the near edge is closer to the camera (0 to 0.15)."""
    dial_size: Annotated[tuple[float, float] | None, within(0.4, 1)] = None
    """Range of the clock's longer side, as a share of the picture's (0.4 to 1). Default for the
    question `where`: 0.2 to 0.7."""
    offset: Share = None
    """Largest offset from the middle, as a share of the free room around the clock (0 to 1)."""
    warp: Annotated[float | None, within(0, WIDEST)] = None
    """Largest share by which a wide lens makes the picture's middle smaller (0 to 0.1)."""
    second_hand: Share = None
    """Share of clocks with a second hand."""
    one_hand: Share = None
    """Share of clocks with only an hour hand, which is read to five minutes, or to ten on a dial of
    24 hours. Questions about both hands never have such clocks."""
    ask_seconds: Annotated[float, within(0, 1)] = 0.5
    """Share of HH:MM:SS answers, among clocks with a second hand. Other answers leave the seconds
    out."""
    minute_track: Share = None
    """Share of dials with a tick for every minute."""
    shadow: Share = None
    """Share of clocks whose hands throw a shadow."""
    variety: Share = field(default=None, metadata=LATER)
    """Variety of rims, marks, hands and colours (0 to 1). 0 draws the plain design."""
    split_by: Literal["style", "time", "none"] = "style"
    """Property that never occurs in two splits: style, time of day, or none."""
    questions: Annotated[tuple[str, ...], among([*QUESTIONS, BETWEEN])] = ("read",)
    """read, shift (the time a duration later or earlier), zone (the time elsewhere), move (the time
    after a hand is turned), to_hour (minutes to the next), angle (between the hands), valid (are
    the hands possible?), date (in the window), where (the clock's box). For several clocks: later
    (of two), which (shows a time). For two pictures of clocks without second hands: between
    (minutes from one clock to the other)."""
    forms: Annotated[tuple[Form, ...], among(FORMS)] = ("digits",)
    """Forms of times in answers: digits, words (without seconds), json."""
    invalid: Annotated[float, within(0, 1)] = 0.5
    """Share of clocks with an impossible hour hand, for the question `valid`."""
    off_by: Annotated[tuple[float, float], within(5, 15)] = (10.0, 15.0)
    """Range of the degrees by which an impossible hand is wrong (5 to 15). 15 degrees are half an
    hour. On a dial of 24 hours, the hand is wrong by half as many degrees."""
    mirror: Annotated[float, within(0, 1)] = 0.0
    """Share of mirrored pictures. The question says so, and the answer is the true time."""
    clocks: Annotated[int | tuple[int, int], within(1, len(PLACES))] = 1
    """Number of clocks side by side, each as large as `size`, or its range (1 to 3)."""
    brand: Share = None
    """Share of dials with a name."""
    date: Share = None
    """Share of dials with a date window. No hand hides it."""
    subdials: Share = None
    """Share of the places around the axis with a small dial, which is a distraction."""
    alarm: Share = None
    """Share of clocks with a short thin hand for an alarm."""
    glare: Share = None
    """Share of clocks with a reflection in the glass."""
    occlusion: Share = None
    """Share of partly hidden clocks. Hands and a marked twelve are never hidden."""
    look: Literal["flat", "photo"] = field(default="flat", metadata=LATER)
    """flat, or photo: light, shadows, glass, dirt and noise as in pictures of a small camera."""
    ood: bool = False
    """Draw the dials and hands that are held out otherwise."""
    fonts: tuple[str, ...] | None = field(default=None, metadata=LATER)
    """Fonts of the numerals: sans, sans-bold, serif, serif-bold, times-bold; or font files, by file
    or folder. A font is used only if its numerals have room. Default: gnomon's fonts."""

    @property
    def built_in(self) -> dict[str, tuple[str, ...]]:
        """Built-in names. Those of palettes include families."""
        return {
            "backgrounds": (*BACKGROUNDS, CLUTTER),
            "palettes": (*FAMILIES, *PALETTES),
            "fonts": FONTS,
        }

    @property
    def sizes(self) -> tuple[int, int]:
        """The range of the picture's side."""
        return (self.size, self.size) if isinstance(self.size, int) else self.size

    @property
    def dial_shapes(self) -> tuple[str, ...]:
        """Shapes of dials to choose from."""
        return tuple(self.dials or (UNSEEN_DIALS if self.ood else DIALS))

    @property
    def counts(self) -> tuple[int, int]:
        """The range of the number of clocks in a picture."""
        return (self.clocks, self.clocks) if isinstance(self.clocks, int) else self.clocks

    @cached_property
    def styles(self) -> tuple[ClockStyle, ...]:
        """Styles of the split."""
        return face.styles(
            self.split if self.split_by == "style" else None,
            self.dial_shapes,
            tuple(self.hands or (UNSEEN_HANDS if self.ood else HANDS)),
            tuple(self.numerals),
            palette_names(self.materials.names("palettes")),
        )

    @cached_property
    def times(self) -> tuple[int, ...]:
        """Minutes of twelve hours that belong to the split."""
        return face.times(self.split if self.split_by == "time" else None)
