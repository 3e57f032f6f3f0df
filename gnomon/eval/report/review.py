"""A page on which a person judges how some answers were read, and what comes of it.

The page holds random answers in random order, so that the first of them are a random sample, too.
It shows no truths: what is judged is the reading, whether the answer is right or wrong.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from gnomon import jsons
from gnomon.answers.types import TYPES
from gnomon.atomic import put_text
from gnomon.eval.comparing.runs import RunResult
from gnomon.eval.report.examples import data_uri, excerpt
from gnomon.eval.report.figures import figure, interval, value_text
from gnomon.eval.report.templates import template
from gnomon.eval.scoring.scored import Scored
from gnomon.eval.stats.intervals import Estimate, wilson
from gnomon.sample import Sample

FORMAT = 1


@dataclass(frozen=True, slots=True)
class ReaderError:
    """How often the reader was wrong in what a person judged."""

    estimate: Estimate
    wrong: int
    """Answers read as what they do not say, and unread ones that have an answer."""
    missed: int
    """How many of them were unread."""
    unread: int
    """How many of the judged answers were unread, rightly or not."""
    changed: int
    """Judgements left out: the answer, or how it is read, is another by now."""
    sentence: str


def write_review(
    path: Path, run: RunResult, samples: Mapping[str, Sample], n: int, *, seed: int = 0
) -> Path:
    """Write the page of n random answers of a run, all where there are fewer."""
    items = run.scores.items
    places = random.Random(seed).sample(range(len(items)), min(n, len(items)))
    chosen = [items[place] for place in places]
    page = template("review.html.j2").render(
        name=run.name,
        of=len(items),
        cards=[_card(item, samples.get(item.sample_id)) for item in chosen],
        head={"format": FORMAT, "answers": run.name, "of": len(items), "seed": seed},
        saved=path.with_suffix(".json").name,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    put_text(path, page)
    return path


def reader_error(path: Path, run: RunResult) -> ReaderError:
    """What the judgements that a page saved say of the reader that scored this run."""
    judged = _judged(path, run.name)
    items = {item.sample_id: item for item in run.scores.items if item.sample_id in judged}
    if not items:
        raise ValueError(f"{path}: none of the answers that it judges is among those of {run.name}")
    still = [item for item in items.values() if _as_read(item) == judged[item.sample_id][0]]
    changed = len(judged) - len(still)
    if not still:
        raise ValueError(f"{path}: all answers are read otherwise by now: review them again")
    wrong = [item for item in still if not judged[item.sample_id][1]]
    unread, missed = (sum(item.value is None for item in some) for some in (still, wrong))
    estimate = wilson(len(wrong), len(still))
    share = f"{figure(estimate.value, '%')} {interval(estimate, '%')}"
    sentence = f"Reader: {len(wrong)} of {len(still)} answers judged by hand were misread: {share}."
    if unread:
        sentence += (
            f" Of {unread} unread ones {missed} {'has' if missed == 1 else 'have'} an answer."
        )
    if changed == 1:
        sentence += " 1 judgement is left out: that answer is read otherwise by now."
    elif changed:
        sentence += f" {changed} judgements are left out: those answers are read otherwise by now."
    return ReaderError(estimate, len(wrong), missed, unread, changed, sentence)


def _judged(path: Path, name: str) -> dict[str, tuple[dict[str, Any], bool]]:
    """Each judged answer's reading, and whether it is right."""
    raw = jsons.loads(path.read_bytes(), path)
    try:
        if raw["format"] != FORMAT:
            raise ValueError(f"format {raw['format']!r}")
        of = raw.get("answers", name)
        judged = {
            str(row["read"]["id"]): (dict(row["read"]), row["right"]) for row in raw["judged"]
        }
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not what a page of --review saves: {error!r}") from error
    if not all(isinstance(right, bool) for _, right in judged.values()):
        raise ValueError(f"{path}: a judgement is neither true nor false")
    if of != name:
        raise ValueError(f"{path} judges answers of {of}: it says nothing of those of {name}")
    if not judged:
        raise ValueError(f"{path}: nothing was judged yet")
    return judged


def _as_read(item: Scored) -> dict[str, Any]:
    """An answer and its reading, by which a judgement knows it again."""
    read = None if item.value is None else value_text(item.value, item.kind)
    text = sha256(item.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return {"id": item.sample_id, "text": text, "read": read}


def _card(item: Scored, sample: Sample | None) -> dict[str, Any]:
    width, height = item.size or (0, 0)
    return {
        "read": _as_read(item),
        "question": sample.question if sample else "",
        "picture": data_uri(whole) if sample and (whole := sample.shown) else None,
        "parts": excerpt(item.text, item.span, len(item.text)),
        "space": f"in pixels of {width} × {height}; " if TYPES[item.kind].in_pixels else "",
        "rule": item.rule,
    }
