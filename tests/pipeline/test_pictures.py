"""Pictures without labels are shown to the model as their viewer shows them."""

from __future__ import annotations

import csv
import io

import pytest
from PIL import ExifTags, Image

from gnomon.pipeline.answering import pictures


def asked_of(read, out, **settings):
    files = pictures.in_folder(out.parent)
    return pictures.to_csv(read, files, "What time is it?", out, batch_size=1, settings=settings)


def test_one_broken_picture_costs_no_answer_of_the_others(tmp_path):
    for name in ("a.png", "c.gif"):
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    (tmp_path / "b.jpg").write_text("no picture")
    (tmp_path / "d.png").write_text("nor this")
    out = tmp_path / "answers.csv"
    broken = asked_of(lambda batch: [f"{picture.id} read" for picture in batch], out)
    assert [told.split(" is ")[0] for told in broken] == ["b.jpg", "d.png"]
    assert out.read_text().splitlines() == ["file,answer", "a.png,a.png read", "c.gif,c.gif read"]


def test_a_photograph_is_asked_about_upright(tmp_path):
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    Image.new("RGB", (40, 30)).save(tmp_path / "a.jpg", exif=exif)
    asked_of(lambda batch: [str(batch[0].image.size)], tmp_path / "answers.csv")
    assert "(30, 40)" in (tmp_path / "answers.csv").read_text()


@pytest.mark.parametrize(("cut", "again"), [(0, ["c.png"]), (9, ["b.png", "c.png"])])
def test_a_stopped_run_goes_on_where_the_same_is_asked(tmp_path, cut, again):
    names = ["a.png", "b.png", "c.png"]
    for name in names:
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    out, seen = tmp_path / "answers.csv", []

    def stopped(batch):
        if batch[0].id == "c.png":
            raise KeyboardInterrupt
        return ['10:08 or\n"2"']

    def read(batch):
        seen.append(batch[0].id)
        return ['10:08 or\n"2"']

    with pytest.raises(KeyboardInterrupt):
        asked_of(stopped, out, model="m")
    assert not out.exists()
    part = tmp_path / "answers.csv.part"
    part.write_bytes(part.read_bytes()[: len(part.read_bytes()) - cut])  # as a kill leaves it
    asked_of(read, out, model="m")
    assert seen == again
    with out.open(newline="") as opened:
        assert list(csv.reader(opened))[1:] == [[name, '10:08 or\n"2"'] for name in names]
    assert not part.exists()


def test_what_a_stopped_run_of_another_question_left_is_no_answer(tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    out = tmp_path / "answers.csv"
    out.with_name("answers.csv.part").write_text('{"model": "n"}\n["a.png", "old"]\n')
    asked_of(lambda batch: ["new"], out, model="m")
    assert out.read_text().splitlines()[1] == "a.png,new"


def test_a_bomb_in_a_folder_costs_one_row(tmp_path, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 99)
    for name, side in (("a.png", 9), ("b.png", 10), ("c.png", 9)):
        Image.new("RGB", (side, side)).save(tmp_path / name)
    out = tmp_path / "answers.csv"
    (told,) = asked_of(lambda batch: ["10:08"] * len(batch), out)
    assert told.startswith("b.png has more than 99 pixels: give a smaller copy")
    assert out.read_text().splitlines() == ["file,answer", "a.png,10:08", "c.png,10:08"]


def test_a_folder_without_a_picture_names_a_few(tmp_path):
    for number in range(99):
        (tmp_path / f"{number:02}.png").write_text("none")
    with pytest.raises(ValueError, match=r"00\.png is no picture") as told:
        asked_of(lambda batch: [], tmp_path / "answers.csv")
    assert len(str(told.value).splitlines()) == 11
    assert str(told.value).endswith("and 89 more")


@pytest.mark.parametrize(
    "text",
    ["=1+1", '=HYPERLINK("http://a.b";"c")', "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "-", "+a",
     "=cmd|' /C calc'!A0", "-5 kWh", "-5,=1", "\n=1"],
)  # fmt: skip
def test_no_answer_is_a_formula(tmp_path, text):
    Image.new("RGB", (4, 4)).save(tmp_path / "=1+a.png")
    out = tmp_path / "answers.csv"
    asked_of(lambda batch: [text], out)
    with out.open(newline="") as opened:
        assert list(csv.reader(opened))[1:] == [["'=1+a.png", f"'{text}"]]


@pytest.mark.parametrize(
    "text", ["-5", "+5", "-3.5", "-1,234.5", "-5 %", "-5%", "-2e-5", "5=5", ""]
)
def test_a_number_stays_a_number(tmp_path, text):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    out = tmp_path / "answers.csv"
    asked_of(lambda batch: [text], out)
    assert list(csv.reader(io.StringIO(out.read_text())))[1:] == [["a.png", text]]


def test_the_labels_of_the_pictures_are_never_written_over(tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    labels = tmp_path / "labels.csv"
    labels.write_text("file,time\na.png,10:08\n")
    with pytest.raises(ValueError, match=r"labels\.csv is there already and holds no answers"):
        asked_of(lambda _: pytest.fail("asked"), labels)
    assert labels.read_text() == "file,time\na.png,10:08\n"
    for answer in ("10:08", "10:09"):  # its own answers are
        asked_of(lambda _, said=answer: [said], tmp_path / "answers.csv")
        assert answer in (tmp_path / "answers.csv").read_text()
