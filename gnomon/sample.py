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
    "CUT", "FINDING", "FORMS", "OPTIONS", "TARGETS", "Box", "Boxes", "Certainty", "Edge", "Finding",
    "Form", "LabelledBox", "Number", "Prediction", "Sample", "Size", "Spot", "Spots", "Table",
    "Target", "Text", "Time", "Unreadable",
    "prediction_from_json", "prediction_to_json", "target_from_json", "target_to_json",
]  # fmt: skip

_WIDEST = (1024, 1024)
"""Largest number of pixels of a picture in a notebook, whose file grows with every picture."""

CUT = "cut"
"""Fact of a sample whose picture is a crop: its corners in the whole picture, x1, y1, x2, y2."""

FINDING = "finding"
"""Fact of a sample whose instrument was looked for: a `Finding`."""

OPTIONS = "options"
"""Fact of a sample whose answer is one of several options: the value of each, by its letter."""

_GAP = 8
"""Pixels between pictures that are shown side by side."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Question with its exact answer. `image` is None for a question without pictures.

    If there are several pictures, `image` is the first, and a box is in its pixels.
    """

    id: str
    image: Image | None
    question: str
    target: Target
    facts: dict[str, Any] = field(default_factory=dict)
    """Facts about the drawing, enough to ask another question about the picture without drawing
    it."""
    rationale: str = ""
    """Working that leads to the answer, if it is shown before the answer."""
    more_images: tuple[Image, ...] = ()
    """Second and later pictures of a question, in the order in which they are shown."""

    @property
    def images(self) -> tuple[Image, ...]:
        """Pictures of the question, including the first."""
        return () if self.image is None else (self.image, *self.more_images)

    @property
    def sizes(self) -> tuple[Size, ...]:
        """Width and height of each picture."""
        return tuple([image.size for image in self.images])

    @property
    def display(self) -> Image | None:
        """Picture to show to a person.

        Several pictures are put side by side, unless the answer is a place in the first one.
        """
        # In a row of pictures, a box would be off by the widths to its left.
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
        """Return picture, question and answer as a notebook shows them."""
        tag = ""
        if self.display is not None:
            picture, png = self.display.copy(), BytesIO()
            picture.thumbnail(_WIDEST)  # which only ever makes it smaller
            # PNG does not support CMYK, which some photographs use.
            picture.convert("RGBA").save(png, "PNG")
            data = b64encode(png.getvalue()).decode()
            tag = f'<img src="data:image/png;base64,{data}" alt="">'
        words = f"{escape(self.question)}\n<b>{escape(self.target.display())}</b>"
        return f'{tag}<div style="white-space: pre-wrap">{words}</div>'


@dataclass(frozen=True, slots=True)
class Certainty:
    """Interval and confidence that a calibration gives an answer."""

    interval: tuple[str, str]
    """First and last answer. For words, `low` is all `words` joined by commas for people, and
    `high` is an empty text."""
    confidence: float
    """Share of similar answers that are right."""
    refused: bool = False
    """True if the answer is withheld, because it is less certain than the user asked for. This
    differs from an answer that says "unreadable" (see `is_refusal`)."""
    words: tuple[str, ...] = ()
    """Words in the interval, the most likely first. They may contain commas."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Instrument that was found in a picture, or the reason why none was read."""

    kind: str = ""
    """clock, dial, gauge or counter. It is empty if nothing was found."""
    confidence: float = 0.0
    """Confidence that an instrument is there, 0 to 1."""
    corners: tuple[tuple[float, float], ...] = ()
    """Corners of the upright instrument in pixels of the picture: top left, top right, bottom
    right, bottom left."""
    refusal: str = ""
    """Reason why the model was not asked. It is empty for all other pictures."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Number in a box of an answer, with the model's belief in it given the text before."""

    value: str
    """Number in the answer, in the form of the dialect, like all numbers here."""
    low: str
    high: str
    """They enclose 90 % of the probability of all possible numbers, with 5 % on either side."""
    listed: float
    """Total probability of the possible numbers."""
    is_written: bool = False
    """True if the rule's choice would have swapped two edges, so the model's number stays."""
    logprobs: dict[str, float] | None = None
    """Log-probability by number, if beliefs were requested, without the least likely 0.1 %."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's answer to one sample, as text. Scoring reads its value each time."""

    # An unknown key of a later version is refused, because answers might depend on it.
    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "forbid", "allow_inf_nan": False}

    sample_id: str
    text: str
    size: Size | None
    """Size of the picture as the processor resized it. None without a picture."""
    dialect: str
    settings: dict[str, Any] = field(default_factory=dict)
    logprobs: dict[str, float] | None = None
    """Log-probability of each answer of a list, if these were requested."""
    cut: tuple[int, int, int, int] | None = None
    """Corners of the part of the picture that was asked about, in its pixels. None for the whole
    picture."""
    certainty: Certainty | None = None
    """Interval and confidence, from a calibrated run."""
    edges: tuple[tuple[Edge, ...], ...] | None = None
    """Four numbers of each box in the text, in the dialect's order, if a belief was computed."""
    finding: Finding | None = None
    """The instrument that was found in the picture, if it was looked for."""

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):  # such as the NaN of an empty cell
            raise ValueError(
                f"prediction {self.sample_id!r}: text={self.text!r}: give a str, or '' if there is"
                " no answer"
            )

    @classmethod
    def of(
        cls, sample: Sample, text: str, size: Size | None, dialect: str, settings: dict[str, Any],
        logprobs: dict[str, float] | None = None, certainty: Certainty | None = None,
        edges: tuple[tuple[Edge, ...], ...] | None = None,
    ) -> Prediction:  # fmt: skip
        """Return an answer to a sample, with the part of the picture that the sample shows."""
        cut = tuple(sample.facts[CUT]) if sample.facts.get(CUT) else None
        finding = sample.facts.get(FINDING)
        return cls(
            *(sample.id, text, size, dialect, settings, logprobs, cut, certainty, edges, finding)
        )

    @property
    def is_refused(self) -> bool:
        """True if nothing was found to read, or the reading is too unsure."""
        is_unsure = self.certainty is not None and self.certainty.refused
        return is_unsure or (self.finding is not None and bool(self.finding.refusal))


def prediction_to_json(prediction: Prediction) -> dict[str, Any]:
    """Turn a prediction into a plain dict. `prediction_from_json` is the inverse."""
    row = asdict(prediction)
    for key in ("cut", "certainty", "edges", "finding"):
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
    """Parse the output of `prediction_to_json`. A ValueError names the wrong field."""
    from pydantic import ValidationError

    try:
        prediction = _schema().validate_python(row)
    except ValidationError as error:
        raise ValueError(f"prediction {repr(row)}: {first_fault(error)}") from error
    if prediction.size and min(prediction.size) < 1:
        raise ValueError(
            f"prediction {prediction.sample_id!r}: size is {prediction.size}:"
            " give a positive width and height"
        )
    # A server that stops within an emoji sends half of it, which UTF-8 files cannot contain.
    return replace(prediction, text=prediction.text.encode("utf-8", "replace").decode())
