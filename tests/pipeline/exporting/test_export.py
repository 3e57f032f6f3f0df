"""What is exported reads back as what was drawn, and trains in stock TRL."""

import json
from dataclasses import replace

import datasets
import pytest
from PIL import Image
from pipeline_toys import boxed, copied, settings
from trl import SFTTrainer

from gnomon import dialect
from gnomon.generators import create
from gnomon.pipeline import families
from gnomon.pipeline.exporting.export import FORMS, export
from gnomon.recipe import Columns
from gnomon.store.user_data.opening import open_table

SAMPLES = [
    *(create("clock", size=84)[i] for i in range(3)),
    boxed(7, (100, 90), (10.0, 20.0, 60.0, 80.0)),
    create("arithmetic", working=True)[0],
]
SEEING = [n for n in families.FAMILIES if families.create(n).vision is not None]


def size_of(file):
    with Image.open(file) as picture:
        return picture.size


def rows_of(out):
    return [json.loads(line) for line in (out / "data.jsonl").read_text().splitlines()]


def parts_of(form, row):
    """Question, answer and picture of a row, whoever's form it is."""
    if form == "llava":
        asked, answered = row["conversations"]
        return asked["value"].removeprefix("<image>\n"), answered["value"], row.get("image")
    if form == "lmms-eval":
        return row["question"], row["answer"], row["image"]
    path = row.get("images", [None])[0]
    if form == "trl":
        (asked,), (answered,) = row["prompt"], row["completion"]
    else:
        asked, answered = row["messages"]
    texts = [m["content"] for m in (asked, answered)]
    texts = [t if isinstance(t, str) else t[-1]["text"] for t in texts]
    return texts[0].removeprefix("<image>"), texts[1], path


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SEEING)
def test_every_answer_reads_back_to_its_target(form, name, tmp_path):
    family = families.create(name)
    out = export(SAMPLES, len(SAMPLES), family, form, tmp_path / "out")
    spoken = dialect.create(family.dialect)
    rows = rows_of(out)
    assert len(rows) == len(SAMPLES)
    for sample, row in zip(SAMPLES, rows, strict=True):
        question, answer, path = parts_of(form, row)
        assert question == sample.question
        size = None
        target = sample.target
        if path:
            size = size_of(out / path)
            target = target.scaled(sample.image.size, size)
        read = spoken.read(dialect.final_answer(answer), size, like=target)
        if hasattr(target, "corners"):
            across = max(spoken.precision(size)) * 1.01
            assert read.corners == pytest.approx(target.corners, abs=across)
        else:
            assert read == target
        assert dialect.add_working(sample.rationale, dialect.final_answer(answer)) == answer


@pytest.mark.parametrize("form", FORMS)
def test_what_trainers_take_is_taken_as_rows_of_ones_own(form, tmp_path):
    samples = [create("clock", size=84, ask_seconds=0.0)[i] for i in range(4)]
    out = export(samples, len(samples), families.create("qwen2-vl"), form, tmp_path / "out")
    rows = open_table(out / "data.jsonl", Columns(kind="time"), "all")
    assert rows.length == len(samples)
    for index, sample in enumerate(samples):
        row = rows[index]
        assert (row.question, row.target.seconds) == (sample.question, sample.target.seconds)
        assert row.image.tobytes() == sample.image.resize(row.image.size).tobytes()


@pytest.mark.parametrize("form", ["llava", "swift", "llama-factory"])
def test_words_that_would_be_one_picture_more_are_refused(form, tmp_path):
    """Tables in LLaVA's manner have them in their questions."""
    sample = replace(SAMPLES[0], question=f"<image>\n{SAMPLES[0].question}")
    with pytest.raises(ValueError, match="this trainer reads '<image>' as a picture"):
        export([sample], 1, families.create("llava"), form, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    # Forms with the picture in a column of its own keep the words.
    out = export([sample], 1, families.create("qwen2-vl"), "lmms-eval", tmp_path / "rows")
    assert rows_of(out)[0]["question"] == sample.question


def test_pixels_are_those_that_boxes_are_written_in(tmp_path):
    out = export(SAMPLES[3:4], 1, families.create("qwen2.5-vl"), "trl", tmp_path / "out")
    (path,) = rows_of(out)[0]["images"]
    width, height = size_of(out / path)
    assert width % 28 == height % 28 == 0
    plain = export(SAMPLES[3:4], 1, families.create("qwen2-vl"), "trl", tmp_path / "plain")
    assert size_of(plain / rows_of(plain)[0]["images"][0]) == (100, 90)


@pytest.mark.slow
def test_the_trl_export_trains_in_stock_trl(blank, tmp_path):
    clocks = [create("clock", size=84)[i] for i in range(4)]
    out = export(clocks, 4, blank.family, "trl", tmp_path / "out")
    data = datasets.load_dataset("json", data_files=str(out / "data.jsonl"), split="train")
    data = data.map(lambda row: {"images": [str(out / path) for path in row["images"]]})
    data = data.cast_column("images", datasets.List(datasets.Image()))
    args = settings(tmp_path, max_steps=2, remove_unused_columns=True, dataset_kwargs=None)
    trainer = SFTTrainer(
        model=copied(blank).model,
        args=args,
        train_dataset=data,
        processing_class=blank.processor,
    )
    trainer.train()
    losses = [row["loss"] for row in trainer.state.log_history if "loss" in row]
    assert losses
    assert all(0 < loss < 20 for loss in losses)


@pytest.mark.parametrize("pictures", [True, False])
def test_llama_factory_is_told_what_the_folder_holds(tmp_path, pictures):
    """As the loader of its release 0.9.5 took both, tried by hand: rows of ms-swift, registered."""
    samples = [create("clock", size=84)[0] if pictures else create("arithmetic")[0]]
    family = families.create("qwen2-vl" if pictures else "qwen2")
    out = export(samples, 1, family, "llama-factory", tmp_path / "mine")
    told = json.loads((out / "dataset_info.json").read_text())["mine"]
    assert told["formatting"] == "sharegpt"
    assert told["columns"].keys() == {"messages", *(["images"] if pictures else [])}
    (row,) = rows_of(out)
    assert told["file_name"] == "data.jsonl"
    assert row.keys() == set(told["columns"].values())
    tags = told["tags"]
    asked, said = row["messages"]
    assert (asked[tags["role_tag"]], said[tags["role_tag"]]) == ("user", "assistant")
    assert asked[tags["content_tag"]].count("<image>") == pictures


def test_what_stands_there_is_left_and_nothing_half_is(tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(FileExistsError, match="nothing was exported"):
        export(SAMPLES, 4, families.create("qwen2-vl"), "trl", tmp_path / "there")
    with pytest.raises(ValueError, match="reads only text"):
        export(SAMPLES, 4, families.create("llama"), "trl", tmp_path / "out")
    assert [f.name for f in tmp_path.iterdir()] == ["there"]
