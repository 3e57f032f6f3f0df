"""Answers scored and reported; no model is needed."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from math import prod
from typing import TYPE_CHECKING, Any

from gnomon import store
from gnomon.recipe import RecipeError
from gnomon.road.directory import AFTER, BEFORE, as_text, no_run
from gnomon.road.exam import Exam

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gnomon.eval import RunResult
    from gnomon.sample import Sample


def score(file: Path, *, name: str | None = None) -> RunResult:
    """Score a file of answers against the samples they were given to; no model is needed."""
    from gnomon import eval as evaluation
    from gnomon.eval import predictions, questions

    if not file.is_file():
        raise RecipeError(_no_answers(file))
    exam, about = exam_of(file)
    answers = predictions.PredictionFile(file)
    asked = questions.asked(file, exam, exam.samples)
    scores = evaluation.score(predictions.alike(file, answers), asked)
    return evaluation.RunResult(
        name=name or file.stem,
        scores=scores,
        sources={
            source: evaluation.score(
                (answer for answer in answers if answer.sample_id in ids),
                (question for question in asked if question.id in ids),
            )
            for source, ids in exam.by_source().items()
        },
        predictions=answers,
        versions=about["versions"],
        asked={**about["data"], "samples": exam.samples},
    )


def results(out: Path) -> list[RunResult]:
    """A run's answers, scored: before and after, as far as they are there."""
    held = [out / "predictions" / f"{name}.jsonl" for name in (BEFORE, AFTER)]
    scored = [score(file) for file in held if file.is_file()]
    if not scored:
        raise RecipeError(_no_answers(out))
    log = out / "log.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else None
    told = replace(
        scored[-1], recipe_yaml=(out / "recipe.yaml").read_text(), log=lines, trained=trained(out)
    )
    return [*scored[:-1], told]


def report(
    scored: Sequence[RunResult],
    file: Path,
    samples: Mapping[str, Sample],
    *,
    as_json: bool = False,
) -> Path:
    """Write the HTML report and its JSON, and print the table."""
    from gnomon import eval as evaluation
    from gnomon.eval import tables
    from gnomon.eval.scored import write_scores

    told = {run.name: run.scores for run in scored}
    for run in scored:
        told |= {f"{run.name}: {name}": part for name, part in run.sources.items()}
    write_scores(file.with_suffix(".json"), told)
    evaluation.write_report(file, scored, samples=samples)
    if as_json:
        print(as_text(tables.plain(scored) | {"report": str(file)}))
        return file
    print(evaluation.table(scored))
    print(f"report: {file}")
    return file


def pictures_of(out: Path) -> Mapping[str, Sample]:
    """The samples that a run's (or a file's) answers are to, by id."""
    return pictures(exam_of(last(out))[0])


def pictures(exam: Exam) -> Mapping[str, Sample]:
    return store.ById(exam.open(), exam.samples)


def last(out: Path) -> Path:
    """The file of a run's last answers, or that file itself."""
    held = [out / "predictions" / f"{name}.jsonl" for name in (AFTER, BEFORE)]
    found = next((file for file in held if file.is_file()), out)
    if not found.is_file():
        raise RecipeError(_no_answers(out))
    return found


def _no_answers(out: Path) -> str:
    if (out / "recipe.yaml").is_file():
        return f"{out} holds no predictions yet: `gnomon predict {out}` makes them"
    if out.suffix == ".jsonl":
        return f"{out}: there is no such file; `gnomon predict` makes one"
    return no_run(out)


def exam_of(file: Path) -> tuple[Exam, dict[str, Any]]:
    """Which samples a file answers, made sure to be the ones that it answered."""
    beside = file.with_suffix(".about.json")
    if not beside.is_file():
        raise RecipeError(f"{file}: {beside.name} is not beside it; it says what was asked")
    try:
        about = json.loads(beside.read_text(encoding="utf-8"))
        exam, drawn, _ = Exam.from_json(about["exam"]), about["data"], about["versions"]
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise RecipeError(f"{beside}: not what `gnomon predict` writes: {error!r}") from error
    if exam.open().describe() != drawn:
        raise ValueError(f"{file}: the samples are not those it answers any more: predict again")
    return exam, about


def trained(run: Path) -> int | None:
    """How many parameters a run's adapter has; None where the weights were trained whole."""
    file = run / "adapter" / "adapter_model.safetensors"
    if not file.is_file() or find_spec("safetensors") is None:
        return None
    from safetensors import safe_open

    with safe_open(file, framework="np") as opened:
        names: list[str] = list(opened.keys())  # an opened file is no mapping
        return int(sum(prod(opened.get_slice(name).get_shape()) for name in names))
