"""A job's own process: it measures cases and says so on its standard output, as JSON lines.

An exception is a case's one line, and the next case is measured; only an error that leaves the GPU
unusable ends the process.
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

from benchmarks.gpu.parts import MEASURE, ROOT, Found, Setting
from gnomon import names

COMMAND = [sys.executable, "-m", "benchmarks.gpu.worker"]
PACKAGES = ("torch", "transformers", "trl", "peft", "bitsandbytes", "accelerate", "datasets")
SMALL_MODELS = ROOT / "tests" / "pipeline"
SMALL_VOCABULARIES = ROOT / "tests" / "losses"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those that a job's process is given, too."""
    parser.add_argument("--cpu", action="store_true", help="without a GPU")
    parser.add_argument("--tiny", action="store_true", help="small models, few steps")
    parser.add_argument("--work", type=Path, help="a folder for what is drawn once (in TMPDIR)")


def setting_of(given: argparse.Namespace) -> Setting:
    """How it is measured; by default a folder of these sources, since others draw differently."""
    folder = Path(tempfile.gettempdir()) / f"gnomon-gpu-{sources()}{'-tiny' * given.tiny}"
    return Setting(given.cpu, given.tiny, given.work or folder)


def environment(setting: Setting) -> dict[str, str]:
    """Of every process: one GPU or none, this tree's code, and no network."""
    seen = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    paths = filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
    return {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "" if setting.cpu else seen,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONUNBUFFERED": "1",
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",  # data loaders fork
    }


def head(setting: Setting) -> str | None:
    """Device, versions and commit, seen by another process; None where there is no GPU.

    This one never touches the GPU: its context would count in what the jobs measure.
    """
    device = platform.processor() or platform.machine()
    name = f"CPU, {device}, {os.cpu_count()} cores"
    if not setting.cpu:
        words = [sys.executable, "-c", _ASK]
        told = subprocess.run(words, capture_output=True, text=True, env=environment(setting))
        name = told.stdout.strip()
        if not name:
            return None
    known = ", ".join(f"{package} {_version(package)}" for package in PACKAGES)
    tiny = ["tiny"] if setting.tiny else []
    python = f"Python {platform.python_version()}, {known}"
    return "; ".join([name, *tiny, python, f"commit {_commit()}, sources {sources()}"])


_ASK = """
import torch
if torch.cuda.is_available():
    seen = torch.cuda.get_device_properties(0)
    print(f"{seen.name}, {seen.total_memory / 2**30:.0f} GiB")
"""


def sources() -> str:
    """A hash of what is measured and of what measures it."""
    digest = hashlib.sha256()
    for folder in ("gnomon", "benchmarks/gpu"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def _commit() -> str:
    words = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        told = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    except OSError:
        return "unknown"
    return told.stdout.strip() or "unknown"  # a tree may come without its .git


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def measure(job: str, cases: list[str], setting: Setting, out: IO[str]) -> None:
    """Measure the cases of a job, telling of each before and after."""

    def tell(**what: object) -> None:
        print(json.dumps(what), file=out, flush=True)

    sys.path[:0] = [str(SMALL_MODELS), str(SMALL_VOCABULARIES)]
    found = names.load(MEASURE, job.split()[0], what="job", listing="--help")(setting)
    for case in cases:
        tell(case=case)
        try:
            measured = found(case)
        except Exception as error:
            traceback.print_exc()
            measured = Found(False, reason(error))
        tell(case=case, **asdict(measured))
        if "CUDA error" in measured.said:
            raise SystemExit(3)  # nothing works in this process any more
        _free()


def reason(error: Exception) -> str:
    """An exception in one line."""
    return shorten(f"{type(error).__name__}: {error}", 200, placeholder=" …")


def _free() -> None:
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--job", required=True)
    parser.add_argument("--cases", nargs="+", required=True)
    given = parser.parse_args()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed goes to the log
    measure(given.job, given.cases, setting_of(given), out)


if __name__ == "__main__":
    main()
