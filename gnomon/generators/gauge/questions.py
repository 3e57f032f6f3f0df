"""Questions about an instrument; answers are computed from the values on its scale."""

from bisect import bisect_left
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal
from itertools import combinations
from typing import NamedTuple, TypeAlias

from gnomon.files import read_toml
from gnomon.generators.drawing.colours import Colour
from gnomon.generators.instruments.base import Instrument
from gnomon.generators.instruments.scale import Reading, Scale, plain
from gnomon.generators.rng import Rng
from gnomon.sample import Number, Target, Text

QUESTIONS = ("read", "difference", "percent", "zone", "in_range", "where", "find")
ZONES: dict[str, Colour] = {"green": (46, 139, 70), "yellow": (240, 190, 30), "red": (205, 40, 36)}

# Colour, beginning and end of a zone.
Zone: TypeAlias = tuple[str, Decimal, Decimal]

_WORDS = read_toml(__file__, "questions.toml")
_TENTH = Decimal("0.1")
_Range: TypeAlias = tuple[Decimal, Decimal]


class GaugeQuestion(NamedTuple):
    """A question with its answer, and what must be drawn for it."""

    target: Target | None
    """None for a box, which is known once the instrument is drawn."""
    zones: tuple[Zone, ...] = ()
    mark: Decimal | None = None
    """The value at which a triangle stands."""
    limits: tuple[Decimal, Decimal] | None = None
    text: str = ""


def has_answer(question: str, instrument: Instrument, scale: Scale) -> bool:
    """True if the question makes sense: a percentage needs a scale from 0, with its end in sight.

    On a scale that goes round, nothing is far from anything or between two labels.
    """
    if scale.cycle is not None or instrument.has_window:
        return question in ("read", "where", "find")
    return question != "percent" or (not scale.log and scale.low == 0)


def ask(
    question: str, instrument: Instrument, scale: Scale, reading: Reading, rng: Rng
) -> GaugeQuestion:
    """Build the question about a reading, whose value is written as for its instrument."""
    written = reading._replace(value=instrument.answer(reading.value))
    answer = _ASK[question](scale, written, rng)
    texts = _wordings(question, instrument)
    # One wording takes no draw.
    text = rng.choice(texts) if len(texts) > 1 else texts[0]
    return answer._replace(text=_fill(text, instrument, scale, answer.limits))


def read_question(instrument: Instrument, scale: Scale) -> str:
    """Return the first wording of the question for the reading."""
    return _fill(_wordings("read", instrument)[0], instrument, scale)


def _wordings(question: str, instrument: Instrument) -> list[str]:
    """List the wordings of a question, the instrument's own or those of all."""
    texts = instrument.phrases().texts.get(question, _WORDS["instrument"][question])
    return texts if isinstance(texts, list) else [texts]


def _fill(text: str, instrument: Instrument, scale: Scale, limits: _Range | None = None) -> str:
    """Put the instrument's names, the scale's unit and the limits into a text."""
    phrases, (low, high) = instrument.phrases(), limits or (None, None)
    if not scale.unit:
        text = text.replace("in {unit}", "with a number").replace(" {unit}", "")
    unit = _WORDS["unit"].get(scale.unit, scale.unit)
    return text.format(name=phrases.name, unit=unit, pointer=phrases.pointer, low=low, high=high)


def box_question(name: str) -> str:
    """Return the question for the box of an instrument that is called so."""
    text: str = _WORDS["instrument"]["find"]
    return text.format(name=name)


def random_zones(scale: Scale, value: Decimal, rng: Rng) -> tuple[Zone, ...]:
    """Three zones that meet at labels, neither of them beside the value."""
    first, second = _two_labels(scale, value, rng)
    # Green is more often the lower end than the upper one.
    names = tuple(ZONES) if rng.chance(0.6) else tuple(ZONES)[::-1]
    ends = (scale.low, first, second, scale.high)
    return tuple(zip(names, ends[:-1], ends[1:], strict=True))


def _read(scale: Scale, reading: Reading, rng: Rng) -> GaugeQuestion:  # noqa: ARG001 - as all questions
    cycle = Decimal(0) if scale.cycle is None else scale.cycle
    return GaugeQuestion(Number(reading.value, scale.unit, plain(reading.tolerance), cycle))


def _difference(scale: Scale, reading: Reading, rng: Rng) -> GaugeQuestion:
    """Ask for the distance to a target at a label, at least two ticks away."""
    value = reading.value
    far = [label for label in scale.labels if abs(label - value) >= 2 * reading.tick]
    mark = rng.choice(far)
    answer = Number(plain(abs(value - mark)), scale.unit, reading.tolerance)
    return GaugeQuestion(answer, mark=mark)


def _percent(scale: Scale, reading: Reading, rng: Rng) -> GaugeQuestion:  # noqa: ARG001 - as all questions
    # The tolerance below is rounded up, so that rounding here costs nobody an answer.
    share = (100 * reading.value / scale.high).quantize(_TENTH, ROUND_HALF_EVEN)
    tolerance = (100 * reading.tolerance / scale.high).quantize(_TENTH, ROUND_CEILING)
    return GaugeQuestion(Number(share, "%", tolerance))


def _zone(scale: Scale, reading: Reading, rng: Rng) -> GaugeQuestion:
    zones = random_zones(scale, reading.value, rng)
    colour = next(name for name, begin, end in zones if begin <= reading.value <= end)
    return GaugeQuestion(Text(colour, tuple(ZONES)), zones=zones)


def _in_range(scale: Scale, reading: Reading, rng: Rng) -> GaugeQuestion:
    """Ask whether the value lies in a range; yes is as likely as no, whatever the width."""
    value = reading.value
    clear = [i for i, label in enumerate(scale.labels) if label in _clear(scale, value)]
    of_width: dict[int, tuple[list[_Range], list[_Range]]] = {}
    for first, second in combinations(clear, 2):
        low, high = scale.labels[first], scale.labels[second]
        of_width.setdefault(second - first, ([], []))[low < value < high].append((low, high))
    # Widths for which both answers are possible, if there are any.
    width = rng.choice([*filter(all, of_width.values())] or list(of_width.values()))
    within = rng.chance(0.5)
    low, high = rng.choice(width[within] or width[not within])
    answer = Text("yes" if low < value < high else "no", ("yes", "no"))
    return GaugeQuestion(answer, limits=(low, high))


def _box(scale: Scale, reading: Reading, rng: Rng) -> GaugeQuestion:  # noqa: ARG001 - as all questions
    return GaugeQuestion(None)


_ASK = dict(
    zip(QUESTIONS, (_read, _difference, _percent, _zone, _in_range, _box, _box), strict=True)
)


def _clear(scale: Scale, value: Decimal) -> list[Decimal]:
    """Return labels that nobody takes for the value: not the value, nor a tick beside it."""
    above = bisect_left(scale.ticks, value)
    near = {scale.ticks[above]}
    if value < scale.ticks[above]:
        near.add(scale.ticks[above - 1])
    return [label for label in scale.labels if label not in near]


def _two_labels(scale: Scale, value: Decimal, rng: Rng) -> tuple[Decimal, Decimal]:
    inner = [v for v in _clear(scale, value) if scale.low < v < scale.high]
    first = rng.integer(0, len(inner) - 2)
    return inner[first], inner[rng.integer(first + 1, len(inner) - 1)]
