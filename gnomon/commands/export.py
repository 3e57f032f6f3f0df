"""Samples for other trainers and harnesses."""

from pathlib import Path

from gnomon.commands._parser import Count, ExportFormat, Split
from gnomon.terminal import show


def export(
    what: str,
    *overrides: str,
    to: ExportFormat,
    out: Path,
    family: str | None = None,
    split: Split | None = None,
    n: Count | None = None,
) -> None:
    """Write samples out for another trainer, or as a task of lmms-eval.

    Example: gnomon export clocks --to trl --family qwen2-vl --out clocks-trl

    what DIR|KIND|RECIPE: a dataset, your own file, a kind or a recipe
    overrides key=value: options of the kind or recipe, such as size=112, or how your own file is
        read, such as columns.answer=time
    to FORMAT: trl and messages are for TRL, swift is for ms-swift, lmms-eval is a task for it
    family FAMILY: the model family that sets the dialect of boxes, such as qwen2-vl (`gnomon ls
        families`)
    out DIR: the directory
    split: default: train, or test for lmms-eval
    n N: number of samples (default: all)
    """
    from gnomon.pipeline import families
    from gnomon.pipeline.exporting.export import export as write_out
    from gnomon.recipe import RecipeError
    from gnomon.runs.resolve import resolve
    from gnomon.store.lock import sole_writer

    if family is None:
        raise RecipeError(
            "--family: name the architecture that will be trained or asked, such as --family"
            " qwen2-vl: boxes and the sizes of pictures are written for it; `gnomon ls families`"
            " lists them"
        )
    # A task measures, so its samples are held out; the other formats are for training.
    split = split or ("test" if to == "lmms-eval" else "train")
    samples = resolve(what, overrides).samples(split)
    total = n or samples.length
    if total is None:  # drawn samples, and no --n
        raise RecipeError(f"{what} has no end: say how many with --n")
    if n and samples.length is not None and n > samples.length:
        raise RecipeError(f"n={n}: {what} has {samples.length:,} in its {split} split")
    some = (samples[index] for index in range(total))
    with sole_writer(out):
        show(write_out(some, total, families.create(family), to, out))
