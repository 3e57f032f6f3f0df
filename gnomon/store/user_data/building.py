"""Tables of a user's rows. Every row and picture is checked when the file is opened.

Unusable rows are refused together, each with its line, or left out if `on_bad` is "skip".
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gnomon.generators.base import split_of
from gnomon.progress import track, warn
from gnomon.store.user_data.checked_pictures import (
    Picture,
    file_state,
    picture_faults,
    picture_hash,
)
from gnomon.store.user_data.table import UserRow, UserRows, UserTable

OnBad: TypeAlias = Literal["refuse", "skip"]

# Number of bad rows that a message lists, and characters of each.
_MAX_FAULTS, _MAX_FAULT = 10, 600
_SKIP = (
    "on_bad=skip after a table on the command line, or on_bad: skip in a recipe, leaves them out"
)
# Message about a missing picture, and the option that allows another folder with its name.
_MISSING = re.compile(
    r"(?P<fault>no picture at .+?)(: it lies in .+: add (?P<option>pictures=.+))?", re.S
)

warn_once = cache(warn)
"""Warn, but only once per text, although each split of a file is read separately."""

# Number of rows from which tables are cached, and number of cached tables.
_LARGE, _MAX_TABLES = 1_000, 4

# Tables that this process has read, with the states of their pictures, because a command opens
# each table several times. Tables that contain the bytes of pictures are not cached.
_TABLES: dict[Hashable, tuple[UserTable, list[Hashable]]] = {}


def build_table(
    name: str,
    lines: Iterable[tuple[int, dict[str, Any]]],
    read: Callable[[int, dict[str, Any]], Iterable[UserRow]],
    origin: dict[str, Any],
    on_bad: OnBad = "refuse",
) -> UserTable:
    """Check all lines and return the table of all rows. `read` makes the rows of a raw line."""
    rows = UserRows()
    faults: dict[int, str] = {}
    line = 0
    for line, raw in track(lines, desc=name, unit=" rows", delay=2):
        try:
            rows.extend(read(line, raw))
        except ValueError as error:
            faults[line] = str(error)
    if not line:
        raise ValueError(f"{name}: it has no rows")
    # Pictures are decoded after all rows are read: each once, however many rows name it.
    broken = picture_faults(name, rows.pictures)
    if broken:
        for row in rows:
            for picture in row.pictures:
                if picture in broken:
                    faults[row.line] = broken[picture]
    if faults:
        rows = UserRows(row for row in rows if row.line not in faults)
    # Without the unusable rows, which might link other rows.
    rows = _group(rows)
    if faults:
        way_out = _SKIP if rows else "and no other row is left"
        _raise_or_warn(name, faults, way_out, skip=bool(rows) and on_bad == "skip")
    digest = sha256()
    hashes: dict[Picture | None, str] = {image: picture_hash(image) for image in rows.pictures}
    for row in rows:
        pictures = map(hashes.get, (row.image, *row.more_images))
        steps = (row.rationale,) if row.rationale else ()
        digest.update(repr((row.question, row.target, row.group, *steps, *pictures)).encode())
    return UserTable(name, origin, "all", rows, digest.hexdigest()[:16], len(faults))


def cached_table(file: Path, options: Hashable, read: Callable[[], UserTable]) -> UserTable:
    """Return the table that `read` makes of a file with these options.

    A large table is not read again until the file or a picture of it changes.
    """
    key = file_state(file), options
    if key in _TABLES:
        table, states = _TABLES[key]
        with suppress(OSError):  # a picture was removed
            if _states(table) == states:
                return table
        del _TABLES[key]
    table = read()
    if table.length >= _LARGE and not any(isinstance(p, bytes) for p in table.pictures):
        _TABLES[key] = table, _states(table)
        if len(_TABLES) > _MAX_TABLES:
            # The table that was read first.
            del _TABLES[next(iter(_TABLES))]
    return table


def _states(table: UserTable) -> list[Hashable]:
    """Return the states of a table's pictures, which differ after one of them is changed."""
    return list(map(file_state, table.pictures))


def _group(rows: UserRows) -> UserRows:
    """Put rows that share a picture, directly or through other rows, into one group and split."""
    parents: dict[str, str] = {}  # a union-find forest over the pictures' names

    def root(name: str) -> str:
        """Return the smallest of all names that are linked with this name."""
        while parents.setdefault(name, name) != name:
            # Halving the path keeps the next search short.
            parents[name] = name = parents[parents[name]]
        return name

    def grouped() -> Iterator[UserRow]:
        for row in rows:
            group = root(row.shared_names[0]) if row.shared_names else row.group
            if group != row.group:
                row = row._replace(group=group, split=split_of("own", group))
            yield row

    if not any(part.has_several_pictures for part in rows.by_split.values()):
        return rows  # every row's group is its only picture already
    for row in rows:
        for name in row.shared_names[1:]:
            least, other = sorted((root(row.shared_names[0]), root(name)))
            parents[other] = least
    return UserRows(grouped())


def _raise_or_warn(name: str, faults: Mapping[int, str], way_out: str, *, skip: bool) -> None:
    """Raise a ValueError that lists unusable rows, or warn once if they are left out."""
    many = "1 row" if len(faults) == 1 else f"{len(faults)} rows"
    head = f"{name}: {many} cannot be used; {way_out}"
    missing = [match for match in map(_MISSING.fullmatch, faults.values()) if match]
    options = {match["option"] for match in missing}
    if len(missing) == len(faults):
        head += "; pictures=FOLDER says where pictures lie, if not in the table's folder"
        if len(options) == 1 and None not in options:  # said once is enough
            way_out = f"add {options.pop()}"
            head = (
                f"{name}: {many} cannot be used because of pictures that lie elsewhere: {way_out}"
            )
            faults = {line: match["fault"] for line, match in zip(faults, missing, strict=True)}
    lines = [f"line {line}: {faults[line]}" for line in sorted(faults)[:_MAX_FAULTS]]
    # A fault may quote a cell of any length.
    lines = [text if len(text) <= _MAX_FAULT else f"{text[:_MAX_FAULT]}…" for text in lines]
    lines += [f"and {len(faults) - _MAX_FAULTS} more"] if len(faults) > _MAX_FAULTS else []
    if not skip:
        raise ValueError("\n".join([head, *lines]))
    warn_once(f"{name}: {many} left out: {'; '.join(lines)}")
