"""Answers of a loaded model, appended to a file batch by batch; a killed run resumes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from gnomon.eval.scoring import predictions, questions
from gnomon.eval.scoring.choosing import best_answer
from gnomon.pipeline.answering.belief import Listing, answer_logprobs, listed_answers
from gnomon.pipeline.collate import prompt_of, resized_size, resized_sizes
from gnomon.pipeline.load import Loaded
from gnomon.progress import track
from gnomon.sample import Prediction, Sample

WINDOW = 8
"""Batches sorted by length together: enough for little padding, with few pictures in memory."""


def predict_to_file(
    loaded: Loaded,
    samples: Iterable[Sample],
    out: Path,
    *,
    total: int,
    settings: dict[str, Any],
    batch_size: int,
    max_new_tokens: int,
    belief: Listing = False,
    answer: str = "greedy",
    grid: Sequence[Decimal] = (),
) -> None:
    """Answer every sample that is not in `out` yet, and append the answers to it.

    `settings` are noted with each answer: a file of other settings is refused. With `belief` an
    answer also holds the log-probabilities of a listed set of answers; `answer` is the rule by
    which one of these is chosen, and `grid` lists them for numbers.
    """
    settings = {**settings, "max_new_tokens": max_new_tokens}
    # Only what is not the default is noted, so that files from before resume.
    if belief:
        settings["belief"] = belief
    if answer != "greedy":
        settings["answer"] = answer
    if grid:
        settings["grid"] = [str(value) for value in (grid[0], grid[-1], grid[1] - grid[0])]
    # As JSON returns them: a tuple would never equal the list in the file.
    settings = json.loads(json.dumps(settings))
    done = predictions.answered_ids(out, settings)
    rest = (sample for sample in samples if sample.id not in done)
    with track(total=total, initial=len(done), desc="answers") as bar:
        for batch in predict_batches(
            loaded,
            questions.record(rest, questions.question_path(out)),
            settings=settings,
            batch_size=batch_size,
            max_new_tokens=max_new_tokens,
            belief=belief,
            answer=answer,
            grid=grid,
        ):
            predictions.append(out, batch)
            bar.update(len(batch))


def predict_batches(
    loaded: Loaded,
    samples: Iterable[Sample],
    *,
    settings: dict[str, Any] | None = None,
    batch_size: int,
    max_new_tokens: int,
    belief: Listing = False,
    answer: str = "greedy",
    grid: Sequence[Decimal] = (),
) -> Iterator[list[Prediction]]:
    """Yield predictions batch by batch, the longest prompts of a window first.

    By a rule other than greedy, questions whose answers can be listed are not generated at all.
    """
    dialect, rest = loaded.family.dialect, iter(samples)
    listing = belief or answer != "greedy"
    while window := list(islice(rest, WINDOW * batch_size)):
        # The longest first, so that a lack of memory shows at the first batch.
        window.sort(key=lambda sample: -_approximate_length(loaded, sample))
        for start in range(0, len(window), batch_size):
            group = window[start : start + batch_size]
            beliefs = [_logprobs(loaded, sample, listing, grid) for sample in group]
            is_open = [answer == "greedy" or logprobs is None for logprobs in beliefs]
            generated = [sample for sample, open_ in zip(group, is_open, strict=True) if open_]
            texts = iter(generate_texts(loaded, generated, max_new_tokens=max_new_tokens))
            batch = []
            for sample, logprobs, open_ in zip(group, beliefs, is_open, strict=True):
                if open_ or logprobs is None:
                    text = next(texts)
                else:
                    text = best_answer(logprobs, sample.target.form_of_question, dialect, answer)
                size = resized_size(loaded.family, loaded.processor, sample)
                stored = logprobs if belief else None
                batch.append(Prediction.of(sample, text, size, dialect, settings or {}, stored))
            yield batch


def _logprobs(
    loaded: Loaded, sample: Sample, listing: Listing, grid: Sequence[Decimal]
) -> dict[str, float] | None:
    answers = listed_answers(loaded, sample, listing, grid)
    return answer_logprobs(loaded, sample, answers) if answers else None


def generate_texts(loaded: Loaded, samples: Sequence[Sample], *, max_new_tokens: int) -> list[str]:
    """Generate the answers to a batch of samples, without sampling; prompts are padded left."""
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
    texts: list[str] = tokenizer.batch_decode(new, skip_special_tokens=True)
    return [text.strip() for text in texts]


def _approximate_length(loaded: Loaded, sample: Sample) -> int:
    """Estimate a prompt's length for sorting: its letters, and one for 100 pixels."""
    sizes = resized_sizes(loaded.family, loaded.processor, sample)
    return len(sample.question) + sum(width * height for width, height in sizes) // 100
