"""A run that is being trained: its directory is locked and claimed once for all steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gnomon import store
from gnomon.recipe import Recipe, RecipeError, Source
from gnomon.runs.card import has_card, write_card
from gnomon.runs.claim import claim, keep_stored_choices
from gnomon.runs.processes import is_first_process, lock_run, n_processes
from gnomon.runs.resolve import Resolved
from gnomon.runs.start_run import check_start
from gnomon.runs.trained_rows import write_rows
from gnomon.runs.validation_schedule import note_validation
from gnomon.store import Samples
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.reading.sources import open_validation, user_sources
from gnomon.store.samples import train_size

_MOST_COPIED = 20_000
"""Largest number of rows of a split that `gnomon train` copies into its run, to save disk space."""


@contextmanager
def start(resolved: Resolved, path: Path) -> Iterator[LockedRun]:
    """Lock a run's directory for a recipe, and keep the choices of an earlier start. Do not write
    yet."""
    with lock_run(path):
        recipe = keep_stored_choices(path, resolved.parsed, resolved.recipe)
        check_is_local(recipe)
        if not RunFolder(path).has_weights:
            check_start(recipe)
        yield LockedRun(RunFolder(path), resolved, recipe)


@dataclass
class LockedRun:
    """A locked run. Each step keeps the results of an earlier start."""

    folder: RunFolder
    resolved: Resolved
    recipe: Recipe
    """The resolved recipe. Choices that it left open are kept from the run's first start."""
    _is_claimed: bool = field(default=False, init=False)

    @property
    def path(self) -> Path:
        """Directory of the run."""
        return self.folder.path

    def claim(self, sources: Sequence[Source]) -> None:
        """Claim the directory for the recipe, unless this was done before.

        `sources` are the sources from which samples are still drawn.
        """
        if not self._is_claimed:
            claim(self.path, self.recipe, sources=sources)
            self._is_claimed = True

    def write_samples(self, workers: int | None) -> None:
        """Write the training and held-out samples to the run's data directory."""
        exam = self.resolved.exam
        self.claim((*self.recipe.data, *exam.sources))
        samples, data = self.resolved.samples("train"), self.folder.data
        n = train_size(samples, self.recipe.train.samples)
        store.write(samples, data, n=n, split="train", workers=workers)
        store.write(exam.pool, data, n=exam.samples, split=exam.split, workers=workers)

    def train(self, config: Any = None) -> Path:
        """Fine-tune, or resume a killed training. Return the folder of the weights.

        `config` is the recipe's configuration of TRL, if the caller has built it already.
        """
        # A changed generator version matters only if samples are still drawn from it.
        self.claim(_sources_to_draw(self.recipe, self.path))
        if is_first_process():
            note_validation(self.resolved.parsed.train, self.recipe.train)
        from gnomon.pipeline.training.train import fine_tune

        if is_first_process() and self.resolved.source_run is None:
            _store_rows(self.resolved, self.recipe, self.path)
            if not self.folder.has_weights:
                write_rows(self.recipe, self.resolved.samples("train"), self.path)
        # `gnomon run` and `generate` write them; reading is faster than drawing each epoch again.
        if self.folder.has_samples("train"):
            samples: Samples = store.open(self.folder.data, "train")
        else:
            samples = self.resolved.samples("train")
        weights = fine_tune(self.recipe, samples, self.path, config=config)
        if is_first_process() and not has_card(weights):
            write_card(self.recipe, self.path)  # also if a kill came before the card
        return weights


def _store_rows(resolved: Resolved, recipe: Recipe, run: Path) -> None:
    """Copy the user's rows into the run, which may be moved without their tables.

    Drawn samples can be drawn again from kind and seed. They are copied only if an exam or a
    validation mixes them with a user's rows.
    """
    exam, folder = resolved.exam, RunFolder(run).data
    is_finished = RunFolder(run).has_weights
    has_rows = any(source.kind is None for source in exam.sources)
    if has_rows and not (is_finished and RunFolder(run).has_samples(exam.split)):
        store.write(exam.pool, folder, n=exam.samples, split=exam.split, workers=1)
    # A dataset that gnomon drew may be large, and can be drawn again.
    tables = user_sources(recipe.data)
    if is_finished or not tables:
        return
    # Rows that are there already are compared, for a table may have been edited since.
    try:
        validation = open_validation(recipe)
    except ValueError:  # a table may have no rows for it
        validation = None
    if validation is not None and (n := validation.n_distinct or 0) <= _MOST_COPIED:
        store.write(validation, folder, n=n, split=recipe.validation_split, workers=1)
    # Processes that are launched together would read the copy while the first one writes it.
    has_only_user_tables = tables == recipe.data and all(table.path for table in tables)
    if n_processes() == 1 and has_only_user_tables:
        samples = resolved.samples("train")
        n = train_size(samples, recipe.train.samples)
        if n <= _MOST_COPIED:
            store.write(samples, folder, n=n, split="train", workers=1)


def check_is_local(recipe: Recipe) -> None:
    """Raise a RecipeError for a model behind a server, which cannot be trained.

    This is checked before the recipe is stored, because the server's URL may contain a login.
    """
    if recipe.model.server is not None:
        raise RecipeError(
            "model.server: a model behind a server cannot be trained here, only asked"
        )


def _sources_to_draw(recipe: Recipe, run: Path) -> Sequence[Source]:
    """Return the sources that a training draws from. If all samples are on disk, there are no such
    sources."""
    # Validation draws its samples again, stored training samples or not.
    is_stored = RunFolder(run).has_samples("train") and recipe.train.validation_steps is None
    return () if is_stored or RunFolder(run).has_weights else recipe.data
