"""The line outside gnomon that raised an error, in the user's own code or in a library."""

from __future__ import annotations

import re
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path

_GNOMON = str(Path(__file__).parent)
_STANDARD = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
_PACKAGES = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
_WORKER_FRAME = re.compile(r'File "([^"<]+)", line (\d+), in ')
"""Frame in the text of a traceback that a worker process sent."""


def users_place(error: BaseException) -> str:
    """Return the line of the user's own code that raised or called: "dice.py, line 12".

    Empty if all frames belong to gnomon and the installed packages.
    """
    chain = [error]
    while cause := chain[-1].__cause__ or (
        None if chain[-1].__suppress_context__ else chain[-1].__context__
    ):
        chain.append(cause)
    for each in reversed(chain):  # the innermost cause first
        for file, line in reversed(list(_frames(each))):
            if not _is_below(file, _GNOMON, *_STANDARD, *_PACKAGES):
                return f"{Path(file).name}, line {line}"
    return ""


def librarys_place(error: BaseException) -> str:
    """Return the line of an installed package that raised: "yaml/parser.py, line 5". Empty
    otherwise."""
    frames = list(_frames(error))
    if not frames or (isinstance(error, OSError) and error.strerror):  # which names its file
        return ""
    file, line = frames[-1]
    for folder in _PACKAGES:
        if _is_below(file, folder) and not _is_below(file, _GNOMON):
            return f"{Path(file).relative_to(folder).as_posix()}, line {line}"
    return ""


def _frames(error: BaseException) -> Iterator[tuple[str, int]]:
    """Yield file and line of each frame, the innermost last, including frames of a worker
    process."""
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith("<"):
            yield frame.filename, frame.lineno or 0
    texts = [str(error), *getattr(error, "__notes__", [])]
    for text in texts:
        if "Traceback (most recent call last)" in text:
            for file, line in _WORKER_FRAME.findall(text):
                yield file, int(line)


def _is_below(file: str, *folders: str | None) -> bool:
    return any(folder is not None and Path(file).is_relative_to(folder) for folder in folders)
