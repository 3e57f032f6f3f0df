"""Cuts: an instrument is found in a picture, cut out with a margin, and asked about alone.

A dial that fills a tenth of a picture is read less well, because the model sees few of its pixels.
Therefore the model is asked for the box first, with the question of the run's training.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from gnomon.answers.base.target import Corners, Unlabelled
from gnomon.answers.box.read import read_box, to_pixels
from gnomon.answers.text.answer import ANY_TEXT
from gnomon.dialect import create
from gnomon.options import option
from gnomon.recipe import Recipe, RecipeError
from gnomon.runs.known_questions import box_questions
from gnomon.sample import CUT, Prediction, Sample, Size

# Share of the box's longer side that is added at each of its ends. Drawn instruments fill 0.8 to
# 0.97 of the pictures of training, so a box without error then lies in the middle of that.
MARGIN = 0.06
# Pixels. A smaller box is a mistake, and too small to be read.
_LEAST = 8.0
_UNTAUGHT = """\
{name} was not trained to find: its recipe does not ask for boxes. Train it with both questions \
 (clock, counter: `questions: [read, where]`; gauge: `[read, find]`; your own \
rows: a source of `kind: box`), or name a question that the model knows ({way_out}), or \
cut the pictures yourself"""


def box_question(recipe: Recipe, run: Path | None) -> str:
    """Return the question for a box that a run, or a model with gnomon's card, was trained on.

    A RecipeError says what to do if the training had several such questions, or none.
    """
    texts = box_questions(recipe, run)
    name = recipe.model.name if run is None else str(run)
    way_out = option("find", "…", flag="--find-question")
    if not texts:
        raise RecipeError(_UNTAUGHT.format(name=name, way_out=way_out))
    if len(texts) > 1:
        lines = "\n".join(f"  {text}" for text in texts)
        raise RecipeError(
            f"{name} was trained to find several things: choose a question, {way_out}\n{lines}"
        )
    return texts[0]


def can_be_cut(sample: Sample) -> bool:
    """Return True for a sample with one picture, unless its answer is a place in the picture."""
    return sample.image is not None and not sample.more_images and not sample.target.has_place


def box_samples(samples: Iterable[Sample], question: str) -> Iterator[Sample]:
    """Yield a sample that asks `question`, for the box, of each picture that can be cut."""
    for sample in samples:
        if can_be_cut(sample):
            yield Sample(sample.id, sample.image, question, Unlabelled(ANY_TEXT))


def cut_out(sample: Sample, answer: Prediction | None) -> Sample:
    """Return the sample with its picture cut around the box of an answer.

    The sample is returned unchanged without an answer that holds a box.
    """
    image = sample.image
    if image is None or answer is None or (box := _read(answer, image.size)) is None:
        return sample
    cut = square_around(box, image.size)
    return replace(sample, image=image.crop(cut), facts={**sample.facts, CUT: list(cut)})


def square_around(box: Corners, size: Size) -> tuple[int, int, int, int]:
    """Return the corners of a square around a box with a margin, in pixels.

    Some models resize every picture to a square, which would distort the dials of other crops. At
    the picture's edge the square is moved inside. It is cut only if the picture is too small.
    """
    x1, y1, x2, y2 = box
    side = (1 + 2 * MARGIN) * max(x2 - x1, y2 - y1)
    corners = []
    for low, high, whole in ((x1, x2, size[0]), (y1, y2, size[1])):
        length = min(side, whole)
        start = min(max((low + high - length) / 2, 0), whole - length)
        corners.append((round(start), max(round(start + length), round(start) + 1)))
    (left, right), (top, bottom) = corners
    return left, top, right, bottom


def _read(answer: Prediction, size: Size) -> Corners | None:
    """Read a box in the answer's own dialect, in pixels of a picture of that size."""
    reading = read_box(answer.text)
    if reading is None or answer.size is None:
        return None
    corners = to_pixels(reading, create(answer.dialect), answer.size).value
    x, y = (new / old for new, old in zip(size, answer.size, strict=True))
    x1, x2 = sorted(min(max(x * corner, 0.0), float(size[0])) for corner in corners[::2])
    y1, y2 = sorted(min(max(y * corner, 0.0), float(size[1])) for corner in corners[1::2])
    return (x1, y1, x2, y2) if min(x2 - x1, y2 - y1) >= _LEAST else None
