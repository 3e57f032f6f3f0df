"""Page on which a person judges how some answers were read, and the reader's error by it.

The page holds random answers in random order, so that the first of them are a random sample, too.
It shows no truths: judged is the reading, whether the answer is right or wrong.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, StrictBool, ValidationError

from gnomon.atomic import put_text
from gnomon.eval.formatting import figure, interval_text, value_text
from gnomon.eval.report.markup import data_uri, excerpt, template
from gnomon.eval.scoring.runs import RunResult, ScoredAnswer
from gnomon.eval.stats.intervals import Estimate, wilson
from gnomon.files import read_bytes
from gnomon.jsons import first_fault
from gnomon.sample import Sample


class _Reading(BaseModel):
    """Answer and its reading, by which a judgement recognizes them."""

    id: str
    text: str
    """Hash of the answer's text."""
    read: str | None


class _Judgement(BaseModel):
    read: _Reading
    right: StrictBool


class _ReviewFile(BaseModel):
    """File that a page saves."""

    format: Literal[1]
    answers: str | None = None
    """Name of the run."""
    judged: list[_Judgement]


@dataclass(frozen=True, slots=True)
class ReaderError:
    """Error of the reader among the answers that a person judged."""

    estimate: Estimate
    wrong: int
    """Answers read as something that they do not say, and unread ones that have an answer."""
    changed: int
    """Judgements left out: the answer, or how it is read, is another by now."""
    sentence: str


def write_review(
    path: Path, run: RunResult, samples: Mapping[str, Sample], n: int, *, seed: int = 0
) -> Path:
    """Write the page of n random answers of a run, or of all if there are fewer."""
    items = run.scores.items
    # sample() also shuffles: whoever stops early has judged a random sample.
    indices = random.Random(seed).sample(range(len(items)), min(n, len(items)))
    selection = [items[index] for index in indices]
    page = template("review.html.j2").render(
        name=run.name,
        of=len(items),
        cards=[_card(item, samples.get(item.sample_id)) for item in selection],
        head={"format": 1, "answers": run.name, "of": len(items), "seed": seed},
        saved=path.with_suffix(".json").name,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    put_text(path, page)
    return path


def reader_error(path: Path, run: RunResult) -> ReaderError:
    """Estimate the reader's error from the judgements that a page saved."""
    try:
        saved = _ReviewFile.model_validate_json(read_bytes(path, "what a page of --review saves"))
    except ValidationError as error:
        fault = first_fault(error)
        raise ValueError(f"{path}: not what a page of --review saves: {fault}") from error
    # Files of old pages do not name the run.
    if saved.answers not in (None, run.name):
        raise ValueError(f"{path} judges answers of {saved.answers}, not those of {run.name}")
    items = {item.sample_id: item for item in run.scores.items}
    valid = [
        judgement
        for judgement in saved.judged
        if judgement.read.id in items and _reading_of(items[judgement.read.id]) == judgement.read
    ]
    # Another reader or another run: the judgements say nothing of this one.
    if not valid:
        raise ValueError(
            f"{path}: it judges no answer as it is read in {run.name}: review it again"
        )
    wrong = sum(not judgement.right for judgement in valid)
    changed = len(saved.judged) - len(valid)
    estimate = wilson(wrong, len(valid))
    share = f"{figure(estimate.value, '%')} {interval_text(estimate, '%')}"
    sentence = f"Reader: {wrong} of {len(valid)} answers judged by hand were misread: {share}."
    if changed:
        sentence += f" Left out, for they are read otherwise by now: {changed}."
    return ReaderError(estimate, wrong, changed, sentence)


def _reading_of(item: ScoredAnswer) -> _Reading:
    read = None if item.value is None else value_text(item.value, item.type_name)
    # Surrogates: a text that was cut inside an emoji has no UTF-8.
    text = sha256(item.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return _Reading(id=item.sample_id, text=text, read=read)


def _card(item: ScoredAnswer, sample: Sample | None) -> dict[str, Any]:
    width, height = item.size or (0, 0)
    return {
        "read": _reading_of(item).model_dump(),
        "question": sample.question if sample else "",
        "picture": data_uri(whole) if sample and (whole := sample.display) else None,
        "parts": excerpt(item.text, item.span, len(item.text)),
        "space": f"in pixels of {width} × {height}; " if item.truth.has_place else "",
        "rule": item.rule,
    }
