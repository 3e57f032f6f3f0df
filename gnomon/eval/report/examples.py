"""Which answers a report shows with their pictures, and the pictures as data URIs."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from PIL import Image

from gnomon.answers.target import Corners
from gnomon.answers.types import TYPES
from gnomon.eval.report.figures import how_far, state, truth_text, value_text
from gnomon.eval.report.plots import svg
from gnomon.sample import Sample, Size

if TYPE_CHECKING:
    from gnomon.eval.scoring.scored import Scored

LARGEST = 448
"""Pixels of a picture's longer side, so that it can be zoomed; larger ones are shrunk."""
_EXACT = 112
"""Up to as many pixels nothing is lost."""
_LONGEST_TEXT = 160


class Words(NamedTuple):
    """A text in three parts, which are underlined where the value was read."""

    before: str
    taken: str
    after: str


@dataclass(frozen=True, slots=True)
class Given:
    """One run's answer to an example."""

    run: str
    words: Words
    value: str
    """What was read, where the text does not say just that."""
    state: str
    """right, wrong or not read."""
    how_far: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A box on the picture, in percent of it."""

    css: str
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its picture, its truth, and each run's answer."""

    sample_id: str
    question: str
    truth: str
    picture: str | None
    """A data URI."""
    given: tuple[Given, ...]
    frames: tuple[Frame, ...]


def worst(items: Iterable[Scored], n: int) -> list[Scored]:
    """The n answers that are furthest off, and up to half as many that could not be read."""
    wrong = [item for item in items if not item.correct]
    read = [item for item in wrong if item.value is not None]
    read.sort(key=lambda item: (-TYPES[item.kind].badness(item.measures), item.sample_id))
    return read[:n] + [item for item in wrong if item.value is None][: n // 2]


def right(items: Sequence[Scored], kind: str, n: int) -> list[Scored]:
    """n right answers of a kind, evenly spread over all of them."""
    return _evenly([item for item in items if item.correct and item.kind == kind], n)


def disagreeing(one: Sequence[Scored], other: Sequence[Scored], kind: str, n: int) -> list[Scored]:
    """n answers of the other run, evenly spread over those that are right in one run alone.

    Answers are compared where both runs have the same question in the same place.
    """
    found = [
        b
        for a, b in zip(one, other, strict=False)
        if a.sample_id == b.sample_id and b.kind == kind and a.correct != b.correct
    ]
    return _evenly(found, n)


def _evenly(found: Sequence[Scored], n: int) -> list[Scored]:
    return list(found[:: max(1, len(found) // n)][:n]) if n else []


def example(
    item: Scored, answers: Sequence[tuple[str, Mapping[str, Scored]]], samples: Mapping[str, Sample]
) -> Example:
    """One item as all runs answered it; `answers` has each run's name and its items by id."""
    sample = samples.get(item.sample_id)
    theirs = [(name, by_id.get(item.sample_id)) for name, by_id in answers]
    return Example(
        sample_id=item.sample_id,
        question=clipped(sample.question) if sample else "",
        truth=truth_text(item.truth),
        picture=data_uri(whole) if sample and (whole := sample.shown) else None,
        given=tuple(given(name, scored) for name, scored in theirs if scored),
        frames=tuple(_frames(item, [scored for _, scored in theirs])),
    )


def given(name: str, scored: Scored, *, most: int = _LONGEST_TEXT) -> Given:
    """A run's answer, of which at most so many characters are shown."""
    value = value_text(scored.value, scored.kind)
    said = scored.text.strip() in (value, f"0{value}")
    unsaid = "" if said or scored.value is None else value
    words = excerpt(scored.text, scored.span, most)
    return Given(name, words, unsaid, state(scored), how_far(scored))


def _frames(item: Scored, theirs: Sequence[Scored | None]) -> Iterator[Frame]:
    """True boxes and those of the runs; each in the size in which its model saw the picture."""
    if item.size is None:
        return
    for edges in item.truth.boxes:
        yield _frame("truth", edges, item.size)
    for index, scored in enumerate(theirs):
        if scored and scored.size:
            for edges in boxes_of(scored):
                yield _frame(svg.colour("run", index), edges, scored.size)


def boxes_of(item: Scored) -> Sequence[Corners]:
    """Every box of an answer."""
    return () if item.value is None else TYPES[item.kind].boxes(item.value)


def _frame(css: str, corners: Corners, size: Size) -> Frame:
    """Clipped to the picture; swapped corners leave a line."""
    (left, right), (top, bottom) = (
        [100 * min(max(corner / side, 0), 1) for corner in pair]
        for pair, side in zip((corners[::2], corners[1::2]), size, strict=True)
    )
    return Frame(css, left, top, max(right - left, 0), max(bottom - top, 0))


def clipped(text: str, most: int = _LONGEST_TEXT) -> str:
    """The text, or its beginning and how much of it is left out."""
    return excerpt(text, None, most).after


def excerpt(text: str, span: tuple[int, int] | None, most: int) -> Words:
    """The text, or what is around the taken words and how much of it is left out."""
    start, end = (min(max(place, 0), len(text)) for place in span or (0, 0))
    end = min(max(start, end), start + most)
    left = max(0, min(start - (most - (end - start)) // 2, len(text) - most))
    right = min(len(text), left + most)
    before = f"({left:,} characters) … {text[left:start]}" if left else text[:start]
    left_out = f" … ({len(text) - right:,} more characters)" if right < len(text) else ""
    return Words(before, text[start:end], text[end:right] + left_out)


def data_uri(image: Image.Image) -> str:
    """A small copy of a picture inside the page: PNG up to 112 pixels, WebP above."""
    small = _on_white(image)
    small.thumbnail((LARGEST, LARGEST))
    kind = "png" if max(small.size) <= _EXACT else "webp"
    buffer = io.BytesIO()
    small.save(buffer, kind, **({"quality": 75} if kind == "webp" else {"optimize": True}))
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


def _on_white(image: Image.Image) -> Image.Image:
    """A copy without transparency, whose dark lines would be lost on a dark page."""
    if "A" not in image.getbands():
        return image.convert("RGB")
    white = Image.new("RGB", image.size, "white")
    white.paste(image, mask=image.getchannel("A"))
    return white
