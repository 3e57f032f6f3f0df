"""The validation during a training: how often it asks, and which checkpoint is kept."""

from dataclasses import replace

from gnomon.progress import note
from gnomon.recipe import Recipe, Train
from gnomon.store.reading.sources import open_validation, user_sources

_FEWEST = 32
"""Fewest rows of a validation split that compare checkpoints. With fewer rows, luck decides."""
_MOST_VALIDATIONS = 10
_SHARE = 4
"""Least number of training samples for each sample that a validation asks."""


def with_validation(recipe: Recipe) -> Recipe:
    """Decide `train.eval_steps` if it is "auto": validate on a user's rows if they have the split
    val.

    The recipe has its number of samples by now. There is no validation if it has too few rows, or
    if it would ask more than a quarter as many samples as are trained on. Rows of the training are
    not used for it.
    """
    train = recipe.train
    if train.eval_steps != "auto":
        return recipe
    steps, n = None, train.eval_samples
    total = samples_seen(train)
    if user_sources(recipe.data) and recipe.validation_split == "val":
        n = min(n, validation_rows(recipe))
        if n >= _FEWEST:
            steps = _validation_steps(train, total, n)
    if steps is None:
        return replace(recipe, train=replace(train, eval_steps=None))
    return replace(recipe, train=replace(train, eval_steps=steps, eval_samples=n))


def note_validation(written: Train, train: Train) -> None:
    """Say that the best checkpoint is kept, if the user left this open."""
    if written.eval_steps == "auto" and train.validation_steps is not None:
        note(
            f"every {train.eval_steps} steps {train.eval_samples} rows of the val split are asked,"
            f" and the checkpoint with the best {train.metric} is kept; train.eval_steps=null keeps"
            " the last"
        )


def samples_seen(train: Train) -> float:
    """Number of samples that a training reads, each as often as it does."""
    if train.max_steps > 0:
        return train.max_steps * train.samples_per_step
    assert train.samples is not None  # counted before
    return train.samples * train.num_train_epochs


def validation_rows(recipe: Recipe) -> int:
    """Number of distinct validation samples, or 0 if a source does not have the split."""
    try:
        samples = open_validation(recipe)
    except ValueError:
        return 0
    return samples.n_distinct or 0


def _validation_steps(train: Train, total: float, n: int) -> int | None:
    """Steps between validations of `n` samples, or None if they cost too much or are too few."""
    validations = min(_MOST_VALIDATIONS, int(total / (_SHARE * n)))
    steps = int(total / train.step_size)
    if validations < 2 or steps < 2:
        return None
    # A checkpoint is saved at each validation, so no more rarely than the user wants them saved.
    between = min(-(-steps // validations), train.save_steps)
    return between if steps // between * n * _SHARE <= total else None
