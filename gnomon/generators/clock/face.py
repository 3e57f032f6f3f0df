"""The face of a clock: a time, in a style of dial, hands, numerals and palette."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Literal, NamedTuple

from gnomon.generators.base import Split, split_of
from gnomon.sample import Form, Time

# Numerals of a dial on which the hour hand turns once a day.
ARABIC_24 = "arabic-24"
# Numerals of dials of twelve hours.
NUMERALS = ("arabic", "roman", "roman-iv", "sparse", "dots", "none")


class ClockStyle(NamedTuple):
    """Style of a clock. Two splits never share a combination of the four properties."""

    dial: str
    hands: str
    numerals: str
    palette: str


@lru_cache(maxsize=64)
def styles(
    split: Split | None, dials: Sequence[str], hands: Sequence[str], numerals: Sequence[str],
    palettes: Sequence[str],
) -> tuple[ClockStyle, ...]:  # fmt: skip
    """Return the combinations of a split, or of all splits if it is None."""
    every = (ClockStyle(*parts) for parts in product(dials, hands, numerals, palettes))
    return tuple(s for s in every if split is None or split_of("clock", *s) == split)


def times(split: Split | None) -> tuple[int, ...]:
    """Return the minutes of twelve hours that belong to a split, or all 720 if it is None."""
    every = ((minute, f"{minute // 60 or 12:02}:{minute % 60:02}") for minute in range(720))
    return tuple(m for m, time in every if split is None or split_of("clock", time) == split)


# Minutes to which a clock with only an hour hand is read. It is twice as many on a 24-hour dial.
# Both are 2.5 degrees of the hour hand.
STEP = 5


class ClockFace(NamedTuple):
    """A time in a style. Without a second hand it is a whole minute, before it is drawn."""

    seconds: int
    """Seconds since twelve, or since midnight on a dial with 24 hours."""
    second_hand: bool
    with_seconds: bool
    """True if the answer has seconds."""
    style: ClockStyle
    one_hand: bool = False
    """True if the clock has only an hour hand. Its time is then a multiple of `step` minutes."""
    form: Form = "digits"
    """Form of the answer."""
    off_by: float = 0.0
    """Degrees by which the hour hand is wrong. 0 if the hands show a possible time."""
    box: Sequence[float] = ()
    """Box of the case. Empty until the clock is drawn."""
    day: int | None = None
    """Day in the date's window."""

    @property
    def hours(self) -> Literal[12, 24]:
        """Hours of one turn of the hour hand."""
        return 24 if self.style.numerals == ARABIC_24 else 12

    @property
    def step(self) -> int:
        """Minutes between two times that can be told apart."""
        return STEP * self.hours // 12 if self.one_hand else 1

    def time(self, later: int = 0) -> Time:
        """Return the time shown plus `later` seconds, in the form that is asked for."""
        seconds = self.seconds if self.with_seconds else self.seconds // 60 * 60
        return Time(
            (seconds + later) % (3600 * self.hours), self.hours, self.with_seconds, self.form
        )
