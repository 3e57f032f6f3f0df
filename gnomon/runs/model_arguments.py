"""A run or model and its questions, as MODEL, DATA and overrides of a command line name them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gnomon.answers.registry import COLUMN_TARGETS
from gnomon.answers.time.answer import TimeForm
from gnomon.recipe import Recipe, RecipeError
from gnomon.runs.data_names import is_data, is_on_disk, split_overrides
from gnomon.runs.directory import no_run_message, sibling_runs
from gnomon.runs.exam import Exam
from gnomon.runs.reader import Reader
from gnomon.runs.resolve import Resolved, exam_of, resolve, resolve_values
from gnomon.store.reading.run_folder import RunFolder


def data_and_overrides(
    data: str | None, overrides: Sequence[str], *, belief: bool, server: str | None
) -> tuple[str | None, list[str]]:
    """Tell DATA from an override in its place, and write options as overrides."""
    words = list(overrides)
    if data is not None and "=" in data:
        words, data = [data, *words], None
    # A list of answers that the user gave says more than --belief alone.
    if belief and not any(word.startswith("eval.belief=") for word in words):
        words.append("eval.belief=true")
    if server:
        words.append(
            f"model.server={json.dumps(server)}"
        )  # quoted, because a URL is not plain YAML
    return data, words


def trained_run(model: str) -> Path | None:
    """Return the run that MODEL names, or None for a checkpoint or a hub id."""
    return Path(model) if RunFolder(Path(model)).is_run else None


def resolve_model(model: str, data: str | None, overrides: Sequence[str]) -> Resolved:
    """Resolve the recipe with which a run or a bare model answers.

    Overrides that configure DATA are left out of it; of a dataset or table that includes its split.
    Without DATA (None) the run's own questions are asked; if it is empty, pictures are.
    """
    run = trained_run(model)
    if run is None:
        _check_model(model, data)
    if data and is_data(data):
        overrides, _ = split_overrides(overrides)
        if is_on_disk(data):
            # exam_of reads it: a table has a split `all`, which the recipe's own key lacks.
            overrides = [word for word in overrides if not word.startswith("eval.split=")]
    if run is not None:
        return resolve(RunFolder(run).recipe, overrides, stored=True, recipes_only=True)
    # A recipe needs data. These clocks are not drawn if the user names other data.
    return resolve_values({"data": [{"kind": "clock"}], "model": {"name": model}}, overrides)


def recipe_and_exam(
    resolved: Resolved, data: str | None, overrides: Sequence[str], reader: Reader
) -> tuple[Recipe, Exam]:
    """Return the recipe with which the model answers, and the questions of DATA or of the run.

    A table without a column of questions is asked the reader's question.
    """
    recipe, run = resolved.recipe, reader.run
    if data is None:
        return recipe, resolved.exam
    if run is None and not is_data(data):  # a recipe also says how the model answers
        of_eval = [word for word in overrides if word.startswith("eval.")]
        recipe = replace(recipe, eval=resolve(data, of_eval).recipe.eval)
    trained = recipe if run is not None else None
    return recipe, exam_of(data, overrides, trained, run, lambda: _question_columns(reader))


def _question_columns(reader: Reader) -> dict[str, Any]:
    """Return a reader's question and its kind of answer as columns. Empty without one question."""
    try:
        question = reader.question
    except RecipeError:
        return {}
    form = reader.trained_form(question)
    columns: dict[str, Any] = {"ask": question}
    if form.name in COLUMN_TARGETS:
        columns["kind"] = form.name
    if isinstance(form, TimeForm):
        columns["hours"] = form.hours
    return columns


def _check_model(model: str, data: str | None) -> None:
    """Refuse a mistyped run: else the hub would be asked for a model of that name."""
    path = Path(model)
    no_run = no_run_message(path)
    is_run = path.parent.name == "runs" or (path.parent != Path() and sibling_runs(path))
    if not path.is_dir() and is_run:
        raise RecipeError(no_run)
    if data is None:
        raise RecipeError(
            f"{no_run}. If it is a model, also name what to ask it about: a kind, a recipe or a"
            " directory"
        )
