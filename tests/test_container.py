"""The Dockerfile: no daemon builds it here."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_hadolint_finds_nothing():
    if shutil.which("hadolint") is None:
        pytest.skip("hadolint is not installed: make test-others")
    result = subprocess.run(["hadolint", ROOT / "Dockerfile"], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "")


def test_the_image_gets_what_is_in_the_repository_alone():
    ignored = set((ROOT / ".gitignore").read_text().split())
    kept_out = set((ROOT / ".dockerignore").read_text().split())
    for name in (".venv", "runs", ".matrix", "dist", "site", "data", ".wheels"):
        assert {name, f"{name}/", f"/{name}/"} & ignored
        assert name in kept_out
