"""Steps of answers about a scale: the labels around a value, and its place between them."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from gnomon.generators.faces.scale import plain
from gnomon.generators.wording import rounded_text


def between_labels(
    value: Decimal, labels: Sequence[Decimal], ticks: Sequence[Decimal], cycle: Decimal
) -> str:
    """Return the labels around a value, and the gaps of ticks from the first label to it.

    The ends of a scale count as labels. On a scale that starts again, the last label is followed
    by the first.
    """
    if cycle:
        value = ticks[0] + (value - ticks[0]) % cycle
        ticks = [*ticks, ticks[0] + cycle]
    ends = sorted({*labels, ticks[0], ticks[-1]})
    below = max([end for end in ends[:-1] if end <= value], default=ends[0])
    above = ends[ends.index(below) + 1]
    inside = [tick for tick in ticks if below <= tick <= above]
    first = max([tick for tick in inside[:-1] if tick <= value], default=inside[0])
    index = inside.index(first)
    place = index + float((value - first) / (inside[index + 1] - first))
    if cycle and above == ticks[-1]:
        above = ticks[0]
    gaps = f"{rounded_text(place, 1)} of {len(inside) - 1}"
    return f"between {plain(below):f} and {plain(above):f}, {gaps}"


def with_reading(text: str, facts: Mapping[str, Any], reading: str) -> str:
    """Add the reading to the steps, and the target, if the question asks for another value."""
    if facts["question"] in ("read", "part"):
        return text
    target = f", target {facts['target']}" if facts["question"] == "difference" else ""
    return f"{text}, reads {reading}{target}"
