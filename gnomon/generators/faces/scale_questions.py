"""Questions about a value on a scale with two ends, answered from its labels and ticks."""

from __future__ import annotations

from bisect import bisect_left
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal
from itertools import combinations
from typing import NamedTuple, TypeAlias

from gnomon.generators.drawing.colours import Colour
from gnomon.generators.faces.scale import Scale, ScaleReading, plain
from gnomon.generators.rng import Rng
from gnomon.sample import Number, Target, Text

ZONES: dict[str, Colour] = {"green": (46, 139, 70), "yellow": (240, 190, 30), "red": (205, 40, 36)}
# Zones and ranges end at labels that are not beside the value; with fewer labels none may be left.
LEAST_LABELS = 6

# Colour, beginning and end of a zone.
Zone: TypeAlias = tuple[str, Decimal, Decimal]
Limits: TypeAlias = tuple[Decimal, Decimal]
_TENTH = Decimal("0.1")


class ScaleQuestion(NamedTuple):
    """The answer to a question, and what must be drawn for it."""

    target: Target | None
    """The answer. None for a box, which is known once the instrument is drawn."""
    zones: tuple[Zone, ...] = ()
    mark: Decimal | None = None
    """Value at which a triangle is drawn."""
    limits: Limits | None = None
    text: str = ""


def is_asked_of(question: str, scale: Scale) -> bool:
    """Return True if the question makes sense. A percentage needs a linear scale from 0.

    These questions need a scale with two ends.
    """
    if scale.cycle is not None:
        return False
    if question == "percent":
        return not scale.log and scale.low == 0
    return len(scale.labels) >= LEAST_LABELS


def ask(question: str, scale: Scale, reading: ScaleReading, rng: Rng) -> ScaleQuestion:
    """Ask a question of SCALE_QUESTIONS about a reading."""
    return _ASK[question](scale, reading, rng)


def random_zones(scale: Scale, value: Decimal, rng: Rng) -> tuple[Zone, ...]:
    """Draw three zones that meet at labels, but not at a label next to the value."""
    first, second = _two_labels(scale, value, rng)
    # Green is more often the lower end than the upper one.
    names = tuple(ZONES) if rng.chance(0.6) else tuple(ZONES)[::-1]
    ends = (scale.low, first, second, scale.high)
    return tuple(zip(names, ends[:-1], ends[1:], strict=True))


def _difference(scale: Scale, reading: ScaleReading, rng: Rng) -> ScaleQuestion:
    """Ask for the distance to a target at a label, at least two ticks away."""
    value = reading.value
    far = [label for label in scale.labels if abs(label - value) >= 2 * reading.tick]
    # Uneven ticks may leave none that far away.
    farthest = max(scale.labels, key=lambda label: abs(label - value))
    mark = rng.choice(far or [farthest])
    answer = Number(plain(abs(value - mark)), scale.unit, reading.tolerance)
    return ScaleQuestion(answer, mark=mark)


def _percent(scale: Scale, reading: ScaleReading, rng: Rng) -> ScaleQuestion:  # noqa: ARG001 - as all questions
    # The tolerance below is rounded up, so that rounding here costs nobody an answer.
    share = (100 * reading.value / scale.high).quantize(_TENTH, ROUND_HALF_EVEN)
    tolerance = (100 * reading.tolerance / scale.high).quantize(_TENTH, ROUND_CEILING)
    return ScaleQuestion(Number(share, "%", tolerance))


def _zone(scale: Scale, reading: ScaleReading, rng: Rng) -> ScaleQuestion:
    zones = random_zones(scale, reading.value, rng)
    # A pointer may stand a little beyond the ends of its scale.
    value = min(max(reading.value, scale.low), scale.high)
    colour = next(name for name, begin, end in zones if begin <= value <= end)
    return ScaleQuestion(Text(colour, tuple(ZONES)), zones=zones)


def _in_range(scale: Scale, reading: ScaleReading, rng: Rng) -> ScaleQuestion:
    """Ask if the value lies in a range. Yes and no are equally likely."""
    value = reading.value
    clear = [i for i, label in enumerate(scale.labels) if label in _clear(scale, value)]
    of_width: dict[int, tuple[list[Limits], list[Limits]]] = {}
    for first, second in combinations(clear, 2):
        low, high = scale.labels[first], scale.labels[second]
        of_width.setdefault(second - first, ([], []))[low < value < high].append((low, high))
    # Widths for which both answers are possible, if there are any.
    width = rng.choice([*filter(all, of_width.values())] or list(of_width.values()))
    within = rng.chance(0.5)
    low, high = rng.choice(width[within] or width[not within])
    answer = Text("yes" if low < value < high else "no", ("yes", "no"))
    return ScaleQuestion(answer, limits=(low, high))


_ASK = {"difference": _difference, "percent": _percent, "zone": _zone, "in_range": _in_range}
SCALE_QUESTIONS = tuple(_ASK)


def _clear(scale: Scale, value: Decimal) -> list[Decimal]:
    """Return the labels that are neither the value nor the next tick."""
    above = bisect_left(scale.ticks, value)
    near = {value} if value in scale.ticks else {*scale.ticks[max(0, above - 1) : above + 1]}
    return [label for label in scale.labels if label not in near]


def _two_labels(scale: Scale, value: Decimal, rng: Rng) -> tuple[Decimal, Decimal]:
    inner = [v for v in _clear(scale, value) if scale.low < v < scale.high]
    first = rng.integer(0, len(inner) - 2)
    return inner[first], inner[rng.integer(first + 1, len(inner) - 1)]
