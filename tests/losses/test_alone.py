"""The numeric losses where only torch is installed, as docs/losses.md says."""

import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
SCRIPT = """
import torch
from gnomon.losses import KINDS, NumericVocab, create


class Tokenizer:
    all_special_ids = []

    def get_vocab(self):
        return {token: number for number, token in enumerate("0123456789:ab")}

    def convert_tokens_to_string(self, tokens):
        return "".join(tokens)


vocab = NumericVocab.from_tokenizer(Tokenizer(), size=13)
logits = torch.zeros(1, 4, 13, requires_grad=True)
labels = torch.tensor([[1, 0, 10, -100]])
for name in sorted(KINDS):
    loss = create(name, vocab)(logits, labels)
    (gradient,) = torch.autograd.grad(loss, logits)
    assert gradient.isfinite().all() and gradient.any(), name
    print(name)
"""


def needs(name):
    """A distribution and all that it needs, by name."""
    names, waiting = set(), [name]
    while waiting:
        name = waiting.pop()
        try:
            requirements = map(Requirement, distribution(name).requires or [])
        except PackageNotFoundError:  # CUDA's libraries, which a CPU build does not have
            continue
        if name not in names:
            names.add(name)
            waiting += [
                need.name
                for need in requirements
                if need.marker is None or need.marker.evaluate({"extra": ""})
            ]
    return names


@pytest.mark.slow
def test_losses_need_torch_and_nothing_else(tmp_path):
    for name in needs("torch"):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files if file.parts[0] not in ("..", ".")}:
            if not (tmp_path / top).exists():
                (tmp_path / top).symlink_to(found.locate_file(top))
    (tmp_path / "gnomon").symlink_to(ROOT / "gnomon")
    assert not (tmp_path / "numpy").exists()
    run = subprocess.run(
        [sys.executable, "-S", "-c", SCRIPT],
        env={"PYTHONPATH": str(tmp_path), "OMP_NUM_THREADS": "1", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "ntil" in run.stdout.split()


def test_the_command_says_what_is_missing(tmp_path):
    (tmp_path / "gnomon").symlink_to(ROOT / "gnomon")
    run = subprocess.run(
        [sys.executable, "-S", "-m", "gnomon", "ls"],
        env={"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.returncode == 1
    assert re.fullmatch(r"gnomon: \w+ is not installed: pip install .*\n", run.stderr)


def test_the_page_installs_them_in_one_line():
    page = (ROOT / "docs/losses.md").read_text()
    assert re.search(r"^    pip install torch && pip install --no-deps \.$", page, re.MULTILINE)
