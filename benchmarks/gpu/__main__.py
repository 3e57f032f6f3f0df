"""Measure on a GPU what the tests hold on a CPU, in one command.

make gpu                                # both parts, without the cases that are finished
make gpu ARGS="--part c"                # one of them
make gpu ARGS="--cpu --tiny"            # all of it in small, without a GPU

a  losses, objective and a training step of every family beside the CPU's; kill -9 and resume
c  QLoRA steps at true size with random weights, beside stock TRL and what `plan` says

Each job is a process of its own. Cases for which the time is too short are left to the next call.
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
from benchmarks.gpu.parts import ROOT, Outcome, Setting, jobs
from benchmarks.gpu.record import Results

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RESULTS = ROOT / "benchmarks" / "results" / "gpu.txt"
ON_CPU = ROOT / "runs" / "gpu-cpu.txt"


@dataclass
class Call:
    """State of one run of the command."""

    setting: Setting
    results: Results
    log: Path
    """File that takes the output of the jobs."""
    minutes: float
    """Longest time for a part."""
    ends: float
    """End of the whole call, in seconds of time.monotonic()."""

    def part(self, name: str) -> int:
        """Measure the missing cases of a part; return how many still are missing."""
        start = time.monotonic()
        ends = min(start + 60 * self.minutes, self.ends)
        missing = {job: self._missing(name, cases) for job, cases in jobs()[name].items()}
        for job, cases in missing.items():
            self._job(name, job, cases, ends)
        remaining = [case for cases in missing.values() for case in self._missing(name, cases)]
        blocks = self.results.of(name)
        failures = sum(not block.ok for block in blocks.values())
        print(
            f"part {name}: {len(blocks)} measured, {failures} of them failed, {len(remaining)} left"
            f" for the next call; {time.monotonic() - start:.0f} s"
            + "".join(f"\n    left: {case}" for case in remaining[:8])
            + (f"\n    and {len(remaining) - 8} more" if len(remaining) > 8 else ""),
            flush=True,
        )
        return len(remaining)

    def _missing(self, part: str, cases: Sequence[str]) -> list[str]:
        blocks = self.results.of(part)
        return [case for case in cases if case not in blocks]

    def _job(self, part: str, job: str, cases: list[str], ends: float) -> None:
        """Measure the cases; a process that dies costs the case it died of, and no other."""
        while cases and time.monotonic() < ends:
            start, running, has_measured = time.monotonic(), None, False
            for message in self._messages(job, cases, ends):
                # A message without an outcome announces a case.
                running = message["case"] if "outcome" not in message else None
                if running is None:
                    has_measured = True
                    self._add(part, message["case"], Outcome(**message["outcome"]))
            if time.monotonic() >= ends:
                # With nearly all of a part's time to itself, the case would fail at each call.
                if running and ends - start > 0.9 * 60 * self.minutes:
                    late = f"not done within {self.minutes:g} minutes"
                    self._add(part, running, Outcome(False, late))
                return
            cases = self._missing(part, cases)
            # A process that dies before its first case would do so again: it costs them all.
            victims = [] if has_measured else cases
            for case in [running] if running else victims:
                self._add(part, case, Outcome(False, self._last_words()))
            cases = self._missing(part, cases)

    def _add(self, part: str, case: str, outcome: Outcome) -> None:
        print(self.results.add(part, case, outcome), end="", flush=True)

    def _messages(self, job: str, cases: list[str], ends: float) -> Iterator[dict[str, Any]]:
        """Yield what the job's process prints, until it is done or its time is up."""
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
    """Kill a process and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main(words: Sequence[str]) -> int:
    """Measure; return 0 where all holds, 1 where a comparison failed, 2 without a GPU."""
    parser = argparse.ArgumentParser(
        prog="make gpu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--part", choices=list(jobs()), action="append", help="only this part; may be repeated"
    )
    parser.add_argument("--out", type=Path, help=f"file of results ({RESULTS.relative_to(ROOT)})")
    parser.add_argument("--again", action="store_true", help="measure finished cases once more")
    parser.add_argument("--minutes", type=float, default=9, help="longest time for a part (9)")
    parser.add_argument("--total", type=float, default=25, help="longest time for all of them (25)")
    worker.add_options(parser)
    options = parser.parse_args(words)
    start = time.monotonic()
    setting = worker.setting_of(options)
    head = worker.head(setting)
    if head is None:
        print("no GPU is seen here (torch.cuda.is_available() is False): give --cpu --tiny")
        return 2
    out = options.out or (ON_CPU if options.cpu else RESULTS)
    parts = options.part or list(jobs())
    results = Results(out, head, shlex.join(["python", "-m", "benchmarks.gpu", *words]))
    results.forget(lambda block: block.part in parts and (options.again or not block.ok))
    setting.work.mkdir(parents=True, exist_ok=True)
    log = setting.work / "log.txt"
    print(f"{head}\nresults in {out}, output of the jobs in {log}", flush=True)
    call = Call(setting, results, log, options.minutes, start + 60 * options.total)
    for part in parts:
        call.part(part)
    failures = [block for part in parts for block in results.of(part).values() if not block.ok]
    if failures:
        lines = (block.text.splitlines()[0] for block in failures)
        print(f"{len(failures)} FAILED:", *lines, sep="\n  ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
