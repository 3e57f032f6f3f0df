"""Questions about an instrument. Answers are computed from the values on its scale."""

from decimal import Decimal

from gnomon.files import read_toml
from gnomon.generators.instruments import scale_questions
from gnomon.generators.instruments.base import Instrument
from gnomon.generators.instruments.scale import Scale, ScaleReading, plain
from gnomon.generators.instruments.scale_questions import Limits, ScaleQuestion
from gnomon.generators.rng import Rng
from gnomon.sample import Number

QUESTIONS = ("read", "difference", "percent", "zone", "in_range", "where", "find")

_WORDS = read_toml(__file__, "questions.toml")


def has_answer(question: str, instrument: Instrument, scale: Scale) -> bool:
    """Return True if the question makes sense. A percentage needs a visible scale that starts at 0.

    On a cyclic scale, distances and zones between labels are ambiguous.
    """
    if scale.cycle is not None or instrument.has_window:
        return question in ("read", "where", "find")
    return question != "percent" or (not scale.log and scale.low == 0)


def ask(
    question: str, instrument: Instrument, scale: Scale, reading: ScaleReading, rng: Rng
) -> ScaleQuestion:
    """Build the question about a reading. Its value is written as for its instrument."""
    written = reading._replace(value=instrument.answer(reading.value))
    answer = _answer(question, scale, written, rng)
    texts = _wordings(question, instrument)
    # A single wording takes no draw.
    text = rng.choice(texts) if len(texts) > 1 else texts[0]
    return answer._replace(text=_fill(text, instrument, scale, answer.limits))


def read_question(instrument: Instrument, scale: Scale) -> str:
    """Return the first wording of the question for the reading."""
    return _fill(_wordings("read", instrument)[0], instrument, scale)


def _wordings(question: str, instrument: Instrument) -> list[str]:
    """List the wordings of a question, the instrument's own or the general wordings."""
    texts = instrument.phrases().texts.get(question, _WORDS["instrument"][question])
    return texts if isinstance(texts, list) else [texts]


def _fill(text: str, instrument: Instrument, scale: Scale, limits: Limits | None = None) -> str:
    """Put the instrument's names, the scale's unit and the limits into a text."""
    phrases, (low, high) = instrument.phrases(), limits or (None, None)
    if not scale.unit:
        text = text.replace("in {unit}", "with a number").replace(" {unit}", "")
    unit = _WORDS["unit"].get(scale.unit, scale.unit)
    return text.format(name=phrases.name, unit=unit, pointer=phrases.pointer, low=low, high=high)


def box_question(name: str) -> str:
    """Return the question for the box of an instrument with this name."""
    text: str = _WORDS["instrument"]["find"]
    return text.format(name=name)


def _answer(question: str, scale: Scale, reading: ScaleReading, rng: Rng) -> ScaleQuestion:
    if question == "read":
        cycle = Decimal(0) if scale.cycle is None else scale.cycle
        return ScaleQuestion(Number(reading.value, scale.unit, plain(reading.tolerance), cycle))
    if question in scale_questions.SCALE_QUESTIONS:
        return scale_questions.ask(question, scale, reading, rng)
    return ScaleQuestion(None)
