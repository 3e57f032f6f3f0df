"""A finished cell's outcome: every answer with its measures, and the training's log.

One xz-compressed JSON file a cell, columns in place of rows, small enough to be committed. What is
kept of an answer is what gnomon's comparison needs; the text is there to be read again.
"""

from __future__ import annotations

import json
import lzma
from typing import TYPE_CHECKING, Any

from gnomon.answers.registry import TYPES
from gnomon.atomic import put_bytes
from gnomon.eval.scoring.runs import ScoredAnswer, Scores, Summary
from gnomon.sample import target_from_json, target_to_json

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_TIME = ("exact", "within_1", "within_5", "unread", "charged")
MEASURES = {
    "number": ("exact", "within_5pct", "unread", "charged"),
    "time": _TIME,
    "time24": _TIME,
}
"""Of each type of answer: lines over all answers, with their charge for what cannot be read."""


def columns(scores: Scores) -> dict[str, Any]:
    """The answers to one source's questions, all of one type."""
    items = sorted(scores.items, key=lambda item: item.sample_id)
    (type_name,) = {item.type_name for item in items}
    measured = {
        name: [round(item.measures[name], 6) for item in items] for name in MEASURES[type_name]
    }
    return {
        "kind": type_name,
        "ids": [item.sample_id for item in items],
        "truths": [target_to_json(item.truth) for item in items],
        "answers": [item.text for item in items],
        "measures": measured,
    }


def scores_of(*sources: dict[str, Any]) -> Scores:
    """What `compare` takes, of one source's columns or of several together."""
    items = [item for source in sources for item in _items(source)]
    summaries = {}
    for type_name in dict.fromkeys(source["kind"] for source in sources):
        of_type = [item for item in items if item.type_name == type_name]
        n_unread = int(sum(item.measures["unread"] for item in of_type))
        summaries[type_name] = Summary(type_name, len(of_type), n_unread, ())
    return Scores(tuple(items), summaries)


def _items(source: dict[str, Any]) -> Iterable[ScoredAnswer]:
    type_name = source["kind"]
    names = source["measures"]
    rows = zip(source["ids"], source["truths"], source["answers"], *names.values(), strict=True)
    for sample_id, truth, text, *values in rows:
        measures = dict(zip(names, map(float, values), strict=True))
        yield ScoredAnswer(
            sample_id=sample_id,
            type_name=type_name,
            truth=target_from_json(truth),
            text=text,
            value=None,
            rule=None,
            correct=TYPES[type_name].is_correct({"accepted": measures["exact"], **measures}),
            measures=measures,
            picture=sample_id,
        )


def write(file: Path, outcome: dict[str, Any]) -> None:
    """The file, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(outcome, ensure_ascii=False, separators=(",", ":"))
    put_bytes(file, lzma.compress(text.encode(), preset=9))


def read(file: Path) -> dict[str, Any]:
    """What `write` wrote."""
    found: dict[str, Any] = json.loads(lzma.decompress(file.read_bytes()))
    return found
