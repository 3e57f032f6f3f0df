"""Strike a command once, type it again, and compare the files with those of an undisturbed run."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.crash.injection import NONE, Injector, Outcome, Strike
from benchmarks.crash.scenes import Scene, prepare_folder

Files = dict[str, bytes | None]
"""Contents of a folder by path; None for a directory."""

_TIMES = ("train_runtime", "train_samples_per_second", "train_steps_per_second")
_SUMMARY = re.compile(rb'^\{[^\n]*"train_runtime"[^\n]*\n', re.MULTILINE)
"""The line of log.jsonl that sums up the steps of one process; no other process can write it."""
MAY_DIFFER = f"""\
{", ".join(_TIMES)} in trainer_state.json,
         and the line of log.jsonl that has them: it sums up what one process has trained"""
_LONGEST_MESSAGE = 2048
_TAKE_SPACE = ("open", "write", "fsync", "mkdir", "link")
_POSSIBLE = {"tear": ("write",), "ENOSPC": _TAKE_SPACE, "full": _TAKE_SPACE}
"""Operations that can fail in this way; no full disk keeps a file from being removed."""


def read_files(folder: Path) -> Files:
    """All files and directories below a folder."""
    paths = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*"))}
    return {name: None if path.is_dir() else path.read_bytes() for name, path in paths.items()}


def without_times(name: str, data: bytes | None) -> bytes | None:
    """A file's content without how long something took, and without the line that sums it up."""
    if not isinstance(data, bytes) or Path(name).name not in ("log.jsonl", "trainer_state.json"):
        return data
    data = _SUMMARY.sub(b"", data)
    return re.sub(rb'"(%s)": [0-9.e-]+' % "|".join(_TIMES).encode(), rb'"\1": 0', data)


def differing_files(files: Files, expected: Files) -> list[str]:
    """The paths in which two folders differ, without those that are a leftover."""
    names = sorted(name for name in files.keys() | expected.keys() if not is_leftover(name))
    gone = object()
    return [
        name
        for name in names
        if without_times(name, files.get(name, gone))
        != without_times(name, expected.get(name, gone))  # type: ignore[arg-type]
    ]


def is_leftover(name: str) -> bool:
    """True for what stands under a name for the time of the writing alone."""
    parts = Path(name).parts
    return any(
        (part.startswith(".") and re.search(r"\.tmp$|^\.tmp|\.lock(\.txt)?$|\.part$", part))
        or part.endswith(".part")
        for part in parts
    )


def is_progress(name: str) -> bool:
    """True for answers to photographs that an interrupted `predict` has so far."""
    file = Path(name)
    return file.suffix == ".part" and not file.name.startswith(".")


def leftovers(files: Files, expected: Files) -> list[str]:
    """List files with temporary names that an undisturbed command does not leave."""
    return [name for name in files if is_leftover(name) and name not in expected]


def lost(before: Files, now: Files, after: Files, damaged: str = "") -> list[str]:
    """Files of before the command that are now neither that nor what the command makes of them.

    Files that are appended to may be anywhere between the two, and a manifest tells after each
    shard how far its dataset came. What the scene `damaged` itself holds nothing to lose.
    """

    def is_between(name: str, data: bytes) -> bool:
        if Path(name).name == "manifest.json":
            return bool(json.loads(data))
        return name.endswith(".jsonl") and data.startswith(before[name] or b"")

    return [
        name
        for name, data in before.items()
        if not (damaged and Path(name).is_relative_to(damaged))
        and (
            name not in now
            or (now[name] not in (data, after.get(name)) and not is_between(name, now[name] or b""))
        )
    ]


def torn(now: Files, after: Files, before: Files) -> list[str]:
    """New files that a reader would take for whole and that are a part of what they will be.

    JSON lines are read to the last whole line, and checkpoints are looked through before one is
    gone on from. A file that is as it was before the command was torn by somebody else.
    """
    return [
        name
        for name, data in now.items()
        if data is not None
        and not is_leftover(name)
        and not name.endswith(".jsonl")
        and "checkpoints" not in Path(name).parts
        and before.get(name) != data
        and (end := after.get(name)) not in (None, data)
        and (not data or end.startswith(data))
    ]


@dataclass
class StrikeResult:
    """Outcome of one strike, and of the same command typed again."""

    strike: Strike
    operation: str
    """The operation that was struck, such as "write set/manifest.json"."""
    outcome: Outcome
    again: Outcome
    lost: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    litter: list[str] = field(default_factory=list)
    """Left by a command that failed; one that is killed cannot clear up."""
    leftovers: list[str] = field(default_factory=list)
    """Left after the same command was typed again."""
    differences: list[str] = field(default_factory=list)

    @property
    def recovered(self) -> bool:
        """True if the same command came to its end, or had done so and says what is there."""
        is_refusal = self.again.code == 1 and "already exists" in self.again.text
        return self.again.code == 0 or (is_refusal and not self.differences)

    @property
    def has_message(self) -> bool:
        """True if what failed said so in a short message."""
        return self.outcome.code in (0, 1) and not complaints(self.outcome)

    @property
    def faults(self) -> list[str]:
        """Each thing that should not be, in a few words."""
        faults = complaints(self.outcome)
        if self.strike.kills and not self.outcome.hung:
            faults = []
        faults += [f"again: {complaint}" for complaint in complaints(self.again)]
        if not self.strike.kills and self.outcome.code not in (0, 1):
            faults.append(f"exit code {self.outcome.code}")
        if not self.recovered:
            faults.append(f"again: exit code {self.again.code}")
        for name in ("lost", "torn", "litter", "leftovers", "differences"):
            if files := getattr(self, name):
                faults.append(f"{name} {', '.join(files[:4])}")
        return faults


def complaints(outcome: Outcome) -> list[str]:
    """List what is wrong with all that a command printed."""
    wrong = {
        "hung": outcome.hung,
        "traceback": "Traceback" in outcome.text,
        "long message": outcome.code > 0 and len(outcome.text.encode()) > _LONGEST_MESSAGE,
    }
    return [name for name, is_so in wrong.items() if is_so]


class Stage:
    """A scene made ready once and struck as often as one likes, always in the same folder.

    Paths get into files, so that only what is made in the same place can be the same.
    """

    def __init__(self, scene: Scene, injector: Injector, folder: Path, server: str = "") -> None:
        self.injector, self.folder = injector, folder / "here"
        self.words = scene.command.replace("SERVER", server).split()
        self._start = folder / "start"
        self.damaged = scene.damaged
        prepare_folder(scene, self.folder, self._sound)
        shutil.rmtree(self._start, ignore_errors=True)
        shutil.copytree(self.folder, self._start)
        self.before = read_files(self.folder)
        self.undisturbed = self.run()
        assert self.undisturbed.code == 0, self.undisturbed.text
        self.after = read_files(self.folder)

    def _sound(self, line: str) -> None:
        outcome = self.injector.run(line.split(), self.folder)
        assert outcome.code == 0, f"{line}: {outcome.text}"

    def reset(self) -> None:
        """The folder as the command finds it; files keep their times, which reports tell."""
        shutil.rmtree(self.folder)
        shutil.copytree(self._start, self.folder)

    def run(self, strike: Strike = NONE) -> Outcome:
        return self.injector.run(self.words, self.folder, strike)

    def try_strike(self, strike: Strike) -> StrikeResult | None:
        """Strike the command and type it again; None where it ended before the operation came."""
        self.reset()
        outcome = self.run(strike)
        if not outcome.struck:
            return None
        now = read_files(self.folder)
        again = self.run()
        end = read_files(self.folder)
        return StrikeResult(
            strike,
            describe_operation(outcome.operations[strike.at - 1]),
            outcome,
            again,
            lost=lost(self.before, now, self.after, self.damaged),
            torn=torn(now, self.after, self.before),
            litter=[] if strike.kills else self._litter(outcome, strike, now),
            leftovers=leftovers(end, self.after),
            differences=differing_files(end, self.after),
        )

    def _litter(self, outcome: Outcome, strike: Strike, now: Files) -> list[str]:
        """Leftovers of a command that failed.

        What it could not remove is no fault of its own, and the answers it had so far are kept as
        `NAME.part` on purpose: the same command goes on from there.
        """
        name, path = outcome.operations[strike.at - 1]
        stuck = path.lstrip("/") if name == "unlink" else None
        return [
            file for file in leftovers(now, self.after) if file != stuck and not is_progress(file)
        ]

    def strikes(self, kinds: Mapping[str, int]) -> Iterator[Strike]:
        """Spread strikes of each kind over the operations of the undisturbed command.

        Of a row of equal operations, as the hundred writes of one file are, the first, the middle
        and the last stand for all.
        """
        operations = self.undisturbed.operations
        for kind, n in kinds.items():
            possible = _POSSIBLE.get(kind)
            places = places_to_strike(operations)
            candidates = [at for at in places if not possible or operations[at - 1][0] in possible]
            for at in pick_evenly(candidates, n):
                yield Strike(kind, at)


def places_to_strike(operations: list[tuple[str, str]]) -> Iterator[int]:
    """First, middle and last of each row of equal operations, counted from 1."""
    start = 0
    for end in range(1, len(operations) + 1):
        if end == len(operations) or operations[end] != operations[start]:
            yield from sorted({start + 1, (start + end + 1) // 2, end})
            start = end


def pick_evenly(places: list[int], n: int) -> list[int]:
    """Pick n places, the first and the last among them."""
    if n >= len(places):
        return places
    return sorted({places[round(k * (len(places) - 1) / max(n - 1, 1))] for k in range(n)})


def describe_operation(operation: tuple[str, str]) -> str:
    """An operation without the number of a process, which is another each time."""
    name, path = operation
    path = re.sub(r"\.[0-9]+(?=\.tmp)", ".PID", path.lstrip("/"))
    return f"{name} {path}"
