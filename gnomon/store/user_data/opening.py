"""A user's own rows: a table or chats, a folder with metadata, or a dataset of the hub."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gnomon.files import Folders
from gnomon.names import nearest_names
from gnomon.recipe import Columns
from gnomon.store.user_data.annotations import state
from gnomon.store.user_data.building import OnBad, build_table, cached_table, warn_once
from gnomon.store.user_data.chats import chat_questions, has_chats
from gnomon.store.user_data.checked_pictures import file_state
from gnomon.store.user_data.choices import NAMES, are_letters
from gnomon.store.user_data.lines import MAX_ROWS
from gnomon.store.user_data.row_files import (
    StreamedRows,
    labels_path,
    no_rows_message,
    reiterable_rows,
)
from gnomon.store.user_data.row_reader import RowReader, image_column
from gnomon.store.user_data.row_steps import step_columns
from gnomon.store.user_data.split_files import PLACE_COLUMN, split_files
from gnomon.store.user_data.table import UserRow, UserTable

_HOURS_AND_MINUTES = re.compile(r"\bhh?:mm\b(?!:s)", re.IGNORECASE)
_NUMERIC = re.compile(r"\d{1,2}:\d\d(:\d\d)?|[-+]?\d[\d.,]*( ?\S{1,6})?", re.ASCII)


class MissingColumnError(ValueError):
    """A table that lacks columns. `keys` are the keys of `columns` that name them."""

    def __init__(self, message: str, keys: Iterable[str]) -> None:
        super().__init__(message)
        self.keys = tuple(keys)


def open_table(
    path: str | Path,
    columns: Columns,
    split: str,
    *,
    on_bad: OnBad = "refuse",
    pictures: str | None = None,
) -> UserTable:
    """Open the rows of a file, or of a folder's metadata, that belong to the split.

    The split "all" has every row. Pictures lie in the file's folder, or in the folder `pictures`.
    """
    source = Path(path)
    file = labels_path(source)
    if not (file.is_file() or file.is_dir()):
        raise ValueError(no_rows_message(source))

    folders = picture_folders(file if file.is_dir() else file.parent, pictures=pictures)

    def read() -> UserTable:
        return _build(source.name, reiterable_rows(file), columns, folders, on_bad)

    states = (*state(file), *map(file_state, split_files(file).values()))
    options = source.name, repr(columns), on_bad, pictures, states
    return cached_table(file, options, read).part(split)


def picture_folders(*folders: Path, pictures: str | None) -> Folders:
    """Return the folders in which pictures may lie, including the folder that the user allows."""
    if pictures is None:
        return Folders(*folders, option="pictures")
    if not Path(pictures).is_dir():
        raise ValueError(f"pictures: {pictures!r} is not a folder")
    return Folders(*folders, Path(pictures), option="pictures")


def open_hub(name: str, columns: Columns, split: str, *, on_bad: OnBad = "refuse") -> UserTable:
    """Open a dataset of the hub, by owner/name. Its splits are joined and the rows are divided
    anew.

    Rows can only name files that were downloaded for this dataset.
    """
    from datasets import load_dataset
    from huggingface_hub import constants

    from gnomon.store.parquet import shortest_decimals

    downloads = Path(constants.HF_HUB_CACHE, f"datasets--{name.replace('/', '--')}")

    # Raw from Arrow, because the library would decode pictures of any format.
    parts = [part.with_format("arrow") for part in load_dataset(name).values()]
    n = sum(part.num_rows for part in parts)
    if n > MAX_ROWS:
        raise ValueError(f"{name}: it has {n:,} rows, and gnomon reads at most {MAX_ROWS:,}")
    tables = (table for part in parts for table in part.iter(256))
    rows = [row for table in tables for row in shortest_decimals(table).to_pylist()]
    return _build(name, list(enumerate(rows, 1)), columns, Folders(downloads), on_bad).part(split)


def _build(
    name: str,
    lines: Iterable[tuple[int, dict[str, Any]]],
    columns: Columns,
    at: Folders,
    on_bad: OnBad,
) -> UserTable:
    names = _column_names(lines)
    chats = has_chats(names, columns)
    # A chat has its questions and answers in its turns, whatever the columns.
    if not chats:
        _check_columns_exist(name, list(names), columns)

    def questions(raw: dict[str, Any]) -> list[dict[str, Any]]:
        return chat_questions(raw, columns) if chats else [raw]

    by_letter = isinstance(columns.choices, str) and are_letters(
        (question for _, raw in lines for question in questions(raw)), columns
    )
    reader = RowReader(columns, at, names, by_letter=by_letter)

    def read(line: int, raw: dict[str, Any]) -> list[UserRow]:
        try:
            rows = [reader.row(line, question) for question in questions(raw)]
        except ValueError as error:
            if PLACE_COLUMN not in raw:
                raise
            raise ValueError(f"{raw[PLACE_COLUMN]}: {error}") from error
        if len(rows) == 1:
            return rows
        return [row._replace(part=str(number)) for number, row in enumerate(rows)]

    changed = {key: v for key, v in asdict(columns).items() if v != getattr(Columns, key)}
    # As JSON returns it: a stored description has lists in place of tuples and would never be
    # equal.
    described = json.loads(json.dumps(changed))
    table = build_table(name, lines, read, {"columns": described}, on_bad)
    if reader.notes:
        notes = [f"in {n:,} of its rows {what}" for what, n in reader.notes.items()]
        warn_once(f"{name}: {'; '.join(notes)}")
    unused = [column for column in NAMES if column in names and columns.choices is None]
    if unused and columns.kind == "text":
        warn_once(
            f"{name}: its column {unused[0]!r} is not used: if it holds the choices of each"
            f" question, set columns.choices={unused[0]}"
        )
    if reader.example is not None:
        warn_once(
            f"{name}: labels such as {reader.example} begin with a zero, and answers leave it"
            " out: set columns.digits=label to keep the zeros, or columns.digits=0 to leave"
            " them out"
        )
    rows_of_times = table.rows if columns.kind == "time" else ()
    if n_seconds := sum(map(_has_needless_seconds, rows_of_times)):
        warn_once(
            f"{name}: {n_seconds:,} of {table.length:,} labels have seconds, but their question"
            " asks for HH:MM, so no answer can be exactly right: set columns.seconds=drop to leave"
            " the seconds out, or ask for HH:MM:SS"
        )
    is_free_text = columns.kind == "text" and columns.choices is None
    if is_free_text and all(_NUMERIC.fullmatch(row.target.display()) for row in table.rows):
        warn_once(
            f"{name}: the answers look like numbers or times and are read as texts:"
            " set columns.kind=number or columns.kind=time to measure how far off an answer is"
        )
    return table


def _has_needless_seconds(row: UserRow) -> bool:
    """Return True if a label has seconds, as in 10:08:30, and the question does not ask for
    them."""
    return row.target.write().count(":") == 2 and bool(_HOURS_AND_MINUTES.search(row.question))


def _column_names(lines: Iterable[tuple[int, dict[str, Any]]]) -> dict[str, None]:
    """Return the names of all columns in the order of the file, without repetition."""
    names: dict[str, None] = {}
    for _, raw in lines:
        # A dict keeps the order, a set does not.
        names.update(dict.fromkeys(raw))
        if isinstance(lines, StreamedRows) and lines.have_same_columns:
            break
    return names


def _check_columns_exist(name: str, present: list[str], columns: Columns) -> None:
    """Refuse columns that no row has, once for all rows."""
    required = {
        "image": image_column(present, columns),
        "question": None if columns.ask else columns.question,
        "answer": columns.answer,
        "group": columns.group,
        "split": columns.split,
        "within": columns.within if isinstance(columns.within, str) else None,
        "choices": columns.choices if isinstance(columns.choices, str) else None,
        "steps": next((name for name in step_columns(columns) if name not in present), None),
        "more_images": next((name for name in columns.more_images if name not in present), None),
    }
    missing = {
        key: column
        for key, column in required.items()
        if column is not None and column not in present
    }
    if present and missing:
        notes = {"image": " (null for text alone)", "question": " (or columns.ask)"}
        ways = [f"columns.{key}{notes.get(key, '')}" for key in missing]
        near = dict.fromkeys(
            name for column in missing.values() for name in nearest_names(column, present)[:1]
        )
        raise MissingColumnError(
            f"{name}: no column {' or '.join(map(repr, missing.values()))}; its columns are"
            f" {', '.join(column or repr(column) for column in present)}: set {', '.join(ways)}"
            + (f"; did you mean {', '.join(near)}?" if near else ""),
            missing,
        )
