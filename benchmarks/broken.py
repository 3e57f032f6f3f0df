"""Breaks central lines one at a time, each in a copy of the package, and prints which test sees it.

python benchmarks/broken.py   # some five minutes on one core

A line that is broken and not seen is named, and the exit code is 1.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from gnomon.progress import track

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Broken:
    """One fault: what it is, the line before and after, and where a test should see it."""

    what: str
    file: str
    before: str
    after: str
    tests: str


BROKEN = (
    Broken("a sign in the kernel losses", "losses/kernels.py",
           "q, -others.sum(", "q, others.sum(", "losses/test_contract.py"),
    Broken("NTIL counts places the wrong way", "losses/ntil.py",
           "emd * self.base ** spans", "emd / self.base ** spans", "losses/test_ntil.py"),
    Broken("the ratio to the cross-entropy has a gradient", "losses/objective.py",
           "ratio = ce.detach() /", "ratio = ce /", "losses/test_objective.py"),
    Broken("numbers are counted in a batch, not in the accumulation window",
           "pipeline/training/trainer.py", "{**self._window, CE:", "{**counts, CE:",
           "pipeline/training/test_trainer.py"),
    Broken("tokens are counted in a batch, not in the accumulation window",
           "pipeline/training/trainer.py", "model_accepts_loss_kwargs = True",
           "model_accepts_loss_kwargs = False",
           "pipeline/training/test_trainer.py pipeline/families/test_contract.py"),
    Broken("two processes share the gradient twice", "pipeline/training/trainer.py",
           "loss = loss * (self.accelerator.num_processes", "loss = loss * (1",
           "pipeline/training/test_two_processes.py pipeline/training/test_accelerate.py"),
    Broken("labels score the token before theirs", "pipeline/training/trainer.py",
           "functional.pad(labels[:, 1:], (0, 1)", "functional.pad(labels[:, :-1], (1, 0)",
           "pipeline/training/test_trainer.py"),
    Broken("the answer's end is no label", "pipeline/collate.py",
           "labels[row, length - len(ids) : length] = tail",
           "labels[row, length - len(ids) : length - 1] = tail[:-1]",
           "pipeline/families/test_contract.py"),
    Broken("a meaning stands in every split", "generators/base.py",
           "if self.share(self.kind, *meaning(thing)) == self.split:", "if True:",
           "generators/test_contract.py"),
    Broken("an hour hand that runs slow", "generators/clock/face.py",
           "self.seconds / (10 * self.hours)", "self.seconds / (10.1 * self.hours)",
           "generators/test_clock.py"),
    Broken("the weekday after", "generators/arithmetic/parts.py",
           "(WEEKDAYS.index(start) + days) % 7", "(WEEKDAYS.index(start) + days + 1) % 7",
           "generators/test_arithmetic.py"),
    Broken("a box scaled across as it is down", "answers/base/dialect.py",
           "return x1 * sx - left", "return x1 * sy - left", "test_dialect.py"),
    Broken("11:59 is far from 12:01", "answers/time/measure.py",
           "return min(apart, 60 * period - apart)", "return apart", "answers/test_measures.py"),
    Broken("Holm's factors in the wrong order", "eval/stats/significance.py",
           "np.arange(len(p), 0, -1)", "np.arange(1, len(p) + 1)",
           "eval/stats/test_significance.py"),
    Broken("a p value of one side", "eval/stats/crossed.py",
           "return float(2 * special.stdtr", "return float(special.stdtr",
           "eval/stats/test_crossed.py"),
    Broken("answers to other questions are passed over", "eval/scoring/score.py",
           "    if ids:\n", "    if ids and False:\n", "eval/scoring/test_score.py"),
    Broken("two writers of one place", "store/lock.py",
           "lock.acquire(timeout=seconds)", "return True", "store/test_lock.py"),
)  # fmt: skip


def main() -> int:
    """Print the table; 1 where a broken line is not seen."""
    rows = [(one, seen(one)) for one in track(BROKEN, desc="breaking", unit="lines")]
    wide = max(len(one.what) for one, _ in rows)
    for one, by in rows:
        print(f"{one.what:{wide}}  {by or 'SEEN BY NO TEST'}")
    return int(not all(by for _, by in rows))


def seen(one: Broken) -> str:
    """The first test that fails, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(
            ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "runs", ".*cache")
        )
        file = copy / "gnomon" / one.file
        text = file.read_text(encoding="utf-8")
        if text.count(one.before) != 1:
            raise ValueError(
                f"{one.file} has {one.before!r} {text.count(one.before)} times, not once"
            )
        file.write_text(text.replace(one.before, one.after), encoding="utf-8")
        tests = [str(copy / "tests" / name) for name in one.tests.split()]
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, "-m", "not long and not hub", *tests],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    failed = re.search(r"^FAILED tests/(\S+)", done.stdout, re.MULTILINE)
    if done.returncode and not failed:
        raise RuntimeError(f"{one.what}: pytest did not run\n{done.stdout[-2000:]}{done.stderr}")
    return failed[1] if failed else ""


if __name__ == "__main__":
    sys.exit(main())
