"""The fine-tuning of a recipe in its run's directory."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gnomon import store
from gnomon.progress import warn
from gnomon.recipe import Recipe, RecipeError, Source
from gnomon.runs.card import has_card, write_card
from gnomon.runs.directory import (
    claim,
    is_first_process,
    keep_stored_choices,
    lock_run,
    n_processes,
)
from gnomon.runs.resolve import Resolved, is_data, resolve, warn_of_mistakes
from gnomon.runs.trained_rows import write_rows
from gnomon.runs.user_rows import (
    note_few_groups,
    note_rows_for_calibration,
    note_validation,
    warn_of_repeats,
)
from gnomon.sample import Sample
from gnomon.store import Samples
from gnomon.store.reading.augmented import check_can_spread
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.reading.sources import open_validation, user_sources
from gnomon.store.samples import evenly_spaced, train_size

_MOST_COPIED = 20_000
"""Rows of a split that `gnomon train` copies into its run; more would fill a disk twice."""
_PROBES = 32
"""Samples of the training set, and as many of the exam, that are checked for warnings."""


def resolve_for_training(name: str, overrides: Sequence[str], run: Path | None = None) -> Resolved:
    """Resolve a recipe and warn of mistakes in its tables; data alone is refused with a way out.

    Where a source table is gone, the rows that an earlier start copied into `run` are used.
    """
    if is_data(name) and not RunFolder(Path(name)).is_run:
        raise RecipeError(
            f"{name} is data, not a recipe: `gnomon plan {name} --write recipe.yaml` writes one"
            " that trains on it"
        )
    resolved = resolve(name, overrides, recipes_only=True)
    if run is not None:
        resolved = resolved.resumed_in(run)
    recipe = resolved.recipe
    # `loss.spread` is label noise: refuse it where no answer has steps to redraw it by.
    check_can_spread(resolved.samples("train"), recipe.loss.spread)
    if is_first_process() and resolved.source_run is None:
        warn_of_mistakes(recipe)
        warn_of_repeats(recipe, resolved.samples("train"))
        note_few_groups(recipe)
        note_rows_for_calibration(recipe)
    return resolved


def warn_of_unfit_samples(resolved: Resolved, run: Path) -> None:
    """Warn of labels longer than what is generated, and of pictures that the model sees tiny."""
    recipe, exam = resolved.recipe, resolved.exam
    # A server is refused, and a finished run needs no model any more.
    if recipe.model.server is not None or RunFolder(run).has_weights:
        return
    from gnomon.pipeline.checkpoint import open_processor
    from gnomon.pipeline.planning.budget import cut_answers_warning, shrunk_pictures_warning

    samples = resolved.samples("train")
    probes = _probe(samples, train_size(samples, recipe.train.samples))
    probes += _probe(exam.pool, exam.samples)
    family, processor = open_processor(recipe.model)
    warnings = (
        cut_answers_warning(family, processor, probes, recipe.eval.max_new_tokens),
        shrunk_pictures_warning(family, processor, probes),
    )
    for warning in filter(None, warnings):
        warn(warning)


def _probe(samples: Samples, n: int) -> list[Sample]:
    """Select a few of the first n samples, evenly spaced, as they may be sorted by answers."""
    probes = []
    for index in evenly_spaced(n, _PROBES):
        # A broken row is named where the training comes to it.
        with suppress(ValueError):
            probes.append(samples[index])
    return probes


def train_run(resolved: Resolved, run: Path, *, config: Any = None) -> Path:
    """Fine-tune, or resume where a killed run stopped; return where the adapter or model lies.

    `config` is the recipe's SFTConfig of TRL, if the caller has built it already.
    """
    with lock_run(run):
        recipe = keep_stored_choices(run, resolved.parsed, resolved.recipe)
        check_is_local(recipe)
        # A changed generator version matters only if samples are still drawn from it.
        claim(run, recipe, sources=_sources_to_draw(recipe, run))
        if is_first_process():
            note_validation(resolved.parsed.train, recipe.train)
        from gnomon.pipeline.training.train import fine_tune

        if is_first_process() and resolved.source_run is None:
            _store_rows(resolved, recipe, run)
            if not RunFolder(run).has_weights:
                write_rows(recipe, resolved.samples("train"), run)
        # `gnomon run` and `generate` write them; reading is faster than drawing each epoch again.
        if RunFolder(run).has_samples("train"):
            samples: Samples = store.open(RunFolder(run).data, "train")
        else:
            samples = resolved.samples("train")
        weights = fine_tune(recipe, samples, run, config=config)
        if is_first_process() and not has_card(weights):
            write_card(recipe, run)  # also for a run that was killed before its card was written
        return weights


def _store_rows(resolved: Resolved, recipe: Recipe, run: Path) -> None:
    """Copy the user's rows into the run, which may be moved without their tables.

    Drawn samples can be redrawn from kind and seed, so they are copied only where mixed with user
    rows, in an exam or a validation.
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
    """Refuse to train behind a server, before its URL, which may hold a login, is stored."""
    if recipe.model.server is not None:
        raise RecipeError(
            "model.server: a model behind a server cannot be trained here, only asked"
        )


def _sources_to_draw(recipe: Recipe, run: Path) -> Sequence[Source]:
    """Return the sources that a training draws from: none if all that it needs is on disk."""
    # Validation draws its samples again, stored training samples or not.
    is_stored = RunFolder(run).has_samples("train") and recipe.train.validation_steps is None
    return () if is_stored or RunFolder(run).has_weights else recipe.data
