"""gnomon train over a bad sample: one message that names it, and what was learnt stays."""

from __future__ import annotations

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_toys import gnomon, small
from PIL import Image

from gnomon import store
from gnomon.runs.resolve import resolve
from gnomon.runs.training import warn_of_unfit_samples

RECIPE = """
data: [{path: DATA}]
loss: {name: ce}
train: {samples: 12, per_device_train_batch_size: 2, save_steps: 2, logging_steps: 1, \
sft: {train_sampling_strategy: sequential}}
eval: {samples: 2, data: [{kind: clock}]}
"""
"""Six steps in the data's own order, a checkpoint after every second."""
BAD = 9
"""A row that is met after two checkpoints."""


@pytest.fixture(scope="module")
def clocks(tmp_path_factory):
    """A dataset of twelve clocks in one shard."""
    out = tmp_path_factory.mktemp("clocks") / "clocks"
    assert gnomon("generate", "clock", "--n", 12, "--out", out, "--workers", 1, "size=84") == 0
    return out


def copy_of(dataset, folder, **changes):
    """A copy of the dataset, some columns of row BAD changed, and that row's id."""
    shutil.copytree(dataset, folder, dirs_exist_ok=True)
    (shard,) = folder.glob("data/*.parquet")
    table = pq.read_table(next(dataset.glob("data/*.parquet")))
    rows = table.to_pylist()
    rows[BAD] |= changes
    pq.write_table(pa.Table.from_pylist(rows, table.schema), shard)
    return rows[BAD]["id"]


def files_in(folder):
    return {file: file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


CORRUPT = {"image": {"bytes": b"\x89PNG\r\n\x1a\n and no more", "path": None}}
EMPTY = {"target": json.dumps({"type": "text", "text": ""})}
OUTSIDE = {"target": json.dumps({"type": "box", "x1": 1.0, "y1": 1.0, "x2": 900.0, "y2": 9.0})}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (CORRUPT, "row 9: data of 20 bytes is not a picture"),
        ({"image": {"bytes": None, "path": "gone.png"}}, "row 9: its picture is named, not embe"),
        (EMPTY, "text='': give words"),
    ],
)
def test_a_bad_row_of_a_dataset_is_named(tmp_path, clocks, changes, message):
    copy_of(clocks, tmp_path / "copy", **changes)
    with pytest.raises(ValueError, match=message):
        store.open(tmp_path / "copy")[BAD]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "message", "workers"),
    [
        (CORRUPT, "row 9: data of 20 bytes is not a picture", 0),
        (CORRUPT, "row 9: data of 20 bytes is not a picture", 1),
        (OUTSIDE | {"image": None}, "sample {}: a box is written for a picture", 0),
        (OUTSIDE, "sample {}: (1.3333333333333333, 1.3333333333333333, ", 0),
    ],
)
def test_a_bad_sample_is_named_and_what_was_learnt_stays_until_it_is_mended(
    tmp_path, clocks, capfd, changes, message, workers
):
    name, run = copy_of(clocks, tmp_path / "copy", **changes), tmp_path / "run"
    (tmp_path / "r.yaml").write_text(RECIPE.replace("DATA", str(tmp_path / "copy")))
    words = [tmp_path / "r.yaml", f"train.dataloader_num_workers={workers}", "--out", run]
    assert gnomon("train", *words) == 1
    (line,) = [x for x in capfd.readouterr().err.splitlines() if "gnomon: " in x]
    assert line.startswith("gnomon: ")
    assert message.format(name) in line
    assert not (run / "adapter").exists()
    before = files_in(run / "checkpoints")
    assert any("checkpoint-2" in str(file) for file in before)
    assert gnomon("train", *words) == 1
    assert files_in(run / "checkpoints") == before
    if changes == OUTSIDE:
        copy_of(clocks, tmp_path / "copy")
        assert gnomon("train", *words) == 0
        steps = [json.loads(line)["step"] for line in (run / "log.jsonl").read_text().splitlines()]
        assert steps[:6] == [1, 2, 3, 4, 5, 6]
        assert (run / "adapter").is_dir()


def test_pictures_that_the_model_sees_tiny_are_named_before_the_training(tmp_path, capsys):
    """gnomon-tiny sees about 112 by 112 pixels."""

    def warning(*size):
        Image.new("RGB", size).save(tmp_path / "photo.png")
        columns = "{image: file, answer: value, kind: number, ask: Read it}"
        rows = "".join(f"photo.png,{value}\n" for value in range(9))
        (tmp_path / "labels.csv").write_text(f"file,value\n{rows}")
        recipe = tmp_path / "own.yaml"
        recipe.write_text(
            f"data: [{{path: {tmp_path}/labels.csv, columns: {columns}}}]\n"
            f"eval: {{data: [{{kind: gauge}}], samples: 2}}\n"
        )
        warn_of_unfit_samples(resolve(recipe), tmp_path / "run")
        return capsys.readouterr().err

    assert "pictures of 2048 × 1152 pixels are shrunk to 140 × 84 for the model" in warning(
        2048, 1152
    )
    assert "shrunk" not in warning(440, 440)


def test_labels_longer_than_what_is_generated_are_named_before_the_training(tmp_path, capsys):
    """The samples are a handful of each split; of a finished run nothing is opened."""

    def warning(limit):
        warn_of_unfit_samples(
            resolve(small(tmp_path), [f"eval.max_new_tokens={limit}"]), tmp_path / "run"
        )
        return capsys.readouterr().err

    assert "answers are longer than eval.max_new_tokens=2, so gnomon will cut them" in warning(2)
    assert "longer" not in warning(12)
    (tmp_path / "run" / "adapter").mkdir(parents=True)
    assert warning(2) == ""
