"""make gpu-wheels: what a GPU machine without a network lacks, in one folder to be carried there.

The machine has Python 3.12 on Linux x86_64 with torch 2.11 for CUDA 13.0 and what THERE names.
Versions are those of constraints.txt. Each wheel's metadata is read afterwards: whatever it needs
on that machine must be carried or there, in a version that it takes.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from email.parser import HeaderParser
from itertools import chain
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from benchmarks.gpu.parts import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / ".wheels"
LIMIT = 45e6
"""Bytes of the folder: with the sources it is to be carried at once."""
UNUSED = re.compile(r"bitsandbytes/libbitsandbytes_(?!cuda130|cpu).*\.so")
"""Nine tenths of bitsandbytes are for other versions of CUDA and other devices."""
CARRIED = (
    "albucore", "albumentations", "annotated-types", "bitsandbytes", "datasets", "dill", "filelock",
    "fsspec", "multiprocess", "peft", "pydantic", "pydantic-core", "rapidfuzz", "regex", "simsimd",
    "stringzilla", "transformers", "trl", "typing-extensions", "typing-inspection", "xxhash",
    "zlib-ng",
)  # fmt: skip
THERE = {
    "accelerate": "1.15.0", "huggingface-hub": "1.33.0", "numpy": "2.5.2", "safetensors": "0.8.0",
    "tokenizers": "0.23.2", "torch": "2.11.0",
} | dict.fromkeys(
    ("jinja2", "matplotlib", "opencv-python-headless", "packaging", "pandas", "pillow", "psutil",
     "pyarrow", "pyyaml", "requests", "scipy", "tqdm", "typer")
)  # fmt: skip
"""Of what the wheels need; None where it is there in a version that nobody noted."""
MACHINE = {
    "python_version": "3.12",
    "python_full_version": "3.12.3",
    "platform_machine": "x86_64",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "os_name": "posix",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "extra": "",
}
PIP = [sys.executable, "-m", "pip"]


def main() -> int:
    """Download, leave out what is unused, check; say how the folder is installed."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    platforms = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_24", "manylinux_2_17",
                 "manylinux2014", "manylinux1")  # fmt: skip
    subprocess.run(
        [*PIP, "download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version=3.12",
         "--implementation=cp", *(f"--platform={name}_x86_64" for name in platforms),
         "--dest", str(FOLDER), *pinned((ROOT / "constraints.txt").read_text())],
        check=True,
    )  # fmt: skip
    own = [*PIP, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(FOLDER), str(ROOT)]
    subprocess.run(own, check=True)
    strip(next(FOLDER.glob("bitsandbytes-*.whl")))
    wheels = sorted(FOLDER.glob("*.whl"))
    headers = {wheel.name: HeaderParser().parsestr(metadata(wheel)) for wheel in wheels}
    faults = lacking({name: head.get_all("Requires-Dist") or [] for name, head in headers.items()})
    size = sum(wheel.stat().st_size for wheel in wheels)
    print(f".wheels: {size / 1e6:.1f} MB: {', '.join(headers)}")
    if size > LIMIT:
        faults.append(f".wheels is larger than {LIMIT / 1e6:.0f} MB")
    print(
        "there in a version that nobody noted: " + ", ".join(n for n, v in THERE.items() if not v)
    )
    print(
        "python3 -m pip install --no-index --no-deps --no-compile --upgrade --target /tmp/site"
        " .wheels/*.whl && export PYTHONPATH=/tmp/site && make gpu GPU_PYTHON=python3"
    )
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


def pinned(constraints: str) -> list[str]:
    """The carried packages with their versions."""
    lines = re.findall(r"^([\w.-]+)==(\S+)", constraints, re.MULTILINE)
    versions = {canonicalize_name(name): version for name, version in lines}
    return [f"{name}=={versions[canonicalize_name(name)]}" for name in CARRIED]


def strip(wheel: Path) -> None:
    """Leave out the libraries that such a machine never loads."""
    stripped = wheel.with_suffix(".new")
    with ZipFile(wheel) as whole, ZipFile(stripped, "w", ZIP_DEFLATED) as rest:
        for entry in whole.infolist():
            if not UNUSED.fullmatch(entry.filename):
                rest.writestr(entry, whole.read(entry))
    stripped.replace(wheel)


def metadata(wheel: Path) -> str:
    """A wheel's METADATA."""
    with ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return archive.read(name).decode()


def lacking(needs: dict[str, list[str]]) -> list[str]:
    """What wheels need, by their file names, and neither carried nor there is, or in no version."""
    carried = {name: str(version) for name, version, *_ in map(parse_wheel_filename, needs)}
    known = {**THERE, **carried}
    faults = []
    for wheel, text in chain.from_iterable(([w, t] for t in texts) for w, texts in needs.items()):
        need = Requirement(text)
        if need.marker is not None and not need.marker.evaluate(MACHINE):
            continue
        name = canonicalize_name(need.name)
        if name not in known:
            faults.append(f"{wheel} needs {need}, which is neither carried nor there")
        elif known[name] is not None and not need.specifier.contains(known[name], prereleases=True):
            faults.append(f"{wheel} needs {need}, and it is {known[name]}")
    return faults


if __name__ == "__main__":
    sys.exit(main())
