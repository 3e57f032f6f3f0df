"""Pictures of the training are known by their content: nothing is calibrated or scored by them."""

import json
import shutil
from pathlib import Path

import pytest
from command_toys import gnomon
from run_fixtures import cli, here, run  # noqa: F401

from gnomon.eval.calibration import calibration as calibrations
from gnomon.eval.scoring.question_file import Question
from gnomon.generators import create
from gnomon.runs.resolve import resolve
from gnomon.runs.trained_rows import TrainedRows, read_rows, write_rows

HALVES = ", ".join(f"{hour:02}:{minute:02}" for hour in range(1, 13) for minute in (0, 30))
ASK = "What time does the clock show? Answer HH:MM."
RECIPE = """
data:
  - path: clocks.csv
    columns: {ask: "%s", answer: time, kind: time, split: split}
train: {per_device_train_batch_size: 4, max_steps: 100, eval_steps: 50, eval_samples: 10}
"""


@pytest.fixture
def trained(run, here):  # noqa: F811
    """A run that knows 24 clocks as its training and 10 of 30 as those of its validation."""
    shutil.copytree(run, here / "run")
    clocks, lines = create("clock", size=84, seed=3, second_hand=0.0), ["image,time,split"]
    Path("photos").mkdir()
    for n in range(56):
        clocks[n].image.save(f"photos/{n}.png")
        split = "train" if n < 24 else "val" if n < 54 else "test"
        lines.append(f"photos/{n}.png,{clocks[n].target.display()},{split}")
    Path("clocks.csv").write_text("\n".join(lines))
    Path("own.yaml").write_text(RECIPE % ASK)
    resolved = resolve("own.yaml")
    write_rows(resolved.recipe, resolved.samples("train"), here / "run")
    return here / "run"


def table(name, numbers):
    """The same pictures under other names, without splits."""
    rows = [line.split(",") for line in Path("clocks.csv").read_text().splitlines()[1:]]
    lines = ["image,time"]
    for number in numbers:
        shutil.copy(f"photos/{number}.png", f"photos/{name}-{number}.png")
        lines.append(f"photos/{name}-{number}.png,{rows[number][1]}")
    Path(f"{name}.csv").write_text("\n".join(lines))
    columns = (f"columns.ask={ASK}", "columns.answer=time", "columns.kind=time")
    return (f"{name}.csv", *columns)


def test_rows_are_known_by_their_pictures(trained):
    rows = read_rows(trained)
    assert (len(rows.train), len(rows.validation)) == (24, 10)
    samples = resolve("own.yaml").samples
    assert all(rows.trained(Question.of(sample)) for sample in samples("train"))
    assert sum(rows.chose(Question.of(sample)) for sample in samples("val")) == 10
    assert not any(rows.trained(Question.of(sample)) for sample in samples("val"))
    assert read_rows(None) == read_rows(trained / "predictions") == TrainedRows()


def test_questions_without_a_picture_are_known_by_their_words(tmp_path):
    lines = [f"What is {n} + 1?,{n + 1},train" for n in range(9)]
    (tmp_path / "sums.csv").write_text("\n".join(["question,answer,part", *lines]))
    words = ["columns.kind=number", "columns.image=null", "columns.split=part", "train.samples=3"]
    resolved = resolve(str(tmp_path / "sums.csv"), words)
    samples = resolved.samples("train")
    write_rows(resolved.recipe, samples, tmp_path)
    rows = read_rows(tmp_path)
    known = [rows.trained(Question.of(sample)) for sample in samples]
    assert known == [True] * 3 + [False] * 6
    # Nothing is known of drawings, whose splits never share one.
    (tmp_path / "rows.json").unlink()
    drawn = resolve("clock", ["train.samples=3"])
    write_rows(drawn.recipe, drawn.samples("train"), tmp_path)
    assert not (tmp_path / "rows.json").exists()


def test_pictures_of_the_training_do_not_calibrate(trained, capsys):
    """Intervals of 90 % held 48.6 % of new dials after that."""
    belief = f"eval.belief=[{HALVES}]"
    assert gnomon("calibrate", trained, *table("old", range(24)), belief, "--within", 60) == 2
    assert "24 of 24 pictures are in the training of" in capsys.readouterr().err
    assert not (trained / calibrations.NAME).exists()
    mixed = table("mixed", [*range(4), *range(24, 54)])
    assert gnomon("calibrate", trained, *mixed, belief, "--within", 60) == 0
    message = capsys.readouterr()
    assert "4 of 34 pictures are in the training of" in message.err
    assert "10 of 34 pictures chose the checkpoint of" in message.err
    assert "30 answers;" in message.out


def test_answers_about_pictures_of_the_training_are_marked(trained, capsys):
    words = table("mixed", [*range(4), *range(24, 30)])
    assert gnomon("predict", trained, *words, "--out", "a.jsonl") == 0
    marked = "4 of 10 questions are about pictures that the model was trained on"
    assert marked in capsys.readouterr().err
    assert json.loads(Path("a.about.json").read_text())["trained"] == 4
    assert gnomon("score", "a.jsonl", "--out", "a.html") == 0
    assert f"a: {marked}" in capsys.readouterr().out
    assert marked in Path("a.html").read_text()
    assert gnomon("predict", trained, "photos/0.png", "--question", ASK) == 0
    assert "1 of 1 questions are about pictures that" in capsys.readouterr().err


def test_plan_says_how_many_rows_are_left_to_calibrate_by(trained, capsys):
    assert gnomon("plan", "own.yaml", "--config-only", "--memory", 24) == 0
    message = "10 of 30 rows of val choose the checkpoint, and 20 others are few"
    assert message in capsys.readouterr().err
    assert gnomon("plan", "own.yaml", "--config-only", "--memory", 24, "train.eval_steps=null") == 0
    assert "choose the checkpoint" not in capsys.readouterr().err
