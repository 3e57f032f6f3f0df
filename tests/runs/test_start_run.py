"""A reinforcement learning goes on from a run whose adapter fits it, and from no other."""

from dataclasses import replace

import pytest

from gnomon.recipe import Grpo, Loss, Model, Recipe, RecipeError, Source, Train, to_yaml
from gnomon.runs.claim import _as_stored
from gnomon.runs.resolve import resolve
from gnomon.runs.start_run import check_start, start_of

CLOCKS = (Source(kind="clock"),)


@pytest.fixture
def start(tmp_path):
    """A run as far as a start looks at it."""

    def write(weights="adapter", name="gnomon-tiny", **train):
        folder = tmp_path / "before"
        (folder / weights).mkdir(parents=True)
        recipe = Recipe(CLOCKS, Model(name=name, load_in_4bit=False), train=Train(**train))
        (folder / "recipe.yaml").write_text(to_yaml(recipe))
        return folder

    return write


def recipe_from(folder, **train):
    grpo = Grpo(start=str(folder))
    train = Train(method="grpo", max_steps=9, grpo=grpo, **train)
    return Recipe(CLOCKS, loss=Loss(name="ce"), train=train)


def test_an_adapter_of_the_same_settings_fits(start):
    folder = start(lora_r=4, vision="full")
    recipe = recipe_from(folder, lora_r=4)
    check_start(recipe)
    assert start_of(recipe) == folder


def test_without_a_start_nothing_is_looked_for():
    recipe = Recipe(CLOCKS, loss=Loss(name="ce"), train=Train(method="grpo", max_steps=9))
    check_start(recipe)
    assert start_of(recipe) is None
    assert start_of(Recipe(CLOCKS)) is None


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ({"lora_r": 8}, "train.lora_r=16: .*before has 8: set train.lora_r=8"),
        ({"lora_alpha": 64}, "train.lora_alpha=32: .* has 64"),
        ({"language": "frozen", "vision": "lora"}, "the language model of .* has no adapters"),
        ({"weights": "model", "language": "full"}, "whole model .*: set model.name=.*before/model"),
        ({"weights": "checkpoints"}, "holds no trained adapter"),
    ],
)
def test_another_start_is_refused_by_name(start, before, message):
    with pytest.raises(RecipeError, match=message):
        check_start(recipe_from(start(**before)))


def test_the_adapter_of_another_model_is_refused(start, tmp_path):
    recipe = recipe_from(start())
    recipe = replace(recipe, model=Model(name="Qwen/Qwen2-VL-2B-Instruct"))
    with pytest.raises(RecipeError, match=r"set model\.name"):
        check_start(recipe)
    with pytest.raises(RecipeError, match="holds no trained adapter"):
        check_start(recipe_from(tmp_path / "nowhere"))


def test_a_start_is_found_beside_the_recipe_and_stored_as_seen_from_the_run(
    start, tmp_path, monkeypatch
):
    folder = start()
    file = tmp_path / "rewards.yaml"
    file.write_text(to_yaml(recipe_from("before")))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    parsed = resolve(file, recipes_only=True).parsed
    assert start_of(parsed) is not None
    assert start_of(parsed).resolve() == folder
    stored = _as_stored(tmp_path / "runs" / "after", parsed)
    assert stored.train.grpo.start == "../../before"
