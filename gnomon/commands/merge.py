"""A run's adapter, put into its model's weights."""

from dataclasses import replace
from pathlib import Path

from gnomon.commands._parser import Count
from gnomon.progress import note
from gnomon.terminal import show


def merge(run: Path, out: Path, *, samples: Count = 200, push_to_hub: str | None = None) -> None:
    """Put a run's adapter into its model's weights.

    Example: gnomon merge runs/clock clock-2b

    run RUN: a run that trained an adapter
    out OUT: a directory for plain transformers
    samples N: held-out samples on which merged weights and adapter are compared (200)
    push_to_hub OWNER/NAME: upload the model there as a private repository
    """
    from gnomon.eval.calibration import calibration as calibrations
    from gnomon.recipe import RecipeError
    from gnomon.runs.answer_scores import score_run
    from gnomon.runs.card import card
    from gnomon.runs.directory import AFTER, check_is_utf8, no_run_message
    from gnomon.runs.resolve import resolve
    from gnomon.store.lock import sole_writer
    from gnomon.store.reading.run_folder import RunFolder

    check_is_utf8(out)
    # The place is locked before hours of work, not when the weights are written.
    with sole_writer(out):
        if not RunFolder(run).is_run:
            raise RecipeError(f"{no_run_message(run)}: name a run that trained an adapter")
        from gnomon.pipeline.exporting import merge as merging

        resolved = resolve(RunFolder(run).recipe, stored=True, recipes_only=True)
        recipe, exam = resolved.recipe, resolved.exam
        # Drawn before gigabytes are loaded, so missing data is refused first.
        questions = list(replace(exam, samples=min(samples, exam.samples)))
        has_answers = RunFolder(run).answers(AFTER).is_file()
        text = card(recipe, run, score_run(run) if has_answers else [])
        agreement = merging.merge(recipe, run, out, questions, card=text)
        if push_to_hub is not None:
            merging.push(out, push_to_hub)
    show(f"{out}: {agreement}")
    if (run / calibrations.NAME).is_file():
        # Merged weights are rounded to 16 bits, so their answers may differ from the calibrated.
        note(
            f"{run} is calibrated, and {out} is not: its answers have no intervals. Serve it and"
            f" calibrate the server (`gnomon calibrate {out} DATA --server URL`), or predict"
            f" with {run}"
        )
