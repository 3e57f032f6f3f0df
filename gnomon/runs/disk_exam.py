"""The exam of a dataset or of a user's own table on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from gnomon import store
from gnomon.generators.base import Split
from gnomon.progress import note
from gnomon.recipe import Columns, Recipe, RecipeError, Source, validate
from gnomon.runs.exam import Exam, check_enough_samples, unaugmented
from gnomon.store.formats import manifest as manifests
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.reading.sources import open_splits, open_user_table
from gnomon.store.user_data.opening import MissingColumnError
from gnomon.store.user_data.row_files import is_user_data
from gnomon.store.user_data.split_files import split_files


def exam_on_disk(
    recipe: Recipe, user_values: dict[str, Any], split: Split | None = None,
    trained: Recipe | None = None, run: Path | None = None,
    default_columns: Callable[[], dict[str, Any]] = dict,
) -> Exam:  # fmt: skip
    """Return the exam of a dataset or table. `split` is None if the user does not name a split.

    The split is the user's, else the trained recipe's for the same table, else the only one, else
    test. `default_columns` says how to read a table without a column of questions.
    """
    (source,) = recipe.data
    path = str(source.path)
    if trained is not None:
        tables = [table for table in trained.data if _is_same_table(table, path, run)]
        if tables:
            # Read and split as it was for the training, unless the user says how.
            choices = [_with_columns(replace(table, path=path), user_values) for table in tables]
            source = next((choice for choice in choices if choice is not None), source)
            if split is None:
                split = trained.eval.split
                note(
                    f"{Path(path).name}: the run was trained on rows of it, so only its {split}"
                    " rows are asked; eval.split=all asks all"
                )
        elif is_user_data(path):
            source = _read_as_trained(source, user_values, trained)
    source = _with_question(source, user_values, default_columns)
    if split is None:
        has_column = source.columns and source.columns.split
        has_splits = source.benchmark or has_column or split_files(Path(path))
        splits: list[Split] = ["all"]  # a table without training is asked whole
        if has_splits or not is_user_data(path):
            splits = list(open_splits(source))
        split = splits[0] if len(splits) == 1 else "test"
    section = recipe.eval
    samples = store.mixture((source,), split=split, seed=section.seed)
    n = section.samples if isinstance(section.samples, int) else samples.length
    assert n is not None  # what lies on disk has an end
    exam = Exam(unaugmented([source]), split, section.seed, n)
    check_enough_samples("eval.samples", exam.samples, exam.pool, split)
    return exam


def _read_as_trained(source: Source, user_values: dict[str, Any], trained: Recipe) -> Source:
    """Read a table by the columns of the run's training rows, if the table has these columns.

    Columns that the user names take precedence.
    """
    sources = (*trained.data, *(trained.eval.data or ()))
    columns = next((other.columns for other in sources if other.columns is not None), None)
    if columns is None or any(other.columns not in (columns, None) for other in sources):
        return source
    # New pictures need no split, and no groups.
    for some in (columns, replace(columns, split=None), replace(columns, split=None, group=None)):
        read = _with_columns(replace(source, columns=some), user_values)
        if read is None:
            return source
        try:
            open_user_table(read)
        except MissingColumnError:
            continue
        except (ValueError, OSError) as error:
            raise RecipeError(str(error)) from error  # the columns are there, and a row is bad
        beside = " and by the columns that you name" if source.columns else ""
        note(f"{Path(str(source.path)).name}: read by the columns of the run's recipe{beside}")
        return read
    return source


def _with_question(
    source: Source, user_values: dict[str, Any], default_columns: Callable[[], dict[str, Any]]
) -> Source:
    """Give a table without a column of questions the default question and its kind of answer.

    Columns that the user names take precedence.
    """
    user_columns = user_values.get("columns") or {}
    if "question" in user_columns:
        return source
    try:
        open_user_table(source)
    except MissingColumnError as error:
        if "question" not in error.keys:
            return source
    except (ValueError, OSError):  # refused below, when its samples are opened
        return source
    else:
        return source
    columns = default_columns()
    if not columns:
        return source
    if "choices" in user_columns:  # they are texts, whatever the reader was trained on
        del columns["kind"]
    name = Path(str(source.path)).name
    note(f'{name}: it has no questions, so each row is asked "{columns["ask"]}"')
    columns = asdict(source.columns or Columns()) | columns | user_columns
    return replace(source, columns=validate(Columns, columns, name="columns"))


def _with_columns(trained: Source, user_values: dict[str, Any]) -> Source | None:
    """Return a run's source, updated with the keys that the user gave for the same table.

    None if the user asks for another kind of answer, to which the run's columns do not apply.
    """
    values: dict[str, Any] = json.loads(json.dumps(asdict(trained)))
    columns, user_columns = values["columns"], user_values.get("columns")
    if columns and user_columns:
        if user_columns.get("kind", columns["kind"]) != columns["kind"]:
            return None
        if "question" in user_columns:  # `ask` would go before the column that the user names
            columns["ask"] = None
        columns |= user_columns
    return validate(Source, {**values, **user_values, "columns": columns or user_columns})


def _is_same_table(source: Source, path: str, run: Path | None) -> bool:
    """True if a run's source is the table at a path, to which it may have been moved."""
    if source.path is None:
        return False
    if Path(source.path).resolve() == Path(path).resolve():
        return True
    if run is None or Path(source.path).name != Path(path).name:
        return False
    try:
        table = open_user_table(replace(source, path=path))
        splits = manifests.read(RunFolder(run).data)["splits"].values()
    except (ValueError, OSError):  # read otherwise, or pictures lie elsewhere: another table
        return False
    parts = [part for split in splits for part in _parts_of(split["samples"])]
    return table is not None and table.content in [part.get("content") for part in parts]


def _parts_of(description: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the descriptions of a mixture's sources, or the description itself."""
    parts: list[dict[str, Any]] = description.get("sources") or [description]
    return parts
