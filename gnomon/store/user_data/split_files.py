"""Files train, val and test in one folder, which form a dataset with official splits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gnomon.store.user_data.lines import SUFFIXES, read_rows

SPLIT_NAMES = {
    "train": "train",
    **dict.fromkeys(("val", "validation", "valid", "dev"), "val"),
    "test": "test",
}
"""Maps the names of splits in files and columns to gnomon's names."""
SPLIT_COLUMN, PLACE_COLUMN = "official split", "file and line"
"""Columns of rows from such files: the split, and the place for messages."""


def split_files(folder: Path) -> dict[str, Path]:
    """Return the file of each split. Empty unless the folder has a file train and another split."""
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        split = SPLIT_NAMES.get(path.stem.lower())
        if split is None or path.suffix.lower() not in SUFFIXES or not path.is_file():
            continue
        if split in files:
            raise ValueError(
                f"{folder}: {files[split].name} and {path.name} both belong to the {split} split:"
                " remove one of them, or name the file itself"
            )
        files[split] = path
    # By name, test would come before train.
    files = {split: files[split] for split in SPLIT_NAMES.values() if split in files}
    return files if "train" in files and len(files) > 1 else {}


def split_rows(files: dict[str, Path]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of all files, numbered consecutively, with their splits and places."""
    number = 0
    for split, file in files.items():
        for line, raw in read_rows(file):
            number += 1
            place = f"line {line} of {file.name}"
            yield number, {**raw, SPLIT_COLUMN: split, PLACE_COLUMN: place}
