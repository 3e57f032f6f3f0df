import os
import warnings

import pytest
from command_toys import gnomon, small
from filelock import FileLock


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """A whole run of a few steps, of which nothing may be changed; workers of xdist share it."""
    root = tmp_path_factory.getbasetemp()
    folder = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "trained"
    with FileLock(f"{folder}.lock"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PEFT asks transformers by an old name
        if not (folder / "run" / "report.html").exists():
            folder.mkdir()
            assert gnomon("run", small(folder), "--out", folder / "run", "--workers", 1) == 0
    return folder / "run"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli(capsys):
    """Run a command that ends with this exit code; what it printed, as `out` and `err`."""

    def run(*words, code=0):
        capsys.readouterr()
        assert gnomon(*words) == code, words
        return capsys.readouterr()

    return run
