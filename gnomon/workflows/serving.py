"""Whether a served or converted model answers as the run did that made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from gnomon.eval import RunResult
from gnomon.eval.comparing.agreement import Agreement, agreement
from gnomon.eval.comparing.comparison import firsts
from gnomon.eval.scoring.predictions import PredictionFile
from gnomon.pipeline.answering.hosted import replies
from gnomon.pipeline.answering.server import Reply, Server
from gnomon.recipe import Recipe, RecipeError
from gnomon.redact import check_url
from gnomon.sample import Sample
from gnomon.workflows.directory import AFTER, BEFORE, no_run, say
from gnomon.workflows.exam import open_recipe
from gnomon.workflows.scoring import pictures_of, report, score

_SHOWN = 10
"""Pairs of answers that are printed."""


def check_served(
    run: Path,
    url: str,
    *,
    model: str | None = None,
    samples: int | None = None,
    at_once: int = 8,
    least: float = 0.9,
    out: Path | None = None,
) -> bool:
    """Ask a served model a run's held-out questions, and compare with the answers that it kept.

    True if the share `least` of the answers at least is read as the same and no headline figure is
    shown to be worse. `out` is an HTML report with the pictures.
    """
    from gnomon import eval as evaluation

    if not (run / "recipe.yaml").is_file():
        raise RecipeError(no_run(run))
    file = run / "predictions" / f"{AFTER}.jsonl"
    if not file.is_file():
        raise RecipeError(f"{run} holds no answers of what it trained: `gnomon predict {run}`")
    server = _server(url, model)
    opened, kept = open_recipe(run / "recipe.yaml", stored=True), score(file)
    pictures, missing = pictures_of(run)
    if missing:
        raise ValueError(f"{run}: its questions cannot be asked again without their pictures")
    asked = list(kept.questions)[:samples]
    by_id = {answer.sample_id: replace(answer, logprobs=None) for answer in kept.predictions}
    mine = [by_id[question.id] for question in asked]
    longest = int(mine[0].settings.get("max_new_tokens", opened.eval.max_new_tokens))
    say(f"asking {server.model} at {server.address} {len(asked):,} questions of {run}")
    told = replies(
        server,
        (pictures[question.id] for question in asked),
        total=len(asked),
        at_once=at_once,
        max_tokens=longest,
    )
    by = {"name": server.model, "server": server.address, "max_new_tokens": longest}
    # The same model writes boxes in the same space, so size and dialect stay.
    theirs = [replace(a, text=told[a.sample_id].text, settings=by) for a in mine]
    runs = [
        RunResult(name, evaluation.score(answers, asked), answers, asked=kept.asked,
                  questions=asked)
        for name, answers in (("run", mine), ("served", theirs))
    ]  # fmt: skip
    if out is not None:
        report(runs, out, pictures)
    else:
        print(evaluation.table(runs))
    found = agreement(runs[0].scores, runs[1].scores)
    print(found)
    if found.otherwise:
        print("", *found.table(("run", "served"), _SHOWN), sep="\n")
    compared = evaluation.compare(runs[0].scores, runs[1].scores)
    worse = any(line.verdict == "worse" for line in firsts(compared.differences))
    assert found.values.value is not None
    assert found.letters.value is not None
    good = found.values.value >= least and not worse
    causes = _causes(found, runs[0], told, run, opened, server, pictures)
    if found.differing:
        print("\nWhere this may come from:", *(f"- {cause}" for cause in causes), sep="\n")
    words = "" if found.letters.value >= least else ", in other words"
    print(f"\n{server.model} {_GOOD.format(words) if good else _BAD.format(least)}")
    return good


_GOOD = "answers as the run did{}."
_BAD = "does NOT answer as the run did: worse, or fewer than {:.0%} of its answers are the same."


def _server(url: str, model: str | None) -> Server:
    """Where the model is asked; a server that is not there is told at once."""
    check_url(url)
    server = Server(url, model or "")
    names = server.models()
    if model is None and len(names) != 1:
        has = f"has {', '.join(names)}" if names else "does not tell its models"
        raise RecipeError(f"{server.address} {has}: name the one to ask by --model")
    return server if model is not None else replace(server, model=names[0])


def _causes(
    found: Agreement,
    kept: RunResult,
    told: Mapping[str, Reply],
    run: Path,
    opened: Recipe,
    server: Server,
    pictures: Mapping[str, Sample],
) -> Iterator[str]:
    """What is seen in the answers; where nothing is, the usual causes that this run allows."""
    seen = [
        *_of_the_base(found, run),
        *_of_the_end(found, told),
        *_of_one_answer(kept, told),
        *_of_the_prompt(kept, told, opened, server, pictures),
    ]
    yield from seen
    if seen:
        return
    parts = [part for part in ("vision", "projector") if getattr(opened.train, part) != "frozen"]
    if parts and (run / "adapter").is_dir():
        yield (
            f"The run trained adapters of its {' and '.join(parts)}, too. llama.cpp and Ollama"
            " leave these out, and vLLM without --enable-tower-connector-lora: serve what"
            f" `gnomon merge {run} OUT` writes."
        )
    bits = f"{opened.model.bits} bits" if opened.model.bits else opened.model.dtype
    yield (
        f"Precision: the run answered in {bits}. Other bits, kernels or batches change close"
        " answers; a model served in bfloat16 shows what the server's quantisation costs."
    )


def _of_the_base(found: Agreement, run: Path) -> Iterator[str]:
    """Answers of the model as it was before the training."""
    file = run / "predictions" / f"{BEFORE}.jsonl"
    if not file.is_file():
        return
    base = {answer.sample_id: answer.text for answer in PredictionFile(file)}
    learnt = [(a, b) for a, b in found.differing if base.get(a.sample_id, a.text) != a.text]
    if 2 * (same := sum(b.text == base[b.sample_id] for _, b in learnt)) > len(learnt):
        yield (
            f"{same} of these {len(learnt)} answers are what the model said before the training:"
            " the server has the base without its adapter. Ask for the adapter by its own name"
            f" (--model), or serve what `gnomon merge {run} OUT` writes."
        )


def _of_the_end(found: Agreement, told: Mapping[str, Reply]) -> Iterator[str]:
    """Answers that do not end where the run's did."""
    on = sum(told[b.sample_id].cut or b.text.startswith(a.text) for a, b in found.differing)
    if 2 * on > len(found.differing):
        yield (
            f"Template: {on} of {len(found.differing)} answers go on after the run's, or until they"
            " are cut. The server does not end them at the token that the model learnt, or lets"
            " the model think first."
        )


def _of_one_answer(kept: RunResult, told: Mapping[str, Reply]) -> Iterator[str]:
    """The same answer to every picture."""
    seen = [one for one in kept.predictions if one.size is not None]
    said = {told[one.sample_id].text for one in seen} - {""}
    if len({one.text for one in seen}) > 1 == len(said):
        yield (
            f"Pictures: all {len(seen)} have the same answer, so the server may not see them. Has"
            " it the projector (llama.cpp: --mmproj), and is it asked for a model that sees?"
        )


def _of_the_prompt(
    kept: RunResult,
    told: Mapping[str, Reply],
    opened: Recipe,
    server: Server,
    pictures: Mapping[str, Sample],
) -> Iterator[str]:
    """Another number of tokens than the run's own processor makes, without the picture and of it.

    Nothing where the server tells none, or the processor is not here.
    """
    try:
        from gnomon.pipeline.planning.tokens import prompt_tokens

        sample = pictures[next((p for p in kept.predictions if p.size), kept.predictions[0])
                          .sample_id]  # fmt: skip
        bare = replace(sample, image=None)
        ours = prompt_tokens(opened.model, [sample, bare])
    except (ImportError, ValueError):
        return
    whole, words = told[sample.id].prompt_tokens, server.reply(bare.question, None, max_tokens=1)
    if whole is None or words.prompt_tokens is None:
        return
    if words.prompt_tokens != ours[1]:
        yield (
            f"Template: a question without its picture is {words.prompt_tokens} tokens there and"
            f" {ours[1]} here. The server writes another chat template, or a system prompt."
        )
    theirs, own = whole - words.prompt_tokens, ours[0] - ours[1]
    if theirs != own:
        yield (
            f"Picture size: the picture of {sample.id} adds {theirs} tokens there and {own} here."
            " Give the server the run's min_pixels and max_pixels (vLLM: --mm-processor-kwargs;"
            " llama.cpp: --image-min-tokens and --image-max-tokens)."
        )
