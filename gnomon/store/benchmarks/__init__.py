"""Published benchmarks, by name in BENCHMARKS, read from local files. Nothing is downloaded.

Each function turns rows into questions with typed targets. The split comes from the file's name, or
from the row if a file has several splits. Otherwise it is test, so test data is never trained on by
mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from gnomon import names

if TYPE_CHECKING:
    from gnomon.store.user_data.building import OnBad
    from gnomon.store.user_data.table import UserRow, UserTable

BENCHMARKS = {
    "chartqa": "gnomon.store.benchmarks.question_answering:chartqa",
    "clockbench": "gnomon.store.benchmarks.instruments:clockbench",
    "gsm8k": "gnomon.store.benchmarks.question_answering:gsm8k",
    "measurebench": "gnomon.store.benchmarks.instruments:measurebench",
    "refcoco": "gnomon.store.benchmarks.question_answering:refcoco",
    "scalebench": "gnomon.store.benchmarks.instruments:scalebench",
    "ticktockvqa": "gnomon.store.benchmarks.instruments:ticktockvqa",
    "vlmevalkit": "gnomon.store.benchmarks.question_answering:vlmevalkit",
}
# Folder of pictures that the user allows in addition to the file's own. A context variable,
# because the functions of the benchmarks do not take it.
_ALLOWED: ContextVar[str | None] = ContextVar("pictures", default=None)
# Number of parts of a picture's path that are tried, from its end.
_MAX_TAIL = 20


def open_benchmark(
    name: str,
    path: str | Path,
    split: str,
    *,
    on_bad: OnBad = "refuse",
    pictures: str | None = None,
) -> UserTable:
    """Open the questions of a benchmark's file that belong to the split.

    Pictures lie next to the file, or in the folder `pictures`.
    """
    from gnomon.store.user_data.building import build_table, cached_table
    from gnomon.store.user_data.lines import read_rows

    rows: Callable[[int, dict[str, Any], Path], Iterable[UserRow]] = names.load(
        BENCHMARKS, name, what="benchmark", command="gnomon ls benchmarks"
    )
    file = Path(path)

    def read(line: int, raw: dict[str, Any]) -> list[UserRow]:
        """Return a row's questions. Benchmarks do not check types, so any error means another
        layout."""
        try:
            return list(rows(line, raw, file))
        except (ArithmeticError, AttributeError, LookupError, OSError, TypeError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise ValueError(f"the row is not in the benchmark's layout: {reason}") from error

    def table() -> UserTable:
        with _allow_pictures(pictures):
            return build_table(file.name, read_rows(file), read, {"benchmark": name}, on_bad)

    return cached_table(file, (name, on_bad, pictures), table).part(split)


def split_of_file(file: Path) -> str:
    """Return the split in a file's name, or test if the name contains none."""
    match = re.search(r"(?<![a-z])(train|val|dev)", file.stem.lower())
    return {"train": "train", "val": "val", "dev": "val"}[match[1]] if match else "test"


def first_filled_cell(raw: dict[str, Any], *columns: str) -> Any:
    """Return the first value among the columns that is not empty."""
    for column in columns:
        if raw.get(column) not in (None, ""):
            return raw[column]
    raise ValueError(
        f"column {columns[0]!r} is empty or missing (the columns are {', '.join(map(str, raw))})"
    )


@contextmanager
def _allow_pictures(pictures: str | None) -> Iterator[None]:
    """Also allow pictures in this folder while a benchmark's file is read."""
    token = _ALLOWED.set(pictures)
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def find_picture(raw: dict[str, Any], file: Path, column: str, *folders: str) -> Path | bytes:
    """Return the picture at the path in a column, or the bytes in the row's `image`.

    The path is searched next to the file, in its `folders`, and in the folder that the user allows.
    Published paths start elsewhere, so any tail of data/coco/train2014/a.jpg may exist here.
    """
    from gnomon.store.user_data.opening import picture_folders

    value = raw.get(column) or first_filled_cell(raw, "image")
    path = value.get("bytes") if isinstance(value, dict) else value  # the datasets library wraps it
    if isinstance(path, bytes):
        return path
    if not isinstance(path, str):
        raise ValueError("the `image` column holds no picture")
    parts = PurePosixPath(path).parts[-_MAX_TAIL:]
    # The longest tail first, because it matches the published path best.
    tails = ["/".join(parts[first:]) for first in range(len(parts))]
    roots = [file.parent, *(file.parent / folder for folder in folders)]
    try:
        return picture_folders(*roots, pictures=_ALLOWED.get()).find(*tails)
    except ValueError as error:
        raise ValueError(
            f"{error} (gnomon looks for {path!r} in the folder of {file.name})"
        ) from error


def picture_group(image: Path | bytes) -> str:
    """Return a name that rows of the same picture share."""
    return image.name if isinstance(image, Path) else sha256(image).hexdigest()[:16]
