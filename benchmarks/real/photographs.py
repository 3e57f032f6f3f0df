"""Labelled photographs of instruments, from a folder or a zip with labels.csv."""

from __future__ import annotations

import contextlib
import csv
import os
import random
import tempfile
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon.files import content_hash

# The share of groups that training never sees.
TEST_SHARE = 1 / 3


@dataclass(frozen=True)
class Photograph:
    """A photograph with its label."""

    file: Path
    value: float
    group: str
    """The camera or the instrument; photographs of one group look alike."""


@dataclass(frozen=True)
class Subject:
    """An instrument that gnomon draws, for sets whose file has its name."""

    question: str
    drawn: dict[str, Any]
    """Source of drawings, as a recipe has it."""
    cycle: float
    """The value at which it begins anew; 0 for one that has two ends."""
    step: float
    """Distance up to which a reading counts as right."""
    grid: tuple[float, float, float]
    """First, last and step of the possible readings."""


# By the name of the set's file.
SUBJECTS = {
    "needles": Subject(
        "What does the dial read? Answer with a number.",
        {"kind": "gauge", "options": {"instruments": ["dial"], "look": "photo", "level": "medium"}},
        10.0,
        0.1,
        (0.0, 9.9, 0.1),
    ),
    "digits": Subject(
        "How far has the wheel turned? Answer in figures and tenths, such as 3.7.",
        {"kind": "counter", "options": {"questions": ["wheel"], "look": "photo",
                                        "level": "medium"}},
        10.0,
        0.2,
        (0.0, 9.9, 0.1),
    ),
}  # fmt: skip


def read_photographs(source: Path, work: Path) -> list[Photograph]:
    """Read a set in the order of its table; a zip is unpacked under `work` first."""
    folder = source
    if source.suffix == ".zip":
        folder = unpack(source, work)
    table = folder / "labels.csv"
    if not table.is_file():
        raise ValueError(
            f"{source}: it has no labels.csv with the columns image, value and a group"
        )
    with table.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        names = rows.fieldnames or []
        if names[:2] != ["image", "value"] or len(names) != 3:
            raise ValueError(f"{table}: columns {names}: give image, value and a group")
        return [Photograph(folder / r["image"], float(r["value"]), r[names[2]]) for r in rows]


def unpack(archive: Path, work: Path) -> Path:
    """Unpack an archive under `work`, into a folder that is named after its content.

    It is unpacked whole or not at all. Another process may be doing the same.
    """
    folder = work / f"{archive.stem}-{content_hash(archive)[:12]}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as part:
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(part)
        with contextlib.suppress(OSError):  # the other was first
            os.rename(part, folder)
            Path(part).mkdir()  # TemporaryDirectory removes it
    return folder


def split_by_group(
    photographs: list[Photograph], *, share: float = TEST_SHARE, least: int = 1
) -> tuple[list[Photograph], list[Photograph]]:
    """Split into training and test so that no group stands in both; the same on every call.

    The test is a share of the groups that have at least `least` photographs.
    """
    sizes = Counter(photograph.group for photograph in photographs)
    groups = sorted(group for group, size in sizes.items() if size >= least)
    random.Random("groups").shuffle(groups)
    test = set(groups[: max(1, round(share * len(groups)))])
    if len(test) == len(sizes):
        raise ValueError(f"{len(sizes)} group: two or more are needed, one of them for the test")
    return (
        [photograph for photograph in photographs if photograph.group not in test],
        [photograph for photograph in photographs if photograph.group in test],
    )


def choose(photographs: list[Photograph], count: int | None, seed: int) -> list[Photograph]:
    """Draw photographs, from as many groups as possible in turn; all of them where count is None.

    Whoever has twenty pictures has seldom taken all with one camera.
    """
    if count is None or count >= len(photographs):
        return list(photographs)
    order = random.Random(f"choose {seed}")
    groups: dict[str, list[Photograph]] = {}
    for photograph in order.sample(photographs, len(photographs)):
        groups.setdefault(photograph.group, []).append(photograph)
    chosen: list[Photograph] = []
    while len(chosen) < count:
        for group in list(groups.values()):
            if group and len(chosen) < count:
                chosen.append(group.pop())
    return chosen
