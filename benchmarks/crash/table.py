"""Results of all strikes and meetings: a file for each job, and the table printed from them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.crash.pairs import Meeting
from benchmarks.crash.scenes import PAIRS, SCENES, Pair, Scene
from benchmarks.crash.trial import MAY_DIFFER, StrikeResult

_COLUMNS = ("hit", "again", "equal", "lost", "torn", "left")
_HEADER = f"""\
kills    SIGKILL before an operation on a file below the output, or in the middle of a write
errors   ENOSPC or EIO once, or ENOSPC from there on
hit      strikes that met their operation
again    the same command, typed again, came to its end
equal    and everything is then as after an undisturbed command, to the byte, but for
         {MAY_DIFFER}
told     an error was told in one short message, without a traceback
lost     something that lay there before, or that a user keeps beside, is gone or cut short
torn     a new file of which a part stands under its own name after the strike
left     files with temporary names, locks, after the second command (or after an error)
"""


@dataclass(frozen=True)
class Result:
    """One strike, or one meeting of a pair, reduced to what the table counts."""

    strike: str
    """Such as "kill at 12"."""
    operation: str
    kills: bool
    counts: list[str] = field(default_factory=list)
    """Columns of the table in which this one is counted."""
    faults: list[str] = field(default_factory=list)

    @classmethod
    def from_strike(cls, result: StrikeResult) -> Result:
        columns = {
            "hit": True,
            "again": result.recovered,
            "equal": result.recovered and not result.differences,
            "told": result.has_message,
            "lost": bool(result.lost),
            "torn": bool(result.torn),
            "left": bool(result.litter or result.leftovers),
        }
        counts = [name for name, is_so in columns.items() if is_so]
        strike = result.strike
        return cls(str(strike), result.operation, strike.kills, counts, result.faults)

    @classmethod
    def from_meeting(cls, meeting: Meeting) -> Result:
        return cls(str(meeting.strike), meeting.operation, meeting.strike.kills, [], meeting.faults)


class Records:
    """A folder with the results of each job that came to its end; the others are played again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def file(self, job: Scene | Pair) -> Path:
        """Where a job's results stand, as JSON lines."""
        words = re.sub(r"[^a-z0-9.=-]+", "-", job.name)
        return self.folder / f"{'pair-' * isinstance(job, Pair)}{words}.jsonl"

    def write(self, job: Scene | Pair, results: Iterable[Result]) -> None:
        """Keep the results of a job that is through."""
        file = self.file(job)
        part = file.with_suffix(".part")
        part.write_text("".join(f"{json.dumps(asdict(result))}\n" for result in results))
        os.replace(part, file)

    def read(self, job: Scene | Pair) -> list[Result]:
        """Results of a job; none where it was not played."""
        file = self.file(job)
        lines = file.read_text().splitlines() if file.exists() else []
        return [Result(**json.loads(line)) for line in lines]


def table(records: Records) -> str:
    """Print how often each column holds, by scene and by pair, and each fault in a line."""
    scenes = {scene.name: records.read(scene) for scene in SCENES if records.file(scene).exists()}
    pairs = {pair.name: records.read(pair) for pair in PAIRS if records.file(pair).exists()}
    lines = [_HEADER]
    for title, kills in (("kills", True), ("errors", False)):
        lines += _strikes(title, kills, scenes)
    if pairs:
        lines += _meetings(pairs)
    complaints = faults(scenes) + faults(pairs)
    lines += ["", f"{len(complaints)} of these are as they should not be", *complaints]
    return "\n".join(lines)


def faults(jobs: dict[str, list[Result]]) -> list[str]:
    """A line for each strike or meeting after which something is as it should not be."""
    return [
        f"{name}, {result.strike} ({result.operation}): {'; '.join(result.faults)}"
        for name, results in jobs.items()
        for result in results
        if result.faults
    ]


def _strikes(title: str, kills: bool, scenes: dict[str, list[Result]]) -> Iterator[str]:
    width = max(map(len, [*scenes, title])) + 2
    columns = _COLUMNS if kills else (*_COLUMNS[:3], "told", *_COLUMNS[3:])
    yield title.ljust(width) + "".join(name.rjust(7) for name in columns)
    rows = {
        name: [result for result in results if result.kills == kills]
        for name, results in scenes.items()
    }
    rows["together"] = [result for results in rows.values() for result in results]
    for name, results in rows.items():
        figures = [sum(column in result.counts for result in results) for column in columns]
        yield name.ljust(width) + "".join(f"{figure:7}" for figure in figures)
    yield ""


def _meetings(pairs: dict[str, list[Result]]) -> Iterator[str]:
    """How often two commands on one place met, and how often they ended as in some order."""
    title = "first, held up or killed | second, run meanwhile"
    width = max(map(len, [*pairs, title]))
    yield title.ljust(width) + "   met  sound"
    together = {"together": [result for results in pairs.values() for result in results]}
    for name, results in {**pairs, **together}.items():
        sound = sum(not result.faults for result in results)
        yield f"{name.ljust(width)}{len(results):6}{sound:7}"
