"""Contact sheets of samples, as they are or as a recipe's model sees them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image

from gnomon.generators.base import Split
from gnomon.generators.drawing.sheet import LARGEST, contact_sheet
from gnomon.pipeline.checkpoint import ModelNotHereError, open_processor
from gnomon.pipeline.collate import IGNORED, Collator, resized_sizes
from gnomon.pipeline.families.base import Family, Processor, tokenizer_of
from gnomon.progress import note, warn
from gnomon.runs.resolve import Resolved
from gnomon.sample import Sample
from gnomon.store.reading.augmented import augmented, check_can_spread
from gnomon.store.reading.mixture import varied_indices
from gnomon.store.user_data.row_files import is_user_data

MAX_SIDE = 448
"""Larger pictures are shrunk to this side on the sheet; smaller ones show the model's pixels."""


def sheet_of(
    title: str, resolved: Resolved, *, split: Split | None, seed: int | None, n: int
) -> Image.Image:
    """Draw a contact sheet; a recipe's has each picture as its model will see it, and its labels.

    Without a split, the sheet has any rows of a user's file, or training samples as training sees
    them. If there are more than `n` samples, random samples with many different labels are drawn.
    """
    recipe = resolved.check_for_drawing()
    # A user looks at a table to see whether it is read right, whatever split a row is in.
    is_table = (
        resolved.source_type == "disk" and not recipe.data[0].benchmark and is_user_data(title)
    )
    pool = resolved.samples(split or ("all" if is_table else "train"), seed)
    seed = recipe.seed if seed is None else seed
    indices = varied_indices(pool, n, seed=seed)
    # A table without a split is shown as it is, unless the user asks for augmentation.
    sources = recipe.data if is_table and split is None else resolved.sources
    if split in (None, "train"):
        width = recipe.loss.spread
        check_can_spread(pool, width)
        if any(source.augment not in (None, "off") for source in sources):
            key = "augment" if resolved.source_type == "disk" else "data.0.augment"
            note(f"pictures are augmented, as training sees them; {key}=off shows them as they are")
        if width:
            note("answers are spread, as training sees them; loss.spread=0 shows the labels")
        pool = augmented(pool, sources, seed=seed, spread=width)
    samples = [pool[index] for index in indices]
    if resolved.source_type != "recipe":
        # Pictures of a size that the user gives are shown in this size.
        sizes = [(source.options or {}).get("size") for source in recipe.data]
        largest = max([LARGEST, *(size for size in sizes if isinstance(size, int))])
        return contact_sheet(samples, title=Path(title).name, largest=largest)
    try:
        family, processor = open_processor(recipe.model)
    except (ModelNotHereError, ModuleNotFoundError) as error:
        warn(f"{error}; the sheet does not show them as the model sees them")
        return contact_sheet(samples, title=title)
    return model_sheet(family, processor, samples, title=f"{title}: as {recipe.model.name} sees it")


def model_sheet(
    family: Family, processor: Processor, samples: Sequence[Sample], *, title: str = ""
) -> Image.Image:
    """Draw a sheet of the pictures after the processor's resize, with boxes and trained answers."""
    return contact_sheet(
        [resize_sample(family, processor, sample) for sample in samples],
        answers=[trained_answer(family, processor, sample) for sample in samples],
        largest=MAX_SIDE,
        title=title,
    )


def resize_sample(family: Family, processor: Processor, sample: Sample) -> Sample:
    """Resize a sample's pictures as the processor does, and its boxes with them."""
    sizes = resized_sizes(family, processor, sample)
    if sample.image is None:
        return sample
    first, *more = (
        image.convert("RGB").resize(size, processor.image_processor.resample)
        for image, size in zip(sample.images, sizes, strict=True)
    )
    # Boxes are on the first picture.
    target = sample.target.scaled(sample.image.size, sizes[0])
    return replace(sample, image=first, more_images=tuple(more), target=target)


def trained_answer(family: Family, processor: Processor, sample: Sample) -> str:
    """Decode the answer from the labels, its end included."""
    labels = Collator(family, processor)([{"sample": sample}])["labels"][0]
    text: str = tokenizer_of(processor).decode(labels[labels != IGNORED])
    return text.strip()
