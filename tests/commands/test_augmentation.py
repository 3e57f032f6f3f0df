"""`augment` of a user's rows, light unless said otherwise, and `loss.spread` of all answers.

Both are seen in previews, never in an exam.
"""

import json

import pytest
from picture_tables import numbered_pictures
from PIL import Image

from gnomon import recipe as recipes
from gnomon.runs.claim import claim, keep_stored_choices
from gnomon.runs.exam import Exam
from gnomon.runs.resolve import resolve, resolve_values

RECIPE = """
data:
  - path: {folder}/labels.csv
    columns: {{ask: "How far?", kind: number, split: part}}
  - {{kind: clock, options: {{size: 84}}}}
train: {{samples: 8}}
eval: {{samples: 4}}
"""


@pytest.fixture
def recipe(tmp_path):
    numbered_pictures(tmp_path, ["test", "train", "train"] * 4)
    file = tmp_path / "own.yaml"
    file.write_text(RECIPE.format(folder=tmp_path))
    return file


def strengths(recipe):
    return [source.augment for source in recipe.data]


def test_a_users_rows_are_augmented_by_default_and_off_is_a_word(recipe):
    assert strengths(resolve(recipe).recipe) == ["light", None]
    # YAML's `off` is a false.
    off = resolve(recipe, ["data.0.augment=off"]).recipe
    assert strengths(off) == ["off", None]
    text = recipes.to_yaml(off)
    assert recipes.parse(text, name="stored")["data"][0]["augment"] == "off"


def test_the_exam_and_its_record_know_nothing_of_it(recipe):
    light, heavy = resolve(recipe), resolve(recipe, ["data.0.augment=heavy"])
    assert heavy.exam == light.exam == Exam.of(light.parsed)
    assert strengths(heavy.recipe) == ["heavy", None]
    assert [source.augment for source in heavy.exam.sources] == [None, None]
    # Recipes name a source once, as `&mine`, for both.
    mine = [{"path": str(recipe.with_name("labels.csv")), "augment": "heavy",
             "columns": {"ask": "How far?", "kind": "number", "split": "part"}}]  # fmt: skip
    both = resolve_values({"data": mine, "eval": {"data": mine}})
    assert strengths(both.recipe) == ["heavy"]
    (source,) = both.exam.sources
    assert source.augment is None


def begun_run(recipe, run):
    """A run without augmentation, killed after its first checkpoint."""
    claim(run, resolve(recipe, ["data.0.augment=off"]).recipe, sources=())
    (run / "checkpoints" / "checkpoint-2").mkdir(parents=True)


def go_on(recipe, run, *overrides):
    resolved = resolve(recipe, overrides)
    checked = keep_stored_choices(run, resolved.parsed, resolved.recipe)
    claim(run, checked, sources=())
    return strengths(checked)


def test_a_run_goes_on_as_it_began(recipe, tmp_path):
    run = tmp_path / "run"
    begun_run(recipe, run)
    assert go_on(recipe, run) == ["off", None]
    with pytest.raises(ValueError, match=r"data.0.augment: 'off' there, 'light' here"):
        go_on(recipe, run, "data.0.augment=light")


def test_a_start_that_trained_nothing_begins_as_runs_do_now(recipe, tmp_path):
    run = tmp_path / "run"
    begun_run(recipe, run)
    (run / "checkpoints" / "checkpoint-2").rmdir()
    (run / "data").mkdir()
    (run / "data" / "manifest.json").write_text("{}")  # samples, which nothing of this changes
    for folder in (run, tmp_path / "new"):
        assert go_on(recipe, folder) == ["light", None]
        assert strengths(resolve(folder / "recipe.yaml").parsed) == ["light", None]
        assert "gnomon" in json.loads((folder / "versions.json").read_text())


@pytest.fixture
def sheet(cli, tmp_path):
    """Pixels of a preview of four samples, and what was said beside it."""

    def draw(*words):
        said = cli("preview", *words, "-o", tmp_path / "sheet.png", "--n", 4).err
        with Image.open(tmp_path / "sheet.png") as image:
            return image.tobytes(), said

    return draw


def test_a_preview_shows_what_training_sees_and_says_so(recipe, sheet):
    single = "model.name=nobody/nothing"
    plain, said = sheet(recipe, single, "data.0.augment=off")
    assert "augmented" not in said
    light, said = sheet(recipe, single)
    assert "pictures are augmented, as training sees them; data.0.augment=off shows them as" in said
    assert light != plain
    assert sheet(recipe, single)[0] == light
    test, _ = sheet(recipe, single, "--split", "test")
    assert test == sheet(recipe, single, "data.0.augment=heavy", "--split", "test")[0]


def test_a_tables_preview_is_plain_unless_told_otherwise(recipe, sheet):
    columns = ("columns.ask=How far?", "columns.kind=number", "columns.split=part")
    words = (recipe.with_name("labels.csv"), *columns)
    plain, said = sheet(*words)
    assert "augmented" not in said
    assert sheet(*words, "augment=off")[0] == plain
    light, said = sheet(*words, "augment=light")
    assert light != plain
    assert "; augment=off shows them as they are" in said


def test_spread_answers_are_previewed_and_planned_and_the_exam_is_as_ever(recipe, sheet, cli):
    words = (recipe, "model.name=nobody/nothing", "data.0.augment=off")
    plain, said = sheet(*words)
    assert "spread" not in said
    spread, said = sheet(*words, "loss.spread=30")
    assert spread != plain
    assert "answers are spread, as training sees them; loss.spread=0 shows the labels" in said
    test, _ = sheet(*words, "--split", "test")
    assert sheet(*words, "loss.spread=30", "--split", "test")[0] == test
    assert resolve(recipe, ["loss.spread=30"]).exam == resolve(recipe).exam
    printed = cli("plan", recipe, "--config-only", "loss.spread=0.8").out
    assert "spread    answers are drawn from a bell of 0.8 steps around the truth" in printed


@pytest.mark.parametrize("verb", ["plan", "train", "preview"])
def test_a_recipe_of_texts_alone_has_nothing_to_spread(recipe, tmp_path, verb, cli):
    words = [verb, recipe, "data=[{kind: clock, options: {size: 84, questions: [valid]}}]"]
    if verb != "plan":
        words += ["-o", tmp_path / "out.png"]
    printed = cli(*words, "loss.spread=0.8", "loss.name=ce", code=2).err
    assert "loss.spread=0.8 changes only a number, a time or a box" in printed
    assert "leave loss.spread out" in printed
    assert not (tmp_path / "out.png").exists()
