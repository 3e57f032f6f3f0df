"""What a model will see of samples and learn from them; its processor is enough, no weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PIL import Image

from gnomon.generators.sheet import contact_sheet
from gnomon.pipeline.collate import IGNORED, Collator, resized_sizes
from gnomon.pipeline.families.base import Family, Processor, tokenizer_of
from gnomon.sample import Sample

LARGEST = 448
"""Pictures are shrunk to this side on the sheet; smaller ones show each of the model's pixels."""


def sheet(
    family: Family, processor: Processor, samples: Sequence[Sample], *, title: str = ""
) -> Image.Image:
    """Each picture after the processor's resize with the label's boxes, and what is supervised."""
    return contact_sheet(
        [as_seen(family, processor, sample) for sample in samples],
        answers=[supervised(family, processor, sample) for sample in samples],
        largest=LARGEST,
        title=title,
    )


def as_seen(family: Family, processor: Processor, sample: Sample) -> Sample:
    """The sample with its pictures as the processor resizes them, and its boxes moved with them."""
    sizes = resized_sizes(family, processor, sample)
    if sample.image is None:
        return sample
    first, *more = (
        image.convert("RGB").resize(size, processor.image_processor.resample)
        for image, size in zip(sample.images, sizes, strict=True)
    )
    target = sample.target.scaled(sample.image.size, sizes[0])
    return replace(sample, image=first, more_images=tuple(more), target=target)


def supervised(family: Family, processor: Processor, sample: Sample) -> str:
    """The answer as it is decoded from the labels, its end included."""
    _, labels = _ids(family, processor, sample)
    text: str = tokenizer_of(processor).decode([label for label in labels if label != IGNORED])
    return text.strip()


def token_table(family: Family, processor: Processor, sample: Sample) -> str:
    """A line for each token: its place, id and text, and its label if it has one.

    The picture's placeholders are one line, however many they are.
    """
    ids, labels = _ids(family, processor, sample)
    tokenizer = tokenizer_of(processor)
    lines = [
        "place      id  token",
        *_runs(ids, labels, tokenizer.batch_decode([[i] for i in ids])),
    ]
    trained = sum(label != IGNORED for label in labels)
    return "\n".join([*lines, f"{sample.id}: {len(ids)} tokens, {trained} of them supervised"])


def _runs(ids: list[int], labels: list[int], texts: list[str]) -> list[str]:
    """Equal neighbours without a label are told of once."""
    lines: list[str] = []
    for place, (token, label) in enumerate(zip(ids, labels, strict=True)):
        before, after = ids[place - 1 : place], ids[place + 1 : place + 2]
        if label == IGNORED and before == after == [token]:
            lines[-1:] = lines[-1:] if lines[-1].lstrip() == "…" else [lines[-1], "    …"]
            continue
        mark = "" if label == IGNORED else "  <- supervised"
        lines.append(f"{place:>5} {token:>7}  {texts[place]!r}{mark}")
    return lines


def _ids(family: Family, processor: Processor, sample: Sample) -> tuple[list[int], list[int]]:
    batch = Collator(family, processor)([{"sample": sample}])
    return batch["input_ids"][0].tolist(), batch["labels"][0].tolist()
