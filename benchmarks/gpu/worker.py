"""The process of a job, which measures cases and reports them as JSON lines on standard output.

An exception becomes the one line of its case, and the next case is measured; only an error that
leaves the GPU unusable ends the process.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import traceback
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import shorten
from typing import IO

from benchmarks.gpu.parts import MEASURE, ROOT, Outcome, Setting
from gnomon import names

COMMAND = [sys.executable, "-m", "benchmarks.gpu.worker"]
PACKAGES = ("torch", "transformers", "trl", "peft", "bitsandbytes", "accelerate", "datasets")
SMALL_MODELS = ROOT / "tests" / "pipeline"
SMALL_VOCABULARIES = ROOT / "tests" / "losses"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that the process of a job takes, too."""
    parser.add_argument("--cpu", action="store_true", help="without a GPU")
    parser.add_argument("--tiny", action="store_true", help="small models, few steps")
    parser.add_argument(
        "--work", type=Path, help="folder of pictures that several jobs read (in TMPDIR)"
    )


def setting_of(options: argparse.Namespace) -> Setting:
    """Make the setting; its default folder is these sources' own, since others draw differently."""
    folder = Path(tempfile.gettempdir()) / f"gnomon-gpu-{sources()}{'-tiny' * options.tiny}"
    return Setting(options.cpu, options.tiny, options.work or folder)


def environment(setting: Setting) -> dict[str, str]:
    """Variables of every process: one GPU or none, this tree's code, and no network."""
    first_gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    paths = filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
    return {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "" if setting.cpu else first_gpu,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONUNBUFFERED": "1",
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",  # data loaders fork
    }


def head(setting: Setting) -> str | None:
    """Device, versions and commit; None without a GPU.

    Another process looks for the GPU: a context of this one would count in what the jobs measure.
    """
    device = platform.processor() or platform.machine()
    name = f"CPU, {device}, {os.cpu_count()} cores"
    if not setting.cpu:
        words = [sys.executable, "-c", _PRINT_GPU]
        process = subprocess.run(words, capture_output=True, text=True, env=environment(setting))
        name = process.stdout.strip()
        if not name:
            return None
    versions = ", ".join(f"{package} {_version(package)}" for package in PACKAGES)
    tiny = ["tiny"] if setting.tiny else []
    python = f"Python {platform.python_version()}, {versions}"
    return "; ".join([name, *tiny, python, f"commit {_commit()}, sources {sources()}"])


_PRINT_GPU = """
import torch
if torch.cuda.is_available():
    gpu = torch.cuda.get_device_properties(0)
    print(f"{gpu.name}, {gpu.total_memory / 2**30:.0f} GiB")
"""


def sources() -> str:
    """Hash of the code that is measured and of the code that measures it."""
    digest = hashlib.sha256()
    for folder in ("gnomon", "benchmarks/gpu"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def _commit() -> str:
    words = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        process = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    except OSError:
        return "unknown"
    return process.stdout.strip() or "unknown"  # a tree may come without its .git


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def measure(job: str, cases: list[str], setting: Setting, out: IO[str]) -> None:
    """Measure the cases of a job; report each before and after, so that a death has a name."""

    def report(**message: object) -> None:
        print(json.dumps(message), file=out, flush=True)

    sys.path[:0] = [str(SMALL_MODELS), str(SMALL_VOCABULARIES)]
    measure_case = names.load(MEASURE, job.split()[0], what="job", command="--help")(setting)
    for case in cases:
        report(case=case)
        try:
            outcome = measure_case(case)
        except Exception as error:
            traceback.print_exc()
            outcome = Outcome(False, reason(error))
        report(case=case, outcome=asdict(outcome))
        if "CUDA error" in outcome.text:
            raise SystemExit(3)  # nothing works in this process any more
        _free()


def reason(error: Exception) -> str:
    """Write an exception in one line."""
    return shorten(f"{type(error).__name__}: {error}", 200, placeholder=" …")


def _free() -> None:
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


def main() -> None:
    """Measure the cases of a job that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--job", required=True)
    parser.add_argument("--cases", nargs="+", required=True)
    options = parser.parse_args()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever libraries print goes to the log
    measure(options.job, options.cases, setting_of(options), out)


if __name__ == "__main__":
    main()
