"""A training on own rows: warned of repeats, and validated by default where it can be."""

import pytest
from command_toys import gnomon
from picture_tables import numbered_pictures

from gnomon.pipeline.training.validation import validation_of
from gnomon.runs.claim import claim, keep_stored_choices
from gnomon.runs.locked_run import _store_rows
from gnomon.runs.resolve import resolve
from gnomon.runs.training import resolve_for_training
from gnomon.runs.validation_schedule import note_validation

RECIPE = """
data:
  - path: {folder}/labels.csv
    columns: {{ask: "How far?", kind: number, split: part}}
train: {{per_device_train_batch_size: 4}}
"""


@pytest.fixture
def recipe(tmp_path):
    """Sixty rows: 20 to train on, 35 of validation, 5 of test, sorted by their labels."""
    numbered_pictures(tmp_path, ["train"] * 20 + ["val"] * 35 + ["test"] * 5, (24, 24))
    file = tmp_path / "own.yaml"
    file.write_text(RECIPE.format(folder=tmp_path))
    return file


@pytest.mark.parametrize(
    ("overrides", "times"),
    [
        (["train.max_steps=60"], 12),
        (["train.num_train_epochs=11"], 11),
        (["train.num_train_epochs=10"], None),
        (["train.max_steps=60", "train.gradient_accumulation_steps=10"], 120),
    ],
)
def test_a_warning_says_how_often_rows_are_seen(recipe, overrides, times, capsys):
    resolve_for_training(str(recipe), overrides)
    message = capsys.readouterr().err
    assert ("its 20 rows about" in message) == (times is not None)
    if times is not None:
        assert f"labels.csv: training sees each of its 20 rows about {times} times" in message
        ways = "fewer steps, more pictures, drawings beside them, or data.0.augment=heavy"
        assert f"ways out are {ways}\n" in message


def test_drawings_beside_them_count_and_are_not_advised_twice(recipe, tmp_path, capsys):
    text = recipe.read_text().replace("train:", "  - {kind: clock, weight: 3}\ntrain:")
    recipe.write_text(text)
    heavy = "data.0.augment=heavy"
    resolve_for_training(str(recipe), ["train.samples=800", heavy])  # a quarter of them
    assert "rows about" not in capsys.readouterr().err
    resolve_for_training(str(recipe), ["train.samples=960", heavy])
    message = capsys.readouterr().err
    assert "its 20 rows about 12 times" in message
    assert "ways out are fewer steps, or more pictures\n" in message


def test_plan_warns_too(recipe, capsys):
    words = ["--config-only", "--memory", "24", "train.max_steps=100"]
    assert gnomon("plan", recipe, *words) == 0
    assert "its 20 rows about 20 times" in capsys.readouterr().err


def test_groups_are_counted_and_few_of_validation_are_noted(recipe, tmp_path, capsys):
    table = tmp_path / "labels.csv"
    header, *rows = table.read_text().splitlines()
    rows = [f"{row},{n % 12}" for n, row in enumerate(rows)]
    table.write_text("\n".join([f"{header},camera", *rows]))
    words = ("plan", recipe, "--config-only", "--memory", "24", "data.0.columns.group=camera")
    assert gnomon(*words) == 0
    output = capsys.readouterr()
    counts = "20 train, 35 val, 5 test rows, of 12 train, 12 val, 5 test groups by camera"
    assert f"labels.csv: {counts}\n" in output.out
    assert "intervals" not in output.err
    table.write_text(
        "\n".join(
            [
                f"{header},camera",
                *(f"{row.rpartition(',')[0]},{n // 9}" for n, row in enumerate(rows)),
            ]
        )
    )
    assert gnomon(*words) == 0
    assert (
        "labels.csv: val has 5 groups by camera, and intervals of 90 % for new groups need 9"
        in capsys.readouterr().err
    )
    hall = [f"{row.rpartition(',')[0]},hall" for row in rows]
    table.write_text("\n".join([f"{header},camera", *hall]))
    gnomon(*words)
    assert "labels.csv: val has 1 group by camera, and" in capsys.readouterr().err


def validation(recipe, *overrides):
    train = resolve(recipe, overrides).recipe.train
    return train.eval_steps, train.eval_samples


def test_own_rows_with_a_val_split_keep_the_best_checkpoint(recipe, capsys):
    # 1,400 samples are ten times the quarter that 35 rows may be of.
    assert validation(recipe, "train.max_steps=350") == (35, 35)
    assert validation(recipe, "train.max_steps=3500") == (350, 35)
    assert validation(recipe, "train.max_steps=35000") == (500, 35)  # as rarely as it saves
    assert validation(recipe, "train.max_steps=140") == (35, 35)  # four
    resolved = resolve(recipe, ["train.max_steps=350"])
    note_validation(resolved.parsed.train, resolved.recipe.train)
    message = "every 35 steps 35 rows of the val split are asked, and the checkpoint with the best"
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "override",
    [
        "train.max_steps=40",  # it would cost more than a quarter of the training
        "train.save_steps=5",
        "train.eval_steps=null",
        "train.eval_samples=20",  # too few to tell checkpoints apart
        "eval.split=val",
        "data=[{kind: clock}]",
    ],
)
def test_where_it_is_dear_or_says_little_there_is_none(recipe, override):
    steps = ["train.max_steps=350"] if "max_steps" not in override else []
    assert validation(recipe, *steps, override)[0] is None


def test_beside_drawings_the_users_rows_alone_choose_the_checkpoint(recipe, tmp_path):
    """A sixteenth of the training, they would be 4 of 64; and the same where the table is gone."""
    text = recipe.read_text().replace("split: part}}", "split: part}}\n    weight: 0.06")
    text = text.replace("train:", "  - {kind: clock, weight: 0.94}\ntrain:")
    recipe.write_text(text)
    resolved = resolve(recipe, ["train.max_steps=350"])
    assert resolved.recipe.train.validation_steps
    (run := tmp_path / "run").mkdir()
    validation = validation_of(resolved.recipe, None, run)
    assert len(validation.samples) == 35
    assert all(sample.id.startswith("labels") for sample in validation.samples)
    _store_rows(resolved, resolved.recipe, run)
    (tmp_path / "labels.csv").unlink()
    copies = validation_of(resolved.recipe, None, run)
    assert [sample.id for sample in copies.samples] == [s.id for s in validation.samples]


def test_what_the_user_says_holds(recipe):
    assert validation(recipe, "train.eval_steps=7", "train.eval_samples=20") == (7, 20)


def test_a_longer_run_keeps_its_schedule(recipe, tmp_path):
    claim(tmp_path / "run", resolve(recipe, ["train.max_steps=350"]).recipe, sources=())
    (tmp_path / "run" / "checkpoints" / "checkpoint-350").mkdir(parents=True)
    longer = resolve(recipe, ["train.max_steps=3500"])
    kept = keep_stored_choices(tmp_path / "run", longer.parsed, longer.recipe).train
    assert (longer.recipe.train.eval_steps, kept.eval_steps) == (350, 35)
