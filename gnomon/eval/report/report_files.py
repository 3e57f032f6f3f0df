"""The files of a report: their names, and a check before they replace existing files.

A report may be written into a folder with the user's files. A file is therefore replaced only if
its beginning shows that gnomon wrote it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

COLUMNS = ("run", "sample_id", "kind", "question", "truth", "text", "value", "rule", "state")
"""First columns of a report's CSV."""
SOFTWARE = "gnomon"
"""Name of the program in the metadata of a picture."""
_GENERATOR = b'<meta name="generator" content="gnomon">'
_BEGINNINGS = {
    ".csv": ",".join(COLUMNS).encode(),
    ".json": b'{\n  "groups": ',
}
# Number of bytes that contain the mark of each format.
_HEAD = 4096


class ReportFiles(NamedTuple):
    """Paths of a report's page and of the files that are written with it."""

    page: Path
    csv: Path
    json: Path
    picture: Path

    @classmethod
    def of(cls, page: Path) -> ReportFiles:
        """Return the paths for a page: the other files have its name with another suffix."""
        return cls(page, *(page.with_suffix(suffix) for suffix in (".csv", ".json", ".png")))


def check_replaceable(files: Iterable[Path]) -> None:
    """Raise a FileExistsError if gnomon did not write an existing file. Empty files pass."""
    strangers = [str(file) for file in files if not _is_replaceable(file)]
    if strangers:
        raise FileExistsError(
            f"{', '.join(strangers)}: the report would replace this, which gnomon did not write:"
            " move it away, or name another report"
        )


def _is_replaceable(file: Path) -> bool:
    try:
        # Reading a FIFO would block, and a directory cannot be replaced.
        if not stat.S_ISREG(os.stat(file).st_mode):
            return False
    except FileNotFoundError:
        return True
    head, suffix = _head(file), file.suffix.lower()
    # An empty file can be replaced without loss.
    if not head.strip():
        return True
    if suffix in (".html", ".htm"):
        return _GENERATOR in head
    if suffix == ".png":
        return f"Software\0{SOFTWARE}".encode() in head
    return head.startswith(_BEGINNINGS[suffix])


def _head(file: Path) -> bytes:
    """Read the first bytes of a file, or b"" if it does not exist."""
    if not file.is_file():
        return b""
    with file.open("rb") as stream:
        return stream.read(_HEAD)
