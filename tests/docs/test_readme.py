"""What README and the page on the first hour show runs as it stands there."""

import re
import shlex
from pathlib import Path
from textwrap import dedent

import pytest
import torch
from command_toys import gnomon
from PIL import Image
from transformers import AutoTokenizer

from gnomon import store
from gnomon.dialect import Dialect
from gnomon.eval import parse_time
from gnomon.generators import create
from gnomon.pipeline.families import TINY
from gnomon.runs.resolve import resolve

ROOT = Path(__file__).parents[2]
README, FIRST_HOUR = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/start.md")
)


CLOCKS = """
data: [{path: train.csv, columns: {kind: time, ask: "What time is it? Answer HH:MM."}}]
model: {name: gnomon-tiny}
train: {samples: 16, per_device_train_batch_size: 8, max_steps: 2, learning_rate: 1e-6}
eval: {samples: 4, max_new_tokens: 8}
"""


def python_blocks():
    return re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_first_lines_read_a_clock(capsys):
    first, _, _ = python_blocks()
    exec(first, {})
    printed = capsys.readouterr().out.strip()
    assert re.fullmatch(r"(\d\d:\d\d) \1", printed)
    assert f"# {printed}\n" in first


@pytest.mark.slow
def test_the_whole_job_runs_in_python(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    _, job, _ = python_blocks()
    Path("mine.yaml").write_text(CLOCKS)
    clocks = create("clock", split="test", level="easy", second_hand=0.0)
    clocks[0].image.save("clock.png")
    Path("photographs").mkdir()
    for name, start, n in (("train", 50, 40), ("labels", 10, 4), ("more-labels", 20, 24)):
        lines = ["image,answer"]
        for index in range(start, start + n):
            picture = f"photographs/{index}.png"
            clocks[index].image.save(picture)
            lines.append(f"{picture},{clocks[index].target}")
        Path(f"{name}.csv").write_text("\n".join(lines))
    exec(f"import gnomon\n{job}", {})
    printed = capsys.readouterr().out
    assert re.match(r"10\.png \d\d:\d\d\n", printed)
    assert "Within 1 minute" in printed
    assert (tmp_path / "runs/mine/calibration.json").is_file()


def test_the_python_runs(capsys):
    _, _, code = python_blocks()
    tokenizer = AutoTokenizer.from_pretrained(TINY)
    labels = torch.tensor([tokenizer("10:08")["input_ids"]])
    logits = torch.randn(1, labels.shape[1], len(tokenizer), requires_grad=True)
    values = {"tokenizer": tokenizer, "labels": labels, "logits": logits}
    exec(code, values)
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["(10, 10, None)", "222.0"]
    assert all(f"  # {line}" in code for line in printed)
    values["loss"].backward()
    assert logits.grad.abs().sum() > 0


def test_own_photographs_are_read_as_it_shows_and_dealt_out_as_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photographs").mkdir()
    Image.new("RGB", (64, 48)).save(tmp_path / "photographs" / "a.jpg")
    rows = [f"a.jpg,{1 + i % 12}:{i % 60:02},house {i // 3}\n" for i in range(600)]
    (tmp_path / "photographs" / "labels.csv").write_text("file,time,house\n" + "".join(rows))
    (shown,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    (tmp_path / "mine.yaml").write_text(shown)
    opened = resolve("mine.yaml", ["eval.samples=40"]).recipe
    held = {s: store.mixture(opened.data[1:], split=s, seed=0) for s in ("train", "val", "test")}
    shares = [samples.length / 600 for samples in held.values()]
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.05)
    houses = [{sample.facts["group"] for sample in samples} for samples in held.values()]
    assert sum(map(len, houses)) == len(set.union(*houses)) == 200
    sample = held["train"][0]
    assert sample.question == "What time is it? Answer HH:MM."
    # What the model learns to write, and what a model that only follows the question writes:
    asked = Dialect().write(sample.target)
    for answer in (asked, f"{asked}.", f"The clock shows {asked}"):
        assert parse_time(answer) == sample.target.hms


def test_the_plan_it_shows_is_what_is_printed(capsys):
    (shown,) = re.findall(r"    \$ gnomon (plan .*)\n    \.\.\.\n((?:    .*\n)+)", FIRST_HOUR)
    assert gnomon(*shown[0].split()) == 1  # since it does not fit
    plan = dedent(shown[1])
    assert plan in capsys.readouterr().out


def test_it_scores_the_answers_of_other_programs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (64, 48)).save("a.png")
    Path("labels.csv").write_text("image,time\na.png,10:08\n")
    Path("answers.csv").write_text("image,answer\na.png,It is 10:08.\n")
    (command,) = re.findall(r"^    gnomon (score .*\\\n.*)  #", README, re.MULTILINE)
    assert gnomon(*shlex.split(command.replace("\\\n", ""))) == 0
    assert "Exactly right                   100.0 %" in capsys.readouterr().out


def test_it_is_short_enough_to_be_read():
    assert README.count("\n") <= 150


def test_every_verb_it_names_is_there(capsys):
    named = set(re.findall(r"^    (?:\$ )?gnomon ([\w-]+)", README, re.MULTILINE))
    gnomon("--help")
    printed = capsys.readouterr().out
    assert len(named) > 5
    assert named <= set(re.findall(r"^    ([\w-]+)(?:  |$)", printed, re.MULTILINE))


def test_what_it_says_of_a_wrong_key_is_what_is_said(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gnomon("cp", "day-clock", "my-clocks.yaml")
    assert gnomon("train", "my-clocks.yaml", "train.lr=1e-4") == 2
    assert capsys.readouterr().err.strip() in FIRST_HOUR
