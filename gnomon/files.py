"""Files from outside: only regular files of bounded size, inside allowed folders.

This module also writes CSV files whose cells a spreadsheet does not run.
"""

import csv
import hashlib
import os
import re
import stat
import tomllib
from collections.abc import Hashable, Iterable, Iterator
from functools import lru_cache
from io import BufferedReader
from itertools import product
from os import scandir
from os.path import dirname, isabs, isfile, islink, join, normpath, realpath, split
from pathlib import Path
from typing import IO, Any, AnyStr, TextIO

MAX_BYTES = 2**24
"""Largest size in bytes of a file of notes, such as a manifest, and of a line of answers."""
MAX_PICTURE_BYTES = 2**30
"""Largest size in bytes of a picture's file, enough for Pillow's limit of 89,478,485 pixels at 8
bytes."""
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}

_SIGNS = r"[=+\-@\t\r\n＝＋－＠]"
_NUMBER = r"[-+][0-9.,]+(?:e[-+]?[0-9]+)?"
# Letters and signs of units, without signs by which a formula would call a function or another
# cell.
_UNIT = r" ?[%‰°$€£¥]*(?:[^\W\d_][\w./·°]*(?: [^\W\d_][\w./·°]*)*)?"
_FORMULA = re.compile(rf"(?!{_NUMBER}{_UNIT}\Z){_SIGNS}", re.IGNORECASE)
"""Start of a text that a spreadsheet would run, including full-width signs.

A signed number, alone or with its unit, is not such a text.
"""
_GUARDED = re.compile(rf"'(?={_SIGNS})")
"""The apostrophe of a guarded text."""


def read_toml(module: str, name: str = "") -> dict[str, Any]:
    """Read a table next to a module, given as its `__file__`. By default it has the module's
    name."""
    path = Path(module)
    path = path.with_name(name) if name else path.with_suffix(".toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def check_regular(file: Path) -> None:
    """Refuse anything but a regular file. A missing file raises FileNotFoundError.

    A pipe or a terminal may never end, and most files are read more than once.
    """
    mode = file.stat().st_mode
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "special")
        way_out = "" if stat.S_ISDIR(mode) else ": write its contents to a file, and name that file"
        raise ValueError(f"{file} is {kind}, not a regular file{way_out}")


def check_writable(file: Path) -> None:
    """Refuse to write over a pipe, a device or a socket."""
    if file.exists() and not file.is_dir():
        check_regular(file)


def open_bytes(file: Path) -> BufferedReader:
    """Open a regular file to read its bytes."""
    check_regular(file)  # before it is opened: to open a pipe waits for its writer
    return file.open("rb")


def open_text(file: Path, *, newline: str | None = None, limit: int | None = None) -> TextIO:
    """Open a regular UTF-8 file of at most `limit` bytes, past its byte order mark."""
    check_regular(file)
    size = file.stat().st_size
    if limit is not None and size > limit:
        raise ValueError(f"{file}: it has {size:,} bytes, and gnomon reads at most {limit:,}")
    return file.open(encoding="utf-8-sig", newline=newline)


def open_to_append(file: Path) -> TextIO:
    """Open a regular file for appending, or create it."""
    check_writable(file)
    return file.open("a", encoding="utf-8")


def file_state(file: Path) -> Hashable:
    """Return a key that differs for another file, and for the same file after a change."""
    status = file.stat()
    times = status.st_mtime_ns, status.st_ctime_ns
    return str(file.absolute()), status.st_ino, status.st_size, *times


def content_hash(file: Path) -> str:
    """Hash a file's bytes. A process reads a file of many gigabytes once, unless it changes."""
    return _content_hash(file, file_state(file))


@lru_cache(2**18)
def _content_hash(file: Path, _: Hashable) -> str:
    with open_bytes(file) as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def read_bytes(file: Path, what: str, *, limit: int = MAX_BYTES) -> bytes:
    """Read a regular file of at most `limit` bytes. `what` names it in the refusal."""
    with open_bytes(file) as stream:
        size = os.fstat(stream.fileno()).st_size
        # A sparse file of terabytes costs nothing to make. One extra byte detects a growing file.
        data = b"" if size > limit else stream.read(limit + 1)
    if (size := max(size, len(data))) > limit:  # files under /proc have no size until read
        raise ValueError(f"{file}: it has {size:,} bytes, but the limit for {what} is {limit:,}")
    return data


def read_text(file: Path, what: str, *, limit: int = MAX_BYTES) -> str:
    """Read a regular UTF-8 file under the bounds of `read_bytes`."""
    return read_bytes(file, what, limit=limit).decode("utf-8-sig")


def read_lines(stream: IO[AnyStr], *, limit: int = MAX_BYTES) -> Iterator[AnyStr]:
    """Yield the lines with their line ends. A ValueError names a line longer than `limit`."""
    number = 0
    while line := stream.readline(limit + 1):
        number += 1
        if len(line) > limit:
            raise ValueError(f"{stream.name}: line {number} is longer than {limit:,} characters")
        yield line


class Folders:
    """Folders whose files a table or a dataset may name. Paths and links that lead outside are
    refused."""

    def __init__(self, *folders: Path, option: str = "") -> None:
        """`option`: the setting by which a user allows another folder, for the message."""
        self.folders, self.option = [str(folder) for folder in folders], option
        self._real: dict[str, str] = {}

    def find(self, *names: str) -> Path:
        """Return the first of these names that is a file in the folders.

        A ValueError is raised if no such file exists, or if it lies outside the folders.
        """
        outside = ""
        for name, folder in product(names, self.folders):
            path = join(folder, name)
            try:
                real = self._real_path(path)
            except (OSError, ValueError):  # too long, or with a zero byte
                continue
            # The file itself must lie inside, whatever links lead to it.
            target = Path(real)
            if not any(target.is_relative_to(self._real_folder(f)) for f in self.folders):
                outside = outside or real
            elif isfile(real):
                return Path(path)
        name = names[0]  # as the user wrote it; the others are guesses
        if not outside:
            raise ValueError(f"no picture at {name!r}{self._way_out(name)}")
        by_link = not isabs(name) and ".." not in Path(name).parts
        message = f"{name!r} {'leads through a link' if by_link else 'lies'} outside the folder"
        if self.option:
            message += f": {self.option}={dirname(outside)} also allows that folder"
        raise ValueError(message)

    def _way_out(self, name: str) -> str:
        """Return a hint for the message: a subfolder with this file, and the option to allow it."""
        if not self.option:
            return ""
        for folder in self.folders:
            for subfolder in _subfolders(self._real_folder(folder)):
                if isfile(join(folder, subfolder, name)):
                    way_out = normpath(join(folder, subfolder))
                    return f": it lies in {way_out}: add {self.option}={way_out}"
        return ""

    def _real_path(self, path: str) -> str:
        """Follow all links of a path. A folder is resolved once, so a file costs one call."""
        folder, name = split(path)
        if name in ("", ".", "..") or islink(path):
            return realpath(path)  # checks each folder of the path
        return join(self._real_folder(folder), name)

    def _real_folder(self, folder: str) -> str:
        if folder not in self._real:
            self._real[folder] = realpath(folder)
        return self._real[folder]


# A table without its pictures asks once per row, and its folder may have a hundred thousand
# files.
@lru_cache(maxsize=16)
def _subfolders(folder: str) -> list[str]:
    """Return the names of the folders in a folder. Empty if it may not be listed."""
    try:
        return sorted(entry.name for entry in scandir(folder) if entry.is_dir())
    except OSError:
        return []


def write_rows(file: TextIO, rows: Iterable[Iterable[object]]) -> None:
    """Write rows of cells as CSV, the header first. Open the file with `newline=""`.

    A text that a spreadsheet would take for a formula gets an apostrophe, and undecodable bytes of
    file names are escaped. Numbers stay numbers, and None is an empty cell.
    """
    csv.writer(file).writerows(map(_guarded, row) for row in rows)


def unguarded(cell: str) -> str:
    """Remove the apostrophe from a cell that `write_rows` wrote."""
    return cell[1:] if _GUARDED.match(cell) else cell


def _guarded(cell: object) -> object:
    if not isinstance(cell, str):  # -5 is a number to a spreadsheet, and no formula
        return cell
    # An apostrophe is how a user marks a cell as text. Excel and LibreOffice hide it.
    text = cell.encode("utf-8", "backslashreplace").decode()
    return f"'{text}" if _FORMULA.match(text) else text
