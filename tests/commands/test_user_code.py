"""What a user's own code raises is told with its file and line, and with its traceback if asked."""

import re
import sys
from itertools import count

import pytest
from command_toys import gnomon, gnomon_process, small

from gnomon import names
from gnomon.losses import NumericVocab, create
from gnomon.names import load_user_class

CODE = """
from dataclasses import dataclass

from gnomon.generators.base import Generator
from gnomon.losses import NumericLoss
from gnomon.pipeline.families.qwen import Qwen2VL
from gnomon.sample import Number, Sample


def fail(*_):
    {raising}  # line 11


@dataclass(frozen=True, kw_only=True, repr=False)
class Dice(Generator):
    kind, version, targets = "{module}", 1, (Number,)
    draw = key = fail


class Distance(NumericLoss):
    parts = {{"distance": "digits"}}

    def __init__(self, vocab, power=1):
        super().__init__(vocab)
        fail()

    def terms(self, scores, spans):
        return {{"distance": scores.sum(-1)}}


class Polite(Qwen2VL):
    conversation = tokenized = __init__ = fail
"""
EXCEPTIONS = {
    "raise ValueError()": "ValueError",
    'raise ValueError("no such die")': "no such die",
    'raise KeyError("die")': "KeyError: 'die'",
    "1 / 0": "ZeroDivisionError: division by zero",
    "import dice_of_somebody": "ModuleNotFoundError: No module named 'dice_of_somebody'",
    'open("dice.txt")': "dice.txt: no such file or directory",
}
PLACES = {
    "generator": ["preview", "MODULE:Dice", "-o", "sheet.png"],
    "dataset": ["generate", "MODULE:Dice", "--n", 20, "--out", "d", "--workers", 2],
    "loss": ["plan", "small.yaml", "--config-only", "loss.name=MODULE:Distance",
             "loss.options={power: 2}"],
    "family": ["plan", "small.yaml", "--config-only", "model.family=MODULE:Polite"],
}  # fmt: skip
NUMBERS = count()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of the user's in the working directory, under a name that was never imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(names, "_ALLOWED", set())
    small(tmp_path)
    name = f"user_code_{next(NUMBERS)}"

    def write(raising):
        (tmp_path / f"{name}.py").write_text(CODE.format(raising=raising, module=name))
        return name

    return write


@pytest.mark.parametrize("raising", EXCEPTIONS)
@pytest.mark.parametrize("place", PLACES)
def test_an_exception_is_told_with_its_file_and_line(module, capfd, monkeypatch, place, raising):
    name = module(raising)
    words = [str(word).replace("MODULE", name) for word in PLACES[place]]
    assert gnomon(*words) in (1, 2)
    message = capfd.readouterr().err
    assert f"{EXCEPTIONS[raising]} ({name}.py, line 11; --debug shows the traceback)" in message
    assert "Traceback" not in message
    assert ".[train]" not in message
    monkeypatch.setenv("GNOMON_DEBUG", "1")
    assert gnomon(*words) in (1, 2)
    message = capfd.readouterr().err
    assert "Traceback (most recent call last)" in message
    assert f"{raising}  # line 11" in message


def test_debug_is_an_option_of_every_verb(module, capfd):
    assert gnomon("preview", f"{module('1 / 0')}:Dice", "-o", "sheet.png", "--debug") == 1
    assert "1 / 0  # line 11" in capfd.readouterr().err
    assert gnomon("train", "demo", "train.lr=1", "--debug") == 2
    assert "Traceback" in capfd.readouterr().err
    assert gnomon("train", "demo", "train.lr=1") == 2
    assert "Traceback" not in capfd.readouterr().err


def test_a_librarys_error_is_told_with_its_file(monkeypatch, capsys):
    code = "def table(_):\n    from packaging.version import Version\n    Version('none')"
    exec(compile(code, names.__file__, "exec"), space := {})  # as if gnomon called it
    monkeypatch.setattr("gnomon.runs.name_lists.table", space["table"])
    assert gnomon("ls") == 1
    assert re.search(r"'none' \(packaging/version.py, line \d+; --debug", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("body", "lacking"),
    [
        ("pass", "parts and terms"),
        ("parts = {'bare': 'digits'}", "terms"),
        ("def terms(self, *_): return {}", "parts"),
    ],
)
def test_a_loss_without_terms_or_parts_is_refused_when_it_is_created(
    module, tmp_path, body, lacking
):
    name = module("pass")
    code = f"from gnomon.losses import NumericLoss\nclass Bare(NumericLoss):\n    {body}\n"
    (tmp_path / f"{name}.py").write_text(code)
    names.allow(f"{name}:Bare")
    vocab = NumericVocab({str(digit): digit for digit in range(10)})
    with pytest.raises(ValueError, match=f"loss '{name}:Bare' has no {lacking}: define"):
        create(f"{name}:Bare", vocab)
    if "terms" in lacking:
        with pytest.raises(TypeError, match=r"abstract class Bare .*terms"):
            load_user_class(f"{name}:Bare", object, what="loss")(vocab)


@pytest.mark.slow
def test_a_loss_that_raises_in_a_training_is_told(module, tmp_path):
    name = module("raise RuntimeError()")
    code = (tmp_path / f"{name}.py").read_text()
    code = code.replace("        fail()\n", "").replace(
        'return {"distance": scores.sum(-1)}', "fail()"
    )
    (tmp_path / f"{name}.py").write_text(code)
    done = gnomon_process("train", "small.yaml", f"loss.name={name}:Distance", "--out", "run")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"gnomon: RuntimeError ({name}.py, line 11")
