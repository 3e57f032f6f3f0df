"""Which times the clocks of a picture show, and in which styles."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.generators.clock.meaning import Meaning
from gnomon.generators.clock.numerals import DAY
from gnomon.generators.clock.options import ClockOptions
from gnomon.generators.rng import Rng

BOTH_HANDS = ("move", "angle", "valid")
"""What an hour hand alone cannot be asked."""


def meanings(clock: ClockOptions, index: int, question: str) -> list[tuple[Meaning, Rng]]:
    """What each clock of a picture means, and the draws that its look comes from.

    They show different minutes, and all have twelve hours or all 24.
    """
    rng = clock.rng(index)
    alone = clock.settled.one_hand * (question not in BOTH_HANDS)
    found = [(drawn(clock, rng, alone), rng)]
    low, high = clock.counts
    more = Rng(clock.name, "clocks", index).integer(low, high) - 1 if high > 1 else 0
    for place in range(1, more + 1):
        own = Rng(clock.name, "beside", index, place)
        shown = {meaning.seconds // 60 % 720 for meaning, _ in found}
        times = [minute for minute in clock.times if minute not in shown]
        found.append((drawn(clock, own, alone, times, found[0][0].hours), own))
    return found


def drawn(
    clock: ClockOptions, rng: Rng, alone: float, times: Sequence[int] | None = None,
    hours: int | None = None,
) -> Meaning:  # fmt: skip
    """`alone`: how likely the hour hand is so; `times`: of which it shows one."""
    minute = rng.choice(times or clock.times)
    styles = clock.styles
    if hours is not None:
        styles = tuple(s for s in styles if (s.numerals == DAY) == (hours == 24))
    style = rng.choice(styles)
    half = 720 * (style.numerals == DAY and rng.chance(0.5))
    second = rng.integer(0, 59)
    has_second = rng.chance(clock.settled.second_hand)
    asked = rng.chance(clock.ask_seconds) and has_second
    if rng.chance(alone):
        lone = Meaning(0, False, False, style, one_hand=True)
        steps = [minute for minute in times or clock.times if minute % lone.step == 0]
        if steps:
            return lone._replace(seconds=60 * (rng.choice(steps) + half))
    return Meaning(60 * (minute + half) + second * has_second, has_second, asked, style)
