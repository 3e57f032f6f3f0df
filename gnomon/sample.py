"""Sample, a question with its exact answer, and Prediction, a model's answer to it as text."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from html import escape
from io import BytesIO
from reprlib import repr  # noqa: A004 - what is refused may be long, and deep
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.answers.base.target import Size, Target
from gnomon.answers.box.answer import Box
from gnomon.answers.boxes.answer import Boxes, LabelledBox
from gnomon.answers.number.answer import Number
from gnomon.answers.registry import TARGETS, target_from_json, target_to_json
from gnomon.answers.spots.answer import Spot, Spots
from gnomon.answers.table.answer import Table
from gnomon.answers.text.answer import Text
from gnomon.answers.time.answer import FORMS, Form, Time
from gnomon.answers.unreadable.answer import Unreadable
from gnomon.jsons import first_fault

if TYPE_CHECKING:
    from PIL.Image import Image
    from pydantic import ConfigDict, TypeAdapter

__all__ = [
    "CUT", "FORMS", "TARGETS", "Box", "Boxes", "Certainty", "Edge", "Form", "LabelledBox", "Number",
    "Prediction", "Sample", "Size", "Spot", "Spots", "Table", "Target", "Text", "Time",
    "Unreadable",
    "prediction_from_json", "prediction_to_json", "target_from_json", "target_to_json",
]  # fmt: skip

_WIDEST = (1024, 1024)
"""Most pixels of a picture in a notebook, whose file grows by every picture that it shows."""

CUT = "cut"
"""Fact of a sample whose picture is a cut: its corners in the whole picture, x1, y1, x2, y2."""

_GAP = 8
"""Pixels between pictures that are shown side by side."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Question with its exact answer; `image` is None where text alone is asked.

    Of several pictures `image` is the first; a box is in its pixels.
    """

    id: str
    image: Image | None
    question: str
    target: Target
    facts: dict[str, Any] = field(default_factory=dict)
    """What was drawn: enough to ask another question of the same picture without drawing it."""
    rationale: str = ""
    """The working that leads to the answer, where it is shown before it."""
    more_images: tuple[Image, ...] = ()
    """The other pictures of a question about several, in the order in which they are shown."""

    @property
    def images(self) -> tuple[Image, ...]:
        """Pictures of the question, the first one included."""
        return () if self.image is None else (self.image, *self.more_images)

    @property
    def sizes(self) -> tuple[Size, ...]:
        """Width and height of each picture."""
        return tuple([image.size for image in self.images])

    @property
    def display(self) -> Image | None:
        """Picture for people: several side by side, unless the answer is a place in the first."""
        # A box would be off by what stands to the left of its picture in a row.
        if self.image is None or not self.more_images or self.target.has_place:
            return self.image
        from PIL import Image

        widths = [image.width for image in self.images]
        size = sum(widths) + _GAP * len(self.more_images), max(i.height for i in self.images)
        row = Image.new("RGB", size, "white")
        for index, image in enumerate(self.images):
            row.paste(image, (sum(widths[:index]) + _GAP * index, 0))
        return row

    def _repr_html_(self) -> str:
        """Picture, question and answer, as a notebook shows them."""
        tag = ""
        if self.display is not None:
            picture, png = self.display.copy(), BytesIO()
            picture.thumbnail(_WIDEST)  # which only ever makes it smaller
            # PNG has no CMYK, as some photographs are.
            picture.convert("RGBA").save(png, "PNG")
            data = b64encode(png.getvalue()).decode()
            tag = f'<img src="data:image/png;base64,{data}" alt="">'
        words = f"{escape(self.question)}\n<b>{escape(self.target.display())}</b>"
        return f'{tag}<div style="white-space: pre-wrap">{words}</div>'


@dataclass(frozen=True, slots=True)
class Certainty:
    """Interval and confidence that a calibration gives an answer."""

    interval: tuple[str, str]
    """First and last answer. Of words: all `words`, joined by commas for people, and an empty
    text."""
    confidence: float
    """Share of such answers that is right."""
    refused: bool = False
    """True if the answer is withheld, as it is less sure than what the user asked for. An answer
    that says "unreadable" is another thing: see `is_refusal`."""
    words: tuple[str, ...] = ()
    """Words in the interval, the likeliest first. They may contain commas."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Number in a box of an answer, with what the model believes of it given the text before."""

    value: str
    """Number in the answer, in the dialect's form as all of these."""
    low: str
    high: str
    """Between them are 90 % of the probability of all possible numbers, 5 % on either side."""
    listed: float
    """Probability of any possible number."""
    is_written: bool = False
    """True if the rule's choice would have swapped two edges, so that the model's number stays."""
    logprobs: dict[str, float] | None = None
    """Log-probability by number, where beliefs were asked for, without the least likely 0.1 %."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's answer to one sample, as text; scoring reads its value each time."""

    # A key that a later version adds is refused, not dropped: the answers might differ by it.
    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "forbid", "allow_inf_nan": False}

    sample_id: str
    text: str
    size: Size | None
    """The picture's size as the processor resized it; None where there was no picture."""
    dialect: str
    settings: dict[str, Any] = field(default_factory=dict)
    logprobs: dict[str, float] | None = None
    """Log-probability of each answer of a listed set, where these were asked for."""
    cut: tuple[int, int, int, int] | None = None
    """Corners of the part of the picture that was asked about, in its pixels; None for all."""
    certainty: Certainty | None = None
    """Interval and confidence, from a calibrated run."""
    edges: tuple[tuple[Edge, ...], ...] | None = None
    """Four numbers of each box in the text, in the dialect's order, where a belief was computed."""

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):  # such as the NaN of an empty cell
            raise ValueError(
                f"prediction {self.sample_id!r}: text={self.text!r}: give a str, and '' where there"
                " is no answer"
            )

    @classmethod
    def of(
        cls, sample: Sample, text: str, size: Size | None, dialect: str, settings: dict[str, Any],
        logprobs: dict[str, float] | None = None, certainty: Certainty | None = None,
        edges: tuple[tuple[Edge, ...], ...] | None = None,
    ) -> Prediction:  # fmt: skip
        """Answer to a sample; it notes which part of a picture the sample shows."""
        cut = tuple(sample.facts[CUT]) if sample.facts.get(CUT) else None
        return cls(sample.id, text, size, dialect, settings, logprobs, cut, certainty, edges)


def prediction_to_json(prediction: Prediction) -> dict[str, Any]:
    """Turn a prediction into a plain dict; `prediction_from_json` is the inverse."""
    row = asdict(prediction)
    for key in ("cut", "certainty", "edges"):
        if row[key] is None:
            del row[key]
    if prediction.certainty is not None and not prediction.certainty.words:
        del row["certainty"]["words"]
    return row


@cache
def _schema() -> TypeAdapter[Prediction]:
    from pydantic import TypeAdapter

    return TypeAdapter(Prediction)


def prediction_from_json(row: dict[str, Any]) -> Prediction:
    """Parse what `prediction_to_json` wrote; the ValueError for anything else names the field."""
    from pydantic import ValidationError

    try:
        prediction = _schema().validate_python(row)
    except ValidationError as error:
        raise ValueError(f"prediction {repr(row)}: {first_fault(error)}") from error
    if prediction.size and min(prediction.size) < 1:
        raise ValueError(f"prediction {prediction.sample_id!r}: size is {prediction.size}")
    # A server that stops within an emoji sends half of it, which no UTF-8 file can hold.
    return replace(prediction, text=prediction.text.encode("utf-8", "replace").decode())
