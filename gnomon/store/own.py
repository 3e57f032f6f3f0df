"""A user's own rows: JSONL, CSV, a folder of pictures with metadata, or a dataset of the hub.

All rows are looked at when the file is opened; those that cannot be used are refused together, each
by its line, before anything is trained on the rest.
"""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image, UnidentifiedImageError
from tqdm import tqdm

from gnomon.generators.base import split_of
from gnomon.sample import Sample
from gnomon.store.own_answers import read_answer
from gnomon.store.samples import Samples

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gnomon.recipe import Columns
    from gnomon.sample import Size, Target

METADATA = ("metadata.jsonl", "metadata.csv")
"""What says something of the pictures beside it, as the Hugging Face libraries name it."""
_SHOWN = 10


@dataclass(frozen=True)
class Row:
    """One row of a file that can be used."""

    line: int
    image: Any
    """A path, a picture, or None."""
    question: str
    target: Target
    group: str


class Own(Samples):
    """The rows of one split, in the order of the file."""

    def __init__(
        self, name: str, columns: Columns, split: str, rows: Sequence[Row], content: str
    ) -> None:
        self.name, self.columns, self.split = name, columns, split
        self.rows, self.content = rows, content

    @property
    def length(self) -> int:
        """How many rows the split has."""
        return len(self.rows)

    def __getitem__(self, index: int) -> Sample:
        if not 0 <= index < self.length:
            raise IndexError(f"index {index}: {self.name} has samples 0 to {self.length - 1}")
        row = self.rows[index]
        facts = {"file": self.name, "line": row.line, "group": row.group}
        name = f"{self.name}-{row.line:07}"
        return Sample(name, _picture(row.image), row.question, row.target, facts)

    def describe(self) -> dict[str, Any]:
        """The file's name and the hash of its rows; pictures by their names and sizes."""
        return {
            "source": "own",
            "file": self.name,
            "columns": asdict(self.columns),
            "split": self.split,
            "rows": self.length,
            "content": self.content,
        }


def open_own(path: str | Path, columns: Columns, split: str) -> Own:
    """The rows of a .jsonl or .csv file, or of a folder's metadata, that belong to the split."""
    place = Path(path)
    file = _metadata(place) if place.is_dir() else place
    if not file.is_file():
        raise ValueError(f"path: {str(path)!r} is no file: give a .jsonl, a .csv or a folder")
    return _opened(place.name, _lines(file), columns, split, file.parent)


def open_hub(name: str, columns: Columns, split: str) -> Own:
    """The rows of a dataset of the hub, by owner/name; its splits are joined and dealt out anew."""
    from datasets import load_dataset

    parts = load_dataset(name)
    rows = (dict(row) for part in parts.values() for row in part)
    return _opened(name, enumerate(rows, 1), columns, split, Path())


def is_own(path: str | Path) -> bool:
    """Whether a path is a user's own file or folder, not a dataset that gnomon wrote."""
    place = Path(path)
    if place.is_dir():
        return not (place / "manifest.json").exists() and _metadata(place).is_file()
    return place.suffix.lower() in (".jsonl", ".csv")


def _opened(
    name: str, lines: Iterator[tuple[int, dict[str, Any]]], columns: Columns, split: str, at: Path
) -> Own:
    rows, faults, digest = [], [], sha256()
    for line, raw in tqdm(lines, desc=name, unit=" rows", delay=2):
        try:
            row = _row(line, raw, columns, at)
        except ValueError as error:
            faults.append(f"line {line}: {error}")
            continue
        digest.update(repr((row.question, row.target, row.group, _trace(row.image))).encode())
        if _split_of(raw, row, columns) == split:
            rows.append(row)
    if faults:
        shown = "\n".join(faults[:_SHOWN])
        more = f"\nand {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
        raise ValueError(f"{name}: {len(faults)} rows cannot be used:\n{shown}{more}")
    if not rows:
        raise ValueError(f"{name}: no row belongs to the {split} split; name a `split` column")
    return Own(name, columns, split, tuple(rows), digest.hexdigest()[:16])


def _lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row with the line that it begins on."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        if file.suffix.lower() == ".csv":
            reader = csv.DictReader(opened)
            before = 1
            for row in reader:
                yield before + 1, row
                before = reader.line_num
        elif file.suffix.lower() == ".jsonl":
            for line, text in enumerate(opened, 1):
                if text.strip():
                    yield line, _object(text, file, line)
        else:
            raise ValueError(f"{file}: give a .jsonl or a .csv")


def _object(text: str, file: Path, line: int) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{file}: line {line}: not JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError(f"{file}: line {line}: {row!r} is no object with columns")
    return row


def _row(line: int, raw: dict[str, Any], columns: Columns, at: Path) -> Row:
    image = None if columns.image is None else _image(_column(raw, columns.image), at)
    question = columns.ask or str(_column(raw, columns.question))
    size = _size(image) if image is not None else None
    target = read_answer(_column(raw, columns.answer), columns, size)
    group = columns.group and str(_column(raw, columns.group))
    return Row(line, image, question, target, group or str(image or question))


def _column(raw: dict[str, Any], name: str) -> Any:
    value = raw.get(name)
    if value is None or value == "":
        what = "is empty" if name in raw else f"is not there (there are {', '.join(map(str, raw))})"
        raise ValueError(f"column {name!r} {what}")
    return value


def _image(value: Any, at: Path) -> Any:
    """A path beside the file, or a picture as the Hugging Face libraries decode it."""
    if isinstance(value, Image.Image):
        return value
    path = at / str(value)
    if not path.is_file():
        raise ValueError(f"no picture at {str(value)!r}")
    return path


def _size(image: Any) -> Size:
    if isinstance(image, Image.Image):
        return image.size
    try:
        with Image.open(image) as opened:
            size: Size = opened.size
            return size
    except (UnidentifiedImageError, OSError) as error:
        raise ValueError(f"{image.name} is no picture: {error}") from error


def _picture(image: Any) -> Image.Image | None:
    if image is None or isinstance(image, Image.Image):
        return image if image is None else image.convert("RGB")
    with Image.open(image) as opened:
        return opened.convert("RGB")


def _trace(image: Any) -> Any:
    """What tells a picture from another without reading it whole."""
    if isinstance(image, Path):
        return image.name, image.stat().st_size
    return image if image is None else image.size


def _split_of(raw: dict[str, Any], row: Row, columns: Columns) -> str:
    """As the rows say, or by a hash of the group: what belongs together is never parted."""
    if columns.split is None:
        return split_of("own", row.group)
    said = str(_column(raw, columns.split)).lower()
    return {"validation": "val", "valid": "val", "dev": "val"}.get(said, said)


def _metadata(folder: Path) -> Path:
    found = (folder / name for name in METADATA if (folder / name).is_file())
    return next(found, folder / METADATA[0])
