"""What the options of clocks may be."""

from __future__ import annotations

import math
from typing import Any

from gnomon.generators.base import check_names
from gnomon.generators.clock.extras import BRANDS, DAY_HEIGHT
from gnomon.generators.clock.look import free_edge
from gnomon.generators.clock.make import DAY_NUMERALS, RIM, SECOND
from gnomon.generators.clock.marks import LEGIBLE
from gnomon.generators.clock.numerals import DAY
from gnomon.generators.clock.options import ClockOptions
from gnomon.generators.clock.questions import TOGETHER
from gnomon.generators.drawing.dials import DIALS, UNSEEN_DIALS, outline
from gnomon.generators.drawing.hands import HANDS, UNSEEN_HANDS
from gnomon.generators.drawing.pose import DISTANCE

_APART = 1.5
"""Pixels between the tips of a second hand at one second and at the next."""


def check(clock: ClockOptions) -> None:
    """Refuse what cannot be drawn, by name and value."""
    check_names("dials", clock.dials, UNSEEN_DIALS if clock.ood else DIALS)
    check_names("hands", clock.hands, UNSEEN_HANDS if clock.ood else HANDS)
    settled = clock.settled
    _check_legible(clock, settled)
    romans = any(name.startswith("roman") for name in clock.numerals)
    brands = "".join(BRANDS) if settled.brand else ""
    clock.check_fonts("0123456789" + ("IVX" if romans else "") + brands)
    if alone := [name for name in clock.questions if name in TOGETHER and clock.counts[0] < 2]:
        raise ValueError(f"questions={alone[0]!r}: one clock is not enough; give clocks=[2, 3]")


def _check_legible(clock: ClockOptions, settled: Any) -> None:
    """What has to be read is large enough on the smallest dial that the options allow."""
    seconds = (clock.ask_seconds and settled.second_hand and {*clock.forms} - {"words"}
               and {*clock.questions} & {"read", "shift", "zone", "move", "which"})  # fmt: skip
    needed = {"the date": LEGIBLE / DAY_HEIGHT if "date" in clock.questions else 0,
              "numerals of 24 hours": LEGIBLE / DAY_NUMERALS if DAY in clock.numerals else 0,
              "the second": _APART / (SECOND[0] * math.radians(6)) if seconds else 0}  # fmt: skip
    widest = 2 * RIM * max(float(abs(outline(dial)).max()) for dial in clock.shapes)
    tilted = math.sqrt(math.cos(math.asin(settled.perspective * DISTANCE))) / (1 + settled.warp)
    for what, unit in needed.items():
        length = unit * widest / tilted
        side = math.ceil(max(length / settled.dial_size[0], length + 2 * free_edge(clock)))
        if clock.sizes[0] < side:
            raise ValueError(
                f"size={clock.size}: {what} cannot be read there; give {side} or more,"
                f" or larger dials (dial_size){', or ask_seconds=0' * (what == 'the second')}"
            )
