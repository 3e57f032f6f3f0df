"""An instrument is found, cut out and asked about alone: by faked answers, and by a real model."""

import csv
from decimal import Decimal
from pathlib import Path

import pytest
from fake_reader import fake_model
from PIL import Image

from gnomon.answers.box.measure import iou
from gnomon.eval.scoring import predictions
from gnomon.generators import create
from gnomon.recipe import Recipe, to_yaml, validate
from gnomon.runs import cuts, resolve
from gnomon.runs.known_questions import box_questions
from gnomon.runs.reader import Reader
from gnomon.sample import CUT, Number, Prediction, Sample

WHERE, TIME = "Where is the clock? Give its box.", "What time does the clock show? Answer HH:MM."
TAUGHT = [{"kind": "clock", "options": {"questions": ["read", "where"], "level": "easy"}}]


def make_run(*data):
    """A run's directory without a model."""
    recipe = validate(Recipe, {"model": {"name": "gnomon-tiny"}, "data": list(data)}, name="test")
    Path("run").mkdir()
    Path("run/recipe.yaml").write_text(to_yaml(recipe))
    return resolve.resolve("run/recipe.yaml", stored=True).check_names()


@pytest.fixture
def answers(monkeypatch, tmp_path):
    """Answers by question and the picture's size; a list of all that was asked, in order."""
    monkeypatch.chdir(tmp_path)
    asked, replies = [], {WHERE: "[0.5, 0.5, 0.7, 0.6]"}

    def reply(sample):
        asked.append((sample.id, sample.question, sample.image.size))
        if sample.id == replies.get("kill") and sample.question != WHERE:
            raise KeyboardInterrupt
        return replies.get(sample.question, "10:08")

    fake_model(monkeypatch, reply)
    return replies, asked


@pytest.mark.parametrize(
    ("box", "size", "cut"),
    [
        ((100, 100, 200, 150), (400, 300), (94, 69, 206, 181)),  # a square around its middle
        ((0, 0, 100, 100), (400, 300), (0, 0, 112, 112)),  # moved into the picture
        ((0, 0, 390, 20), (400, 300), (0, 0, 400, 300)),  # no higher than the picture
        ((395, 295, 400, 300), (400, 300), (394, 294, 400, 300)),
    ],
)
def test_a_cut_is_a_square_with_a_margin_inside_the_picture(box, size, cut):
    assert cuts.square_around(box, size) == cut


def test_boxes_are_read_in_the_dialect_of_the_answer_and_its_size():
    sample = Sample("a", Image.new("RGB", (1000, 500)), "?", Number(Decimal(1)))
    texts = {
        "plain": "[0.200, 0.400, 0.300, 0.600]",
        "qwen2.5-vl": '{"bbox_2d": [20, 20, 30, 30]}',
        "gemini": '{"box_2d": [400, 200, 600, 300]}',
    }
    for dialect, text in texts.items():
        answer = Prediction("a", text, (100, 50), dialect)
        made = cuts.cut_out(sample, answer)
        assert made.facts[CUT] == [194, 194, 306, 306]
        assert made.image.size == (112, 112)


@pytest.mark.parametrize("text", ["no clock", "[0.1, 0.1, 0.1, 0.1]", "[2, 2, 3, 3]"])
def test_without_a_box_the_whole_picture_stays(text, answers, capsys):
    sample = Sample("a", Image.new("RGB", (90, 90)), "?", Number(Decimal(1)))
    assert cuts.cut_out(sample, Prediction("a", text, (90, 90), "plain")) is sample
    replies, asked = answers
    replies[WHERE] = text
    reader = Reader(make_run(*TAUGHT), Path("run"), find=WHERE)
    assert reader.read(sample.image).box is None
    assert [size for *_, size in asked] == [(90, 90), (90, 90)]
    assert "no box could be read for 1 pictures" in capsys.readouterr().err


def test_pictures_without_a_box_are_counted_once_for_all(answers, capsys):
    replies, _ = answers
    replies[WHERE] = "no clock"
    reader = Reader(make_run(*TAUGHT), Path("run"), find=WHERE)
    pictures = [Image.new("RGB", (90, 90))] * 20
    assert len(list(reader.read_all(pictures, batch_size=1))) == 20  # three windows
    said = capsys.readouterr().err
    assert said.count("no box could be read") == 1
    assert "for 20 pictures" in said


def test_what_lies_in_a_picture_is_not_asked_of_a_cut():
    clock = create("clock", size=84, questions=["where"])[0]
    assert not list(cuts.box_samples([clock, Sample("t", None, "1+1?", Number(Decimal(2)))], WHERE))


def test_pictures_are_found_cut_and_read_in_one_run_which_resumes(answers, cli):
    replies, asked = answers
    make_run(*TAUGHT)
    Path("photos").mkdir()
    for name in ("a.png", "b.png"):
        Image.new("RGB", (400, 300)).save(Path("photos", name))
    replies["kill"] = "b.png"
    words = ("predict", "run", "photos", "--find", "eval.batch_size=1")
    cli(*words, code=130)
    del replies["kill"]
    said = cli(*words).err
    size = (90, 90)  # 0.2 of the width and a margin
    assert asked == [
        ("a.png", WHERE, (400, 300)), ("b.png", WHERE, (400, 300)),
        ("a.png", TIME, size), ("b.png", TIME, size),
        ("b.png", WHERE, (400, 300)), ("b.png", TIME, size),
    ]  # fmt: skip
    header, row, _ = csv.reader(Path("answers.csv").read_text().splitlines())
    assert header == ["file", "answer", "x1", "y1", "x2", "y2"]
    assert row == ["a.png", "10:08", "195", "120", "285", "210"]
    assert f"asking first: {WHERE}" in said
    left = sorted(path.name for path in Path().iterdir())
    assert left == ["answers.csv", "answers.csv.about.json", "photos", "run"]


def test_labelled_pictures_are_scored_and_the_report_draws_the_cut(answers, cli):
    make_run(*TAUGHT)
    Image.new("RGB", (400, 300)).save("a.png")
    Path("labels.csv").write_text("image,answer\na.png,10:08\n")
    words = ["columns.kind=time", f"columns.ask={TIME}", "eval.split=all"]
    cli("predict", "run", "labels.csv", "--find", *words)
    file = Path("run/predictions/labels-find.jsonl")
    (answer,) = predictions.read(file)
    assert answer.cut == (195, 120, 285, 210)
    cli("score", file, "--out", "report.html")
    page = Path("report.html").read_text()
    assert 'cut" style="left:48.8%;top:40.0%;width:22.5%;height:30.0%"' in page
    assert "Dotted: the part" in page
    assert "cut_x1" in Path("report.csv").read_text()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"kind": "clock"}], "was not trained to find"),
        ([{"kind": "gauge", "options": {"questions": ["find"]}}], "things: choose a question"),
    ],
)
def test_a_run_that_cannot_find_is_refused_with_the_way_out(answers, data, message, cli):
    make_run(*data)
    Image.new("RGB", (9, 9)).save("a.png")
    words = ("predict", "run", "a.png", "--question", TIME)
    refusal = cli(*words, "--find", code=2).err
    assert message in refusal
    assert "--find-question" in refusal
    cli(*words, "--find-question", WHERE)


def test_the_question_for_the_box_is_no_question_of_what_is_read(answers):
    box = {"path": "boxes.csv", "columns": {"ask": "Where is it?", "kind": "box"}}
    number = {"path": "own.csv", "columns": {"ask": "What does it read?", "kind": "number"}}
    recipe = make_run(box, number)
    assert box_questions(recipe, Path("run")) == ["Where is it?"]
    assert Reader(recipe, Path("run")).question == "What does it read?"


@pytest.mark.parametrize("kind", ["clock", "counter", "gauge"])
def test_boxes_to_find_are_spread_over_the_picture(kind):
    """No one box overlaps many of them by half: the question is none of habit."""
    options = {"questions": ["where"]}
    if kind == "gauge":
        options = {"questions": ["find"], "instruments": ["gauge"]}
    generator = create(kind, look="photo", **options)
    assert len(generator.box_questions) == 1
    boxes = [generator[i].target for i in range(24)]
    assert all(0 <= box.x1 < box.x2 <= generator.size + 1 for box in boxes)
    shares = [sum(iou(box.corners, b.corners) >= 0.5 for b in boxes) / len(boxes) for box in boxes]
    assert max(shares) < 0.45


@pytest.mark.slow
def test_a_trained_run_finds_and_reads_with_a_model_of_its_own(here, cli):
    """Two steps teach nothing, but its answers go the whole way, and card and merge know it."""
    Path("find.yaml").write_text(
        f"model: {{name: gnomon-tiny}}\ndata: {TAUGHT}\ntrain: {{max_steps: 2, samples: 16}}\n"
        "eval: {samples: 4, max_new_tokens: 34}\n"
    )
    cli("train", "find.yaml", "--out", "run")
    create("clock", questions=["where"], look="photo")[0].image.save("photo.png")
    printed = cli("predict", "run", "photo.png", "--find", "--out", "answers.csv").out
    assert f'answers.csv: 1 answer to "{TIME}"' in printed
    header, row = csv.reader(Path("answers.csv").read_text().splitlines())
    assert header[2:] == ["x1", "y1", "x2", "y2"]
    assert len(row) == 6
    cli("merge", "run", "model")
    cli("predict", "model", "photo.png", "--find", "--out", "merged.csv")
