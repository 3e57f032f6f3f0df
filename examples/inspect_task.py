"""Samples of gnomon as a task of Inspect (inspect-ai), measured by gnomon.

gnomon export clock --to lmms-eval --family qwen2-vl --n 500 --out sets/clocks
inspect eval inspect_task.py -T folder=sets/clocks --model openai/NAME
"""

import json
from math import nan
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, GenerateConfig
from inspect_ai.scorer import Score, mean, scorer, stderr

from gnomon.answers.registry import TYPES
from gnomon.eval.lmms import results
from gnomon.sample import target_from_json


@task
def gnomon(folder: str) -> Task:
    """Ask the questions in a folder that `gnomon export --to lmms-eval` wrote."""
    lines = (Path(folder) / "data.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return Task(
        dataset=[to_sample(row, Path(folder)) for row in rows],
        scorer=measures(metric_names(rows)),
        config=GenerateConfig(temperature=0),
    )


def to_sample(row: dict, folder: Path) -> Sample:
    """Return a row as a user's message with its picture, if it has one."""
    pictures = [ContentImage(image=str(folder / row["image"]))] if row["image"] else []
    message = ChatMessageUser(content=[*pictures, ContentText(text=row["question"])])
    return Sample(id=row["id"], input=[message], target=row["answer"], metadata=row)


def metric_names(rows: list[dict]) -> list[str]:
    """Name the metrics of the rows' types of answers that are means over samples."""
    types = {target_from_json(json.loads(row["target"])).type_name for row in rows}
    return [
        f"{name}_{metric.name}"
        for name in TYPES
        if name in types
        for metric in TYPES[name].metrics
        if metric.statistic in ("share", "mean")
    ]


@scorer(metrics={"*": [mean(), stderr()]})
def measures(names: list[str]):
    """Read and measure an answer as `gnomon score` does."""

    async def score(state, target):
        answer = state.output.completion
        values = results(state.metadata, [answer])
        # Inspect counts NaN as not scored: a metric of another type, or one that does not apply.
        return Score(value={name: values.get(name, nan) for name in names}, answer=answer)

    return score
