"""Collation of samples to a batch: prompt and answer in one call, labels on the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from gnomon import dialect
from gnomon.pipeline.families import FAMILIES, load
from gnomon.pipeline.families.base import Family, Processor, encode, tokenizer_of
from gnomon.sample import Sample, Size

if TYPE_CHECKING:
    import torch

    from gnomon.losses import NumericVocab

IGNORED = -100
COVERAGE_SAMPLES = 32
"""Number of training samples, evenly spaced, whose digits are checked before training."""
FINAL_LABELS = "final_labels"
"""Key of a batch for its labels with everything but the final answer ignored."""


@dataclass(frozen=True)
class Collator:
    """Collate function of the trainer's data loader, for rows that contain a `sample` each."""

    family: Family
    processor: Processor
    max_length: int | None = None
    """Largest length in tokens. Longer samples are refused by name, because a truncated sample
    would have a loss of 0 without notice."""
    has_final_labels: bool = False
    """True if a batch of samples with a working also has the labels after it, under
    FINAL_LABELS."""

    def __call__(self, rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        samples: list[Sample] = [row["sample"] for row in rows]
        prompts = [prompt_of(self.family, self.processor, sample) for sample in samples]
        answers = [
            self.family.answer(
                self.processor, prompt, write_answer(self.family, self.processor, sample)
            )
            for prompt, sample in zip(prompts, samples, strict=True)
        ]
        # In one call, because tokenized separately their border could get other tokens than in
        # generation.
        texts = [prompt + answer for prompt, answer in zip(prompts, answers, strict=True)]
        pictures = [sample.images for sample in samples]
        # Padded on the right, so every answer stands just before its row's padding.
        batch = encode(self.processor, texts, pictures, side="right")
        self._check_length(batch, samples)
        batch["labels"] = self._labels(batch, prompts, answers, samples)
        if self.has_final_labels and any(sample.rationale for sample in samples):
            batch[FINAL_LABELS] = self._final_labels(batch["labels"], prompts, answers, samples)
        return batch

    def answer_ids(self, sample: Sample) -> list[int]:
        """Tokenize a sample's label with its end, without opening its picture."""
        prompt = prompt_of(self.family, self.processor, sample)
        answer = write_answer(self.family, self.processor, sample)
        return self._answer_ids(prompt, self.family.answer(self.processor, prompt, answer))

    def _labels(
        self,
        batch: dict[str, torch.Tensor],
        prompts: list[str],
        answers: list[str],
        samples: list[Sample],
    ) -> torch.Tensor:
        """Label the answer's tokens and its end, [B, T]. All tokens before and after are
        ignored."""
        labels = batch["input_ids"].new_full(batch["input_ids"].shape, IGNORED)
        lengths = batch["attention_mask"].sum(1).tolist()
        for row, (prompt, answer) in enumerate(zip(prompts, answers, strict=True)):
            ids, length = self._answer_ids(prompt, answer), lengths[row]
            tail = batch["input_ids"][row, length - len(ids) : length]
            # A tokenizer may merge the prompt's last letter with the answer's first. Then the cut
            # is unclear.
            if not ids or tail.tolist() != ids:
                raise ValueError(
                    f"sample {samples[row].id}: the {self.family.name} tokenizer joins the answer"
                    f" {answer!r} with the prompt, so gnomon cannot tell which of the {length}"
                    " tokens to train"
                )
            labels[row, length - len(ids) : length] = tail
        return labels

    def _final_labels(
        self,
        labels: torch.Tensor,
        prompts: list[str],
        answers: list[str],
        samples: list[Sample],
    ) -> torch.Tensor:
        """Copy the labels, ignoring each working and the sign or word after it."""
        final = labels.clone()
        for row, (prompt, answer, sample) in enumerate(zip(prompts, answers, samples, strict=True)):
            if not sample.rationale:
                continue
            # The working may contain "Answer:" as well. The blank may belong to the answer's token.
            working = dialect.add_working(sample.rationale, "").rstrip()
            end = answer.index(working) + len(working)
            working_ids = self._answer_ids(prompt, answer[:end])
            start = int((labels[row] != IGNORED).nonzero()[0])
            n = _n_common(self._answer_ids(prompt, answer), working_ids)
            final[row, start : start + n] = IGNORED
        return final

    def _check_length(self, batch: dict[str, torch.Tensor], samples: list[Sample]) -> None:
        # Placeholders of pictures are already expanded, so these are the lengths that the model
        # sees.
        lengths = batch["attention_mask"].sum(1).tolist()
        for sample, length in zip(samples, lengths, strict=True):
            # TRL's own truncation would remove the answer, which is at the end.
            if self.max_length is not None and length > self.max_length:
                raise ValueError(
                    f"sample {sample.id}: its {length} tokens do not fit into"
                    f" max_length={self.max_length}, and its answer would be cut off: give"
                    f" max_length={length} or more, or smaller pictures by model.max_pixels"
                )

    def _answer_ids(self, prompt: str, answer: str) -> list[int]:
        """Return the tokens that the answer adds to its prompt's. Empty if it changes the prompt's
        tokens.

        Tokenized alone, an answer may get other tokens, because SentencePiece puts a blank before
        the first word of a text.
        """
        texts = [prompt, prompt + answer]
        # Not the processor, which would ask for the pictures. Pictures do not change the tokens
        # of an answer.
        tokenizer = tokenizer_of(self.processor)
        prompt_ids, ids = tokenizer(texts, add_special_tokens=False)["input_ids"]
        return list(ids[len(prompt_ids) :]) if ids[: len(prompt_ids)] == prompt_ids else []


def _n_common(ids: list[int], working_ids: list[int]) -> int:
    """Count the shared first tokens. The working's last token may merge with the next."""
    equal = (a == b for a, b in zip(ids, working_ids, strict=False))
    return sum(takewhile(bool, equal))


def prompt_of(family: Family, processor: Processor, sample: Sample) -> str:
    """Format a sample's prompt: the text up to the start of the answer."""
    _check_pictures(family, sample)
    _check_placeholder(processor, sample, sample.question)
    return family.prompt(processor, sample.question, n_images=len(sample.images))


def write_answer(family: Family, processor: Processor, sample: Sample) -> str:
    """Write the training answer: the working, then the target in the family's dialect.

    Boxes are in pixels of the resized picture.
    """
    target, size = sample.target, resized_size(family, processor, sample)
    # A sample's boxes refer to the picture as drawn, but the model sees it resized.
    if sample.image is not None and size is not None:
        target = target.scaled(sample.image.size, size)
    try:
        answer = dialect.create(family.dialect).write(target, size)
    except ValueError as error:
        raise ValueError(f"sample {sample.id}: {error}") from error
    if not answer:
        raise ValueError(
            f"sample {sample.id}: its answer is empty, so a model cannot learn from it"
        )
    answer = dialect.add_working(sample.rationale, answer)
    _check_placeholder(processor, sample, answer)
    return answer


def digit_coverage(
    vocab: NumericVocab, family: Family, processor: Processor, samples: Iterable[Sample]
) -> dict[str, float]:
    """Return the share of the answers' digits that a numeric loss sees, by type of answers with
    digits.

    If it sees none, a ValueError shows the tokens.
    """
    answers: dict[str, list[str]] = {}
    for sample in samples:
        text = write_answer(family, processor, sample)
        answers.setdefault(sample.target.type_name, []).append(text)
    return vocab.coverage_by_kind(answers)


def coverage_text(shares: Mapping[str, float]) -> str:
    """Say which share of the answers' digits a numeric loss sees."""
    parts = [f"{100 * share:.0f} % ({kind})" for kind, share in sorted(shares.items())]
    return ", ".join(parts) or "none, because the answers have no digit"


def resized_size(family: Family, processor: Processor, sample: Sample) -> Size | None:
    """Return the size of the first picture after the processor's resize. None without a picture."""
    return next(iter(resized_sizes(family, processor, sample)), None)


def resized_sizes(family: Family, processor: Processor, sample: Sample) -> list[Size]:
    """Return the sizes of the pictures after the processor's resize."""
    _check_pictures(family, sample)
    sizes = []
    # A picture too narrow for the family is reported with the sample's id.
    for image in sample.images:
        try:
            sizes.append(family.resized_size(processor, image.size))
        except ValueError as error:
            width, height = image.size
            raise ValueError(
                f"sample {sample.id}: its picture of {width}×{height}: {error}"
            ) from error
    return sizes


def _check_pictures(family: Family, sample: Sample) -> None:
    """Refuse pictures that the family cannot take: any picture, or more than one."""
    if sample.image is not None and family.vision is None:
        raise ValueError(
            f"sample {sample.id} has a picture, but {family.name} reads only text: name a model"
            " that reads pictures (`gnomon ls families`), or data without pictures"
        )
    if len(sample.images) > 1 and not family.multi_image:
        raise ValueError(
            f"sample {sample.id} has {len(sample.images)} pictures, but {family.name} takes one:"
            f" name a model of the families {', '.join(n for n in FAMILIES if load(n).multi_image)}"
        )


def _check_placeholder(processor: Processor, sample: Sample, text: str) -> None:
    """Refuse a text that contains the placeholder of a picture, because it would count as another
    picture."""
    for part in (processor, tokenizer_of(processor)):
        # Gemma 3's processor and its tokenizer have different placeholders.
        placeholder = getattr(part, "image_token", None)
        if placeholder is not None and placeholder in text:
            raise ValueError(
                f"sample {sample.id}: this model reads {placeholder!r} as a picture, so the text"
                f" must not contain it: {text!r}"
            )
