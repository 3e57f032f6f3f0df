"""Functions for lmms-eval: they give a question's text and pictures, and score its answer.

`gnomon export --to lmms-eval` writes a task whose utils.py calls these functions.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.answers.base.answer_type import metric_rows
from gnomon.answers.registry import TYPES
from gnomon.eval.scoring.chance import STATISTICS
from gnomon.eval.scoring.question_file import Question
from gnomon.eval.scoring.score import score_answer
from gnomon.files import Folders, open_bytes
from gnomon.sample import Prediction, target_from_json

if TYPE_CHECKING:
    from PIL.Image import Image

Doc = dict[str, Any]


def text(doc: Doc, lmms_eval_specific_kwargs: object = None) -> str:  # noqa: ARG001 - its name
    """Return the question's text. lmms-eval passes the second argument, which is ignored."""
    return str(doc["question"])


def pictures(doc: Doc, folder: Path) -> list[Image]:
    """Open the question's picture in the task's folder. A text question has an empty list."""
    from PIL import Image

    if not doc.get("image"):
        return []
    file = Folders(folder).find(doc["image"])
    with open_bytes(file) as stream, Image.open(stream, formats=("PNG",)) as picture:
        return [picture.convert("RGB")]


def results(doc: Doc, answers: Sequence[str]) -> dict[str, float | list[float]]:
    """Score one answer. Return figures by name, such as `number_exact`.

    Metrics that do not count this answer are absent.
    """
    size = tuple(doc["size"]) if doc.get("size") else None
    prediction = Prediction(doc["id"], answers[0], size, doc["dialect"])
    target = target_from_json(json.loads(doc["target"]))
    # `gnomon score` uses the same scorer, so both print the same figures.
    item = score_answer(prediction, Question(doc["id"], target, size, ""), doc["cost"])
    answer_type = TYPES[item.type_name]
    # R² needs the residual and truth of each answer: lmms-eval collects this list.
    by_metric = {
        metric.name: metric_rows(answer_type, metric, [item.measures])[0]
        for metric in answer_type.metrics
    }
    return {
        f"{item.type_name}_{name}": values[0] if len(values) == 1 else list(values)
        for name, values in by_metric.items()
        if values is not None
    }


median = STATISTICS["median"]  # lmms-eval's median does not sort
p90 = STATISTICS["p90"]


def r_squared(pairs: Sequence[Sequence[float]]) -> float:
    """Compute R² from the (residual, truth) pairs of all answers."""
    return STATISTICS["r_squared"](*zip(*pairs, strict=True))
