"""The fine-tuning of a recipe in its run's directory."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from gnomon.progress import warn
from gnomon.recipe import RecipeError
from gnomon.runs.data_names import is_data
from gnomon.runs.directory import default_run
from gnomon.runs.locked_run import start
from gnomon.runs.processes import is_first_process
from gnomon.runs.python_arguments import override_words, path_of, register_plugins
from gnomon.runs.resolve import Resolved, resolve, resolve_values
from gnomon.runs.run import Run
from gnomon.runs.table_warnings import warn_before_training
from gnomon.sample import Sample
from gnomon.store import Samples
from gnomon.store.reading.augmented import check_can_spread
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.samples import evenly_spaced, train_size

_PROBES = 32
"""Samples of the training set, and as many of the exam, that are checked for warnings."""


def train(
    recipe: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    plugins: str | Sequence[str] = (),
) -> Run:
    """Fine-tune a model by a recipe. A killed training resumes if it is called again.

    Example::

    run = gnomon.train("my-clocks.yaml", out="runs/clocks", overrides={"train.max_steps": 300})
        reader = run.reader()

    Args:
        recipe: A YAML file, the name of a recipe that comes with gnomon, such as "demo", or the
            recipe itself as a dict.
        out: The run's directory. By default it is runs/NAME.
        overrides: Keys of the recipe, such as {"train.max_steps": 300}.
        plugins: Classes of your own that a stored recipe names, as "module:Class".

    Raises:
        ValueError: The recipe has a mistake, or the directory holds another recipe's run.
    """
    register_plugins(plugins)
    words = override_words(overrides)
    if isinstance(recipe, Mapping):
        if out is None:
            raise RecipeError("out: name the run's directory, because a dict has no name")
        path = path_of(out, "out")
        resolved = _checked(
            resolve_values(deepcopy(dict(recipe)), words, name="recipe").resumed_in(path)
        )
    else:
        path = path_of(out, "out") if out is not None else default_run(str(recipe))
        resolved = resolve_for_training(str(recipe), words, path)
    if is_first_process():
        warn_of_unfit_samples(resolved, path)
    train_run(resolved, path)
    return Run(path)


def resolve_for_training(name: str, overrides: Sequence[str], run: Path | None = None) -> Resolved:
    """Resolve a recipe and warn of mistakes in its tables. Data without a recipe is refused.

    If a source table is missing, the rows that an earlier start copied into `run` are used.
    """
    if is_data(name) and not RunFolder(Path(name)).is_run:
        raise RecipeError(
            f"{name} is data, not a recipe: `gnomon plan {name} --write recipe.yaml` writes one"
            " that trains on it"
        )
    resolved = resolve(name, overrides, recipes_only=True)
    if run is not None:
        resolved = resolved.resumed_in(run)
    return _checked(resolved)


def _checked(resolved: Resolved) -> Resolved:
    """Refuse a recipe that cannot be trained, and warn of mistakes in its tables."""
    recipe = resolved.recipe
    # `loss.spread` is label noise: refuse it if answers cannot be redrawn in steps.
    check_can_spread(resolved.samples("train"), recipe.loss.spread)
    if is_first_process() and resolved.source_run is None:
        warn_before_training(recipe, resolved.samples("train"))
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
    for some in (exam, *resolved.guard.exams.values()):
        probes += _probe(some.pool, some.samples)
    family, processor = open_processor(recipe.model)
    warnings = (
        cut_answers_warning(family, processor, probes, recipe.max_new_tokens),
        shrunk_pictures_warning(family, processor, probes),
    )
    for warning in filter(None, warnings):
        warn(warning)


def _probe(samples: Samples, n: int) -> list[Sample]:
    """Select a few of the first n samples, evenly spaced, as they may be sorted by answers."""
    probes = []
    for index in evenly_spaced(n, _PROBES):
        # The training names a broken row.
        with suppress(ValueError):
            probes.append(samples[index])
    return probes


def train_run(resolved: Resolved, path: Path) -> Path:
    """Fine-tune by a resolved recipe. Return the folder of the adapter or the model."""
    with start(resolved, path) as run:
        return run.train()
