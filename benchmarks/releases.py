"""Try the quick contract of the training under other releases of the libraries it stands on.

    python -m benchmarks.releases                                        # ends of the ranges
    python -m benchmarks.releases 'transformers==5.20.*' 'trl==1.12.*'   # one environment of these
    python -m benchmarks.releases --thorough 'transformers==5.20.*'      # more tests of each family

An environment lies over the one that runs this, in .matrix: pip installs there what differs, and no
second torch unless one is named. Lines go into benchmarks/results/releases.txt, one for each set of
releases, and the table of docs/releases.md is made of them.
"""

import argparse
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "releases.txt"
PAGE = ROOT / "docs" / "releases.md"
LIBRARIES = ("transformers", "trl", "peft", "bitsandbytes", "torch")
FILES = (
    *("training/test_library_releases.py", "training/test_settings.py", "training/test_trainer.py"),
    *("training/test_any_model.py", "training/test_adapters.py", "training/test_frozen.py"),
    *("training/test_resuming.py", "training/test_train.py", "answering/test_belief.py"),
    *("families/test_contract.py", "families/test_training.py"),
)
"""Tests of the contract, in tests/pipeline."""
QUICK = (
    "library_releases or settings or stock_trls or (accumulated and 2x2-ntil)"
    " or evaluations_have_parts or several_evaluations or first_step_of_adam or a_frozen_tower"
    " or between_checkpoints or phones_home or stores_beliefs or supervised_text"
    " or layers_are_in_4_bits or qlora_step"
)
"""Names of the tests that every environment runs: all that the trainer overrides and leans on, and
of each family its labels, its layers in 4 bits and two steps of QLoRA."""
THOROUGH = (
    f"{QUICK} or those_of_stock_trl or activation_checkpointing or accumulated_batches"
    " or batch_size_changes_no_answer"
)
"""Names of the tests with --thorough: of each family the step of TRL's own trainer, too."""
ENDS = (
    ("oldest",) * 4,
    ("newest", "oldest", "newest", "oldest"),
    ("oldest", "newest", "oldest", "newest"),
    ("newest",) * 4,
)
"""Environments of a call without names: which end of its range each library is at."""


@dataclass(frozen=True)
class Line:
    """Outcome of the contract under one set of releases."""

    versions: tuple[str, ...]
    """Of LIBRARIES, in this order."""
    tests: str
    """Which tests: quick or thorough."""
    passed: int
    failed: int

    def __str__(self) -> str:
        names = "  ".join(
            f"{name} {version:<7}" for name, version in zip(LIBRARIES, self.versions, strict=True)
        )
        return f"{names}  {self.tests:<8}  {self.passed:>3} passed  {self.failed:>3} failed"

    @property
    def order(self) -> tuple[object, ...]:
        """Key for sorting, newest releases first."""
        return (*(Version(version) for version in self.versions), self.tests)


def main(words: Sequence[str] | None = None) -> int:
    """Run the contract in each environment; the exit code is 1 if a test failed in any."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.releases", description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    parser.add_argument("pins", nargs="*", help="releases, such as trl==1.10.*")
    parser.add_argument("--thorough", action="store_true", help="run more tests of each family")
    options = parser.parse_args(words)
    cells = [options.pins] if options.pins else [end_pins(ends) for ends in ENDS]
    failed = 0
    for pins in cells:
        folder = environment(pins)
        log = folder / "contract.log"
        print(f"testing {' '.join(pins)}: see {log.relative_to(ROOT)}", file=sys.stderr)
        line, faults = contract(folder, log, "thorough" if options.thorough else "quick")
        print(line, flush=True)
        for fault, n in faults.most_common(10):
            print(f"  {n} × {shorten(fault, 160)}")
        record(line)
        failed += line.failed
    return int(failed > 0)


def ranges() -> dict[str, Requirement]:
    """Read the ranges of the training's libraries in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = map(Requirement, project["optional-dependencies"]["train"])
    return {need.name: need for need in needs if need.name in LIBRARIES}


def end_pins(ends: Sequence[str]) -> list[str]:
    """Make pip's words for libraries at the ends of their ranges: the newest patch of each."""
    pins = []
    for name, end in zip(LIBRARIES, ends, strict=False):
        need = ranges()[name]
        (oldest,) = (s.version for s in need.specifier if s.operator == ">=")
        pins.append(f"{name}=={oldest}.*" if end == "oldest" else str(need))
    return pins


def environment(pins: Sequence[str]) -> Path:
    """Lay an environment of these releases over this one, unless it is there; returns its place."""
    folder = ROOT / ".matrix" / re.sub(r"[^\w.]+", "-", "_".join(pins).replace(".*", ""))
    if not (folder / "ready").is_file():
        venv.create(folder, clear=True, with_pip=False)
        (packages,) = folder.glob("lib/python3*/site-packages")
        # pip runs from below, and sees what is installed there; the environment's own comes first.
        (packages / "below.pth").write_text(sysconfig.get_path("purelib") + "\n")
        torch = [] if any(pin.startswith("torch=") for pin in pins) else [installed_torch()]
        pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--upgrade"]
        subprocess.run([*pip, *torch, *pins], check=True)
        (folder / "ready").touch()
    return folder


def installed_torch() -> str:
    """Pin the torch that is here, lest pip brings another with gigabytes of CUDA."""
    pinned = re.search(r"(?m)^torch==\S+", (ROOT / "constraints.txt").read_text(encoding="utf-8"))
    assert pinned
    return pinned[0]


def contract(environment: Path, log: Path, tests: str) -> tuple[Line, Counter[str]]:
    """Run the tests; returns what came of them, and the errors with how many tests had them."""
    python = environment / "bin" / "python"
    code = "import sys; from importlib.metadata import version as v; print(*map(v, sys.argv[1:]))"
    versions = subprocess.check_output([python, "-c", code, *LIBRARIES], text=True).split()
    chosen = QUICK if tests == "quick" else THOROUGH
    command = [python, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
    command += ["-m", "not long and not hub", "-k", chosen, *FILES]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    folder = ROOT / "tests" / "pipeline"
    with log.open("w", encoding="utf-8") as file:
        subprocess.run(command, cwd=folder, env=variables, stdout=file, stderr=file)
    output = log.read_text(encoding="utf-8")
    # pytest's last line; bitsandbytes 0.49 has another one to say when the process ends.
    (*_, summary) = re.findall(r"(?m)^.*\d+ (?:passed|failed|error).* in [\d.]+s.*$", output) or [
        ""
    ]
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|error)", summary)}
    faults = Counter(re.findall(r"(?m)^E +(\S*(?:Error|Warning|Exception)\b.*)", output))
    if not counts:
        faults[output.strip()[-300:]] += 1
    failed = counts.get("failed", 0) + counts.get("error", 0) + (not counts)
    # bitsandbytes and torch write a build's name behind a plus sign.
    plain = tuple(version.partition("+")[0] for version in versions)
    return Line(plain, tests, counts.get("passed", 0), failed), faults


def lines(text: str) -> list[Line]:
    """Read the file of results."""
    pattern = " +".join([*(rf"{name} (\S+)" for name in LIBRARIES), r"(\w+)"])
    found = re.findall(rf"(?m)^{pattern} +(\d+) passed +(\d+) failed$", text)
    return [Line(tuple(f[:-3]), f[-3], int(f[-2]), int(f[-1])) for f in found]


def table(results: Iterable[Line]) -> str:
    """Lay out results as the table of the page."""
    head = ["transformers", "TRL", "PEFT", "bitsandbytes", "torch", "tests", "passed", "failed"]
    rows = [[*line.versions, line.tests, str(line.passed), str(line.failed)] for line in results]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]) + "\n"


def record(line: Line) -> None:
    """Put a line in the file of results, in place of an older one of the same, and on the page."""
    others = [other for other in lines(RESULTS.read_text(encoding="utf-8"))
              if (other.versions, other.tests) != (line.versions, line.tests)]  # fmt: skip
    results = sorted([*others, line], key=lambda each: each.order, reverse=True)
    head = "$ python -m benchmarks.releases\n"
    RESULTS.write_text(head + "".join(f"{each}\n" for each in results), encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"(?m)(^\|.*\n)+", table(results), page, count=1), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
