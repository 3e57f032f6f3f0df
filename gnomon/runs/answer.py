"""The answer to a question about one picture, for users of Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp
from typing import TYPE_CHECKING

from gnomon.answers.base.answer_type import AnswerType
from gnomon.answers.base.target import AnswerForm
from gnomon.answers.registry import TYPES
from gnomon.answers.unreadable.read import is_whole_refusal
from gnomon.dialect import create
from gnomon.eval.formatting import certainty_text
from gnomon.sample import Prediction, Size, Target

if TYPE_CHECKING:
    from gnomon.answers.base.answer_type import Value


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer to a question about one picture."""

    text: str
    """The answer in the model's words. It is empty if the answer is refused."""
    value: Target | None = None
    """The value in the text, such as `gnomon.sample.Time` or `Number`. It is None if the text holds
    no such value, or if the answer is refused. Boxes are in pixels of the given picture."""
    low: Target | None = None
    """Lower end of the interval. It is None until the run is calibrated, and for words."""
    high: Target | None = None
    """Upper end of the interval."""
    words: tuple[str, ...] = ()
    """Prediction set of an answer in words: the truth is probably one of these words."""
    confidence: float | None = None
    """Share of such answers that are right. It is None until the run is calibrated."""
    refused: bool = False
    """True if no instrument was found, or if the reading is less sure than what you asked for with
    `wrong` or `answered`."""
    reason: str = ""
    """The reason why nothing was read, if the instrument was not found."""
    box: tuple[int, int, int, int] | None = None
    """Corners x1, y1, x2, y2 of the part that was read. It is None if the whole picture was."""
    corners: tuple[tuple[float, float], ...] = ()
    """Corners of the upright instrument in the picture, from the top left clockwise, if it was
    looked for and found."""
    trained: bool = False
    """True if the run was trained on this very picture. It may read other pictures less well."""
    question: str = ""
    """The question that was asked."""
    name: str = ""
    """File name of the picture, or its position among the given pictures."""
    error: str = ""
    """The reason why the picture could not be opened. It is empty for all other pictures."""
    prediction: Prediction | None = field(default=None, repr=False)
    """The model's output as `gnomon predict` stores it: settings, beliefs and the refused text."""

    @classmethod
    def of(
        cls, prediction: Prediction, form: AnswerForm, size: Size, *, question: str, name: str
    ) -> Answer:
        """Read the value of a prediction. `size` is the size of the user's picture."""
        certainty = prediction.certainty
        is_refused, finding = prediction.is_refused, prediction.finding
        low = high = None
        words: tuple[str, ...] = ()
        if certainty is not None and certainty.words:
            words = certainty.words
        elif certainty is not None:
            low, high = (_value(text, form, prediction, size) for text in certainty.interval)
        return cls(
            text="" if is_refused else prediction.text,
            value=None if is_refused else _value(prediction.text, form, prediction, size),
            low=low,
            high=high,
            words=words,
            confidence=certainty.confidence if certainty else None,
            refused=is_refused,
            reason=finding.refusal if finding else "",
            box=prediction.cut,
            corners=finding.corners if finding else (),
            question=question,
            name=name,
            prediction=prediction,
        )

    def __str__(self) -> str:
        """Return the answer in a line, with its interval and confidence if the run has them."""
        return self.error if self.prediction is None else answer_text(self.prediction)


def _value(text: str, form: AnswerForm, prediction: Prediction, size: Size) -> Target | None:
    """Read a text as an answer of this form. Return None if it holds no such answer."""
    answer_type = TYPES[form.type_name]
    value = _read(answer_type, text, form, prediction)
    if value is None:
        return None
    try:
        answer = answer_type.answer_of(value, form)
    except ValueError:  # such as a box without an area
        return None
    moved = answer.has_place and prediction.size is not None
    return answer.scaled(prediction.size, size) if moved and prediction.size else answer


def _read(
    answer_type: AnswerType, text: str, form: AnswerForm, prediction: Prediction
) -> Value | None:
    reading = answer_type.read(
        text, form, which="final", dialect=create(prediction.dialect), size=prediction.size
    )
    # If an answer ends in a refusal, a number in its working is not its value.
    if reading is None or (reading.span[1] < len(text.rstrip()) and is_whole_refusal(text)):
        return None
    return reading.value


def answer_text(answer: Prediction) -> str:
    """Return an answer in a line, with the likeliest of the listed answers if any are listed."""
    if answer.finding is not None and answer.finding.refusal:
        return f"refused: {answer.finding.refusal}"
    line = " ".join(answer.text.split())
    if certainty := answer.certainty:
        line += f" ({certainty_text(certainty)})"
        line += ", too unsure to be answered" * certainty.refused
    if not answer.logprobs:
        return line
    shares = belief_shares(answer.logprobs)
    best = max(shares, key=shares.__getitem__)
    return f"{line} (likeliest of those listed: {best}, {100 * shares[best]:.1f} %)"


def belief_shares(logprobs: Mapping[str, float]) -> dict[str, float]:
    """Scale the probabilities of the listed answers to a sum of 1."""
    largest = max(logprobs.values())  # taken off first, since exp(-800) is 0
    weights = {answer: exp(value - largest) for answer, value in logprobs.items()}
    total = sum(weights.values())
    return {answer: weight / total for answer, weight in weights.items()}
