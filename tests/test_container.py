"""The Dockerfile, and the devcontainer that uses it: no daemon builds them here."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
STEPS = re.findall(r"^([A-Z]+) (.*(?:\\\n.*)*)$", DOCKERFILE, re.MULTILINE)


def test_hadolint_finds_nothing():
    if shutil.which("hadolint") is None:
        pytest.skip("hadolint is not installed: make test-others")
    result = subprocess.run(["hadolint", ROOT / "Dockerfile"], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "")


def test_a_user_without_rights_installs_and_runs_it():
    names = [name for name, _ in STEPS]
    assert STEPS[names.index("USER")] == ("USER", "1000")
    assert "useradd --create-home --uid 1000 gnomon" in DOCKERFILE
    assert names.count("USER") == 1
    install = names.index("RUN", names.index("USER"))
    (target,) = re.fullmatch(r"make (\S+)", STEPS[install][1]).groups()
    assert f"READY := {target}" in (ROOT / "Makefile").read_text()
    assert ("ARG", "TORCH=cpu") in STEPS
    assert "whl/${TORCH}" in DOCKERFILE


def test_the_image_gets_what_is_in_the_repository_alone():
    ignored = set((ROOT / ".gitignore").read_text().split())
    kept_out = set((ROOT / ".dockerignore").read_text().split())
    for name in (".venv", "runs", ".matrix", "dist", "site", "data", ".wheels"):
        assert {name, f"{name}/", f"/{name}/"} & ignored
        assert name in kept_out


def test_the_devcontainer_works_in_the_images_folder_as_its_user():
    settings = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    assert (ROOT / ".devcontainer" / settings["build"]["dockerfile"]).resolve().is_file()
    assert settings["remoteUser"] == "gnomon"
    assert ("WORKDIR", settings["workspaceFolder"]) in STEPS
    assert f"target={settings['workspaceFolder']},type=bind" in settings["workspaceMount"]
    assert ("RUN", settings["postCreateCommand"]) in STEPS
