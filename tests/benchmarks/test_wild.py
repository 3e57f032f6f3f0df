"""The measure on whole photographs: a picture is in one split, and each answer is scored once."""

import csv
import json
from hashlib import sha256

import pytest

import gnomon
from benchmarks import wild
from benchmarks.wild_cnn import combine
from gnomon.generators import create
from gnomon.sample import Time


@pytest.fixture
def scale(tmp_path):
    """Six drawn clocks of train and two of val, of which one is also in train, and a gauge."""
    clocks = create("clock", size=84)
    rows = [["image", "instrument", "question", "value", "options", "split"]]
    for place in range(8):
        name = f"time-clock-{place:05}.png"
        clocks[0 if place in (0, 7) else place].image.save(tmp_path / name)
        options = json.dumps(["9:31:27", "9:31:28", "9:27:32", "3:31:27"])
        split = "train" if place < 6 else "val"
        rows.append([name, "clock", "What time is it?", "9:31:27", options, split])
    rows.append(["time-clock-00000.png", "pressure gauge", "?", "0.62", '["0.6", "0.62"]', "val"])
    rows.append(["time-clock-00000.png", "dial indicator", "?", "4:20", '["4:18", "4:20"]', "val"])
    with (tmp_path / "labels.csv").open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows(rows)
    return tmp_path


def test_no_picture_is_trained_on_and_tested(scale, monkeypatch):
    rows = wild.read_rows(scale, scale)
    clocks = [row for row in rows if row.instrument == "clock"]
    assert len(clocks) == 8
    assert [row.value for row in rows if row.instrument != "clock"] == [0.62]  # 4:20 is no length
    assert [row.file for row in clocks] == sorted(
        [row.file for row in clocks], key=lambda file: sha256(file.name.encode()).hexdigest()
    )
    monkeypatch.setattr(wild, "HELD_OUT", 3)
    train, test = wild.split_clocks(rows)
    of_train = [row for row in clocks if row.split == "train"]
    shared = [row for row in of_train if row.file.stem[-1] == "0"]  # its picture is also 7's
    assert train == [row for row in of_train[:3] if row not in shared]
    assert test[2:] == [row for row in of_train[3:] if row not in shared]
    assert {row.file.stem[-1] for row in test[:2]} == {"6", "7"}


def test_a_clock_goes_round_and_an_option_is_the_nearest():
    row = wild.Labelled("a", "clock", "val", 1.0, (1.0, 719.0, 60.0, 61.0))
    assert row.off(719) == 2
    assert row.share(3) == 1
    assert row.share(718) == 0
    assert row.share(0) == 0.5
    gauge = wild.Labelled("a", "pressure gauge", "val", 1.0, (1.0, 719.0))
    assert gauge.off(719) == 718


def test_the_option_is_chosen_in_which_the_model_believes_most(tmp_path):
    drawn = create("clock", split="test", level="easy", dials=["round"], numerals=["arabic"])
    rows = ["image,instrument,question,value,options,split"]
    for index in range(6):
        name = f"time-clock-{index}.png"
        drawn[index].image.save(tmp_path / name)
        minute = drawn[index].target.seconds // 60
        times = [Time((minute + away) % 720 * 60).display() for away in (300, 0, 97)]
        options = json.dumps(times).replace('"', '""')
        # The label of the last clock is wrong.
        rows.append(f'{name},clock,What time?,{times[1 + (index == 5)]},"{options}",val')
    rows.append('time-clock-0.png,pressure gauge,?,0.62,"[""0.6"", ""0.62""]",val')
    (tmp_path / "labels.csv").write_text("\n".join(rows))
    reader = gnomon.load("gnomon-tiny", overrides={"eval.wording": "trained"})
    read = {(row.instrument, row.file.stem[-1]): row for row in wild.read_rows(tmp_path, tmp_path)}
    *right, wrong = [wild.choose(reader, read["clock", str(index)]) for index in range(6)]
    assert sum(right) >= 4
    assert wrong == 0
    assert wild.choose(reader, read["pressure gauge", "0"]) is None


def test_a_refused_answer_is_wrong_and_counted():
    row = wild.Labelled("a", "clock", "val", 1.0, (1.0, 9.0, 60.0, 61.0))
    refused = {"reading": 1.0, "refused": True, "corners": None, "seconds": 0.5}
    right = {**refused, "refused": False}
    unread = {**right, "reading": None}
    answers = {"mine": [right] * 4 + [unread] * 3 + [refused]}
    *_, line = wild.table([row] * 8, answers)
    assert line.split()[1] == "50.0"
    assert line.split()[-3:] == ["3", "1", "0.50"]
    believed = [{**right, "believed": 1.0}] * 6 + [{**refused, "believed": 0.0}] * 2
    *_, line = wild.table([row] * 8, {"mine": believed})
    assert line.count("75.0 [") == 4
    chance, constant, _ = wild.table([row] * 8, answers)[1:]
    assert chance.split() == ["chance", "0.4", "1.5", "25.0", "25.0", "180.00"]
    assert constant.split()[2:] == ["100.0", "100.0", "100.0", "0.00"]


@pytest.mark.parametrize(("hour", "minute", "time"), [(130, 10, 130), (178, 2, 182), (2, 59, 719)])
def test_two_hands_are_a_time(hour, minute, time):
    assert combine(hour, minute) == time
