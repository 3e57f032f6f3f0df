"""`augment` of a user's rows, light unless said otherwise, and `loss.spread` of all answers.

Both are seen in previews, never in an exam.
"""

import json

import pytest
from command_toys import gnomon
from picture_tables import numbered_pictures
from PIL import Image

from gnomon import recipe as recipes
from gnomon.commands.directory import as_begun, claim
from gnomon.commands.exam import Exam
from gnomon.commands.resolve import resolve, resolve_values

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


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("data.1.augment=light", "augment is for pictures of your own: a kind has options.degrade"),
        ("data.0.augment=strong", "data.0.augment: 'strong': input should be 'off', 'light' or"),
    ],
)
def test_where_it_makes_no_sense_it_is_refused(recipe, override, message, capsys):
    assert gnomon("plan", recipe, override) == 2
    assert message in capsys.readouterr().err


def old_run(recipe, run, *overrides):
    """A run of a gnomon without `augment`, killed after its first checkpoint."""
    resolved = resolve(recipe, overrides)
    claim(run, resolved.recipe, sources=())
    text = (run / "recipe.yaml").read_text()
    assert "  augment: light\n" in text
    (run / "recipe.yaml").write_text(
        "".join(line for line in text.splitlines(keepends=True) if "augment:" not in line)
    )
    (run / "checkpoints" / "checkpoint-2").mkdir(parents=True)


def test_a_run_goes_on_as_it_began(recipe, tmp_path):
    run = tmp_path / "run"
    old_run(recipe, run)
    for _ in range(2):  # the second finds `off` written down
        resolved = resolve(recipe)
        checked = as_begun(run, resolved.parsed, resolved.recipe)
        assert strengths(checked) == ["off", None]
        claim(run, checked, sources=())
    light = resolve(recipe, ["data.0.augment=light"])
    checked = as_begun(run, light.parsed, light.recipe)
    with pytest.raises(ValueError, match=r"data.0.augment: 'off' there, 'light' here"):
        claim(run, checked, sources=())


def test_a_start_that_trained_nothing_begins_as_runs_do_now(recipe, tmp_path):
    run = tmp_path / "run"
    old_run(recipe, run)
    (run / "checkpoints" / "checkpoint-2").rmdir()
    (run / "data").mkdir()
    (run / "data" / "manifest.json").write_text("{}")  # samples, which nothing of this changes
    resolved = resolve(recipe)
    checked = as_begun(run, resolved.parsed, resolved.recipe)
    assert strengths(checked) == ["light", None]
    claim(run, checked, sources=())
    assert "  augment: light\n" in (run / "recipe.yaml").read_text()


def test_a_new_run_is_recorded_as_it_is_trained(recipe, tmp_path):
    resolved = resolve(recipe)
    checked = as_begun(tmp_path / "new", resolved.parsed, resolved.recipe)
    assert strengths(checked) == ["light", None]
    claim(tmp_path / "new", checked, sources=())
    versions = json.loads((tmp_path / "new" / "versions.json").read_text())
    assert "gnomon" in versions
    stored = resolve(tmp_path / "new" / "recipe.yaml")
    assert strengths(stored.parsed) == ["light", None]


def sheet(*words):
    *_, out = words
    assert gnomon("preview", *words[:-1], "-o", out, "--n", 4) == 0
    with Image.open(out) as image:
        return image.tobytes()


def test_a_preview_shows_what_training_sees_and_says_so(recipe, tmp_path, capsys):
    out, single = tmp_path / "sheet.png", "model.name=nobody/nothing"
    plain = sheet(recipe, single, "data.0.augment=off", out)
    assert "augmented" not in capsys.readouterr().err
    light = sheet(recipe, single, out)
    message = "pictures are augmented, as training sees them; data.0.augment=off shows them as"
    assert message in capsys.readouterr().err
    assert light != plain
    assert sheet(recipe, single, out) == light
    test = sheet(recipe, single, "--split", "test", out)
    assert test == sheet(recipe, single, "data.0.augment=heavy", "--split", "test", out)


def test_a_tables_preview_is_plain_unless_told_otherwise(recipe, tmp_path, capsys):
    table, out = recipe.with_name("labels.csv"), tmp_path / "sheet.png"
    words = (table, "columns.ask=How far?", "columns.kind=number", "columns.split=part")
    plain = sheet(*words, out)
    assert sheet(*words, "augment=off", out) == plain
    assert "augmented" not in capsys.readouterr().err
    assert sheet(*words, "augment=light", out) != plain
    assert "; augment=off shows them as they are" in capsys.readouterr().err


def test_spread_answers_are_previewed_and_planned_and_the_exam_is_as_ever(recipe, tmp_path, capsys):
    out, words = tmp_path / "sheet.png", ("model.name=nobody/nothing", "data.0.augment=off")
    plain = sheet(recipe, *words, out)
    assert "spread" not in capsys.readouterr().err
    assert sheet(recipe, *words, "loss.spread=30", out) != plain
    message = "answers are spread, as training sees them; loss.spread=0 shows the labels"
    assert message in capsys.readouterr().err
    test = sheet(recipe, *words, "--split", "test", out)
    assert sheet(recipe, *words, "loss.spread=30", "--split", "test", out) == test
    assert resolve(recipe, ["loss.spread=30"]).exam == resolve(recipe).exam
    assert gnomon("plan", recipe, "--config-only", "loss.spread=0.8") == 0
    printed = capsys.readouterr().out
    assert "spread    answers are drawn from a bell of 0.8 steps around the truth" in printed


@pytest.mark.parametrize("verb", ["plan", "train", "preview"])
def test_a_recipe_of_texts_alone_has_nothing_to_spread(recipe, tmp_path, verb, capsys):
    words = [verb, recipe, "data=[{kind: clock, options: {size: 84, questions: [valid]}}]"]
    if verb != "plan":
        words += ["-o", tmp_path / "out.png"]
    assert gnomon(*words, "loss.spread=0.8", "loss.name=ce") == 2
    printed = capsys.readouterr().err
    assert "loss.spread=0.8: no training sample, of the first 64, has a number, a time" in printed
    assert "leave loss.spread out" in printed
    assert not (tmp_path / "out.png").exists()
