"""Collect the packages that a GPU machine without a network lacks, in one folder to carry there.

The machine has Python 3.12 on Linux x86_64 with torch 2.11 for CUDA 13.0 and the packages that
INSTALLED names. Versions are those of constraints.txt. Each wheel's metadata is read afterwards:
what it needs on that machine must be carried or installed, in a version that it takes.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from email.parser import HeaderParser
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from benchmarks.gpu.parts import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / ".wheels"
LIMIT = 45e6
"""Bytes of the folder, which is carried at once, with the sources."""
UNUSED = re.compile(r"bitsandbytes/libbitsandbytes_(?!cuda130|cpu).*\.so")
"""Libraries for other versions of CUDA and other devices, nine tenths of bitsandbytes."""
CARRIED = (
    "albucore", "albumentations", "annotated-types", "anyio", "bitsandbytes", "datasets", "dill",
    "filelock", "fsspec", "h11", "httpcore2", "httpx2", "idna", "multiprocess", "peft", "pydantic",
    "pydantic-core", "rapidfuzz", "regex", "ruamel-yaml", "simsimd", "stringzilla", "transformers",
    "trl", "truststore", "typing-extensions", "typing-inspection", "xxhash", "zlib-ng",
)  # fmt: skip
INSTALLED = {
    "accelerate": "1.15.0", "huggingface-hub": "1.33.0", "numpy": "2.5.2", "safetensors": "0.8.0",
    "tokenizers": "0.23.2", "torch": "2.11.0",
} | dict.fromkeys(
    ("jinja2", "matplotlib", "opencv-python-headless", "packaging", "pandas", "pillow", "psutil",
     "pyarrow", "pyyaml", "requests", "scipy", "tqdm", "typer")
)  # fmt: skip
"""Versions of installed packages that the wheels need; None where nobody noted it."""
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
    """Download, strip and check the wheels; print how the folder is installed."""
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
    gnomon = [*PIP, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(FOLDER), str(ROOT)]
    subprocess.run(gnomon, check=True)
    strip(next(FOLDER.glob("bitsandbytes-*.whl")))
    wheels = sorted(FOLDER.glob("*.whl"))
    headers = {wheel.name: HeaderParser().parsestr(metadata(wheel)) for wheel in wheels}
    faults = unmet_needs(
        {name: head.get_all("Requires-Dist") or [] for name, head in headers.items()}
    )
    size = sum(wheel.stat().st_size for wheel in wheels)
    print(f".wheels: {size / 1e6:.1f} MB: {', '.join(headers)}")
    if size > LIMIT:
        faults.append(f".wheels is larger than {LIMIT / 1e6:.0f} MB")
    unversioned = ", ".join(name for name, version in INSTALLED.items() if not version)
    print(f"installed there in a version that nobody noted: {unversioned}")
    print(
        "python3 -m pip install --no-index --no-deps --no-compile --upgrade --target /tmp/site"
        " .wheels/*.whl && export PYTHONPATH=/tmp/site && make gpu GPU_PYTHON=python3"
    )
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


def pinned(constraints: str) -> list[str]:
    """Pin the carried packages to the versions of the constraints."""
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
    """Read the METADATA file of a wheel."""
    with ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return archive.read(name).decode()


def unmet_needs(needs: dict[str, list[str]]) -> list[str]:
    """List the needs of wheels, by their file names, that no package there meets."""
    carried = {name: str(version) for name, version, *_ in map(parse_wheel_filename, needs)}
    versions = {**INSTALLED, **carried}
    faults = []
    for wheel, text in [(wheel, text) for wheel, texts in needs.items() for text in texts]:
        need = Requirement(text)
        if need.marker is not None and not need.marker.evaluate(MACHINE):
            continue
        name = canonicalize_name(need.name)
        if name not in versions:
            faults.append(f"{wheel} needs {need}, which is neither carried nor there")
            continue
        version = versions[name]
        if version is not None and not need.specifier.contains(version, prereleases=True):
            faults.append(f"{wheel} needs {need}, and it is {version}")
    return faults


if __name__ == "__main__":
    sys.exit(main())
