"""An exam: the questions that measure a model, and their sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field

from gnomon import store
from gnomon.eval.scoring.question_file import Question
from gnomon.generators.base import Split
from gnomon.progress import note
from gnomon.recipe import Recipe, RecipeError, Source
from gnomon.recipe.sections import STRICT, HowMany
from gnomon.sample import Sample
from gnomon.store import Samples
from gnomon.store.reading.dataset import open_copy
from gnomon.store.reading.mixture import Pattern
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.user_data.table import UserTable

# At 500 questions the interval of a share is at most 4.4 points to either side.
DEFAULT_QUESTIONS = 500
"""Default number of questions, if a split has as many."""


@dataclass(frozen=True)
class Exam:
    """The first `samples` samples of one split of weighted sources.

    It is stored as JSON with the answers, under the names of its fields.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    split: Split
    seed: int
    samples: int
    folder: Path | None = None
    """Dataset of a run that holds the samples. It replaces the sources, and is not stored."""

    @classmethod
    def of(cls, recipe: Recipe) -> Exam:
        """Return the exam of a recipe's section eval. Its default length depends on the split."""
        section = recipe.eval
        sources = unaugmented(section.data or recipe.data)
        exam = cls(sources, section.split, section.seed, DEFAULT_QUESTIONS)
        # A number opens no source.
        n = section.samples
        n = n if isinstance(n, int) else n_asked(n, exam.pool.n_distinct)
        return exam if n == exam.samples else replace(exam, samples=n)

    @classmethod
    def stored(
        cls, sources: Iterable[Source], run: Path, split: Split, seed: int, n: HowMany
    ) -> Exam | None:
        """Return the exam on the samples of a split that a run stored, or None without them."""
        copy = RunFolder(run).stored(split)
        if copy is None or copy.length is None:
            return None
        return cls(unaugmented(sources), split, seed, n_asked(n, copy.length), RunFolder(run).data)

    @cached_property
    def pool(self) -> Samples:
        """Samples of the sources. The first of them are asked. Each is drawn or read on demand."""
        if self.folder is not None:
            return open_copy(self.folder, self.split)
        return store.mixture(self.sources, split=self.split, seed=self.seed, whole=True)

    def __iter__(self) -> Iterator[Sample]:
        return (self.pool[index] for index in range(self.samples))

    def to_json(self) -> dict[str, Any]:
        """Return the stored values. The run's folder is left out because it may be moved."""
        values = asdict(self)
        del values["folder"]
        return values

    @cached_property
    def questions(self) -> list[Question]:
        """The samples without their pictures. They are drawn once and cached."""
        return [Question.of(sample) for sample in self]

    def ids(self) -> set[str]:
        """Return the ids of all samples, if possible without drawing or opening pictures."""
        return {self.pool.id(index) for index in range(self.samples)}

    @property
    def only_question(self) -> str | None:
        """The question of a user's table that asks one question of all rows, or None."""
        if not isinstance(self.pool, UserTable):
            return None
        texts = {row.question for row in self.pool.rows[: self.samples] if row.pictures}
        return texts.pop() if len(texts) == 1 else None

    @property
    def names(self) -> list[str]:
        """A name for each source, with a number if two names would be equal."""
        names = [
            source.kind or Path(source.path or source.hub or "").name for source in self.sources
        ]
        return [n if names.count(n) == 1 else f"{n} ({i})" for i, n in enumerate(names, 1)]

    def by_source(
        self, questions: Iterable[Question], data: Mapping[str, Any]
    ) -> dict[str, set[str]]:
        """Return the ids of each source's questions, or an empty dict for a single source.

        `questions` are all questions of the exam in order, and `data` describes its pool. The
        source of each question follows from weights, seed and lengths, so no source is opened.
        """
        if len(self.sources) == 1:
            return {}
        # The mixture itself takes turns by this pattern, so it is the same for the same seed.
        pattern = Pattern([source.weight for source in self.sources], self.seed)
        lengths = [source.get("rows") for source in data["sources"]]
        # If one source is drawn, and so endless, tables start again after their last row.
        turns = (
            map(pattern.source_of, count()) if None in lengths else pattern.to_the_end(lengths)[0]
        )
        ids: list[set[str]] = [set() for _ in self.sources]
        for source, question in zip(turns, questions, strict=False):
            ids[source].add(question.id)
        # A source of little weight may have had no turn yet.
        return {name: some for name, some in zip(self.names, ids, strict=True) if some}


def unaugmented(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Return the sources of an exam, which asks about pictures as they are.

    An exam is also the same whichever augmentation a training uses.
    """
    return tuple([replace(source, augment=None) for source in sources])


def n_asked(wanted: HowMany, rows: int | None) -> int:
    """Return the number of questions that eval.samples asks of a split. `rows` is None for endless
    data."""
    if wanted == "all" and rows is None:
        raise RecipeError(
            "eval.samples=all: drawn samples are endless: give a number, such as"
            f" eval.samples={DEFAULT_QUESTIONS}"
        )
    least = DEFAULT_QUESTIONS if rows is None else min(DEFAULT_QUESTIONS, rows)
    number = rows if wanted == "all" else wanted
    return number or least


def note_unasked(exam: Exam) -> None:
    """Print a note if only some rows of a split are asked."""
    rows = exam.pool.n_distinct
    if rows is not None and exam.samples < rows:
        kind = "" if exam.split == "all" else f"{exam.split} "
        note(
            f"the first {exam.samples:,} of {rows:,} {kind}rows are asked;"
            " eval.samples=all asks all"
        )


def check_enough_samples(key: str, n: int, samples: Samples, split: str) -> None:
    """Refuse to ask a question twice: only one answer to each is scored."""
    if samples.n_distinct is None or n <= samples.n_distinct:
        return
    reason, way_out = "", "ask for fewer"
    if samples.length is None:  # tables beside drawings
        reason = " before a source begins again"
        way_out += ", or weigh the sources by how long they are"
    raise RecipeError(
        f"{key}: {n}: the {split} split has only {samples.n_distinct}{reason}: {way_out}"
    )
