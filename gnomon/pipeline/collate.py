"""Samples to a batch: prompt and answer through the processor in one call, labels on the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gnomon import dialect
from gnomon.sample import resized

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from PIL.Image import Image
    from transformers import ProcessorMixin

    from gnomon.pipeline.families.base import Family
    from gnomon.sample import Sample, Size

IGNORED = -100


class Question(Protocol):
    """What a model is asked: a Sample, or a picture that has no answer yet."""

    @property
    def id(self) -> str: ...
    @property
    def image(self) -> Image | None: ...
    @property
    def question(self) -> str: ...


@dataclass(frozen=True)
class Collator:
    """Called by the trainer's data loader with rows that hold a `sample` each."""

    family: Family
    processor: ProcessorMixin

    def __call__(self, rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        samples: list[Sample] = [row["sample"] for row in rows]
        answers = [written_answer(self.family, self.processor, sample) for sample in samples]
        prompts = [
            self.family.prompt(self.processor, s.question, image=s.image is not None)
            for s in samples
        ]
        texts = [p + a + self.family.end for p, a in zip(prompts, answers, strict=True)]
        batch = encode(self.processor, texts, samples, side="right")
        batch["labels"] = self._labels(batch, answers, samples)
        return batch

    def _labels(
        self, batch: dict[str, torch.Tensor], answers: list[str], samples: list[Sample]
    ) -> torch.Tensor:
        """The answer's tokens and its end; everything before and after is ignored."""
        labels = batch["input_ids"].new_full(batch["input_ids"].shape, IGNORED)
        lengths = batch["attention_mask"].sum(1).tolist()
        for row, (answer, length) in enumerate(zip(answers, lengths, strict=True)):
            ids = self._answer_ids(answer)
            tail = batch["input_ids"][row, length - len(ids) : length]
            if tail.tolist() != ids:
                raise ValueError(
                    f"sample {samples[row].id}: the answer {answer!r} does not stand whole at the"
                    f" end of its {length} tokens; the {self.family.name} tokenizer joins it with"
                    " the prompt"
                )
            labels[row, length - len(ids) : length] = tail
        return labels

    def _answer_ids(self, answer: str) -> list[int]:
        tokenizer = self.processor.tokenizer
        ids: list[int] = tokenizer(answer + self.family.end, add_special_tokens=False)["input_ids"]
        return ids


def written_answer(family: Family, processor: ProcessorMixin, sample: Sample) -> str:
    """The training answer: the working, then the target in the family's dialect.

    Boxes are those on the resized picture.
    """
    target, size = sample.target, resized_size(family, processor, sample)
    if sample.image is not None and size is not None:
        target = resized(target, sample.image.size, size)
    answer = dialect.create(family.dialect).write(target, size)
    if not answer:
        raise ValueError(f"sample {sample.id}: its answer is empty, so nothing can be learnt of it")
    return dialect.worked(sample.rationale, answer)


def resized_size(family: Family, processor: ProcessorMixin, sample: Sample) -> Size | None:
    """The size that the sample's picture has when the model sees it; None without a picture."""
    return None if sample.image is None else family.resized(processor, sample.image.size)


def encode(
    processor: ProcessorMixin, texts: list[str], asked: Sequence[Question], *, side: str
) -> dict[str, torch.Tensor]:
    """Texts with their pictures as tensors, padded on that side."""
    pictures = [image for image in (question.image for question in asked) if image is not None]
    processor.tokenizer.padding_side = side
    return dict(processor(text=texts, images=pictures or None, padding=True, return_tensors="pt"))
