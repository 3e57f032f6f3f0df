"""Every recipe that comes with gnomon runs as far as can be known without its model."""

import hashlib
import itertools
import json

import pytest
from command_toys import gnomon
from quick import quick

from gnomon import recipe, store
from gnomon.pipeline import families
from gnomon.runs import shipped
from gnomon.runs.exam import Exam
from gnomon.runs.resolve import resolve

OLD = {
    "arithmetic boxes chart clock gauge": {
        "llama-3.2-11b-vision llava-1.5-7b qwen2-vl-2b qwen2-vl-7b": "24gb 80gb"
    },
    "boxes chart clock gauge": {"qwen3-vl-4b qwen3-vl-8b": "24gb"},
}
"""Names of recipes that had a file each, once."""
NAMES = [n for n in shipped.names() if "-vl-" not in n or "2-vl-2b" in n]


@pytest.mark.parametrize("name", quick(NAMES, *(n for n in NAMES if not n.endswith("80gb"))))
def test_every_recipe_is_known_to_every_room_and_draws(name):
    """The embedded model's begins with eyes that `make tiny` trains first."""
    eyes = ["model.name=gnomon-tiny-blank"] if name.startswith("tiny-") else []
    opened = resolve(name, eyes).recipe
    sample = store.mixture(opened.data, split="train", seed=opened.seed)[0]
    assert sample.question
    assert next(iter(Exam.of(opened))).question


def test_a_recipe_is_what_its_file_once_said():
    """Of the 48 files that stood here before the names were composed, all with ntil and 0.3."""
    found = {}
    for kinds, sizes in OLD.items():
        for models, memories in sizes.items():
            for name in itertools.product(kinds.split(), models.split(), memories.split()):
                _, text = shipped.read("-".join(name))
                parsed = recipe.parse(text, name="it")
                assert parsed["loss"] == {"name": "crps", "weight": 1}
                parsed["loss"] = {"name": "ntil", "weight": 0.3}
                found["-".join(name)] = parsed
    assert len(found) == 48
    digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    assert digest == "ebdbeff391b336cee7a59b503d6d5de3ed555068457012f49a1a0545274bf708"


def test_every_model_is_trained_with_the_weight_of_its_kind():
    """A weight means the same for every tokenizer: see tests/losses/test_scale.py."""
    losses = {}
    for kind in shipped.bases():
        for model in shipped.models():
            parsed = recipe.parse(shipped.read(f"{kind}-{model}-24gb")[1], name=model)
            losses.setdefault(kind, []).append(parsed["loss"])
    planned = [recipe.parse(shipped.of_model(c), name=c) for c in shipped.models().values()]
    losses["clock"] += [parsed["loss"] for parsed in planned]
    for kind, sections in losses.items():
        assert all(section == sections[0] for section in sections), kind


def test_every_checkpoint_that_sees_has_its_recipes_under_a_name_of_its_own():
    seeing = [f for name in families.FAMILIES if (f := families.create(name)).vision]
    assert sorted(shipped.models().values()) == sorted(c for f in seeing for c in f.sizes)
    for model, checkpoint in shipped.models().items():
        assert resolve(f"boxes-{model}-24gb").recipe.model.name == checkpoint


@pytest.mark.parametrize("way", ["{}", "{}.yaml", "configs/{}.yaml", "configs/{}"])
def test_a_recipe_is_found_by_every_form_of_its_name(way):
    name = "clock-qwen2.5-vl-7b-80gb"
    assert resolve(way.format(name)).recipe == resolve(name).recipe


def test_a_composed_recipe_is_copied_with_its_comments(tmp_path):
    name = "chart-llava-1.5-7b-24gb"
    assert gnomon("cp", name, tmp_path) == 0
    copy = tmp_path / f"{name}.yaml"
    assert "# a whole table" in copy.read_text()
    assert resolve(copy).recipe == resolve(name).recipe


def test_cp_never_overwrites(tmp_path, capsys):
    copy = tmp_path / "copy.yaml"
    assert gnomon("cp", "demo", copy) == 0
    copy.write_text("mine")
    assert gnomon("cp", "demo", copy) == 1
    assert "already exists" in capsys.readouterr().err
    assert copy.read_text() == "mine"
