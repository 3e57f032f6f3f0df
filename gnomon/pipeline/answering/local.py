"""Answers of a loaded model, appended to a file batch by batch; a killed run resumes."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from gnomon.answers.unreadable.answer import WORD
from gnomon.eval.calibration.calibration import Certifier
from gnomon.eval.scoring import margins, predictions, questions
from gnomon.eval.scoring.belief import best_answer
from gnomon.eval.scoring.edges import kept_axes
from gnomon.pipeline.answering.belief import Listing, answer_logprobs, listed_answers
from gnomon.pipeline.answering.coordinates import BoxText, choose_edges, without_marks
from gnomon.pipeline.collate import prompt_of, resized_size, resized_sizes
from gnomon.pipeline.load import Loaded
from gnomon.progress import track, warn
from gnomon.sample import Certainty, Edge, Prediction, Sample

WINDOW = 8
"""Batches sorted by length together: enough for little padding, with few pictures in memory."""


@dataclass(frozen=True)
class AnswerRule:
    """Choice of an answer: by greedy decoding, or from a belief in listed answers."""

    name: str = "greedy"
    belief: Listing = False
    """Answers whose log-probabilities are stored."""
    grid: Sequence[Decimal] = ()
    """Numbers that are listed."""
    certifier: Certifier | None = None
    """A calibration, whose rule then comes before `name` where it knows the list."""
    refusals: bool = False
    """True if that nothing can be read is listed beside the values."""

    @property
    def lists(self) -> Listing:
        """Answers whose log-probabilities are computed."""
        if self.certifier and not self.belief:
            return self.certifier.calibration.listing or True
        return self.belief or self.name != "greedy"

    @property
    def reads_edges(self) -> bool:
        """True if the numbers of boxes have beliefs; a list of the user's is of other answers."""
        return self.belief is True or self.name != "greedy"

    @property
    def settings(self) -> dict[str, Any]:
        """Fields other than the defaults, so that files from before resume."""
        settings: dict[str, Any] = {}
        if self.belief:
            settings["belief"] = self.belief
        if self.name != "greedy":
            settings["answer"] = self.name
        if self.grid:
            step = self.grid[1] - self.grid[0]
            settings["grid"] = [str(value) for value in (self.grid[0], self.grid[-1], step)]
        if self.refusals and self.lists:
            settings["refusals"] = True
        if self.certifier:
            settings["calibration"] = self.certifier.settings
        return settings


GREEDY = AnswerRule()


def predict_to_file(
    loaded: Loaded,
    samples: Iterable[Sample],
    out: Path,
    *,
    total: int,
    settings: dict[str, Any],
    batch_size: int,
    max_new_tokens: int,
    rule: AnswerRule = GREEDY,
) -> None:
    """Answer every sample that is not in `out` yet, and append the answers to it.

    `settings` are noted with each answer: a file of other settings is refused. Where the rule has a
    belief or a calibration, an answer also holds what these say.
    """
    settings = full_settings(settings, max_new_tokens, rule)
    done = predictions.answered_ids(out, settings)
    rest = (sample for sample in samples if sample.id not in done)
    n_kept = 0
    with track(total=total, initial=len(done), desc="answers") as bar:
        for batch in predict_batches(
            loaded,
            questions.record(rest, questions.question_path(out)),
            settings=settings,
            batch_size=batch_size,
            max_new_tokens=max_new_tokens,
            rule=rule,
        ):
            predictions.append(out, batch)
            bar.update(len(batch))
            n_kept += kept_axes(batch)
    if n_kept:
        warn(
            f"{n_kept} pairs of edges are as the model wrote them: the {rule.name} of each edge"
            " would have swapped them, or left nothing between them"
        )


def full_settings(
    settings: dict[str, Any], max_new_tokens: int, rule: AnswerRule
) -> dict[str, Any]:
    """Settings of the model and of its answers, as JSON returns them from a file."""
    # A tuple would never equal the list in the file.
    values: dict[str, Any] = json.loads(
        json.dumps({**settings, "max_new_tokens": max_new_tokens, **rule.settings})
    )
    return values


def predict_batches(
    loaded: Loaded,
    samples: Iterable[Sample],
    *,
    settings: dict[str, Any] | None = None,
    batch_size: int,
    max_new_tokens: int,
    rule: AnswerRule = GREEDY,
) -> Iterator[list[Prediction]]:
    """Yield predictions batch by batch, the longest prompts of a window first.

    Questions whose answer is chosen from a list are not generated at all.
    """
    rest = iter(samples)
    while window := list(islice(rest, WINDOW * batch_size)):
        # The longest first, so that a lack of memory shows at the first batch.
        window.sort(key=lambda sample: -_approximate_length(loaded, sample))
        for start in range(0, len(window), batch_size):
            group = window[start : start + batch_size]
            answers = [_choose(loaded, sample, rule) for sample in group]
            open_samples = [s for s, answer in zip(group, answers, strict=True) if not answer.text]
            choices = iter(_generate(loaded, open_samples, max_new_tokens, rule))
            batch = []
            for sample, answer in zip(group, answers, strict=True):
                output = answer if answer.text else next(choices)
                prediction = Prediction.of(
                    sample,
                    output.text,
                    resized_size(loaded.family, loaded.processor, sample),
                    loaded.family.dialect,
                    settings or {},
                    # By a calibrated run's beliefs other terms apply without asking again.
                    answer.logprobs if rule.belief or rule.certifier else None,
                    answer.certainty,
                    output.edges,
                )
                if sample.target.form_of_question.has_margin and (rule.belief or rule.certifier):
                    prediction = _with_margin(loaded, sample, prediction, rule.certifier)
                batch.append(prediction)
            yield batch


def _with_margin(
    loaded: Loaded, sample: Sample, prediction: Prediction, certifier: Certifier | None
) -> Prediction:
    """Add the probability of a generated box, and its margin where a calibration has one."""
    if not prediction.text:
        return prediction
    form = sample.target.form_of_question
    # As it was trained: a decoded text lacks the special tokens around its numbers.
    text = margins.written(prediction, form) or prediction.text
    prediction = replace(prediction, logprob=answer_logprobs(loaded, sample, [text])[text])
    if certifier is None:
        return prediction
    return replace(prediction, certainty=certifier.certify_margin(prediction, form))


@dataclass(frozen=True)
class _Choice:
    """Answer from a list, or a generated one; without a text it is still to be generated."""

    text: str = ""
    logprobs: dict[str, float] | None = None
    certainty: Certainty | None = None
    edges: tuple[tuple[Edge, ...], ...] | None = None


def _generate(
    loaded: Loaded, samples: Sequence[Sample], max_new_tokens: int, rule: AnswerRule
) -> list[_Choice]:
    """Generate answers, and choose the numbers of their boxes by the rule."""
    if not rule.reads_edges or not any(sample.target.has_place for sample in samples):
        texts = generate_texts(loaded, samples, max_new_tokens=max_new_tokens)
        return [_Choice(text) for text in texts]
    texts = generate_texts(loaded, samples, max_new_tokens=max_new_tokens, keep_marks=True)
    choices = []
    for sample, text in zip(samples, texts, strict=True):
        size = resized_size(loaded.family, loaded.processor, sample)
        answer = BoxText.of(loaded, sample, text, size)
        edges = None
        if answer is not None and size is not None:
            text, edges = choose_edges(
                loaded, sample, answer, size, rule.name, has_belief=bool(rule.belief)
            )
        choices.append(_Choice(without_marks(loaded, text), edges=edges))
    return choices


def _choose(loaded: Loaded, sample: Sample, rule: AnswerRule) -> _Choice:
    """Compute the belief about a question, if its answers can be listed, and choose by it."""
    answers = listed_answers(loaded, sample, rule.lists, rule.grid)
    if not answers:
        return _Choice()
    if rule.refusals and WORD not in answers:
        answers = (*answers, WORD)
    logprobs = answer_logprobs(loaded, sample, answers)
    form, dialect = sample.target.form_of_question, loaded.family.dialect
    if rule.certifier and (certified := rule.certifier.certify(logprobs, form, dialect)):
        text, certainty = certified
        return _Choice(text, logprobs, certainty)
    if rule.name == "greedy":
        return _Choice("", logprobs)
    return _Choice(best_answer(logprobs, form, dialect, rule.name), logprobs)


def generate_texts(
    loaded: Loaded, samples: Sequence[Sample], *, max_new_tokens: int, keep_marks: bool = False
) -> list[str]:
    """Generate the answers to a batch of samples, without sampling; prompts are padded left.

    With `keep_marks` special tokens, such as those around a box, stay in the texts.
    """
    if not samples:
        return []
    model, family, tokenizer = loaded.model, loaded.family, loaded.tokenizer
    prompts = [prompt_of(family, loaded.processor, sample) for sample in samples]
    pictures = [sample.images for sample in samples]
    inputs = family.encode(loaded.processor, prompts, pictures, side="left")
    inputs = {name: tensor.to(model.device) for name, tensor in inputs.items()}
    was_training = model.training
    model.eval()
    # On a CPU a frozen head copies its weights for each row unless its input is contiguous.
    contiguous = model.get_output_embeddings().register_forward_pre_hook(
        lambda _, arguments: (arguments[0].contiguous(), *arguments[1:])
    )
    try:
        # No inference_mode: a tensor made in it may not enter a later training step.
        with torch.no_grad(), contiguous:
            tokens = model.generate(
                **inputs,
                max_new_tokens=max_new_tokens,
                do_sample=False,
                # Checkpoints' generation configs set these three; greedy search warns of each.
                temperature=None,
                top_p=None,
                top_k=None,
                eos_token_id=tokenizer.convert_tokens_to_ids(family.end_token(loaded.processor)),
                pad_token_id=tokenizer.pad_token_id,
            )
    finally:
        model.train(was_training)
    # Prompts are padded on the left, so all answers begin at one column.
    new = tokens[:, inputs["input_ids"].shape[1] :]
    texts: list[str] = tokenizer.batch_decode(new, skip_special_tokens=not keep_marks)
    # What was padded stands behind the end.
    end = family.end_token(loaded.processor)
    return [(text.partition(end)[0] if keep_marks else text).strip() for text in texts]


def _approximate_length(loaded: Loaded, sample: Sample) -> int:
    """Estimate a prompt's length for sorting: its letters, and one for 100 pixels."""
    sizes = resized_sizes(loaded.family, loaded.processor, sample)
    return len(sample.question) + sum(width * height for width, height in sizes) // 100
