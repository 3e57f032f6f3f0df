"""The fine-tuning of a recipe in its run's directory."""

from pathlib import Path

from gnomon.terminal import show


def train(recipe: str, *overrides: str, out: Path | None = None) -> None:
    """Fine-tune by a recipe.

    Example: gnomon train demo train.learning_rate=1e-3

    recipe RECIPE: a YAML file or a name, such as demo (`gnomon ls configs`)
    out DIR: the run's directory (runs/NAME)
    """
    from gnomon.runs.directory import default_run
    from gnomon.runs.processes import is_first_process
    from gnomon.runs.training import resolve_for_training, train_run, warn_of_unfit_samples

    run = out or default_run(recipe)
    resolved = resolve_for_training(recipe, overrides, run)
    if is_first_process():
        warn_of_unfit_samples(resolved, run)
    weights = train_run(resolved, run)
    if is_first_process():
        show(weights)
