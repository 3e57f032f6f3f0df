"""Pictures without labels: one question asked of every picture in a folder, answers to CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL.Image import Image

from gnomon.atomic import naming, put_text
from gnomon.progress import track
from gnomon.store.user_data.photograph import picture_of

SUFFIXES = {".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"}

_NUMBER = re.compile(r"[-+]?[\d.,]+(?:[eE][-+]?\d+)? ?%?", re.ASCII)
_HEADER = ("file", "answer")
_SHOWN = 10
"""Files that are named where none is a picture."""


@dataclass(frozen=True)
class Picture:
    """A picture that has no answer yet, and what is asked of it."""

    id: str
    image: Image
    question: str

    @property
    def images(self) -> tuple[Image, ...]:
        """The one."""
        return (self.image,)


def in_folder(folder: Path) -> list[Path]:
    """The folder's pictures by name; a ValueError where there is none."""
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in SUFFIXES)
    if not files:
        raise ValueError(f"{folder}: no pictures ({', '.join(sorted(SUFFIXES))}) in it")
    return files


def to_csv(
    read: Callable[[Sequence[Picture]], Sequence[str]],
    files: list[Path],
    question: str,
    out: Path,
    *,
    batch_size: int,
    settings: dict[str, Any],
) -> list[str]:
    """Two columns, file and answer, put in place when they are whole; a killed run goes on.

    What is no picture has no answer; it is handed back, for the others' answers are worth keeping.
    """
    _refuse_others(out)
    part = out.with_name(out.name + ".part")
    answers = _begun(part, json.dumps(settings))
    left = [file for file in files if file.name not in answers]
    broken: list[str] = []
    with (
        naming(part),
        part.open("a", encoding="utf-8") as held,
        track(total=len(files), initial=len(files) - len(left), desc="pictures") as bar,
    ):
        for start in range(0, len(left), batch_size):
            batch = list(_opened(left[start : start + batch_size], question, broken))
            for picture, text in zip(batch, read(batch) if batch else (), strict=True):
                answers[picture.id] = text
                held.write(json.dumps([picture.id, text]) + "\n")
            held.flush()
            bar.update(min(batch_size, len(left) - start))
    if not answers:
        more = [f"and {len(broken) - _SHOWN} more"] if len(broken) > _SHOWN else []
        raise ValueError("\n".join([*broken[:_SHOWN], *more]))
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(_HEADER)
    told = ((file.name, answers[file.name]) for file in files if file.name in answers)
    rows.writerows(map(_cell, row) for row in told)
    put_text(out, table.getvalue())
    part.unlink()
    return broken


def _refuse_others(out: Path) -> None:
    """A table of the user's own, such as the labels of these pictures, is never written over."""
    if not out.exists():
        return
    with out.open(encoding="utf-8", errors="replace") as file:
        if file.readline().strip() != ",".join(_HEADER):
            raise ValueError(f"{out} is there already and holds no answers: name another (--out)")


def _cell(text: str) -> str:
    """An apostrophe before what a spreadsheet would run as a formula; a number stays one."""
    runs = text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) and not _NUMBER.fullmatch(text)
    return f"'{text}" if runs else text


def _begun(part: Path, settings: str) -> dict[str, str]:
    """The answers that a killed run left, where it asked the same; else the file begins anew."""
    text = part.read_text(encoding="utf-8", errors="replace") if part.is_file() else ""
    lines = text.split("\n")[:-1]  # a kill cuts the last
    whole = lines[1:] if lines[:1] == [settings] else []
    part.parent.mkdir(parents=True, exist_ok=True)
    put_text(part, "".join(f"{line}\n" for line in (settings, *whole)))
    return dict(json.loads(line) for line in whole)


def _opened(files: list[Path], question: str, broken: list[str]) -> Iterator[Picture]:
    for file in files:
        try:
            yield Picture(file.name, picture_of(file), question)
        except ValueError as error:
            broken.append(str(error))
