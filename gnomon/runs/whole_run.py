"""The whole of a run: samples, answers before, training, answers after, report."""

from pathlib import Path
from typing import Any

from gnomon import recipe as recipes
from gnomon import store
from gnomon.eval.report.files import ReportFiles
from gnomon.runs.answer_files import pictures_of, score_run
from gnomon.runs.answerer import answer_exam
from gnomon.runs.card import write_card
from gnomon.runs.directory import (
    AFTER,
    BEFORE,
    announce,
    check_single_process,
    claim,
    keep_stored_choices,
    lock_run,
)
from gnomon.runs.reporting import check_outputs, report
from gnomon.runs.resolve import Resolved
from gnomon.runs.training import check_is_local, train_run, warn_of_unfit_samples
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.samples import train_size


def run_all(resolved: Resolved, out: Path, *, workers: int | None) -> Path:
    """Do all steps of a run in its directory, those of an earlier start excepted."""
    with lock_run(out):
        # Before the model is looked up: a launcher may have started eight of these.
        check_single_process("run")
        recipe, exam = keep_stored_choices(out, resolved.parsed, resolved.recipe), resolved.exam
        check_is_local(recipe)
        from gnomon.pipeline.checkpoint import locate_checkpoint
        from gnomon.pipeline.training.settings import sft_config

        # A model that is not there, or an unknown setting, is refused before hours of drawing.
        locate_checkpoint(recipe.model)
        config: Any = sft_config(recipe, out)
        if recipe.train.sft and "deepspeed" in recipe.train.sft:
            # While such settings live, ZeRO-3 takes over every model that is loaded: also the one
            # that answers before the training, which then makes its settings anew.
            config = None
        warn_of_unfit_samples(resolved, out)
        # A report in the way is refused now, not after an hour of training.
        page = out / "report.html"
        check_outputs(ReportFiles.of(page))
        folder = RunFolder(out)
        announce("writing the samples")
        # Each step leaves what an earlier start has done, so the same command resumes.
        write_samples(resolved, out, workers=workers)
        announce("asking the model as it came")
        answer_exam(recipe, exam, folder.answers(BEFORE))
        announce("fine-tuning")
        train_run(resolved, out, config=config)
        announce("asking it again")
        answer_exam(recipe, exam, folder.answers(AFTER), run=out)
        announce("scoring")
        runs = score_run(out, recipe_yaml=recipes.to_yaml(recipe))
        write_card(recipe, out, runs)
        return report(runs, page, *pictures_of(out))


def write_samples(resolved: Resolved, run: Path, *, workers: int | None) -> None:
    """Write the run's training and held-out samples to its data directory."""
    with lock_run(run):
        recipe, exam = keep_stored_choices(run, resolved.parsed, resolved.recipe), resolved.exam
        claim(run, recipe, sources=(*recipe.data, *exam.sources))
        samples, folder = resolved.samples("train"), RunFolder(run).data
        n = train_size(samples, recipe.train.samples)
        store.write(samples, folder, n=n, split="train", workers=workers)
        store.write(exam.pool, folder, n=exam.samples, split=exam.split, workers=workers)
