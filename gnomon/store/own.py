"""A user's own rows: JSONL, CSV, a folder of pictures with metadata, or a dataset of the hub.

All rows are looked at when the file is opened; those that cannot be used are refused together, each
by its line, before anything is trained on the rest.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from gnomon.generators.base import split_of
from gnomon.progress import track
from gnomon.sample import Sample
from gnomon.store.own_answers import read_answer
from gnomon.store.own_lines import lines_of
from gnomon.store.photograph import picture_of, size_of
from gnomon.store.samples import Samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gnomon.recipe import Columns
    from gnomon.sample import Target

METADATA = ("metadata.jsonl", "metadata.csv")
"""What says something of the pictures beside it, as the Hugging Face libraries name it."""
_SHOWN = 10


@dataclass(frozen=True)
class Row:
    """One row of a file that can be used."""

    line: int
    image: Any
    """A path, a picture, the bytes of its file, or None."""
    question: str
    target: Target
    group: str
    """What it shares with the rows that must stand in its split."""
    split: str
    rationale: str = ""
    part: str = ""
    """Which of the samples that one line holds."""


class Own(Samples):
    """The rows of one split, in the order of the file."""

    def __init__(
        self, name: str, how: dict[str, Any], split: str, rows: Sequence[Row], content: str
    ) -> None:
        self.name, self.how, self.split = name, how, split
        self.rows, self.content = rows, content

    def __repr__(self) -> str:
        return f"<Own {self.name}, {self.split}: {self.length:,} rows>"

    @property
    def length(self) -> int:
        """How many rows the split has."""
        return len(self.rows)

    def at(self, index: int) -> Sample:
        if not 0 <= index < self.length:
            raise IndexError(f"index {index}: {self.name} has samples 0 to {self.length - 1}")
        row = self.rows[index]
        facts = {"file": self.name, "line": row.line, "group": row.group}
        name = f"{self.name}-{row.line:07}{row.part and '-'}{row.part}"
        return Sample(name, self._picture(row), row.question, row.target, facts, row.rationale)

    def _picture(self, row: Row) -> Image.Image | None:
        """Only what opens a file is looked at before: a picture that breaks off is found here."""
        try:
            return None if row.image is None else picture_of(row.image)
        except ValueError as error:
            raise ValueError(f"{self.name}: line {row.line}: {error}") from error

    def describe(self) -> dict[str, Any]:
        """The file's name and the hash of its rows; pictures by their names and sizes."""
        return {
            "source": "own",
            "file": self.name,
            **self.how,
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
    return _opened(place.name, lines_of(file), columns, split, file.parent)


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


def opened(
    name: str,
    lines: Iterator[tuple[int, dict[str, Any]]],
    read: Callable[[int, dict[str, Any]], Iterable[Row]],
    split: str,
    how: dict[str, Any],
) -> Own:
    """The rows of that split; `read` makes them of a line, and `how` says so to a reader."""
    rows, faults, digest, line = [], [], sha256(), 0
    for line, raw in track(lines, desc=name, unit=" rows", delay=2):
        try:
            found = list(read(line, raw))
        except ValueError as error:
            faults.append(f"line {line}: {error}")
            continue
        for row in found:
            digest.update(repr((row.question, row.target, row.group, _trace(row.image))).encode())
        rows += [row for row in found if row.split == split]
    if faults:
        shown = "\n".join(faults[:_SHOWN])
        more = f"\nand {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
        many = "1 row" if len(faults) == 1 else f"{len(faults)} rows"
        raise ValueError(f"{name}: {many} cannot be used:\n{shown}{more}")
    if not line:
        raise ValueError(f"{name}: there is no row in it")
    if not rows:
        raise ValueError(f"{name}: no row belongs to the {split} split; name a `split` column")
    return Own(name, how, split, tuple(rows), digest.hexdigest()[:16])


def _opened(
    name: str, lines: Iterator[tuple[int, dict[str, Any]]], columns: Columns, split: str, at: Path
) -> Own:
    def read(line: int, raw: dict[str, Any]) -> list[Row]:
        return [_row(line, raw, columns, at)]

    return opened(name, lines, read, split, {"columns": asdict(columns)})


def _row(line: int, raw: dict[str, Any], columns: Columns, at: Path) -> Row:
    name = _image_column(raw, columns)
    image = None if name is None else _image(_column(raw, name), at)
    question = columns.ask or str(_column(raw, columns.question))
    size = size_of(image) if image is not None else None
    target = read_answer(_column(raw, columns.answer), columns, size)
    group = columns.group and str(_column(raw, columns.group))
    group = group or str(image or question)
    return Row(line, image, question, target, group, _split_of(raw, group, columns))


def _image_column(raw: dict[str, Any], columns: Columns) -> str | None:
    """Unless the recipe names another, what Hugging Face's folders call it does as well."""
    usual = columns.image == "image" and "image" not in raw and "file_name" in raw
    return "file_name" if usual else columns.image


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


def _trace(image: Any) -> Any:
    """What tells a picture from another without reading it whole."""
    if isinstance(image, Path):
        return image.name, image.stat().st_size
    if isinstance(image, bytes):
        return sha256(image).hexdigest()
    return image if image is None else image.size


def _split_of(raw: dict[str, Any], group: str, columns: Columns) -> str:
    """As the rows say, or by a hash of the group: what belongs together is never parted."""
    if columns.split is None:
        return split_of("own", group)
    said = str(_column(raw, columns.split)).lower()
    return {"validation": "val", "valid": "val", "dev": "val"}.get(said, said)


def _metadata(folder: Path) -> Path:
    found = (folder / name for name in METADATA if (folder / name).is_file())
    return next(found, folder / METADATA[0])
