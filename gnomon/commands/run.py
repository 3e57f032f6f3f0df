"""The whole of a run: samples, answers before, training, answers after, report."""

from pathlib import Path

from gnomon.commands._parser import Few


def run(recipe: str, *overrides: str, out: Path | None = None, workers: Few | None = None) -> None:
    """Generate, train, predict, score and report.

    Example: gnomon run my-clocks.yaml

    recipe RECIPE: a YAML file or a name, such as demo (`gnomon ls configs`)
    out DIR: the run's directory (runs/NAME)
    """
    from gnomon.runs.directory import default_run
    from gnomon.runs.run_steps import run_all
    from gnomon.runs.training import resolve_for_training

    out = out or default_run(recipe)
    run_all(resolve_for_training(recipe, overrides, out), out, workers=workers)
