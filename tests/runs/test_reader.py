"""The Python door: a model is opened and asked about pictures, and writes no file."""

import io
import json
import re
import shutil
from decimal import Decimal

import numpy as np
import pytest
from PIL import Image

import gnomon
from gnomon.answers.time.answer import TimeForm
from gnomon.generators import create
from gnomon.pipeline import families
from gnomon.sample import Number, Text, Time

CLOCK = "What time does the clock show? Answer HH:MM."
OTHER = "Which time do the hands show? Write it as HH:MM."
DIAL = "What does the dial read? Answer with a number."


@pytest.fixture(scope="module")
def reader():
    return gnomon.load("gnomon-tiny", question=CLOCK)


@pytest.fixture(scope="module")
def samples():
    """Clocks without seconds, upright."""
    clocks = create("clock", split="test", level="easy")
    some = (clocks[index] for index in range(30))
    return [sample for sample in some if not sample.target.shows_seconds][:10]


def png(image):
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def test_a_picture_may_be_a_file_bytes_an_image_or_an_array(reader, samples, here):
    image = samples[0].image
    image.save("clock.png")
    turned = image.rotate(-90)  # which EXIF turns back
    exif = Image.Exif()
    exif[274] = 6
    turned.rotate(180).save("turned.png", exif=exif)
    file = io.BytesIO()
    image.save(file, "PNG")  # which leaves the file at its end
    pictures = ["clock.png", here / "clock.png", png(image), image, np.asarray(image), file]
    before = set(here.iterdir())
    answers = [reader.read(picture) for picture in pictures]
    assert set(here.iterdir()) == before
    assert {answer.value for answer in answers} == {answers[0].value}
    assert [answer.name for answer in answers] == ["clock.png"] * 2 + [""] * 4
    assert reader.read("turned.png").value == answers[0].value
    assert isinstance(answers[0].value, Time)
    assert answers[0].value.hms[:2] == tuple(map(int, answers[0].text.split(":")))
    assert str(answers[0]) == answers[0].text
    assert (answers[0].low, answers[0].confidence, answers[0].refused) == (None, None, False)


def test_it_reads_what_predict_reads_in_the_given_order(reader, samples, here, cli):
    (here / "in").mkdir()
    for index, sample in enumerate(samples):
        sample.image.save(here / "in" / f"{index}.png")
    answers = list(reader.read_all([sample.image for sample in samples], batch_size=4))
    cli("predict", "gnomon-tiny", "in", "--question", CLOCK, "--out", "a.csv")
    rows = (here / "a.csv").read_text().splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == [answer.text for answer in answers]
    assert [answer.name for answer in reader.read_all("in")] == [f"{i}.png" for i in range(10)]
    right = sum(a.value.hms[:2] == s.target.hms[:2] for a, s in zip(answers, samples, strict=True))
    assert right >= 7


def test_a_broken_picture_among_many_keeps_its_place(reader, samples, here):
    (here / "no.png").write_text("no picture")
    pictures = [samples[0].image, "no.png", "gone.png", samples[1].image]
    answers = list(reader.read_all(pictures))
    assert [bool(answer.error) for answer in answers] == [False, True, True, False]
    assert answers[1].value is None
    assert "no.png is not a picture" in str(answers[1])
    assert answers[2].error == "gone.png: there is no such file"


def test_a_picture_that_the_model_cannot_take_costs_no_other_its_answer(reader, samples):
    strip = np.full((2, 2000, 3), 200, np.uint8)
    answers = list(reader.read_all([samples[0].image, strip, samples[1].image]))
    assert [bool(answer.error) for answer in answers] == [False, True, False]
    assert "200 times" in answers[1].error


def test_pictures_of_a_stream_are_answered_a_batch_at_a_time(reader, samples):
    given = []

    def camera():
        for sample in samples:
            given.append(sample)
            yield sample.image

    next(reader.read_all(camera(), batch_size=2))
    assert len(given) == 2


@pytest.mark.parametrize(
    ("picture", "message"),
    [
        ("gone.png", "gone.png: there is no such file"),
        (".", "read_all reads the pictures in it"),
        ("a.heic", "save it as JPEG"),
        (b"no picture", "data of 10 bytes is not a picture"),
        (np.zeros((3, 8, 8), np.uint8), r"shape \(3, 8, 8\).*height x width x 3"),
        (np.zeros((8, 8, 3)), "float64.*uint8"),
        (np.zeros((0, 8, 3), np.uint8), "shape"),
        (np.full((8, 8), 4000, np.uint16), "scale it to 8 bits"),
        (None, "NoneType"),
        (io.StringIO("no picture"), "binary mode"),
    ],
)
def test_what_is_no_picture_is_refused_with_a_way_out(reader, here, picture, message):
    with pytest.raises(ValueError, match=message):
        reader.read(picture)


def test_the_form_of_an_answer_comes_from_the_question_or_the_kind(reader, samples, capsys):
    image = samples[0].image
    assert isinstance(reader.read(image, DIAL).value, Number)
    assert "not trained on" not in capsys.readouterr().err
    assert isinstance(reader.read(image, OTHER).value, Text)
    assert f'gnomon-tiny was not trained on "{OTHER}"' in capsys.readouterr().err
    assert isinstance(reader.read(image, OTHER, kind="time").value, Time)
    with pytest.raises(ValueError, match="kind"):
        reader.read(image, kind="clock")
    with pytest.raises(ValueError, match="say what to ask"):
        reader.read(image, " ")
    with pytest.raises(ValueError, match="batch_size=-1"):
        reader.read_all([image], batch_size=-1)
    with pytest.raises(ValueError, match=r'trained on several questions .*, question="…"'):
        gnomon.load("gnomon-tiny", finder=False).read(image)


def test_the_card_of_the_embedded_model_names_forms_that_its_questions_have():
    reader = gnomon.load("gnomon-tiny")
    assert set(reader.questions) == {CLOCK, DIAL, *list(reader.questions)[2:]}
    assert reader.questions[CLOCK] == TimeForm()
    dial = reader.questions[DIAL]
    assert (dial.cycle, dial.step) == (10, Decimal("0.1"))
    assert (families.TINY / "README.md").is_file()


def test_a_run_reads_by_its_own_question_and_refuses_as_it_was_calibrated(run, here, samples):
    shutil.copytree(run, own := here / "run")
    reader = gnomon.load(own)
    answer = reader.read(samples[0].image, CLOCK)
    assert answer.prediction.settings["weights"] == reader.weights
    assert repr(reader) == f"Reader({str(own)!r})"
    with pytest.raises(ValueError, match="was not calibrated"):
        gnomon.load(own, wrong=0.1)


def test_a_model_that_is_not_there_is_named_before_anything_is_read(here):
    with pytest.raises(ValueError, match="nothere"):
        gnomon.load("./nothere")
    (here / "runs" / "clocks").mkdir(parents=True)
    (here / "runs" / "clocks" / "recipe.yaml").write_text("data: []")
    with pytest.raises(ValueError, match="clocks"):
        gnomon.load("runs/clock")
    with pytest.raises(ValueError, match="no run"):
        gnomon.Run("runs/clock")


def test_evaluation_measures_what_the_model_reads(reader, here):
    report = gnomon.evaluate(reader, "clock", overrides={"eval.samples": 12, "level": "easy"})
    assert "Within 1 minute" in str(report)
    assert report["within_1"].value >= 0.5
    assert report["within_1"].n == 12
    assert not list(here.iterdir())
    page = report.save(here / "r.html")
    assert page.is_file()
    assert json.loads(page.with_suffix(".json").read_text())
    with pytest.raises(ValueError, match=r"\.html"):
        report.save("r.txt")


@pytest.fixture
def unasked_table(samples, here):
    """A table of clocks without a column of questions."""
    rows = ["image,answer"]
    for index, sample in enumerate(samples):
        sample.image.save(f"{index}.png")
        rows.append(f"{index}.png,{sample.target.write()}")
    (here / "labels.csv").write_text("\n".join(rows))
    return "labels.csv"


def test_a_table_without_questions_is_asked_the_reader_s_own(reader, unasked_table, cli, capsys):
    report = gnomon.evaluate(reader, unasked_table)
    assert report["within_1"].n == 10  # the answers are times, as the reader's are
    assert {sample.question for sample in report.samples.values()} == {CLOCK}
    assert f'labels.csv: it has no questions, so each row is asked "{CLOCK}"' in (
        capsys.readouterr().err
    )
    overrides = {"columns.kind": "text", "columns.ask": OTHER}
    report = gnomon.evaluate(reader, unasked_table, overrides=overrides)
    assert {sample.question for sample in report.samples.values()} == {OTHER}
    with pytest.raises(ValueError, match="no column 'quest'"):
        gnomon.evaluate(reader, unasked_table, overrides={"columns.question": "quest"})


@pytest.mark.parametrize("kind", ["spots", "unreadable", "hour", ["time"], 3])
def test_a_kind_without_labels_is_refused_with_the_choices(reader, kind):
    message = re.escape(f"unknown kind {kind!r}: there are box, boxes, number, table, text, time")
    for ask in (
        lambda: reader.read(Image.new("RGB", (32, 32)), kind=kind),
        lambda: reader.read_all([], kind=kind),
        lambda: gnomon.score(["1"], [1], kind=kind),
    ):
        with pytest.raises(ValueError, match=f"^{message}$"):
            ask()


def test_two_plain_lists_are_scored():
    report = gnomon.score(["about 4.7 bar", "", "7"], [4.7, "5", 6], within=0.1)
    assert report["accepted"].value == pytest.approx(1 / 3)
    assert report["unread"].value == pytest.approx(1 / 3)
    times = gnomon.score(["10:08", "1:50"], ["10:08", "10:08"], kind="time")
    assert times["within_1"].value == 0.5
    of_box = {"kind": "box", "sizes": [(20, 20)]}
    boxes = gnomon.score(["[0, 0, 10, 10]"], [(0, 0, 10, 10)], boxes="pixels", **of_box)
    assert boxes["iou"].value == pytest.approx(1)
    for arguments, message in [
        ((["1"], [1, 2]), "truths: 2 for 1 answers"),
        ((["1"], ["one or two"]), r"truths\[0\]"),
    ]:
        with pytest.raises(ValueError, match=message):
            gnomon.score(*arguments)
    with pytest.raises(ValueError, match="number"):
        gnomon.score(["1"], [1], kind="numbers")
    with pytest.raises(ValueError, match="boxes='pixels'"):
        gnomon.score(["[0, 0, 10, 10]"], [(0, 0, 10, 10)], **of_box)


def test_what_the_package_exports_is_there_and_nothing_heavy_is_loaded_before():
    assert set(gnomon._EXPORTS) <= set(dir(gnomon))
    for name in gnomon._EXPORTS:
        assert getattr(gnomon, name).__doc__
    with pytest.raises(AttributeError, match="gnomon"):
        _ = gnomon.nothing
