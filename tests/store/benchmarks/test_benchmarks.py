"""Published layouts, with made-up rows: read as typed questions, or refused by line."""

import base64
import io
import json
from pathlib import Path

import case_tables
import pytest
from picture_tables import write_rows
from PIL import Image

from gnomon.eval import score
from gnomon.recipe import Source
from gnomon.sample import Prediction, target_from_json
from gnomon.store import mixture
from gnomon.store.benchmarks import (
    BENCHMARKS,
    instruments,
    open_benchmark,
    question_answering,
    split_of_file,
)

COLOURS = [(9, 0, 0), (0, 9, 0), (0, 0, 9)]
SIZE = (40, 30)


def png(image):
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def picture(colour):
    return png(Image.new("RGB", SIZE, COLOURS[colour]))


def with_pictures(value):
    """A value of a row, a picture of that colour where it names one."""
    if isinstance(value, dict) and "$picture" in value:
        return {"bytes": picture(value["$picture"]), "path": None}
    if isinstance(value, dict) and "$coded" in value:
        return base64.b64encode(picture(value["$coded"])).decode()
    return value


def write(file, rows):
    """Write rows, with pictures where they name some, in the format that the file's name says."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix != ".json":
        rows = [{key: with_pictures(value) for key, value in row.items()} for row in rows]
    return write_rows(file, rows)


def read(name, file, split="test"):
    return list(mixture((Source(path=str(file), benchmark=name),), split=split, seed=0))


def test_the_names_are_those_of_the_functions():
    functions = {
        name: f"{module.__name__}:{name}"
        for module in (instruments, question_answering)
        for name, function in vars(module).items()
        if name[0] != "_" and getattr(function, "__module__", "") == module.__name__
    }
    assert functions == BENCHMARKS


@case_tables.table(__file__, "layouts")
def test_a_layout_is_read_as_it_was_published(tmp_path, row):
    for colour, name in enumerate(row.get("files", ())):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(picture(colour))
    for name, value in row.get("beside", {}).items():
        write(tmp_path / name, value)
    file = write(tmp_path / row["file"], row["rows"])
    samples = read(row["benchmark"], file, row.get("split", "test"))
    assert [s.target for s in samples] == [target_from_json(target) for target in row["targets"]]
    assert len({s.id for s in samples}) == len(samples)
    if "questions" in row:
        assert [s.question for s in samples] == row["questions"]
    if "colours" in row:
        colours = [s.image.getpixel((0, 0)) for s in samples]
        assert colours == [COLOURS[colour] for colour in row["colours"]]
    if "groups" in row:
        assert len({s.facts["group"] for s in samples}) == row["groups"]
    if "instruments" in row:
        assert [s.facts["instrument"] for s in samples] == row["instruments"]
    if "rationales" in row:
        assert [s.rationale for s in samples] == row["rationales"]
        assert all(s.image is None for s in samples)


def test_clockbenchs_answers_are_read_as_the_question_asks_for_them(tmp_path):
    rows = {name: {"image_url": "images/a.png", "question_time": "?"} for name in ("white", "odd")}
    truths = {
        "white": {"answer_time": '{"valid": true, "hours": 12, "minutes": 25, "seconds": 15}'},
        "odd": {"answer_time": '{"valid": false}'},
    }
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.png").write_bytes(picture(0))
    write(tmp_path / "input" / "answers_sample.json", truths)
    samples = read("clockbench", write(tmp_path / "input" / "input_sample.json", rows))
    texts = [
        '```json\n{\n  "valid": true,\n  "hours": 12,\n  "minutes": 25,\n  "seconds": 15\n}\n```',
        '{"valid": false, "hours": false}',
    ]
    answers = [Prediction(s.id, t, SIZE, "plain") for s, t in zip(samples, texts, strict=True)]
    assert all(item.correct for item in score(answers, samples).items)


@pytest.mark.parametrize(
    ("text", "is_right"),
    [("1.2 A", True), ("1.5", True), ("about 1.35 amperes", True), ("Final Answer: 1.3A", True),
     ("1.51 A", False)],
)  # fmt: skip
def test_measurebenchs_interval_is_what_counts_as_right(tmp_path, text, is_right):
    kwargs = {"interval": [1.2, 1.5], "units": ["A", "ampere"]}
    row = {"img_path": "a.png", "question": "?", "evaluator": "interval_matching"}
    (tmp_path / "a.png").write_bytes(picture(0))
    file = write(tmp_path / "a.json", [row | {"evaluator_kwargs": kwargs}])
    (sample,) = read("measurebench", file)
    scores = score([Prediction(sample.id, text, SIZE, "plain")], [sample])
    assert scores.items[0].correct == is_right


def test_a_picture_longer_than_csvs_usual_field(tmp_path):
    coded = base64.b64encode(png(Image.effect_noise((500, 500), 90))).decode()
    assert len(coded) > 131_072
    rows = [{"index": "1", "image": coded, "question": "What?", "answer": "noise"}]
    (sample,) = read("vlmevalkit", write(tmp_path / "a.tsv", rows))
    assert sample.image.size == (500, 500)


@case_tables.table(__file__, "bad_rows")
def test_bad_rows_are_refused_by_line(tmp_path, row):
    (tmp_path / "a.png").write_bytes(picture(0))
    (tmp_path / "b.png").write_bytes(b"no picture")
    name, cells = row["benchmark"], row["row"]
    is_table = name == "vlmevalkit"
    file = tmp_path / ("rows.tsv" if is_table else "rows.jsonl")
    if "answers" in row:
        (tmp_path / "answers.jsonl").write_text(json.dumps(row["answers"]))
        file = tmp_path / "input.jsonl"
    write(file, [{"index": "1"} | cells if is_table else cells])
    with pytest.raises(ValueError, match="1 row cannot be used") as error:
        open_benchmark(name, file, "test")
    assert f"line {2 if is_table else 1}: " in str(error.value)
    assert row["message"] in str(error.value)


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


def test_wrong_use_is_refused(tmp_path):
    file = write(tmp_path / "test.jsonl", [{"question": "?", "answer": "#### 1"}])
    with pytest.raises(ValueError, match="no row belongs to the train split, only to test"):
        read("gsm8k", file, "train")
    with pytest.raises(ValueError, match="did you mean chartqa"):
        open_benchmark("chart_qa", tmp_path / "test.json", "test")
    with pytest.raises(FileNotFoundError, match=r"test\.json"):
        open_benchmark("chartqa", tmp_path / "test.json", "test")
    with pytest.raises(ValueError, match="a benchmark needs a path"):
        Source(kind="clock", benchmark="chartqa")
