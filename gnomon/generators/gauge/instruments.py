"""Instruments by name. Each is a file in the folder `descriptions`."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path

from gnomon.generators.base import Split, split_of
from gnomon.generators.faces import face_questions, scale_questions
from gnomon.generators.faces.description import (
    DrawnFace,
    FaceDescription,
    FaceReading,
    decimal_of,
    value_at,
    variants_of,
)
from gnomon.generators.faces.draw import PANEL
from gnomon.generators.faces.scale import Scale, ScaleReading
from gnomon.generators.faces.scale_questions import SCALE_QUESTIONS, Limits, ScaleQuestion
from gnomon.generators.faces.varying import EndChooser
from gnomon.generators.rng import Rng
from gnomon.sample import Number

QUESTIONS = ("read", *SCALE_QUESTIONS, "where", "find")
# Drawn unless the user names others. Later instruments would change the samples of these.
DEFAULT_INSTRUMENTS = ("gauge", "meter", "thermometer", "ruler", "scale", "cylinder")


class Instrument:
    """Instrument with a scale. Its part `pointer` shows the value on its part `scale`."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def variants(self) -> tuple[FaceDescription, ...]:
        """Descriptions of its designs."""
        file = Path(__file__).parent / "descriptions" / f"{self.name}.yaml"
        return variants_of(file.read_text(encoding="utf-8"), self.name)

    @cached_property
    def scales(self) -> tuple[Scale, ...]:
        """Scales of its designs: linear scales in each division, and logarithmic scales."""
        return tuple(dict.fromkeys(chain.from_iterable(each.scales for each in self.variants)))

    def description(self, scale: Scale, rng: Rng | None = None) -> FaceDescription:
        """Return a random design with this scale, or the first design without `rng`."""
        fitting = [each for each in self.variants if scale in each.scales] or list(self.variants)
        variant = fitting[0] if rng is None else rng.choice(fitting)
        return _with_scale(variant, scale)

    @cached_property
    def _first(self) -> DrawnFace:
        description = self.description(self.scales[0])
        return description.draw(value_at(description.head.value, 0), EndChooser(0))

    @property
    def has_window(self) -> bool:
        """True if only a part of the scale is visible, so questions about its ends are left out."""
        return self._first.body.cut

    @property
    def lies_in_face(self) -> bool:
        """True if it is often printed on a large face with others, without a case."""
        return PANEL in self._first.head.choices.get("case", ())

    @property
    def reading(self) -> FaceReading:
        """The step, tolerance and cycle of its readings."""
        return next(iter(self._first.head.readings.values()))

    def has_answer(self, question: str, scale: Scale) -> bool:
        """Return True if the question makes sense. A percentage needs a visible scale that starts
        at 0.

        On a cyclic scale, distances and zones between labels are ambiguous.
        """
        if scale.cycle is not None or self.has_window:
            return question in ("read", "where", "find")
        return question != "percent" or (not scale.log and scale.low == 0)

    def places(self, scale: Scale, parts: int) -> range:
        """Return the positions at which it may be read, `parts` of them from each tick to the next.

        On a cyclic scale a pointer stands anywhere, and positions are the steps of the value.
        """
        head = self.description(scale).head
        if scale.cycle is not None:
            return range(head.count)
        first = (head.value[0] - float(scale.low)) / float(scale.ticks[1] - scale.ticks[0])
        return range(round(first) * parts, (len(scale.ticks) - 1) * parts + 1)

    def place_reading(self, scale: Scale, place: int, parts: int) -> ScaleReading:
        """Return the value at a position, with its tolerance, which is usually half a tick."""
        if scale.cycle is None:
            return scale.reading(place, parts)
        tick, reading = scale.ticks[1] - scale.ticks[0], self.reading
        within = max(self._step, tick / 5) if reading.within is None else reading.within
        value = decimal_of(value_at(self.description(scale).head.value, place))
        return ScaleReading(value, tick, Decimal(str(within)))

    def answer(self, scale: Scale, value: Decimal) -> Decimal:
        """Return the value as people write it. On a dial, 9.96 is 0.0 again."""
        return value if scale.cycle is None else value.quantize(self._step, ROUND_HALF_UP) % (
            scale.cycle
        )  # fmt: skip

    @property
    def _step(self) -> Decimal:
        return Decimal(repr(self.reading.step or 1)).normalize()

    def meaning(self, scale: Scale, place: int, parts: int) -> str:
        """Return instrument, scale and value in words, whatever the division of the ticks.

        Splits depend on this text, so it never changes.
        """
        ends = f"{scale.low}..{scale.high}{' log' * scale.log}"
        value = self.place_reading(scale, place, parts).value
        return f"{self.name}|{scale.unit}|{ends}|{value:f}"

    def ask(self, question: str, scale: Scale, reading: ScaleReading, rng: Rng) -> ScaleQuestion:
        """Ask a question about a reading."""
        value = self.answer(scale, reading.value)
        result = ScaleQuestion(None)
        if question == "read":
            cycle = scale.cycle or Decimal(0)
            result = ScaleQuestion(Number(value, scale.unit, reading.tolerance, cycle))
        elif question in SCALE_QUESTIONS:
            result = scale_questions.ask(question, scale, reading._replace(value=value), rng)
        texts = self.wordings(question, scale.unit, result.limits)
        return result._replace(text=rng.choice(texts))

    @lru_cache(maxsize=1024)  # noqa: B019 - instruments are never deleted
    def wordings(self, question: str, unit: str, limits: Limits | None = None) -> list[str]:
        """Return the wordings of a question."""
        return face_questions.wordings(self.variants[0], question, FaceReading(unit=unit), limits)


INSTRUMENTS = {
    name: Instrument(name)
    for name in (*DEFAULT_INSTRUMENTS, "dial", "speedometer", "compass", "kitchen_scale",
                 "bathroom_scale")
}  # fmt: skip


@lru_cache(maxsize=1024)
def _with_scale(variant: FaceDescription, scale: Scale) -> FaceDescription:
    return variant.with_scale(scale)


@lru_cache(maxsize=4096)
def places_of_split(
    instrument: Instrument, scale: Scale, parts: int, split: Split
) -> tuple[int, ...]:
    """Return the positions of a split. Two splits never share a value of a scale."""
    return tuple(
        place for place in instrument.places(scale, parts)
        if split_of("gauge", instrument.meaning(scale, place, parts)) == split
    )  # fmt: skip
