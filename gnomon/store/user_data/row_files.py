"""Places of a user's rows: a file, a folder's metadata, files of splits, or annotations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon.store.user_data.annotations import folder_rows, is_annotated
from gnomon.store.user_data.checked_pictures import PICTURE_SUFFIXES
from gnomon.store.user_data.lines import SUFFIXES, read_rows
from gnomon.store.user_data.split_files import split_files, split_rows

METADATA = ("metadata.jsonl", "metadata.csv", "annotations.xml")
"""Files with the labels of the pictures next to them, named as by Hugging Face's libraries and
CVAT."""


def is_user_data(path: str | Path) -> bool:
    """Return True for a user's own file or folder of pictures, False for a dataset that gnomon
    wrote."""
    source = Path(path)
    if source.is_dir():
        labels = labels_path(source)
        return labels.exists() and not (source / "manifest.json").exists()
    return source.suffix.lower() in SUFFIXES


def no_rows_message(path: Path) -> str:
    """Explain why a path has no rows and, for a folder of pictures, how to write the missing
    table."""
    if not path.is_dir():
        return f"path: {str(path)!r} is not a file: give {', '.join(SUFFIXES)} or a folder"
    table = path.with_suffix(".csv")  # photos.csv beside photos/
    if table.is_file():
        return f"{path} has no metadata.csv: name {table} itself, with pictures={path}"
    names = sorted(entry.name for entry in path.iterdir())
    # The example names a file of the folder if there is one.
    picture = next(
        (name for name in names if name.lower().endswith(PICTURE_SUFFIXES)), "IMG_0001.jpg"
    )
    return (
        f"{path} has no metadata.csv, which says what its pictures show: write one into it with"
        f" two columns, as\nfile_name,answer\n{picture},4.5\nand one question for all with"
        " columns.ask='What does it show?'; or a third column, question"
    )


def labels_path(path: Path) -> Path:
    """Return the file itself, or the file with the labels in a folder of pictures.

    A folder without such a file is returned itself if it has a file for each split, or annotations
    of detection tools.
    """
    if not path.is_dir():
        return path
    for name in METADATA:
        if (path / name).is_file():
            return path / name
    return path if split_files(path) or is_annotated(path) else path / METADATA[0]


def raw_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line and row of a file, of a folder's metadata, or of an annotated folder.

    Rows of files for each split are numbered consecutively.
    """
    file = labels_path(path)
    if file.is_dir():
        files = split_files(file)
        return split_rows(files) if files else folder_rows(file)
    return read_rows(file)


@dataclass(frozen=True)
class StreamedRows:
    """Raw rows of files that are read again for each pass, so they are never all in memory."""

    file: Path

    @property
    def have_same_columns(self) -> bool:
        """True if the first row has the columns of all rows."""
        return self.file.suffix.lower() in (".csv", ".tsv")

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        return raw_rows(self.file)


def reiterable_rows(file: Path) -> Iterable[tuple[int, dict[str, Any]]]:
    """Return raw rows for two passes, in memory if their format is parsed as a whole."""
    files = [file, *split_files(file).values()]
    if any(path.suffix.lower() in (".csv", ".tsv", ".jsonl") for path in files):
        return StreamedRows(file)
    return list(raw_rows(file))
