"""Whole pictures of instruments: found, cut, read or refused, by the finder of gnomon-tiny."""

import csv
import json
import shutil
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from fake_reader import fake_model
from PIL import Image

import gnomon
from gnomon.answers.box.measure import iou
from gnomon.answers.number.answer import NumberForm
from gnomon.answers.time.answer import TimeForm
from gnomon.eval.calibration import calibration as calibrations
from gnomon.eval.scoring import predictions
from gnomon.generators import create
from gnomon.pipeline.finder import Detection, Finder
from gnomon.recipe import Model
from gnomon.runs.finding import (
    ADDITIONS,
    InstrumentFinder,
    additions_of,
    best_detection,
    cut_kind,
    kinds_asked,
)
from gnomon.runs.reader import Reader
from gnomon.sample import (
    CUT,
    FINDING,
    Finding,
    Number,
    Prediction,
    Sample,
    Time,
    prediction_from_json,
    prediction_to_json,
)

TIME = "What time does the clock show? Answer HH:MM."
DIAL = "What does the dial read? Answer with a number."
WALL = Image.new("RGB", (640, 480), (150, 140, 130))


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Sizes of the pictures that a fake model was asked about, and the questions."""
    monkeypatch.chdir(tmp_path)
    asked = []

    def reply(sample):
        asked.append((sample.image.size, sample.question))
        return "10:08"

    fake_model(monkeypatch, reply)
    return asked


@pytest.fixture(scope="module")
def hall():
    """A drawn clock on a wide wall, and its box."""
    clock = create("clock", size=160, level="easy", backgrounds=["plain"], dial_size=[0.9, 0.9])[5]
    wall = Image.new("RGB", (640, 480), clock.image.getpixel((1, 1)))
    wall.paste(clock.image, (300, 200))
    x1, y1, x2, y2 = clock.facts["dial_box"]
    return wall, (x1 + 300, y1 + 200, x2 + 300, y2 + 200)


def test_a_small_clock_is_found_cut_and_read_without_any_option(asked, hall):
    wall, box = hall
    answer = gnomon.load("gnomon-tiny").read(wall)
    assert (answer.text, answer.question, answer.refused) == ("10:08", TIME, False)
    assert iou(tuple(map(float, answer.box)), box) > 0.7
    ((size, question),) = asked
    assert question == TIME
    assert size[0] == size[1] < 240
    top_left, top_right, *_ = answer.corners
    assert top_left[0] < box[0] + 20 < top_right[0]


def test_a_clock_that_fills_the_picture_is_read_whole(asked):
    clock = create("clock", size=224, level="easy")[3].image
    answer = gnomon.load("gnomon-tiny", question=TIME).read(clock)
    assert answer.box is None
    assert asked == [((224, 224), TIME)]


def test_only_a_cut_clock_is_read_with_the_addition_for_clocks(asked, hall, monkeypatch):
    kinds = []

    def ask(self, samples, batch_size, rule, kind=""):
        for sample in samples:
            kinds.append(kind)
            yield [Prediction.of(sample, "10:08", (9, 9), "plain", self.settings)]

    monkeypatch.setattr(Reader, "_ask", ask)
    reader = gnomon.load("gnomon-tiny", question=TIME)
    answer = reader.read(hall[0])
    assert len(answer.prediction.settings["additions"]["clock"]) == 16
    reader.read(create("clock", size=224, level="easy")[3].image)  # it fills the picture
    reader.read(hall[0], DIAL)
    assert kinds == ["clock", "", ""]
    assert gnomon.load("gnomon-tiny", finder=False).additions == {}


def test_files_say_which_kinds_have_an_addition(tmp_path):
    folder = tmp_path / ADDITIONS
    folder.mkdir()
    (folder / "gauge.safetensors").touch()
    assert additions_of(Model(name=str(tmp_path))) == {"gauge": folder / "gauge.safetensors"}
    assert additions_of(Model(name="gnomon-tiny", server="http://localhost:1/v1")) == {}


@pytest.mark.parametrize(
    ("question", "target", "found", "kind"),
    [
        (TIME, Time(0), "clock", "clock"),
        (TIME, Time(0), "gauge", "clock"),  # photographed clocks often pass for gauges
        (DIAL, Number(Decimal("3.1")), "gauge", "gauge"),
        (DIAL, Number(Decimal("3.1")), "counter", "dial"),
        ("What does it read?", Number(Decimal("3.1")), "counter", "counter"),
    ],
)
def test_the_kind_of_a_cut_is_the_found_kind_if_the_question_fits_it(question, target, found, kind):
    sample = Sample("0", WALL, question, target, {FINDING: Finding(found)})
    assert cut_kind(sample) == ""
    sample.facts[CUT] = [0, 0, 9, 9]
    assert cut_kind(sample) == kind


def test_without_the_finder_whole_pictures_are_read(asked, hall):
    reader = gnomon.load("gnomon-tiny", question=TIME, finder=False)
    assert reader.read(hall[0]).corners == ()
    assert [size for size, _ in asked] == [(640, 480)]
    with pytest.raises(ValueError, match="was trained on several questions"):
        gnomon.load("gnomon-tiny", finder=False).read(hall[0])


def test_where_nothing_is_found_the_answer_is_refused_with_the_reason(asked):
    answer = gnomon.load("gnomon-tiny", question=TIME).read(WALL)
    assert (answer.refused, answer.text, answer.value) == (True, "", None)
    assert "found" in answer.reason
    assert str(answer) == f"refused: {answer.reason}"
    assert not asked


def test_gauges_are_read_with_a_warning(asked, monkeypatch, hall, capsys):
    monkeypatch.setattr(InstrumentFinder, "kind", lambda self, image: "gauge")
    reader = gnomon.load("gnomon-tiny")
    assert [reader.read(hall[0]).question for _ in range(2)] == [DIAL, DIAL]
    assert capsys.readouterr().err.count("not trained on gauges (gnomon-tiny-gauges was)") == 1


def test_small_pictures_without_an_instrument_are_taken_for_crops(asked):
    gnomon.load("gnomon-tiny", question=TIME).read(WALL.resize((80, 60)))
    assert [size for size, _ in asked] == [(80, 60)]


def test_a_table_says_what_was_found_where_and_what_not(asked, hall, cli):
    Path("photos").mkdir()
    hall[0].save("photos/hall.png")
    WALL.save("photos/wall.png")
    said = cli("predict", "gnomon-tiny", "photos", "--out", "answers.csv").out
    clock, wall = csv.DictReader(Path("answers.csv").read_text().splitlines())
    assert (clock["answer"], clock["kind"], clock["not_found"]) == ("10:08", "clock", "")
    assert float(clock["found"]) > 0.3
    assert len(json.loads(clock["corners"].replace(" ", ","))) == 8
    assert int(clock["x1"]) > 280
    assert (wall["answer"], wall["x1"]) == ("", "")
    assert "found" in wall["not_found"]
    assert "2 answers, 1 of them refused" in said


def test_answers_with_and_without_the_finder_are_never_mixed(asked, hall, cli):
    hall[0].save("hall.png")
    Path("labels.csv").write_text("image,answer\nhall.png,10:08\n")
    words = ["predict", "gnomon-tiny", "labels.csv", "--out", "answers.jsonl", "columns.kind=time",
             f"columns.ask={TIME}", "eval.split=all"]  # fmt: skip
    cli(*words)
    (answer,) = predictions.read(Path("answers.jsonl"))
    assert answer.cut is not None
    assert answer.finding.kind == "clock"
    assert len(answer.settings["finder"]) == 16
    assert "finder" in cli(*words, "--finder", "off", code=1).err


def test_drawings_of_an_exam_are_read_whole(asked, cli):
    cli("predict", "gnomon-tiny", "clock", "eval.samples=2", "--out", "answers.jsonl")
    assert len(asked) == 2
    assert all(a.finding is None for a in predictions.read(Path("answers.jsonl")))


@pytest.mark.parametrize(
    ("question", "form", "kinds"),
    [
        (TIME, TimeForm(), ("clock",)),
        ("When was it?", TimeForm(), ("clock",)),
        (DIAL, NumberForm(), ("dial", "gauge")),
        ("How far has the wheel turned?", NumberForm(), ("counter",)),
        ("What does it read?", NumberForm(), ()),
    ],
)
def test_a_question_names_the_kinds_of_instruments(question, form, kinds):
    assert kinds_asked(question, form) == kinds


def test_the_instrument_of_the_question_is_chosen_and_the_larger_of_two():
    square = np.array([(0, 0), (10, 0), (10, 10), (0, 10)], float)
    clock = Detection("clock", 0.7, square, {"clock": 0.9, "gauge": 0.1})
    gauge = Detection("gauge", 0.9, square, {"clock": 0.1, "gauge": 0.9})
    large = clock._replace(corners=5 * square)
    assert best_detection([gauge, clock], ("clock",)) is clock
    assert best_detection([gauge, clock], ()) is gauge
    assert best_detection([clock, large], ("clock",)) is large
    assert best_detection([], ("clock",)) is None


def test_a_stored_answer_keeps_what_was_found():
    finding = Finding("clock", 0.9, ((1.0, 2.0), (3.0, 2.0), (3.0, 4.0), (1.0, 4.0)))
    answer = Prediction("a", "10:08", None, "plain", finding=finding)
    assert prediction_from_json(prediction_to_json(answer)) == answer
    assert not answer.is_refused
    assert Prediction("a", "", None, "plain", finding=Finding(refusal="no")).is_refused


@pytest.mark.slow
def test_a_calibration_of_whole_photographs_scores_finding_and_reading(run, here, hall, cli):
    shutil.copytree(run, "own")
    Path("photos").mkdir()
    clocks = create("clock", size=160, level="easy", backgrounds=["plain"], dial_size=[0.9, 0.9])
    for index in range(24):
        wall = Image.new("RGB", (420, 320), clocks[index].image.getpixel((1, 1)))
        wall.paste(clocks[index].image, (30 + 7 * index, 100 - 3 * index))
        wall.save(f"photos/{index}.png")
    WALL.save("photos/wall.png")
    times = [(f"{n}.png", clocks[n].target.write()) for n in range(24)] + [("wall.png", "10:08")]
    lines = [f"photos/{name},{time}" for name, time in times]
    Path("labels.csv").write_text("\n".join(["image,answer", *lines]) + "\n")
    halves = ", ".join(f"{hour:02}:{minute:02}" for hour in range(1, 13) for minute in (0, 30))
    words = ["labels.csv", "columns.kind=time", f"columns.ask={TIME}", "eval.split=all",
             f"eval.belief=[{halves}]", "--within", "60"]  # fmt: skip
    said = cli("calibrate", "own", *words, "--finder", "on")
    assert "no instrument was found in 1 of 25 pictures" in said.err
    assert calibrations.read(Path("own")).finder == Finder().digest
    said = cli("predict", "own", "photos", "--question", TIME, "--out", "answers.csv")
    rows = list(csv.DictReader(Path("answers.csv").read_text().splitlines()))
    assert all(row["kind"] == "clock" and row["confidence"] for row in rows[:-1])
    assert (rows[-1]["answer"], rows[-1]["confidence"]) == ("", "")
    assert rows[-1]["not_found"]
    assert "have no interval" not in said.err
    refusal = cli("predict", "own", "photos", "--finder", "off", "--out", "b.csv", code=2).err
    assert "the calibration was learned with the finder" in refusal


def test_pictures_of_the_same_bytes_in_another_shape_are_looked_at_by_themselves(monkeypatch):
    seen = []
    monkeypatch.setattr(Finder, "find", lambda _, picture: seen.append(picture.size) or [])
    finder = InstrumentFinder()
    for size in ((300, 400), (400, 300), (300, 400)):
        assert finder.detections(Image.new("RGB", size)) == []
    assert seen == [(300, 400), (400, 300)]


def test_answers_under_other_limits_are_told_apart(monkeypatch):
    before = InstrumentFinder().settings
    monkeypatch.setattr("gnomon.runs.finding.SURE", 0.3)
    assert InstrumentFinder().settings != before
