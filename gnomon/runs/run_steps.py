"""The whole of a run: samples, answers before, training, answers after, report."""

from pathlib import Path
from typing import Any

from gnomon import recipe as recipes
from gnomon.eval.report.report_files import ReportFiles
from gnomon.progress import announce
from gnomon.runs.answer_file import AnswerFile
from gnomon.runs.answer_scores import pictures_of, score_run
from gnomon.runs.card import write_card
from gnomon.runs.directory import AFTER, BEFORE
from gnomon.runs.guard_answers import ask_guard
from gnomon.runs.locked_run import LockedRun, start
from gnomon.runs.processes import check_single_process
from gnomon.runs.reader import Reader
from gnomon.runs.report_output import check_outputs, report
from gnomon.runs.resolve import Resolved
from gnomon.runs.start_run import start_of
from gnomon.runs.training import warn_of_unfit_samples


def run_all(resolved: Resolved, out: Path, *, workers: int | None) -> Path:
    """Do all steps of a run. A step that an earlier start finished is skipped."""
    # Before the model is looked up: a launcher may have started eight of these.
    check_single_process("run")
    with start(resolved, out) as run:
        return _steps(run, workers)


def _steps(run: LockedRun, workers: int | None) -> Path:
    from gnomon.pipeline.checkpoint import locate_checkpoint
    from gnomon.pipeline.training.settings import training_config

    recipe, out = run.recipe, run.path
    # A model that is not there, or an unknown setting, is refused before hours of drawing.
    locate_checkpoint(recipe.model)
    config: Any = training_config(recipe, out)
    if recipe.train.sft and "deepspeed" in recipe.train.sft:
        # While such settings live, ZeRO-3 takes over every model that is loaded: also the one
        # that answers before the training, which then makes its settings anew.
        config = None
    warn_of_unfit_samples(run.resolved, out)
    # A report in the way is refused now, not after an hour of training.
    page = out / "report.html"
    check_outputs(ReportFiles.of(page))
    announce("writing the samples")
    # Each step leaves what an earlier start has done, so the same command resumes.
    run.write_samples(workers)
    announce("asking the model as it came")
    _answer(run, BEFORE, start_of(recipe))
    announce("fine-tuning")
    run.train(config)
    announce("asking it again")
    _answer(run, AFTER, out)
    announce("scoring")
    runs = score_run(out, recipe_yaml=recipes.to_yaml(recipe))
    write_card(recipe, out, runs)
    return report(runs, page, *pictures_of(out))


def _answer(run: LockedRun, name: str, trained: Path | None) -> None:
    """Ask the exam and the guard, with one model in memory. If `trained` is None, ask the model as
    it came."""
    reader = Reader(run.recipe, trained)
    AnswerFile(run.folder.answers(name)).ask(reader, run.resolved.exam)
    ask_guard(run.resolved.guard, reader, run.folder, name)
