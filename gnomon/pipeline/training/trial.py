"""Trial of an unknown checkpoint on three samples: are the findings of `family: auto` true?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from PIL import ImageOps
from torch import Tensor
from torch.nn import Module

from gnomon.pipeline.answering.local import generate_texts
from gnomon.pipeline.collate import IGNORED, Collator, prompt_of, write_answer
from gnomon.pipeline.families.auto import Auto
from gnomon.pipeline.load import Loaded, inference
from gnomon.sample import Sample
from gnomon.shortage import is_shortage
from gnomon.store.samples import Samples, train_size

SAMPLES = 3
SEARCHED = 64
"""Number of samples that are searched for a sample with a picture."""


def try_out(loaded: Loaded, samples: Samples | Sequence[Sample]) -> None:
    """Refuse a checkpoint for which `family: auto` found something that is not true."""
    if not isinstance(loaded.family, Auto):
        return
    first: list[Sample] = []
    for index in range(min(SEARCHED, train_size(samples, requested=None))):
        first.append(samples[index])
        if len(first) >= SAMPLES and any(sample.image is not None for sample in first):
            break
    # Samples with pictures come first, because False sorts before True.
    chosen = sorted(first, key=lambda sample: sample.image is None)[:SAMPLES]
    try:
        with inference(loaded.model):
            _check_logits(loaded, chosen)
            for sample in chosen:
                _check_end(loaded, sample)
    # A wrong finding surfaces as any of these errors, in a processor or in the model's forward
    # pass.
    except (ValueError, RuntimeError, IndexError, TypeError) as error:
        if is_shortage(error):
            raise
        raise ValueError(
            f"model.family: auto: {type(loaded.model).__name__} does not behave as detected"
            f" (`gnomon plan` prints the details): {' '.join(str(error).split())}"
        ) from error


def _check_logits(loaded: Loaded, samples: Sequence[Sample]) -> None:
    """Check that batching does not change an answer's tokens, and that pictures change logits.

    The collator checks that labels continue the prompt, and the model's forward pass checks that a
    picture has as many tokens as features.
    """
    alone = [_answer_logits(loaded, [sample])[0] for sample in samples]
    together = _answer_logits(loaded, samples)
    for sample, logits, in_batch in zip(samples, alone, together, strict=True):
        if not logits.isfinite().all():
            raise ValueError(f"sample {sample.id}: its logits are not finite")
        if logits.shape != in_batch.shape:
            raise ValueError(
                f"sample {sample.id}: its answer has another number of tokens in a batch than alone"
            )
        if sample.image is not None:
            # The negative has the same size and therefore the same tokens. Only its content
            # differs.
            negative = replace(sample, image=ImageOps.invert(sample.image.convert("RGB")))
            if torch.equal(_answer_logits(loaded, [negative])[0], logits):
                raise ValueError(f"sample {sample.id}: its picture changes no logit of its answer")


def _answer_logits(loaded: Loaded, samples: Sequence[Sample]) -> list[Tensor]:
    """Return the logits at each sample's answer, [P, V]: P tokens of the answer, V vocabulary."""
    batch = Collator(loaded.family, loaded.processor)([{"sample": sample} for sample in samples])
    labels = batch.pop("labels")
    logits = loaded.model(**{name: v.to(loaded.model.device) for name, v in batch.items()}).logits
    return [
        # The logits at t predict the token at t + 1.
        row[:-1][row_labels[1:] != IGNORED].float()
        for row, row_labels in zip(logits.cpu(), labels, strict=True)
    ]


def _check_end(loaded: Loaded, sample: Sample) -> None:
    """Check that a model forced to write an answer stops at its end, and that its text decodes to
    the answer."""
    family, processor, tokenizer = loaded.family, loaded.processor, loaded.tokenizer
    answer = write_answer(family, processor, sample)
    prompt = prompt_of(family, processor, sample)
    texts = [prompt, prompt + family.answer(processor, prompt, answer)]
    prompt_ids, text_ids = tokenizer(texts, add_special_tokens=False)["input_ids"]
    remaining = text_ids[len(prompt_ids) :]

    def force(_: Module, __: Any, logits: Tensor) -> Tensor:
        if not remaining:
            raise ValueError(f"sample {sample.id}: generation does not stop at {family.end!r}")
        forced = torch.zeros_like(logits)
        forced[..., remaining.pop(0)] = 100.0  # so much that no other token can win
        return forced

    hook = loaded.model.get_output_embeddings().register_forward_hook(force)
    try:
        (text,) = generate_texts(loaded, [sample], max_new_tokens=len(remaining) + 1)
    finally:
        hook.remove()
    if remaining:
        raise ValueError(f"sample {sample.id}: generation stops before {family.end!r}")
    ids = tokenizer(answer, add_special_tokens=False)["input_ids"]
    if text != tokenizer.decode(ids, skip_special_tokens=True).strip():
        raise ValueError(f"sample {sample.id}: its answer {answer!r} is read as {text!r}")
