"""The table that a run was trained on: only its held-out rows are asked, and this is said."""

from pathlib import Path

import pytest
from fake_reader import fake_model
from PIL import Image

import gnomon
from gnomon.eval.scoring.question_file import QuestionFile, question_path
from gnomon.recipe import Recipe, to_yaml, validate
from gnomon.sample import Time

COLUMNS = {"kind": "number", "ask": "What does it read?", "split": "part"}


@pytest.fixture
def reader(monkeypatch, here):
    """A run whose table has 6 rows to train on and 4 to test."""
    rows = ["image,answer,part"]
    for index in range(10):
        Image.new("RGB", (20, 20), (index, 0, 0)).save(f"{index}.png")
        rows.append(f"{index}.png,{index},{'train' if index < 6 else 'test'}")
    Path("labels.csv").write_text("\n".join(rows))
    source = {"path": str(here / "labels.csv"), "columns": COLUMNS}
    recipe = validate(Recipe, {"model": {"name": "gnomon-tiny"}, "data": [source]}, name="test")
    Path("run").mkdir()
    Path("run/recipe.yaml").write_text(to_yaml(recipe))
    fake_model(monkeypatch, lambda sample: "7")
    monkeypatch.setattr(gnomon.Reader, "open", lambda reader: reader)
    monkeypatch.setattr(gnomon.Reader, "_warn_of_shrunk", lambda reader, samples: samples)
    return gnomon.load("run")


def test_the_report_says_which_rows_were_asked(reader, capsys):
    report = gnomon.evaluate(reader, "labels.csv")
    assert str(report).splitlines()[-1] == "4 questions of labels.csv, test split"
    said = "labels.csv: the run was trained on rows of it, so only its test rows are asked"
    assert said in capsys.readouterr().err


def test_a_split_that_the_user_names_needs_no_note(reader, capsys):
    report = gnomon.evaluate(reader, "labels.csv", overrides={"eval.split": "all"})
    assert str(report).splitlines()[-1] == "10 questions of labels.csv"
    assert "was trained on rows of it" not in capsys.readouterr().err


def test_a_verb_asks_a_run_s_own_question_if_the_table_has_none(monkeypatch, here, cli):
    Image.new("RGB", (20, 20)).save("0.png")
    Path("labels.csv").write_text("image,answer\n0.png,22:10\n")
    source = {"kind": "clock", "options": {"numerals": ["arabic-24"]}}
    recipe = validate(Recipe, {"model": {"name": "gnomon-tiny"}, "data": [source]}, name="test")
    Path("run").mkdir()
    Path("run/recipe.yaml").write_text(to_yaml(recipe))
    fake_model(monkeypatch, lambda sample: "22:10")
    monkeypatch.setattr(gnomon.Reader, "_warn_of_shrunk", lambda reader, samples: samples)
    cli("predict", "run", "labels.csv", "--out", "answers.jsonl")
    (question,) = QuestionFile(question_path(Path("answers.jsonl")))
    assert question.question == "What time does the clock show? Answer HH:MM."
    assert question.target == Time(22 * 3600 + 10 * 60, hours=24)
