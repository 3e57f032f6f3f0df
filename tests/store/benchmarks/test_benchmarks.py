"""Published layouts, with made-up rows: read as typed questions, or refused by line."""

from __future__ import annotations

import base64
import csv
import io
import json
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from gnomon.recipe import Source
from gnomon.sample import Box, Number, Text, Time
from gnomon.store import mixture
from gnomon.store.benchmarks import (
    BENCHMARKS,
    instruments,
    open_benchmark,
    questions,
    split_of_file,
)

COLOURS = [(9, 0, 0), (0, 9, 0), (0, 0, 9)]
SIZE = (40, 30)


def picture(colour):
    held = io.BytesIO()
    Image.new("RGB", SIZE, colour).save(held, "PNG")
    return held.getvalue()


def on_disk(folder, *names):
    folder.mkdir(parents=True, exist_ok=True)
    for name, colour in zip(names, COLOURS, strict=False):
        (folder / name).write_bytes(picture(colour))


def jsonl(file, rows):
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def tsv(file, rows):
    with file.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]), delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    return file


def read(name, file, split="test"):
    return list(mixture((Source(path=str(file), benchmark=name),), split=split, seed=0))


def colours(samples):
    return [sample.image.getpixel((0, 0)) for sample in samples]


def measuring(evaluator, kwargs):
    return {
        "img_path": "a.png",
        "question": "?",
        "evaluator": evaluator,
        "evaluator_kwargs": kwargs,
    }


def between(low, high):
    return measuring("interval_matching", {"interval": [low, high], "units": []})


def test_the_names_are_those_of_the_functions():
    functions = {
        name: f"{module.__name__}:{name}"
        for module in (instruments, questions)
        for name, function in vars(module).items()
        if name[0] != "_" and getattr(function, "__module__", "") == module.__name__
    }
    assert functions == BENCHMARKS


def test_chartqa_as_it_was_published(tmp_path):
    on_disk(tmp_path / "png", "1.png", "2.png")
    rows = [
        {"imgname": "1.png", "query": "How many  in 2019?", "label": "14"},
        {"imgname": "2.png", "query": "Which is least?", "label": "Crete, Greece"},
        {"imgname": "2.png", "query": "How much?", "label": "0.50"},
        {"imgname": "2.png", "query": "Which share?", "label": "12%"},
    ]
    (tmp_path / "test_human.json").write_text(json.dumps(rows))
    found = read("chartqa", tmp_path / "test_human.json")
    assert [s.target for s in found] == [
        Number(Decimal("14")),
        Text("Crete, Greece"),
        Number(Decimal("0.50")),
        Text("12%"),
    ]
    assert found[0].question == "How many in 2019?"
    assert colours(found) == [COLOURS[0], *[COLOURS[1]] * 3]
    assert len({s.id for s in found}) == 4


def test_chartqa_as_parquet(tmp_path):
    rows = {
        "image": [{"bytes": picture(c), "path": None} for c in COLOURS[:2]],
        "query": ["How many?", "Is it?"],
        "label": [["-3.5"], ["Yes"]],
        "human_or_machine": [0, 1],
    }
    file = tmp_path / "val-00000-of-00001.parquet"
    pq.write_table(pa.table(rows), file)
    found = read("chartqa", file, "val")
    assert [s.target for s in found] == [Number(Decimal("-3.5")), Text("Yes")]
    assert colours(found) == COLOURS[:2]


def test_refcoco_in_qwens_lines(tmp_path):
    on_disk(tmp_path / "train2014", "a.jpg")
    rows = [{"image": "data/coco/train2014/a.jpg", "sent": "left cow", "bbox": [1, 2, 11, 22],
             "width": 40, "height": 30}]  # fmt: skip
    (sample,) = read("refcoco", jsonl(tmp_path / "refcoco_testA.jsonl", rows))
    assert sample.target == Box(1, 2, 11, 22)
    assert sample.question == "Where is left cow? Give its box."


def test_refcoco_in_lmms_evals_rows(tmp_path):
    rows = {
        "image": [{"bytes": picture(COLOURS[2]), "path": None}],
        "question": ["Please describe"],
        "answer": [["left cow", "brown one"]],
        "bbox": [[1.0, 2.0, 10.0, 20.0]],
    }
    pq.write_table(pa.table(rows), tmp_path / "val-00000-of-00002.parquet")
    found = read("refcoco", tmp_path / "val-00000-of-00002.parquet", "val")
    assert [s.target for s in found] == [Box(1, 2, 11, 22)] * 2
    assert [s.question.split("?")[0] for s in found] == ["Where is left cow", "Where is brown one"]
    assert len({s.id for s in found}) == 2
    assert len({s.facts["group"] for s in found}) == 1


def clocks(folder, answers):
    """Two folders, as in the benchmark's repository."""
    on_disk(folder / "images", *[f"{name}.png" for name in answers])
    (folder / "input").mkdir()
    asked = {
        name: {"image_url": f"images/{name}.png"}
        | {f"question_{task.removeprefix('answer_')}": "?" for task in said}
        for name, said in answers.items()
    }
    (folder / "input" / "input_sample.json").write_text(json.dumps(asked))
    (folder / "input" / "answers_sample.json").write_text(json.dumps(answers))
    return folder / "input" / "input_sample.json"


def test_clockbench(tmp_path):
    told = {
        "white": {
            "answer_time": '{"valid": true, "hours": 12, "minutes": 25, "seconds": 15}',
            "answer_shift": '{"valid": true, "hours": 14, "minutes": [4, 6], "seconds": false,\n }',
        },
        "odd": {"answer_time": '{\n  "valid": false\n }'},
        "whole_day": {"answer_time": {"valid": True, "hours": 22, "minutes": 8}},
    }
    found = read("clockbench", clocks(tmp_path, told))
    assert [s.target for s in found] == [
        Time(25 * 60 + 15, 12, shows_seconds=True, form="json"),
        Time(14 * 3600 + 5 * 60, 24, form="json"),
        Text('"valid": false', ('"valid": false', '"valid": true')),
        Time(22 * 3600 + 8 * 60, 24, form="json"),
    ]
    assert [s.id[-5:] for s in found] == ["-time", "shift", "-time", "-time"]
    assert colours(found) == [COLOURS[0], COLOURS[0], COLOURS[1], COLOURS[2]]


def test_clockbenchs_answers_are_read_as_the_question_asks_for_them(tmp_path):
    from gnomon.eval import score
    from gnomon.sample import Prediction

    told = {
        "white": {"answer_time": '{"valid": true, "hours": 12, "minutes": 25, "seconds": 15}'},
        "odd": {"answer_time": '{"valid": false}'},
    }
    samples = read("clockbench", clocks(tmp_path, told))
    said = [
        '```json\n{\n  "valid": true,\n  "hours": 12,\n  "minutes": 25,\n  "seconds": 15\n}\n```',
        '{"valid": false, "hours": false}',
    ]
    predictions = [
        Prediction(s.id, text, SIZE, "plain") for s, text in zip(samples, said, strict=True)
    ]
    assert all(item.correct for item in score(predictions, samples).items)


def test_vlmevalkit_with_choices_and_shared_pictures(tmp_path):
    coded = base64.b64encode(picture(COLOURS[0])).decode()
    rows = [
        {"index": "1", "image": coded, "question": "Which?", "hint": "", "A": "red", "B": "blue",
         "C": "", "answer": "B"},
        {"index": "2", "image": "1", "question": "How many?", "hint": "Look.", "A": "", "B": "",
         "C": "", "answer": "3"},
    ]  # fmt: skip
    found = read("vlmevalkit", tsv(tmp_path / "MMBench_DEV.tsv", rows), "val")
    assert [s.target for s in found] == [Text("B", ("A", "B")), Number(Decimal(3))]
    assert found[0].question == "Which?\nA. red\nB. blue\nAnswer with the letter."
    assert found[1].question == "Look.\nHow many?"
    assert colours(found) == [COLOURS[0]] * 2


def test_a_picture_longer_than_csvs_usual_field(tmp_path):
    held = io.BytesIO()
    Image.effect_noise((500, 500), 90).save(held, "PNG")
    coded = base64.b64encode(held.getvalue()).decode()
    assert len(coded) > 131_072
    rows = [{"index": "1", "image": coded, "question": "What?", "answer": "noise"}]
    (sample,) = read("vlmevalkit", tsv(tmp_path / "a.tsv", rows))
    assert sample.image.size == (500, 500)


def test_gsm8k(tmp_path):
    rows = [{"question": "How many?", "answer": "48/2 = <<48/2=24>>24\nAll 1,024.\n#### 1,024"}]
    (sample,) = read("gsm8k", jsonl(tmp_path / "train.jsonl", rows), "train")
    assert sample.target == Number(Decimal(1024))
    assert sample.rationale == "48/2 = 24\nAll 1,024."
    assert sample.image is None


def test_ticktockvqa(tmp_path):
    on_disk(tmp_path / "images" / "train", "a.jpg")
    on_disk(tmp_path / "images" / "test", "b.jpg", "c.jpg")
    rows = [
        {"image_name": "a.jpg", "image_path": "train/a.jpg", "hour": 10, "minute": 8,
         "ampm": "AM", "time_string": "10:08 AM", "source": "OpenImages",
         "clock_type": "Wall clocks", "environment": "Outdoor", "transformation": "Normal",
         "design": ["Roman"]},
        {"image_name": "b.jpg", "image_path": "test/b.jpg", "hour": 12, "minute": 5,
         "time_string": "12:05", "source": "COCO"},
        {"image_name": "c.jpg", "image_path": "test/c.jpg", "hour": "3", "minute": "30",
         "ampm": "PM", "time_string": "3:30 PM"},
    ]  # fmt: skip
    file = tmp_path / "annotations.json"
    file.write_text(json.dumps(rows))
    assert [s.target for s in read("ticktockvqa", file)] == [Time(5 * 60), Time(3 * 3600 + 1800)]
    assert [s.target for s in read("ticktockvqa", file, "train")] == [Time(10 * 3600 + 480)]
    with pytest.raises(ValueError, match="no row belongs to the val split"):
        read("ticktockvqa", file, "val")


def test_ticktockvqa_in_the_hubs_rows(tmp_path):
    held = [{"bytes": picture(c), "path": None} for c in COLOURS]
    rows = {"image": held, "label": ["10:08", "3:30 PM", "00:05"]}
    pq.write_table(pa.table(rows), tmp_path / "test-00000-of-00001.parquet")
    found = read("ticktockvqa", tmp_path / "test-00000-of-00001.parquet")
    assert [s.target.hms for s in found] == [(10, 8, None), (3, 30, None), (12, 5, None)]
    assert colours(found) == COLOURS


def measured(folder, *told, evaluator="interval_matching"):
    """The hub's rows, whose `evaluator_kwargs` are text."""
    rows = {
        "question_id": [str(place) for place in range(len(told))],
        "question": ["What is the reading?"] * len(told),
        "image": [{"bytes": picture(COLOURS[0]), "path": None}] * len(told),
        "image_type": ["ammeter"] * len(told),
        "evaluator": [evaluator] * len(told),
        "evaluator_kwargs": [json.dumps(kwargs) for kwargs in told],
    }
    file = folder / "real_test-00000-of-00001.parquet"
    pq.write_table(pa.table(rows), file)
    return file


def test_measurebench_reads_to_an_interval(tmp_path):
    file = measured(
        tmp_path,
        {"interval": [1.2, 1.5], "units": ["A", "ampere"]},
        {"interval": [40, 40], "units": []},
        {"interval": ["10:08:29", "10:08:31"], "units": [""]},
        {"interval": ["2:28", "2:30"], "units": []},
        {"interval": ["12:59:59", "1:00:01"], "units": [""]},
        {"interval": ["22:08:59", "22:08:61"], "units": [""]},
        {"interval": ["23:59:50", "0:00:12"], "units": [""]},
    )
    assert [s.target for s in read("measurebench", file)] == [
        Number(Decimal("1.35"), "A", Decimal("0.15")),
        Number(Decimal(40)),
        Time(10 * 3600 + 8 * 60 + 30, shows_seconds=True),
        Time(2 * 3600 + 29 * 60),
        Time(3600, shows_seconds=True),
        Time(22 * 3600 + 9 * 60, 24, shows_seconds=True),
        Time(1, shows_seconds=True),
    ]


def test_measurebench_asks_for_one_of_several_units(tmp_path):
    file = measured(
        tmp_path,
        {"intervals": [[2, 3], [29, 43.5]], "units": [["bar"], ["psi", "pounds"]]},
        {"intervals": [["1:02:03", "1:02:05"], ["13:02:03", "13:02:05"]], "units": [""]},
        evaluator="multi_interval_matching",
    )
    found = read("measurebench", file)
    assert [s.target for s in found] == [
        Number(Decimal("2.5"), "bar", Decimal("0.5")),
        Time(3600 + 2 * 60 + 4, shows_seconds=True),
    ]
    assert [s.question for s in found] == [
        "What is the reading? Answer in bar.",
        "What is the reading?",
    ]


def test_measurebench_as_its_generators_write_it(tmp_path):
    on_disk(tmp_path / "scale", "scale_0.jpg")
    row = {"question_id": "scale_0", "question": "<image 1> How heavy?", "evaluator":
           "interval_matching", "img_path": "scale/scale_0.jpg",
           "evaluator_kwargs": {"interval": [3.65, 3.75], "units": ["kg"]}}  # fmt: skip
    (tmp_path / "scale.json").write_text(json.dumps([row]))
    (sample,) = read("measurebench", tmp_path / "scale.json")
    assert sample.question == "How heavy?"
    assert sample.target == Number(Decimal("3.7"), "kg", Decimal("0.05"))


@pytest.mark.parametrize("said", ["1.2 A", "1.5", "about 1.35 amperes", "Final Answer: 1.3A"])
def test_measurebenchs_interval_is_what_counts_as_right(tmp_path, said):
    from gnomon.eval import score
    from gnomon.sample import Prediction

    file = measured(tmp_path, {"interval": [1.2, 1.5], "units": ["A", "ampere"]})
    (sample,) = read("measurebench", file)
    assert score([Prediction(sample.id, said, SIZE, "plain")], [sample]).items[0].correct
    wrong = score([Prediction(sample.id, "1.51 A", SIZE, "plain")], [sample])
    assert not wrong.items[0].correct


@pytest.mark.parametrize(
    ("name", "row", "told"),
    [
        ("ticktockvqa", {"image_path": "a.png", "hour": 1, "minute": 2}, "begin with train/ or"),
        ("ticktockvqa", {"image_path": "test/a.png", "hour": 25, "minute": 2}, "no clock shows"),
        (
            "ticktockvqa",
            {"image_path": "test/a.png", "hour": "x", "minute": 2},
            "'x:02' is no",
        ),
        (
            "ticktockvqa",
            {"image_path": "test/a.png", "hour": 9.5, "minute": 2},
            "'9.5:02' is",
        ),
        ("ticktockvqa", {"image_path": "test/a.png", "hour": 3}, "column 'minute' is empty"),
        ("measurebench", measuring("x", {}), "evaluator 'x': interval_matching was expected"),
        (
            "measurebench",
            measuring("interval_matching", {"units": []}),
            "KeyError: 'interval'",
        ),
        ("measurebench", measuring("interval_matching", "{"), "evaluator_kwargs: not JSON"),
        (
            "measurebench",
            measuring("interval_matching", {"interval": [1, 2], "units": None}),
            "not in the benchmark's layout",
        ),
        ("measurebench", between(3, 2), "within=-0.5: a distance"),
        ("measurebench", between("ten", "eleven"), "'ten'"),
        ("chartqa", {"imgname": "9.png", "query": "?", "label": "1"}, "no picture at '9.png'"),
        ("chartqa", {"imgname": "a.png", "query": "?", "label": ["1", "2"]}, "too many values"),
        ("chartqa", {"imgname": "a.png", "query": "?"}, "column 'label' is empty or not there"),
        ("chartqa", {"imgname": "b.png", "query": "?", "label": "1"}, "b.png is no picture"),
        ("chartqa", {"image": 5, "query": "?", "label": "1"}, "holds no picture"),
        ("refcoco", {"image": "a.png", "sent": "x", "bbox": [5, 5, 5, 9]}, "is no box in xyxy"),
        ("refcoco", {"image": "a.png", "sent": "x", "bbox": [5, 5, 99, 9]}, "lies outside"),
        ("gsm8k", {"question": "?", "answer": "four"}, "has no ####"),
        ("gsm8k", {"question": "?", "answer": "#### four"}, "'four' is no number"),
        ("vlmevalkit", {"image": "7", "question": "?", "answer": "1"}, "'7' is the index of no"),
        ("vlmevalkit", {"image": "!" * 99, "question": "?", "answer": "1"}, "base64"),
        (
            "vlmevalkit",
            {"image_path": "a.png", "question": "?", "answer": "C", "A": "x", "B": "y"},
            "text='C': not among the choices",
        ),
        (
            "clockbench",
            {"id": "x", "image_url": "a.png", "question_time": "?"},
            "KeyError: 'x'",
        ),
    ],
)
def test_bad_rows_are_refused_by_line(tmp_path, name, row, told):
    on_disk(tmp_path, "a.png")
    (tmp_path / "b.png").write_bytes(b"no picture")
    file = tmp_path / ("rows.tsv" if name == "vlmevalkit" else "rows.jsonl")
    (tsv if name == "vlmevalkit" else jsonl)(
        file, [{"index": "1"} | row if name == "vlmevalkit" else row]
    )
    line = 2 if name == "vlmevalkit" else 1
    with pytest.raises(ValueError, match="1 row cannot be used") as said:
        open_benchmark(name, file, "test")
    assert f"line {line}: " in str(said.value)
    assert told in str(said.value)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ('{"valid": true, "hours": 25, "minutes": 1}', "no time of day"),
        (
            '{"valid": true, "hours": {"a": 1, "b": 2}, "minutes": 1}',
            "not in the benchmark's layout",
        ),
        ("half past ten", "'half past ten': not JSON"),
        ("[1]", "not in the benchmark's layout"),
    ],
)
def test_a_clock_without_one_right_time_is_refused(tmp_path, answer, told):
    with pytest.raises(ValueError, match=told):
        read("clockbench", clocks(tmp_path, {"white": {"answer_time": answer}}))


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train-00000-of-00003.parquet", "train"),
        ("test_augmented.json", "test"),
        ("refcoco_testA.jsonl", "test"),
        ("refcoco+_val.jsonl", "val"),
        ("MMBench_DEV_EN.tsv", "val"),
        ("validation-0.parquet", "val"),
        ("evaluation.tsv", "test"),
    ],
)
def test_the_name_of_the_file_says_its_split(name, split):
    assert split_of_file(Path(name)) == split


def test_a_test_file_is_never_trained_on(tmp_path):
    file = jsonl(tmp_path / "test.jsonl", [{"question": "?", "answer": "#### 1"}])
    with pytest.raises(ValueError, match="no row belongs to the train split, only to test"):
        read("gsm8k", file, "train")


def test_wrong_use_is_refused(tmp_path):
    with pytest.raises(ValueError, match="did you mean chartqa"):
        open_benchmark("chart_qa", tmp_path / "test.json", "test")
    with pytest.raises(FileNotFoundError, match=r"test\.json"):
        open_benchmark("chartqa", tmp_path / "test.json", "test")
    with pytest.raises(ValueError, match="a benchmark has a path"):
        Source(kind="clock", benchmark="chartqa")
