"""What a clock says: the time, and where its hands stand for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from gnomon.generators.clock.numerals import DAY
from gnomon.generators.clock.style import Style
from gnomon.sample import Form, Time

STEP = 5
"""Minutes to which an hour hand is read that stands alone; twice as many round a dial of 24 hours,
where they are as many degrees."""


class Meaning(NamedTuple):
    """The time in a style. Without a second hand it is a whole minute, before it is drawn."""

    seconds: int
    """Since twelve, or since midnight where the dial has 24 hours."""
    second_hand: bool
    asked: bool
    """Whether the answer has seconds."""
    style: Style
    one_hand: bool = False
    """Whether it has an hour hand alone, and shows a multiple of `step` minutes."""
    form: Form = "digits"
    """How times are answered."""
    off_by: float = 0.0
    """Degrees by which the hour hand is wrong; 0 on a clock that can be."""
    box: Sequence[float] = ()
    """Around the case, once that is drawn."""
    day: int | None = None
    """What the date's window shows."""

    @property
    def hours(self) -> Literal[12, 24]:
        """How many the hour hand goes through in a turn."""
        return 24 if self.style.numerals == DAY else 12

    @property
    def step(self) -> int:
        """Minutes between two times that can be told apart."""
        return STEP * self.hours // 12 if self.one_hand else 1

    @property
    def angles(self) -> dict[str, float]:
        """Of the hands, in degrees clockwise from twelve."""
        angles = {"hour": self.seconds / (10 * self.hours)}
        if not self.one_hand:
            angles["minute"] = self.seconds % 3600 / 10
        if self.second_hand:
            angles["second"] = self.seconds % 60 * 6.0
        return angles

    def time(self, later: int = 0) -> Time:
        """The time shown, or so many seconds later, as it is asked for: 22:08 of a day."""
        seconds = self.seconds if self.asked else self.seconds // 60 * 60
        return Time((seconds + later) % (3600 * self.hours), self.hours, self.asked, self.form)
