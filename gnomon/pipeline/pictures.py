"""Pictures without labels: one question asked of every picture in a folder, answers to CSV."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tqdm import tqdm

from gnomon.pipeline.predict import answer
from gnomon.store.photograph import picture_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PIL.Image import Image

    from gnomon.pipeline.load import Loaded

SUFFIXES = {".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"}


@dataclass(frozen=True)
class Picture:
    """A picture that has no answer yet, and what is asked of it."""

    id: str
    image: Image
    question: str


def in_folder(folder: Path) -> list[Path]:
    """The folder's pictures by name; a ValueError where there is none."""
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in SUFFIXES)
    if not files:
        raise ValueError(f"{folder}: no pictures ({', '.join(sorted(SUFFIXES))}) in it")
    return files


def to_csv(
    loaded: Loaded,
    files: list[Path],
    question: str,
    out: Path,
    *,
    batch_size: int,
    max_new_tokens: int,
) -> list[str]:
    """Two columns, file and answer; written beside and put in place when it is whole.

    What is no picture has no answer; it is handed back, for the others' answers are worth keeping.
    """
    broken: list[str] = []
    part = out.with_name(out.name + ".part")
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with part.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["file", "answer"])
            for start in tqdm(range(0, len(files), batch_size), desc="pictures", unit="batch"):
                batch = list(_opened(files[start : start + batch_size], question, broken))
                texts = answer(loaded, batch, max_new_tokens=max_new_tokens) if batch else []
                rows.writerows(zip((p.id for p in batch), texts, strict=True))
        part.replace(out)
        return broken
    finally:
        part.unlink(missing_ok=True)


def _opened(files: list[Path], question: str, broken: list[str]) -> Iterator[Picture]:
    for file in files:
        try:
            yield Picture(file.name, picture_of(file), question)
        except ValueError as error:
            broken.append(str(error))
