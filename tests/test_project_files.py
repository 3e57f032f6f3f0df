"""What a package index, GitHub and a contributor's tools read says the same as the package.

Their own linters are in `make check`, `twine check` is in `make dist`.
"""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import gnomon
from gnomon.commands import main

ROOT = Path(gnomon.__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CI = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
PINNED = set(re.findall(r"^([\w.-]+)==", (ROOT / "constraints.txt").read_text(), re.MULTILINE))


def commands(job):
    return [step["run"] for step in job["steps"] if "run" in step]


def test_the_citation_is_of_this_version_and_its_authors():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == gnomon.__version__
    assert cited["authors"] == PROJECT["project"]["authors"]
    assert cited["license"] == PROJECT["project"]["license"]
    assert f"{cited['abstract']}" in PROJECT["project"]["description"]


def test_every_tool_is_pinned():
    named = {re.match(r"[\w.-]+", line)[0] for group in ("dev", "docs", "transfer")
             for line in PROJECT["dependency-groups"][group]}  # fmt: skip
    as_one = {name.lower().replace("_", "-") for name in PINNED}
    assert {name.lower().replace("_", "-") for name in named} <= as_one


@pytest.mark.slow
def test_what_github_runs_on_windows_and_macos_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    install, *rest = commands(CI["jobs"]["base"])
    assert install == "python -m pip install -c constraints.txt ."
    assert len(rest) == 4
    for command in rest:
        assert main(command.split()[1:]) == 0, command
    assert capsys.readouterr().out.endswith("charts: sound\n")


@pytest.mark.long
def test_the_wheel_alone_runs_the_demo(tmp_path):
    """Its files alone beside what it depends on: recipes and the embedded model are in it."""
    built = tmp_path / "dist"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    wheel = built / f"gnomon_vlm-{gnomon.__version__}-py3-none-any.whl"
    zipfile.ZipFile(wheel).extractall(tmp_path / "alone")
    small = ["train.max_steps=2", "train.samples=64", "eval.samples=8", "--workers", "1"]
    code = "import gnomon.commands, sys; print(gnomon.__file__); sys.exit(gnomon.commands.main())"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, "demo", *small],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "alone"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith(str(tmp_path / "alone"))
    assert (tmp_path / "runs/demo/report.html").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_make_test_leaves_out_is_counted_whoever_collects_it(tmp_path, workers):
    (tmp_path / "tests" / "rooms").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "tests" / "rooms" / "test_all.py").write_text(
        "import pytest\ndef test_quick(): pass\n"
        "@pytest.mark.slow\n@pytest.mark.parametrize('n', range(1200))\ndef test_slow(n): pass\n"
        "@pytest.mark.long\n@pytest.mark.slow\ndef test_long(): pass\n"
    )
    words = ["-m", "not slow and not long and not hub", "-n", workers]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
    output = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    assert "1 passed" in output
    assert re.search(
        r"^1,200 slow tests \(.*rooms 1,200\) were left to `make test-slow`", output, re.M
    )
    assert re.search(r"^1 long tests \(.*rooms 1\) were left to `make test-long`", output, re.M)
