"""What README shows runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import torch
from road_toys import gnomon
from transformers import AutoTokenizer

from gnomon.pipeline.families import TINY

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_python_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    tokenizer = AutoTokenizer.from_pretrained(TINY)
    labels = torch.tensor([tokenizer("10:08")["input_ids"]])
    logits = torch.randn(1, labels.shape[1], len(tokenizer), requires_grad=True)
    values = {"tokenizer": tokenizer, "labels": labels, "logits": logits}
    exec(code, values)
    assert (tmp_path / "clock.png").is_file()
    assert capsys.readouterr().out.splitlines()[1] == "(10, 10, None) 222.0"
    values["loss"].backward()
    assert logits.grad.abs().sum() > 0


def test_every_verb_it_names_is_there(capsys):
    named = set(re.findall(r"^\| `gnomon (\w+)", README, re.MULTILINE))
    gnomon("--help")
    printed = capsys.readouterr().out
    assert named == set(re.findall(r"^    (\w+)  ", printed, re.MULTILINE))


def test_what_it_says_of_a_wrong_key_is_what_is_said(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gnomon("cp", "demo", "my-clocks.yaml")
    assert gnomon("train", "my-clocks.yaml", "train.lr=1e-4") == 2
    assert capsys.readouterr().err.strip() in README
