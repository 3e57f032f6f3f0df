"""Two commands on one place: what they come to has to be what they come to one after the other."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.crash.injection import NONE, Injector, Outcome, Strike
from benchmarks.crash.scenes import NOTES, Pair, Scene, prepare_folder
from benchmarks.crash.trial import (
    Files,
    describe_operation,
    differing_files,
    leftovers,
    pick_evenly,
    places_to_strike,
    read_files,
)

_DONE = Outcome(0, "")


@dataclass(frozen=True)
class End:
    """Outcome of a pair: whether each command succeeded, and the files at the end."""

    first: bool
    second: bool
    files: Files


@dataclass
class Meeting:
    """A pair that met at one operation, and its faults."""

    strike: Strike
    operation: str
    first: Outcome
    second: Outcome
    faults: list[str]


class Duel:
    """A pair made ready once; the same folder is used throughout."""

    def __init__(self, pair: Pair, injector: Injector, folder: Path, server: str = "") -> None:
        self.pair, self.injector, self.folder = pair, injector, folder / "here"
        self._server, self._start = server, folder / "start"
        scene = Scene(pair.name, pair.first, "", pair.prepare)
        prepare_folder(scene, self.folder, self._sound)
        shutil.rmtree(self._start, ignore_errors=True)
        shutil.copytree(self.folder, self._start)
        self.ends = list(self._one_after_the_other())
        self._reset()
        self.operations = self._run(pair.first).operations

    def meetings(self) -> Iterator[Meeting]:
        """The first held up, and killed, at operations spread over it, the second run then.

        After a kill the first is typed again when the second has run.
        """
        places = pick_evenly(list(places_to_strike(self.operations)), self.pair.places)
        for what in ("stop", "kill"):
            for at in places:
                yield self._meet(Strike(what, at))

    def _meet(self, strike: Strike) -> Meeting:
        self._reset()
        seconds: list[Outcome] = []
        first = struck = self._run(
            self.pair.first, strike, lambda: seconds.append(self._run(self.pair.second))
        )
        if strike.kills:
            seconds.append(self._run(self.pair.second))
            first = self._run(self.pair.first)
        (second,) = seconds
        files = read_files(self.folder)
        faults = [
            f"{name}: traceback"
            for name, outcome in (("first", first), ("second", second))
            if "Traceback" in outcome.text
        ]
        # A first that was killed at its very end says, typed again, that all is there already.
        succeeded = None if strike.kills else first.code == 0
        faults += self._unexplained(succeeded, second.code == 0, files)
        if names := leftovers(files, {}):
            faults.append(f"leftovers: {', '.join(names[:4])}")
        return Meeting(
            strike, describe_operation(struck.operations[strike.at - 1]), first, second, faults
        )

    def _unexplained(self, first: bool | None, second: bool, files: Files) -> Iterator[str]:
        """Nothing, if there is an order of the two, or a refusal, that ends so."""
        possible = [end for end in self.ends if end.second == second and first in (None, end.first)]
        nearest = min(
            (differing_files(files, end.files) for end in possible), key=len, default=["no end"]
        )
        if nearest:
            yield f"ended as no order of the two does: {', '.join(nearest[:4])}"

    def _one_after_the_other(self) -> Iterator[End]:
        """The second refused, the first refused, and both in each order."""
        first, second = self.pair.first, self.pair.second
        for lines in ([first], [second], [first, second], [second, first]):
            self._reset()
            codes = [self._run(line).code for line in lines]
            files = read_files(self.folder)
            if lines == [first]:
                assert codes == [0]
            succeeded = {line: code == 0 for line, code in zip(lines, codes, strict=True)}
            yield End(succeeded.get(first, False), succeeded.get(second, False), files)
            if first == second:
                yield from (End(*ends, files) for ends in ((True, False), (False, True)))

    def _run(
        self, line: str, strike: Strike = NONE, meanwhile: Callable[[], Any] | None = None
    ) -> Outcome:
        verb, *rest = line.replace("SERVER", self._server).split()
        if verb != "note":
            words = [verb, *rest]
            return self.injector.run(words, self.folder, strike, meanwhile=meanwhile)
        try:
            (self.folder / rest[0]).mkdir(exist_ok=True)
            (self.folder / rest[0] / "note.txt").write_text(NOTES)
        except OSError as error:
            return Outcome(1, str(error))
        return _DONE

    def _sound(self, line: str) -> None:
        outcome = self._run(line)
        assert outcome.code == 0, f"{line}: {outcome.text}"

    def _reset(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self._start, self.folder)
