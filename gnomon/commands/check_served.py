"""A served or converted model's answers, compared with those of the run that trained it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.commands._parser import Count, Few, Html
from gnomon.eval import RunResult
from gnomon.eval.report.files import ReportFiles
from gnomon.eval.scoring.predictions import PredictionFile
from gnomon.pipeline.answering.server import Reply, Server, ask_all
from gnomon.recipe import Recipe, RecipeError
from gnomon.runs.answer_files import pictures_of, score_file
from gnomon.runs.directory import AFTER, BEFORE, announce, no_run_message
from gnomon.runs.reporting import check_outputs, report
from gnomon.runs.resolve import resolve
from gnomon.sample import Prediction, Sample
from gnomon.store.reading.run_folder import RunFolder
from gnomon.terminal import show

if TYPE_CHECKING:
    from gnomon.eval.report.differences import Agreement

_EXAMPLES = 10
"""Pairs of different answers that are printed."""


def check_served(
    run: Path,
    *,
    server: str,
    model: str | None = None,
    samples: Count | None = None,
    at_once: Few = 8,
    least: float = 0.9,
    out: Html | None = None,
) -> int:
    """Check that a served or converted model answers a run's questions as the run did.

    Example: gnomon check-served runs/clocks --server http://localhost:8000/v1

    run RUN: a run with answers after its training
    server URL: an OpenAI-compatible server, up to /v1, such as http://localhost:8000/v1; the key is
        in OPENAI_API_KEY
    model NAME: the model's name there; default: the only one
    samples N: number of questions; default: all
    at_once N: requests that are under way together (8)
    least SHARE: exit with 1 if a smaller share of answers is read as the same (0.9)
    out HTML: a report with the answers and pictures
    """
    is_alike = answers_alike(
        run, server, model=model, samples=samples, n_parallel=at_once, least=least, out=out
    )
    return 0 if is_alike else 1


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

    True if at least the share `least` of the answers is read as the same and no headline figure is
    shown to be worse. `out` is an HTML report with the pictures.
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
    # The run's own limit, so that a longer answer is cut where the run's was.
    longest = int(ours[0].settings.get("max_new_tokens", recipe.eval.max_new_tokens))
    announce(f"asking {server.model} at {server.url} {len(questions):,} questions of {run}")
    pairs = ask_all(
        server,
        (pictures[question.id] for question in questions),
        total=len(questions),
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
        causes = _Diagnosis(run, recipe, server, pictures, ours, reply_of, result).causes()
        show("\nWhere this may come from:", *(f"- {cause}" for cause in causes))
    headlines = first_metrics(evaluation.compare(first, second).differences)
    is_worse = any(metric.verdict == "worse" for metric in headlines)
    # None where there is nothing to compare: that is no agreement.
    is_alike = (result.same_value.value or 0) >= least and not is_worse
    show(f"\n{server.model} {'answers' if is_alike else 'does NOT answer'} as the run did.")
    return is_alike


def _server(url: str, model: str | None) -> Server:
    """Open the server; one that is not there, or has several models, is refused at once."""
    server = Server(url, model or "")
    names = server.models()
    if model is None and len(names) != 1:
        has = f"has {', '.join(names)}" if names else "does not tell its models"
        raise RecipeError(f"{server.url} {has}: name the one to ask by --model")
    return server if model is not None else replace(server, model=names[0])


@dataclass(frozen=True)
class _Diagnosis:
    """Causes of the differences between a run's answers and a server's."""

    run: Path
    recipe: Recipe
    server: Server
    pictures: Mapping[str, Sample]
    ours: Sequence[Prediction]
    replies: Mapping[str, Reply]
    agreement: Agreement

    def causes(self) -> Iterator[str]:
        """Yield causes that the answers show, else the usual ones that this run allows."""
        causes = [*self._base_model(), *self._end(), *self._same_answer(), *self._prompt()]
        yield from causes or self._usual()

    def _usual(self) -> Iterator[str]:
        train, model = self.recipe.train, self.recipe.model
        parts = [part for part in ("vision", "projector") if getattr(train, part) != "frozen"]
        if parts and RunFolder(self.run).adapter.is_dir():
            yield (
                f"The run trained adapters of its {' and '.join(parts)}, too. Most servers leave"
                f" these out: serve what `gnomon merge {self.run} OUT` writes."
            )
        if model.bits:
            precision = f"{model.bits} bits"
        else:
            precision = model.dtype or "its machine's own precision"
        yield f"Precision: the run answered in {precision}. Serve it in bfloat16 once, and compare."

    def _base_model(self) -> Iterator[str]:
        """Look for answers that the model gave before the training."""
        file = RunFolder(self.run).answers(BEFORE)
        answers = PredictionFile(file) if file.is_file() else ()
        before = {answer.sample_id: answer.text for answer in answers}
        # Only answers that the training changed tell the two models apart.
        changed = [
            theirs
            for ours, theirs in self.agreement.different_texts
            if before.get(ours.sample_id, ours.text) != ours.text
        ]
        same = sum(theirs.text == before[theirs.sample_id] for theirs in changed)
        if 2 * same > len(changed):  # a cause counts once it explains most of the differences
            yield (
                f"{same} of these {len(changed)} answers are what the model said before the"
                " training: ask for the adapter by its own name (--model), or serve what"
                f" `gnomon merge {self.run} OUT` writes."
            )

    def _end(self) -> Iterator[str]:
        """Look for answers that go on where the run's end."""
        pairs = self.agreement.different_texts
        longer = sum(
            self.replies[theirs.sample_id].cut or theirs.text.startswith(ours.text)
            for ours, theirs in pairs
        )
        if 2 * longer > len(pairs):
            yield (
                f"Template: {longer} of {len(pairs)} answers go on after the run's, or until they"
                " are cut: another token ends them there, or the model thinks first."
            )

    def _same_answer(self) -> Iterator[str]:
        """Look for a single answer to all pictures, where the run had several."""
        pictured = [answer for answer in self.ours if answer.size is not None]
        # An empty reply is a server's failure, not an answer to all pictures.
        texts = {self.replies[answer.sample_id].text for answer in pictured} - {""}
        if len({answer.text for answer in pictured}) > 1 == len(texts):
            yield (
                f"Pictures: all {len(pictured)} have the same answer. Has the server the projector?"
            )

    def _prompt(self) -> Iterator[str]:
        """Compare the prompt's tokens with those of the run's own processor.

        Yields nothing where the server counts none, or the processor is not here.
        """
        answer = next((answer for answer in self.ours if answer.size), self.ours[0])
        sample = self.pictures[answer.sample_id]
        # The question alone tells a template from a picture that was resized.
        bare = replace(sample, image=None, more_images=())
        whole = self.replies[sample.id].prompt_tokens
        try:
            from gnomon.pipeline.planning.budget import prompt_tokens

            local = prompt_tokens(self.recipe.model, [bare, sample])
            # One token is enough: the reply's count of the prompt is what is wanted.
            words = self.server.ask(bare.question, (), max_tokens=1).prompt_tokens
        except (ImportError, ValueError):
            return
        if whole is None or words is None:
            return
        if words != local[0]:
            yield (
                f"Template: a question without its picture is {words} tokens there and {local[0]}"
                " here: another chat template, or a system prompt."
            )
        if whole - words != local[1] - local[0]:
            yield (
                f"Picture size: the picture of {sample.id} adds {whole - words} tokens there and"
                f" {local[1] - local[0]} here: give the server the run's limits of pixels."
            )
