"""What the options of clocks may be."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gnomon.generators.base import check_names
from gnomon.generators.clock.extras import BRANDS, DAY_HEIGHT
from gnomon.generators.clock.levels import LEVELS, Ranges
from gnomon.generators.clock.look import free_edge
from gnomon.generators.clock.make import DAY_NUMERALS, RIM, SECOND
from gnomon.generators.clock.marks import LEGIBLE
from gnomon.generators.clock.numerals import DAY, NUMERALS
from gnomon.generators.clock.options import ClockOptions
from gnomon.generators.clock.questions import BETWEEN, PLACES, QUESTIONS, TOGETHER
from gnomon.generators.drawing.dials import DIALS, UNSEEN_DIALS, outline
from gnomon.generators.drawing.hands import HANDS, UNSEEN_HANDS
from gnomon.generators.drawing.lens import WIDEST
from gnomon.generators.drawing.pose import DISTANCE, STEEPEST
from gnomon.sample import FORMS

_MOST = {"rotation": 30.0, "perspective": STEEPEST, "warp": WIDEST}
"""Where it is not 1; these are shares."""
_APART = 1.5
"""Pixels between the tips of a second hand at one second and at the next."""


def check(clock: ClockOptions) -> None:
    """Refuse what cannot be drawn, by name and value."""
    check_names("level", [clock.level], tuple(LEVELS))
    check_names("numerals", clock.numerals, (*NUMERALS, DAY))
    check_names("questions", clock.questions, (*QUESTIONS, BETWEEN))
    check_names("forms", clock.forms, FORMS)
    check_names("split_by", [clock.split_by], ("style", "time", "none"))
    _check_held_out("dials", clock.dials, DIALS, UNSEEN_DIALS, ood=clock.ood)
    _check_held_out("hands", clock.hands, HANDS, UNSEEN_HANDS, ood=clock.ood)
    _check_range("size", clock.sizes, 64, 2048)
    _check_range("off_by", clock.off_by, 5, 15)
    for name in ("ask_seconds", "invalid", "mirror"):
        _check_range(name, (getattr(clock, name),), 0, 1)
    _check_range("clocks", clock.counts, 1, len(PLACES))
    settled = clock.ranges
    _check_range("dial_size", settled.dial_size, 0.4, 1)
    for name in Ranges._fields:
        if name != "dial_size":
            _check_range(name, (getattr(settled, name),), 0, _MOST.get(name, 1))
    _check_legible(clock, settled)
    romans = any(name.startswith("roman") for name in clock.numerals)
    brands = "".join(BRANDS) if settled.brand else ""
    clock.check_fonts("0123456789" + ("IVX" if romans else "") + brands)
    if alone := [name for name in clock.questions if name in TOGETHER and clock.counts[0] < 2]:
        raise ValueError(f"questions={alone[0]!r}: one clock is not enough; give clocks=[2, 3]")


def _check_legible(clock: ClockOptions, settled: Ranges) -> None:
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


def _check_held_out(
    option: str, wanted: Sequence[str] | None, seen: tuple[str, ...], unseen: tuple[str, ...], *,
    ood: bool,
) -> None:  # fmt: skip
    if wanted is None:
        return
    check_names(option, wanted, (*seen, *unseen))
    for name in wanted:
        if name not in (unseen if ood else seen):
            allowed = ", ".join(unseen if ood else seen)
            raise ValueError(f"{option}={name!r}: with ood={ood} there are {allowed}")


def _check_range(option: str, values: tuple[float, ...], low: float, high: float) -> None:
    if not all(low <= value <= high for value in values) or list(values) != sorted(values):
        alone = len(set(values)) == 1
        order = "" if alone else ", the lower end first"
        raise ValueError(
            f"{option}={values[0] if alone else values}: give {low:g} to {high:g}{order}"
        )
