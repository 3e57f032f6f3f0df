"""Files of a report: their names, and whether existing ones may be replaced.

They stand among answers and tables of the user, who names one of them, or none. So a file is
replaced only if gnomon wrote it, which its beginning shows.
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
"""Name of the program in a picture's metadata."""
_GENERATOR = b'<meta name="generator" content="gnomon">'
_BEGINNINGS = {
    ".csv": ",".join(COLUMNS).encode(),
    ".json": b'{\n  "groups": ',
}
# Bytes in which the marks of all formats stand.
_HEAD = 4096


class ReportFiles(NamedTuple):
    """Page of a report, and the files that are written with it."""

    page: Path
    csv: Path
    json: Path
    picture: Path

    @classmethod
    def of(cls, page: Path) -> ReportFiles:
        """Name the files that go with a page."""
        return cls(page, *(page.with_suffix(suffix) for suffix in (".csv", ".json", ".png")))


def check_replaceable(files: Iterable[Path]) -> None:
    """Refuse to write a report over a file that gnomon did not write; empty ones may go."""
    strangers = [str(file) for file in files if not _is_replaceable(file)]
    if strangers:
        raise FileExistsError(
            f"{', '.join(strangers)}: a report would be written here, and gnomon did not write what"
            " is there: move it away, or name another report (--out)"
        )


def _is_replaceable(file: Path) -> bool:
    try:
        # A FIFO would block, and a directory cannot be replaced.
        if not stat.S_ISREG(os.stat(file).st_mode):
            return False
    except FileNotFoundError:
        return True
    head, suffix = _head(file), file.suffix.lower()
    # Empty files hold nothing to lose.
    if not head.strip():
        return True
    if suffix in (".html", ".htm"):
        return _GENERATOR in head
    if suffix == ".png":
        return f"Software\0{SOFTWARE}".encode() in head
    return head.startswith(_BEGINNINGS[suffix])


def _head(file: Path) -> bytes:
    """Read the first bytes of a file; empty if there is no file."""
    if not file.is_file():
        return b""
    with file.open("rb") as stream:
        return stream.read(_HEAD)
