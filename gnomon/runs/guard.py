"""The files of `eval.guard`, which show whether a training makes a model forget."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gnomon import files, jsons
from gnomon.recipe import Columns, Eval, Recipe, RecipeError, Source, validate
from gnomon.runs.disk_exam import exam_on_disk
from gnomon.runs.exam import DEFAULT_QUESTIONS, Exam
from gnomon.store.reading.sources import open_user_table
from gnomon.store.user_data.choices import NAMES as CHOICES
from gnomon.store.user_data.row_files import is_user_data, raw_rows

_TEXTS = (".txt", ".md")
_MOST_BYTES = 2**18
"""Largest text. It has about 65,000 tokens."""


@dataclass(frozen=True)
class Guard:
    """Questions and texts of a guard, by the names of their files without endings."""

    exams: dict[str, Exam] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, section: Eval) -> Guard:
        """Open the files of a recipe's section eval. Refuse a file that cannot be used."""
        guard = cls()
        for file in section.guard_files:
            path = Path(file)
            if path.stem in guard.exams | guard.texts:
                raise RecipeError(f"eval.guard: two files are called {path.stem}: rename one")
            if not path.exists():
                raise RecipeError(f"eval.guard: there is no file or folder {file!r}")
            try:
                if path.suffix.lower() in _TEXTS:
                    guard.texts[path.stem] = _read_text(path)
                else:
                    guard.exams[path.stem] = _exam_of(path)
            except UnicodeDecodeError as error:
                raise RecipeError(f"eval.guard: {file} is not UTF-8: {error}") from error
            except (ValueError, OSError) as error:
                raise RecipeError(f"eval.guard: {error}") from error
        return guard

    def __str__(self) -> str:
        parts = [f"{exam.samples:,} questions of {name}" for name, exam in self.exams.items()]
        parts += [f"{len(text):,} characters of {name}" for name, text in self.texts.items()]
        return " and ".join(parts)


@dataclass(frozen=True)
class TextRecord:
    """Likelihood of a guard's text under one model, stored as JSON in the run."""

    content: str
    """Hash of the text."""
    settings: dict[str, Any]
    """Settings and weights of the model."""
    tokens: int
    nats: float
    """Mean of −log p per token."""

    @classmethod
    def read(cls, path: Path) -> TextRecord:
        """Read a record. Refuse a file that gnomon did not write."""
        values = jsons.loads(files.read_bytes(path, "a record of eval.guard"), path)
        return validate(cls, values, name=str(path))


def _read_text(path: Path) -> str:
    with files.open_text(path, limit=_MOST_BYTES) as file:
        text = file.read()
    if len(text.split()) < 2:
        raise ValueError(f"{path}: it has no text")
    return text


def _exam_of(path: Path) -> Exam:
    """Return at most 500 questions of a table or a dataset."""
    if path.is_file() and not is_user_data(path):
        raise ValueError(f"{path}: give a table, a dataset or a text ({', '.join(_TEXTS)})")
    source = _table_source(path) if is_user_data(path) else Source(path=str(path))
    exam = exam_on_disk(Recipe(data=(source,)), {})
    return replace(exam, samples=min(exam.samples, DEFAULT_QUESTIONS))


def _table_source(path: Path) -> Source:
    """Return a table whose pictures, choices and type of answers follow from its content."""
    names = {name for _, row in raw_rows(path) for name in row}
    # As a further column, because its cells may be empty: such rows are questions without picture.
    pictures = tuple([name for name in ("image", "file_name") if name in names][:1])
    choices = next((name for name in CHOICES if name in names), None)
    # The first type that all labels have.
    for kind in ("number", "time", "text") if choices is None else ("text",):
        columns = Columns(image=None, more_images=pictures, kind=kind, choices=choices)
        source = Source(path=str(path), columns=columns)
        with suppress(ValueError):
            open_user_table(source)
            break
    return source  # opening it as texts names the fault if no kind fits
