"""Merged models are plain, and answer as their runs do."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from peft import get_peft_model
from pipeline_toys import UNEVEN
from quick import quick
from second_process import kill_at_each_opening
from toy_runs import SOURCES, recipe_of, run_of
from transformers import AutoModelForImageTextToText

from gnomon import names
from gnomon.generators import create
from gnomon.pipeline import families
from gnomon.pipeline.exporting import merge as merging
from gnomon.pipeline.exporting.merge import MAX_KL, merge, merge_adapters
from gnomon.pipeline.families.qwen import Qwen2VL
from gnomon.pipeline.load import load, load_trained
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.recipe import Eval, Model, Recipe, Train

SAMPLES = UNEVEN[:6]
WAYS = ("qlora", "whole projector", "whole language")


@pytest.fixture(scope="module", params=quick(WAYS, "qlora"))
def trained(request, checkpoint, tmp_path_factory):
    """A recipe and its run: large steps, so that the adapters matter."""
    recipe = recipe_of(
        checkpoint,
        samples=8,
        max_steps=3,
        learning_rate=2e-2,
        per_device_train_batch_size=4,
        language="full" if request.param == "whole language" else "lora",
        projector="full" if request.param == "whole projector" else "frozen",
        vision="lora",
        model={"load_in_4bit": request.param == "qlora", "dtype": "float32"},
    )
    recipe = replace(recipe, eval=Eval(batch_size=3, max_new_tokens=4))
    return recipe, run_of(recipe, tmp_path_factory.mktemp("run"))


@pytest.fixture
def unmerged(tmp_path, monkeypatch):
    """A recipe and a run whose merge is only pretended."""
    monkeypatch.setattr(merging, "_write_merged", lambda *_: None)
    monkeypatch.setattr(merging, "_compare", lambda *_: "all")
    (tmp_path / "run" / "adapter").mkdir(parents=True)
    return Recipe(data=SOURCES), tmp_path / "run"


def test_a_merge_that_is_killed_leaves_no_model(unmerged, tmp_path, monkeypatch):
    def write(_, __, folder):
        (folder / "model.safetensors").write_text("weights")

    monkeypatch.setattr(merging, "_write_merged", write)
    merged = tmp_path / "merged"
    kill_at_each_opening(tmp_path, lambda: merge(*unmerged, merged, [], card="It"))
    assert {file.name for file in merged.iterdir()} == {"model.safetensors", "README.md"}


def test_a_directory_that_comes_while_a_model_is_merged_stays(unmerged, tmp_path, monkeypatch):
    def compare(_, run, *__):
        (run.parent / "merged").mkdir()
        (run.parent / "merged" / "note.txt").write_text("mine")

    monkeypatch.setattr(merging, "_compare", compare)
    with pytest.raises(FileExistsError, match="merged was created in the meantime"):
        merge(*unmerged, tmp_path / "merged", [])
    assert (tmp_path / "merged" / "note.txt").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["merged", "run"]


@pytest.mark.slow
def test_a_merged_model_opens_in_plain_transformers_and_answers_as_its_run(
    trained, tmp_path, monkeypatch
):
    def load_sampling(*args, **options):
        """As Llama's checkpoints and Qwen2.5-VL's ask for."""
        loaded = load(*args, **options)
        loaded.model.generation_config.update(do_sample=True, top_p=0.9, repetition_penalty=1.05)
        return loaded

    monkeypatch.setattr(merging, "load", load_sampling)
    recipe, run = trained
    found = merge(recipe, run, tmp_path / "out", SAMPLES, card="It agrees: {agreement}")
    assert found.samples == 6
    assert found.same >= 5
    assert found.kl < 1e-3
    assert str(found) in (tmp_path / "out" / "README.md").read_text()
    plain = AutoModelForImageTextToText.from_pretrained(tmp_path / "out")
    assert {p.dtype for p in plain.parameters()} == {torch.bfloat16}
    # Whoever calls `generate` gets the answers that were compared.
    assert plain.generation_config.do_sample is False
    assert plain.generation_config.repetition_penalty == 1.0
    assert plain.generation_config.top_p is None
    assert not any("lora" in name or "base_layer" in name for name in plain.state_dict())
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert "quantization_config" not in config
    # What gnomon opens again answers the same; without the adapter it would not.
    again = replace(recipe, model=Model(name=str(tmp_path / "out"), load_in_4bit=False))
    scores = merging._answer_scores(load(again.model), SAMPLES)
    own = merging._answer_scores(load_trained(recipe.model, run), SAMPLES)
    bare = merging._answer_scores(load(recipe.model), SAMPLES)
    assert merging._kl(own, scores) / len(own) < 1e-3 < merging._kl(own, bare) / len(own)


@pytest.mark.parametrize("name", ["gnomon-tiny", "qwen2-vl", "llava", "llama"])
def test_a_merged_model_answers_by_its_cards_lines(name, small, tmp_path, monkeypatch, capsys):
    """Without torchvision, too; the embedded model's answer is its own."""
    folder = families.TINY if name == "gnomon-tiny" else small(name)
    (tmp_path / "reader").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    sample = create("clock", size=112, rotation=0)[2]
    if name == "llama":
        sample = replace(sample, image=None)
    else:
        sample.image.save("picture.png")
    text = merging._question_code(folder, "reader", sample, {})
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(code, {})
    assert len(code.splitlines()) < 20
    if name == "gnomon-tiny":
        assert capsys.readouterr().out.strip() == sample.target.display()


def test_adapters_are_added_in_float32(checkpoint):
    """In bf16 an update below half a step of the weight is lost; the sum must be rounded once."""
    loaded = load(Model(name=str(checkpoint), load_in_4bit=False, dtype="float32"))
    model = get_peft_model(loaded.model, prepare_parts(loaded, Train(lora_r=4)))
    name = "model.language_model.layers.0.self_attn.q_proj"
    layer = model.get_base_model().get_submodule(name)
    torch.nn.init.normal_(layer.lora_B["default"].weight)
    expected = layer.base_layer.weight + layer.get_delta_weight("default")
    found = merge_adapters(model).get_submodule(name).weight
    assert torch.equal(found, expected.to(torch.bfloat16))


@pytest.mark.slow
def test_a_merge_that_does_not_answer_as_its_run_leaves_nothing(trained, tmp_path, monkeypatch):
    recipe, run = trained

    def spoilt(model):
        """A merge into weights that were repacked gives just such noise."""
        made = merge_adapters(model)
        for weight in made.parameters():
            weight.data = torch.randn_like(weight)
        return made

    monkeypatch.setattr(merging, "merge_adapters", spoilt)
    with pytest.raises(ValueError, match=r"does not answer as .*; nothing was written"):
        merge(recipe, run, tmp_path / "out", SAMPLES)
    assert list(tmp_path.iterdir()) == []


class OwnFamily(Qwen2VL):
    """A user's own, under the name of the one that it is made from."""


def test_a_merged_model_is_compared_in_the_users_own_family(trained, monkeypatch):
    recipe, run = trained
    place = f"{__name__}:OwnFamily"
    monkeypatch.setattr(names, "_ALLOWED", {place})
    recipe = replace(recipe, model=replace(recipe.model, family=place))
    opened = []
    monkeypatch.setattr(merging, "load", lambda model, **_: opened.append(model) or load(model))
    merging._compare(recipe, run, Path(recipe.model.name), [])
    assert [model.family for model in opened] == [place]


def test_an_agreement_that_is_no_number_is_none(trained, tmp_path, monkeypatch):
    recipe, run = trained
    monkeypatch.setattr(merging, "_kl", lambda *_: float("nan"))
    with pytest.raises(ValueError, match="nothing was written"):
        merge(recipe, run, tmp_path / "out", SAMPLES[:2])
    assert MAX_KL > 0


def test_what_stands_there_is_left_as_it_was(trained, tmp_path):
    recipe, run = trained
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")
    with pytest.raises(FileExistsError, match="nothing was merged"):
        merge(recipe, run, tmp_path / "out", SAMPLES)
    assert (tmp_path / "out" / "mine").read_text() == "mine"
    with pytest.raises(ValueError, match="holds no adapter"):
        merge(recipe, tmp_path, tmp_path / "other", SAMPLES)
