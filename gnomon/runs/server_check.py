"""The answers of a served or converted model, compared with the answers of its run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gnomon.eval import RunResult
from gnomon.eval.report.report_files import ReportFiles
from gnomon.pipeline.answering.server import Server, ask_all
from gnomon.progress import announce
from gnomon.recipe import RecipeError
from gnomon.runs.answer_scores import pictures_of, score_file
from gnomon.runs.directory import AFTER, no_run_message
from gnomon.runs.report_output import check_outputs, report
from gnomon.runs.resolve import resolve
from gnomon.store.reading.run_folder import RunFolder
from gnomon.terminal import show

_EXAMPLES = 10
"""Pairs of different answers that are printed."""


def answers_alike(
    run: Path,
    url: str,
    *,
    model: str | None = None,
    samples: int | None = None,
    n_parallel: int = 8,
    least: float = 0.9,
    out: Path | None = None,
) -> bool:
    """Ask a served model a run's held-out questions, and compare with the answers that it stored.

    True if at least the share `least` of the answers is read as the same and all headline figures
    are as good. `out` is an HTML report with the pictures.
    """
    from gnomon import eval as evaluation
    from gnomon.eval.comparing.comparison import first_metrics
    from gnomon.eval.report.differences import agreement

    file = RunFolder(run).answers(AFTER)
    if not file.is_file():
        missing = f"{run} holds no answers of what it trained: `gnomon predict {run}`"
        raise RecipeError(missing if RunFolder(run).is_run else no_run_message(run))
    if out is not None:
        check_outputs(ReportFiles.of(out), [file])
    server, stored = _server(url, model), score_file(file)
    pictures, missing = pictures_of(run)
    if missing:
        raise ValueError(f"{run}: its questions cannot be asked again without their pictures")
    recipe = resolve(RunFolder(run).recipe, stored=True, recipes_only=True).recipe
    questions = list(stored.questions)[:samples]
    # A server gives no beliefs, so they are left out of the comparison.
    by_id = {answer.sample_id: replace(answer, logprobs=None) for answer in stored.predictions}
    ours = [by_id[question.id] for question in questions]
    # The run's own limit, so long answers are cut at the same token.
    longest = int(ours[0].settings.get("max_new_tokens", recipe.max_new_tokens))
    announce(f"asking {server.model} at {server.url} {len(questions):,} questions of {run}")
    pairs = ask_all(
        server,
        [pictures[question.id] for question in questions],
        n_parallel=n_parallel,
        max_tokens=longest,
    )
    reply_of = {sample.id: reply for sample, reply in pairs}
    settings = {"name": server.model, "server": server.url, "max_new_tokens": longest}
    # The same model writes boxes in the same space, so size and dialect stay.
    theirs = [
        replace(answer, text=reply_of[answer.sample_id].text, settings=settings) for answer in ours
    ]
    runs = [
        RunResult(
            name,
            evaluation.score(answers, questions),
            answers,
            asked=stored.asked,
            questions=questions,
        )
        for name, answers in (("run", ours), ("served", theirs))
    ]
    if out is not None:
        report(runs, out, pictures)
    else:
        show(evaluation.table(runs))
    first, second = (each.scores for each in runs)
    result = agreement(first, second)
    show(result)
    if result.different_values:
        show("", *result.table(("run", "served"), _EXAMPLES))
    if result.different_texts:
        show("", "The usual causes stand in docs/serving.md: base, template, pictures, precision.")
    headlines = first_metrics(evaluation.compare(first, second).differences)
    is_worse = any(metric.verdict == "worse" for metric in headlines)
    # None without answers to compare, which does not count as agreement.
    is_alike = (result.same_value.value or 0) >= least and not is_worse
    show(f"\n{server.model} {'answers' if is_alike else 'does NOT answer'} as the run did.")
    return is_alike


def _server(url: str, model: str | None) -> Server:
    """Open the server. Refuse it if it does not reply, or if it has several models."""
    server = Server(url, model or "")
    names = server.models()
    if model is None and len(names) != 1:
        has = f"has {', '.join(names)}" if names else "does not tell its models"
        raise RecipeError(f"{server.url} {has}: name the one to ask by --model")
    return server if model is not None else replace(server, model=names[0])
