"""gnomon predict: what a model is asked, and where its answers stand."""

import csv
import json
import shutil

import pytest
from command_toys import gnomon, small

from gnomon.eval.scoring import question_file
from gnomon.generators import create
from gnomon.runs import picture_input as pictures
from gnomon.runs.answer_file import answer_exam
from gnomon.runs.exam import Exam
from gnomon.runs.model_arguments import resolve_model
from gnomon.runs.predicting import _answer_path
from gnomon.runs.reader import Reader
from gnomon.runs.resolve import resolve


def test_overrides_need_no_data_and_beliefs_stand_beside_the_answers(run, tmp_path):
    out = tmp_path / "belief.jsonl"
    assert gnomon("predict", run, "eval.samples=3", "--belief", "--out", out) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == 3
    assert {len(row["logprobs"] or ()) for row in rows} <= {720, 101, 0}
    assert any(row["logprobs"] for row in rows)


@pytest.mark.slow
def test_beliefs_have_a_file_beside_the_answers_that_a_run_gave(run, tmp_path, cli):
    """README's own command was refused once the run had answered, after the model was loaded."""
    shutil.copytree(run, own := tmp_path / "run")
    out = own / "predictions" / "after-belief.jsonl"
    for _ in range(2):
        assert cli("predict", own, "--belief").out.strip() == str(out)
    answers = own / "predictions" / "after.jsonl"
    assert answers.read_bytes() == (run / "predictions" / "after.jsonl").read_bytes()
    assert "CRPS" in cli("score", out).out


@pytest.mark.slow
def test_answers_by_another_rule_stand_beside_those_of_the_run(run, tmp_path, cli):
    shutil.copytree(run, own := tmp_path / "run")
    out = own / "predictions" / "after-median.jsonl"
    assert cli("predict", own, "eval.answer=median").out.strip() == str(out)
    assert "after-median" in cli("compare", own, out, "--out", tmp_path / "both.html").out
    # What the run's recipe says is no other rule.
    file = own / "recipe.yaml"
    file.write_text(file.read_text().replace("answer: greedy", "answer: median"))
    for words, name in (((), "after"), (["eval.answer=greedy"], "after-greedy")):
        recipe = resolve_model(str(own), None, list(words)).recipe
        assert _answer_path(Reader(recipe, own), "after").stem == name


def test_photographs_of_a_folder_that_are_not_read_are_counted(tmp_path, capsys):
    for name in ("a.png", "b.JFIF", "c.heic", "d.HEIC", "notes.txt", "more/e.jpg", "none/f.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [file.name for file in pictures.find_pictures(tmp_path)] == ["a.png", "b.JFIF"]
    note = capsys.readouterr().err
    assert "left out: 1 .heic (save as JPEG), 1 .HEIC (save as JPEG)" in note
    assert f"the pictures in {tmp_path / 'more'}\n" in note
    with pytest.raises(ValueError, match="is not read: save it as JPEG"):
        pictures.pictures_in(str(tmp_path / "c.heic"))


@pytest.mark.parametrize("name", ["metadata.csv", "metadata.jsonl", "annotations.xml"])
def test_a_folder_with_labels_is_data(tmp_path, name):
    """Its pictures have questions and answers, as every other verb reads them."""
    assert pictures.pictures_in(str(tmp_path)) == tmp_path
    (tmp_path / name).touch()
    assert pictures.pictures_in(str(tmp_path)) is None


def test_a_run_reads_a_folder_and_a_dataset(run, here, cli):
    (here / "photos").mkdir()
    for index in range(3):
        create("clock", size=84)[index].image.save(here / "photos" / f"{index}.png")
    cli("predict", run, "photos", "--out", "read.csv")
    header, *rows = csv.reader((here / "read.csv").read_text().splitlines())
    assert header == ["file", "answer"]
    assert [row[0] for row in rows] == ["0.png", "1.png", "2.png"]
    cli("generate", "clock", "--n", 3, "--split", "test", "--out", "d", "size=84", "--workers", 1)
    cli("predict", run, "d", "--out", "d.jsonl")
    assert len((here / "d.jsonl").read_text().splitlines()) == 3


def test_predict_measures_a_model_as_it_came(here, cli):
    """And as a recipe says."""
    (here / "clocks.yaml").write_text(
        "data: [{kind: clock}]\neval: {samples: 2, max_new_tokens: 7}\n"
    )
    cli("predict", "gnomon-tiny", "clocks.yaml", "--out", "said.jsonl")
    rows = [json.loads(line) for line in (here / "said.jsonl").read_text().splitlines()]
    assert [row["settings"]["max_new_tokens"] for row in rows] == [7, 7]
    cli("predict", "gnomon-tiny", "clock", "rotation=0", "eval.samples=4")
    about = json.loads((here / "predictions" / "gnomon-tiny-clock.about.json").read_text())
    assert about["exam"]["sources"][0]["options"] == {"rotation": 0}
    cli("score", "predictions/gnomon-tiny-clock.jsonl")
    assert (here / "predictions" / "gnomon-tiny-clock.html").is_file()


CLOCK = "What time does the clock show? Answer HH:MM."


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Ask two questions into a.jsonl, answering none."""

    def record(self, reader, exam, total):
        list(question_file.record(exam, question_file.question_path(self.path)))

    monkeypatch.setattr("gnomon.runs.answer_file.AnswerFile._append", record)
    opened = resolve(small(tmp_path), ["eval.samples=2"]).recipe
    return lambda: answer_exam(opened, Exam.of(opened), tmp_path / "a.jsonl")


@pytest.mark.parametrize("name", ["a.about.json", "a.asked.jsonl"])
@pytest.mark.parametrize("content", ['{"mine": 1}\n', "mine"])
def test_a_users_own_file_beside_answers_is_not_replaced(tmp_path, ask, name, content):
    (tmp_path / name).write_text(content)
    before = {file: file.read_text() for file in tmp_path.iterdir()}
    with pytest.raises(FileExistsError, match=f"{name}: this would be written beside the ans"):
        ask()
    assert {file: file.read_text() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("length", [None, 40, 3, 0])
def test_what_a_start_left_that_answered_nothing_is(tmp_path, ask, length):
    ask()
    asked = tmp_path / "a.asked.jsonl"
    whole = asked.read_text()
    asked.write_text(whole[:length])
    ask()
    assert asked.read_text() == whole


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("runs/none clock", "there is no run runs/none"),
        ("runs/none none.csv", "there is no run runs/none"),
        ("runs/none none.jpg", "there is no run runs/none"),
        ("runs/none", "there is no run runs/none"),
        ("gnomon-tiny none.jpg", "none.jpg: there is no such file"),
        ("gnomon-tiny photos/none.JPG", "photos/none.JPG: there is no such file"),
        ("gnomon-tiny none.csv", "none.csv: there is no such file"),
        ("gnomon-tiny none", "nor is there a file or folder 'none'"),
        ("gnomon-tin clock", "'gnomon-tin' is not a directory, a hub id (owner/name)"),
        ("gnomon-tiny", "name what to ask it about"),
    ],
)
def test_a_run_or_a_file_that_is_missing_is_named(here, cli, words, message):
    assert message in cli("predict", *words.split(), code=2).err


def test_predict_says_what_may_go_wrong_before_it_asks(here, cli):
    """Pictures that are shrunk, and a question that the model does not know."""
    (here / "photos").mkdir()
    create("clock", size=84)[0].image.resize((1200, 1200)).save(here / "photos" / "0.png")
    words = ("predict", "gnomon-tiny", "photos", "--out", "read.csv", "--question")
    warnings = cli(*words, "Which gate is open?").err
    assert "pictures of 1200 × 1200 pixels are shrunk to " in warnings
    assert 'gnomon-tiny was not trained on "Which gate is open?"' in warnings
    assert 'it knows "What time does the clock show? Answer HH:MM.", ' in warnings
    assert "was not trained on" not in cli(*words, CLOCK).err
    (here / "labels.csv").write_text("image,answer\nphotos/0.png,10:08\n")
    own = ("predict", "gnomon-tiny", "labels.csv", "columns.kind=time", "columns.ask=Late?",
           "--finder", "off")  # fmt: skip
    warnings = cli(*own).err
    assert "pictures of 1200 × 1200 pixels are shrunk to " in warnings
    assert 'gnomon-tiny was not trained on "Late?"' in warnings
