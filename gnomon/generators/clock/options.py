"""Options of clocks with their levels, and what follows from them before anything is drawn."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias

from gnomon.generators.base import LATER, among, read_levels, within
from gnomon.generators.clock import face
from gnomon.generators.clock.face import ARABIC_24, NUMERALS, Style
from gnomon.generators.clock.questions import BETWEEN, PLACES, QUESTIONS
from gnomon.generators.drawing.backgrounds import BACKGROUNDS, CLUTTER
from gnomon.generators.drawing.colours import FAMILIES, PALETTES, palette_names
from gnomon.generators.drawing.lettering import FONTS
from gnomon.generators.drawing.picture_generator import PictureGenerator
from gnomon.generators.drawing.pose import STEEPEST, WIDEST
from gnomon.generators.drawing.shapes import DIALS, HANDS, UNSEEN_DIALS, UNSEEN_HANDS
from gnomon.generators.user_files import UserFile
from gnomon.sample import FORMS, Form


class ClockLevel(NamedTuple):
    """Values of a level; each is overridden by the option of its name."""

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
class ClockOptions(PictureGenerator):
    """Options of clocks; `Clock` draws them."""

    levels: ClassVar[dict[str, ClockLevel]] = LEVELS

    level: Literal["easy", "medium", "hard"] = "medium"
    """easy: upright and bare; medium: askew, in every style; hard: steeper, smaller, crowded. What
    an option of None is, the level says."""
    size: Annotated[int | tuple[int, int], within(64, 2048)] = 224
    """Pixels of the square picture's side, or the range it is drawn from; 64 to 2048."""
    dials: tuple[str, ...] | None = None
    """Shapes of the dial; None: all but those that `ood` holds back, or those alone."""
    hands: tuple[str, ...] | None = None
    """Shapes of the hands; None: as for the dials."""
    numerals: Annotated[tuple[str, ...], among([*NUMERALS, ARABIC_24])] = NUMERALS
    """Numerals at the hours; `arabic-24` makes a dial of a whole day."""
    palettes: tuple[str, ...] = FAMILIES
    """Palettes, by name or by family (plain, light, dark, colour), or by file or folder."""
    backgrounds: tuple[str, ...] = BACKGROUNDS
    """Ground behind the clock: plain, gradient, blotches, stripes; by name alone also clutter, in
    which a clock is hard to find; or photographs, by file or folder."""
    rotation: Annotated[float | None, within(0, 30)] = None
    """The dial is turned by up to so many degrees either way, mostly by few; 0 to 30."""
    perspective: Annotated[float | None, within(0, STEEPEST)] = None
    """The strongest tilt, as the share by which the near edge is closer; 0 to 0.15."""
    dial_size: Annotated[tuple[float, float] | None, within(0.4, 1)] = None
    """Range of the clock's longer side, as a share of the picture's; within 0.4 to 1. Without it,
    clocks whose place is asked for (`where`) are of 0.2 to 0.7, and anywhere."""
    offset: Share = None
    """Share of the free room around the clock that may be to one side; 0 keeps it in the middle."""
    warp: Annotated[float | None, within(0, WIDEST)] = None
    """Largest share by which a wide lens makes the picture's middle smaller; 0 to 0.1."""
    second_hand: Share = None
    """The share of clocks with a second hand."""
    one_hand: Share = None
    """The share of clocks with an hour hand alone, which is read to five minutes, or to ten round a
    dial of 24 hours; but for questions of both hands."""
    ask_seconds: Annotated[float, within(0, 1)] = 0.5
    """The share of those whose answer is HH:MM:SS; the others ask for the minute begun."""
    minute_track: Share = None
    """The share of dials with a tick for every minute."""
    shadow: Share = None
    """The share of clocks whose hands throw a shadow."""
    variety: Share = field(default=None, metadata=LATER)
    """Variety of rims, marks, hands and colours around the plain design; 0 to 1."""
    split_by: Literal["style", "time", "none"] = "style"
    """Property that is held out: styles, times of day, or nothing."""
    questions: Annotated[tuple[str, ...], among([*QUESTIONS, BETWEEN])] = ("read",)
    """read, shift (the time a duration later or earlier), zone (the time elsewhere), move (a hand
    is turned), to_hour (minutes to the next), angle (between the hands), valid (or are the hands
    impossible), date (in the window), where (the clock's box); of several clocks later (of two)
    and which (shows a time); of two in pictures of their own, without second hands, between (the
    minutes from one to the other)."""
    forms: Annotated[tuple[Form, ...], among(FORMS)] = ("digits",)
    """Forms of times in answers: digits, words (then without seconds), json."""
    invalid: Annotated[float, within(0, 1)] = 0.5
    """The share of clocks with an impossible hour hand, where `valid` is asked."""
    off_by: Annotated[tuple[float, float], within(5, 15)] = (10.0, 15.0)
    """Range of the degrees by which such a hand is wrong; 5 to 15, half the way to an hour. Half
    as many round a dial of 24 hours."""
    mirror: Annotated[float, within(0, 1)] = 0.0
    """The share of pictures that are seen in a mirror, and say so; the answer is the true time."""
    clocks: Annotated[int | tuple[int, int], within(1, len(PLACES))] = 1
    """Clocks side by side in a picture, each as large as `size`, or their range; 1 to 3."""
    brand: Share = None
    """The share of dials with a name."""
    date: Share = None
    """The share of dials with a date window, where no hand hides it."""
    subdials: Share = None
    """The share of the places around the axis where a small dial stands; it tells nothing."""
    alarm: Share = None
    """The share of clocks with a short thin hand for an alarm."""
    glare: Share = None
    """The share of clocks in whose glass something shines."""
    occlusion: Share = None
    """The share of clocks that something hides a part of; never a hand, nor a marked twelve."""
    look: Literal["flat", "photo"] = field(default="flat", metadata=LATER)
    """flat, or as a small camera sees it: light, shadows, glass, dirt, noise."""
    ood: bool = False
    """Dials and hands that are not drawn without it."""
    fonts: tuple[str, ...] | None = field(default=None, metadata=LATER)
    """Fonts of the numerals: sans, sans-bold, serif, serif-bold, times-bold, each only where its
    numerals have room; or font files, by file or folder. None: those that come with gnomon."""

    @property
    def built_in(self) -> dict[str, tuple[str, ...]]:
        """Built-in names; those of palettes include families."""
        return {
            "backgrounds": (*BACKGROUNDS, CLUTTER),
            "palettes": (*FAMILIES, *PALETTES),
            "fonts": FONTS,
        }

    def suitable_fonts(self, suited: tuple[str, ...]) -> tuple[str, ...]:
        """Chosen fonts that suit the numerals; the user's files always do."""
        suitable = [
            n for n in self.materials.names("fonts") if isinstance(n, UserFile) or n in suited
        ]
        return tuple(suitable) or suited

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
    def styles(self) -> tuple[Style, ...]:
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
        """The minutes of twelve hours that belong to its split."""
        return face.times(self.split if self.split_by == "time" else None)
