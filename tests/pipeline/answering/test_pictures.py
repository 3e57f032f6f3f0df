"""Pictures without labels are shown to the model as their viewer shows them."""

import csv
from contextlib import nullcontext

import pytest
from fake_reader import fake_model
from PIL import Image

from gnomon.recipe import Recipe, validate
from gnomon.runs.answer_table import AnswerTable
from gnomon.runs.picture_input import find_pictures
from gnomon.runs.reader import Reader

CLOCK = "What time does the clock show? Answer HH:MM."


@pytest.fixture
def asked_of(monkeypatch):
    """Answer the pictures beside a table by a function, as `gnomon predict` does."""

    def ask(read, out, question=CLOCK):
        fake_model(monkeypatch, read)
        recipe = validate(Recipe, {"data": [{"kind": "clock"}]})
        return AnswerTable(out).fill(Reader(recipe), find_pictures(out.parent), question)

    return ask


def test_one_broken_picture_costs_no_answer_of_the_others(asked_of, tmp_path, capsys):
    for name in ("a.png", "c.gif"):
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    (tmp_path / "b.jpg").write_text("no picture")
    (tmp_path / "d.png").write_text("nor this")
    out = tmp_path / "answers.csv"
    assert len(asked_of(lambda picture: f"{picture.id} read", out)) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if "left out" in line]
    assert [told.split(" is ")[0] for told in lines] == [
        "gnomon: left out: b.jpg", "gnomon: left out: d.png"]  # fmt: skip
    assert out.read_text().splitlines() == ["file,answer", "a.png,a.png read", "c.gif,c.gif read"]


@pytest.mark.parametrize(("cut", "again"), [(0, ["c.png"]), (9, ["b.png", "c.png"])])
def test_a_stopped_run_goes_on_where_the_same_is_asked(asked_of, tmp_path, cut, again):
    names = ["a.png", "b.png", "c.png"]
    for name in names:
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    out, seen = tmp_path / "answers.csv", []

    def stopped(picture):
        if picture.id == "c.png":
            raise KeyboardInterrupt
        return '10:08 or\n"2"'

    def read(picture):
        seen.append(picture.id)
        return '10:08 or\n"2"'

    with pytest.raises(KeyboardInterrupt):
        asked_of(stopped, out)
    assert not out.exists()
    part = tmp_path / "answers.csv.part"
    part.write_bytes(part.read_bytes()[: len(part.read_bytes()) - cut])  # as a kill leaves it
    with pytest.warns(UserWarning, match="incomplete last line") if cut else nullcontext():
        asked_of(read, out)
    assert seen == again
    with out.open(newline="") as opened:
        assert list(csv.reader(opened))[1:] == [[name, '10:08 or\n"2"'] for name in names]
    assert not part.exists()


def test_what_a_stopped_run_of_another_question_left_is_refused(asked_of, tmp_path):
    for name in ("a.png", "b.png"):
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    replies = iter(["old"])
    with pytest.raises(RuntimeError):  # the second picture has no answer any more
        asked_of(lambda _: next(replies), tmp_path / "answers.csv")
    with pytest.raises(ValueError, match=r"'a.png' was asked 'What time .*', not 'When\?'"):
        asked_of(lambda picture: "new", tmp_path / "answers.csv", "When?")


@pytest.mark.parametrize(
    "text",
    ["=1+1", '=HYPERLINK("http://a.b";"c")', "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "-", "+a",
     "=cmd|' /C calc'!A0", "-5,=1", "\n=1"],
)  # fmt: skip
def test_no_answer_is_a_formula(asked_of, tmp_path, text):
    assert cells(asked_of, tmp_path, "=1+a.png", text) == ["'=1+a.png", f"'{text}"]


@pytest.mark.parametrize(
    "text", ["-5", "+5", "-3.5", "-1,234.5", "-5 %", "-5%", "-2e-5", "5=5", ""]
)
def test_a_number_stays_a_number(asked_of, tmp_path, text):
    assert cells(asked_of, tmp_path, "a.png", text) == ["a.png", text]


def cells(asked_of, folder, name, answer):
    """The line of a picture in the table of answers."""
    Image.new("RGB", (4, 4)).save(folder / name)
    asked_of(lambda picture: answer, folder / "answers.csv")
    with (folder / "answers.csv").open(newline="") as table:
        return list(csv.reader(table))[1]


def test_the_labels_of_the_pictures_are_never_written_over(asked_of, tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    labels = tmp_path / "labels.csv"
    for text in ("file,time\na.png,10:08\n", "file,answer\na.png,10:08\n"):
        labels.write_text(text)
        with pytest.raises(ValueError, match=r"labels\.csv already exists, and gnomon did not"):
            asked_of(lambda _: pytest.fail("asked"), labels)
        assert labels.read_text() == text
    answers = tmp_path / "answers.csv"
    for answer in ("10:08", "10:09"):  # its own answers are
        asked_of(lambda _, said=answer: said, answers)
        assert answer in answers.read_text()
    answers.write_text(answers.read_text().replace("10:09", "10:10"))
    with pytest.raises(ValueError, match=r"answers\.csv already exists.* changed since"):
        asked_of(lambda _: pytest.fail("asked"), answers)
