"""Datasets, written to disk from a kind, a recipe or other data."""

from pathlib import Path

from gnomon.commands._parser import Count, Few, Part, Split
from gnomon.terminal import show


def generate(
    what: str,
    *overrides: str,
    n: Count,
    out: Path,
    split: Split = "train",
    seed: int | None = None,
    format: str | None = None,  # noqa: A002 - as the command line has it
    license: str | None = None,  # noqa: A002
    workers: Few | None = None,
    shard: Part = (1, 1),
) -> None:
    """Write a dataset, or resume writing it.

    Example: gnomon generate clock --n 2000 --out clocks size=112

    what KIND|RECIPE|DATA: a kind (`gnomon ls generators`), a recipe (`gnomon ls configs`), a
        dataset, or your own .csv or folder
    overrides key=value: options of the kind or recipe, such as size=112, or how your own file is
        read, such as columns.answer=time
    n N: number of samples
    out DIR: the directory
    format FORMAT: parquet, imagefolder or webdataset (default: the format of DIR, or parquet)
    license ID: the license for the dataset's card, such as cc-by-4.0
    shard I/N: write only part I of N, to DIR/parts, on one of several machines. The same command
        without it then joins the parts
    """
    from gnomon import store
    from gnomon.runs.resolve import resolve

    samples = resolve(what, overrides).samples(split, seed)
    store.write(
        samples,
        out,
        n=n,
        split=split,
        workers=workers,
        format=format,
        license=license,
        part=shard,
    )
    show(out)
