"""What holds on a GPU: one command, for a machine that is there for half an hour.

make gpu                                # parts a to d in turn; what is finished is not done again
make gpu ARGS="--part c"                # one of them
make gpu ARGS="--cpu --tiny"            # all of it in small, without a GPU

a  losses, objective and a training step of every family beside the CPU's; kill -9 and resume
b  host synchronisations and kernel launches of a step, and the ten dearest operations of ours
c  QLoRA steps at true size with random weights, beside stock TRL and what `plan` says
d  300 steps on clocks of a model of 50 million parameters, from nothing, with four losses

Each job is a process of its own. What there is no time for is said and left for the next call.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

from benchmarks.gpu import worker
from benchmarks.gpu.parts import ROOT, Found, Setting, jobs
from benchmarks.gpu.record import Results

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RESULTS = ROOT / "benchmarks" / "results" / "gpu.txt"
ON_CPU = ROOT / "runs" / "gpu-cpu.txt"


@dataclass
class Call:
    """One call of the command."""

    setting: Setting
    results: Results
    log: Path
    """What the jobs print."""
    minutes: float
    """A part's."""
    ends: float
    """When the whole call is to be over, in time.monotonic()."""

    def part(self, name: str) -> int:
        """Measure what is not there yet; how many cases are left."""
        began = time.monotonic()
        ends = min(began + 60 * self.minutes, self.ends)
        wanted = {job: self._undone(name, cases) for job, cases in jobs()[name].items()}
        for job, cases in wanted.items():
            self._job(name, job, cases, ends)
        left = [case for cases in wanted.values() for case in self._undone(name, cases)]
        there = self.results.of(name)
        failed = sum(not block.ok for block in there.values())
        print(
            f"part {name}: {len(there)} measured, {failed} of them failed, {len(left)} left for"
            f" the next call; {time.monotonic() - began:.0f} s"
            + "".join(f"\n    left: {case}" for case in left[:8])
            + (f"\n    and {len(left) - 8} more" if len(left) > 8 else ""),
            flush=True,
        )
        return len(left)

    def _undone(self, part: str, cases: Sequence[str]) -> list[str]:
        there = self.results.of(part)
        return [case for case in cases if case not in there]

    def _job(self, part: str, job: str, cases: list[str], ends: float) -> None:
        """Measure the cases; a process that dies costs the case it died of, and no other."""
        while cases and time.monotonic() < ends:
            began, running, measured = time.monotonic(), None, False
            for told in self._told(job, cases, ends):
                running = told["case"] if "said" not in told else None
                if running is None:
                    measured = True
                    self._add(part, told["case"], Found(told["ok"], told["said"], told["more"]))
            if time.monotonic() >= ends:
                if running and ends - began > 0.9 * 60 * self.minutes:  # it would be so each time
                    late = f"not done within {self.minutes:g} minutes"
                    self._add(part, running, Found(False, late))
                return
            cases = self._undone(part, cases)
            for case in [running] if running else [] if measured else cases:
                self._add(part, case, Found(False, self._last_words()))
            cases = self._undone(part, cases)

    def _add(self, part: str, case: str, found: Found) -> None:
        print(self.results.add(part, case, found), end="", flush=True)

    def _told(self, job: str, cases: list[str], ends: float) -> Iterator[dict[str, Any]]:
        """What the job's process says, line by line, until it is done or its time is up."""
        words = [*worker.COMMAND, *self.setting.words, "--job", job, "--cases", *cases]
        with (
            self.log.open("a", encoding="utf-8") as log,
            subprocess.Popen(
                words,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=ROOT,
                env=worker.environment(self.setting),
                process_group=0,  # its own children end with it
            ) as process,
        ):
            timer = Timer(max(0.0, ends - time.monotonic()), _end, [process])
            timer.start()
            try:
                assert process.stdout is not None
                yield from map(json.loads, filter(str.strip, process.stdout))
            finally:
                timer.cancel()
                _end(process)

    def _last_words(self) -> str:
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return f"its process died: {lines[-1].strip()[:200] if lines else 'without a word'}"


def _end(process: subprocess.Popen[str]) -> None:
    """The process and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main(words: Sequence[str]) -> int:
    """0 where all that is known holds, 1 where a comparison failed, 2 where nothing can be done."""
    parser = argparse.ArgumentParser(
        prog="make gpu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=list(jobs()), action="append", help="that part alone")
    parser.add_argument(
        "--out", type=Path, help=f"the file of results ({RESULTS.relative_to(ROOT)})"
    )
    parser.add_argument("--again", action="store_true", help="measure the parts once more")
    parser.add_argument("--minutes", type=float, default=9, help="the most for a part (9)")
    parser.add_argument("--total", type=float, default=25, help="the most for all of them (25)")
    worker.add_options(parser)
    given = parser.parse_args(words)
    began = time.monotonic()
    setting = worker.setting_of(given)
    head = worker.head(setting)
    if head is None:
        print("no GPU is seen here (torch.cuda.is_available() is False): give --cpu --tiny")
        return 2
    out = given.out or (ON_CPU if given.cpu else RESULTS)
    parts = given.part or list(jobs())
    results = Results(out, head, shlex.join(["python", "-m", "benchmarks.gpu", *words]))
    results.forget(lambda block: block.part in parts and (given.again or not block.ok))
    setting.work.mkdir(parents=True, exist_ok=True)
    log = setting.work / "log.txt"
    print(f"{head}\nresults in {out}, what the jobs print in {log}", flush=True)
    call = Call(setting, results, log, given.minutes, began + 60 * given.total)
    for part in parts:
        call.part(part)
    failed = [block for part in parts for block in results.of(part).values() if not block.ok]
    if failed:
        print(
            f"{len(failed)} FAILED:", *(block.text.splitlines()[0] for block in failed), sep="\n  "
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
