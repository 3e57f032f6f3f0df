"""Adapters that are not what their run trained: refused by name, never left out in silence."""

import pickle
import shutil

import pytest
import torch
from peft import get_peft_model
from safetensors.torch import load_file, save_file

from gnomon.pipeline.checkpoint import ModelNotHereError
from gnomon.pipeline.load import load, load_trained
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.recipe import Model, Train

TINY = Model(load_in_4bit=False, dtype="float32")
WEIGHTS, CONFIG = "adapter_model.safetensors", "adapter_config.json"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A run whose adapter says other things than its base."""
    run = tmp_path_factory.mktemp("run")
    loaded = load(TINY)
    adapted = get_peft_model(loaded.model, prepare_parts(loaded, Train(lora_r=2)))
    for name, parameter in adapted.named_parameters():
        if "lora_B" in name:
            parameter.data.fill_(0.5)
    adapted.save_pretrained(run / "adapter")
    return run


@pytest.fixture
def run(trained, tmp_path):
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    return tmp_path


def weights_changed(run, change):
    file = run / "adapter" / WEIGHTS
    save_file(change(load_file(file)), file)


def test_its_own_adapter_is_opened(run):
    layers = [p for n, p in load_trained(TINY, run).model.named_parameters() if "lora_B" in n]
    assert layers
    assert all((layer == 0.5).all() for layer in layers)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda w: {k.removeprefix("base_model.model."): v for k, v in w.items()},
            "they lack base_",
        ),
        (
            lambda w: {k.replace("lora_", "adapter_"): v for k, v in w.items()},
            r"the model lacks .*adapter_",
        ),
        (lambda w: dict(list(w.items())[1:]), "they lack base_model"),
        (
            lambda w: {**w, "base_model.model.head.lora_A.weight": torch.ones(2, 2)},
            "the model lacks .*head",
        ),
        (lambda _: {}, "they lack base_model.* and .* more"),
        (lambda w: {k: v[:1] for k, v in w.items()}, "size mismatch"),
    ],
    ids=["no prefix", "renamed", "one missing", "one more", "none", "another rank"],
)
def test_weights_under_other_names_or_of_other_shapes_are_refused(run, change, told):
    weights_changed(run, change)
    with pytest.raises(ModelNotHereError, match=rf"(?s)the adapter: .*{told}"):
        load_trained(TINY, run)


class Foreign:
    """Code of a stranger: unpickled, it would end the process."""

    def __reduce__(self):
        return exit, (7,)


@pytest.mark.parametrize("content", [b"", bytes(99), b"no adapter"])
def test_weights_that_are_none_are_refused(run, content):
    (run / "adapter" / WEIGHTS).write_bytes(content)
    with pytest.raises(ModelNotHereError, match=r"the adapter: '.*/adapter' cannot be opened: "):
        load_trained(TINY, run)


@pytest.mark.parametrize("content", [{"a": Foreign()}, [1, 2], pickle.dumps(Foreign()), b"weights"])
def test_weights_that_are_a_strangers_pickle_are_refused(run, content):
    (run / "adapter" / WEIGHTS).unlink()
    file = run / "adapter" / "adapter_model.bin"
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        torch.save(content, file)
    with pytest.raises(ModelNotHereError, match=r"the adapter: .*adapter"):
        load_trained(TINY, run)


@pytest.mark.parametrize("config", ["{", '{"peft_type": "LORA", "r": 2}'])
def test_a_config_of_another_shape_is_refused_by_its_folder(run, config):
    """Read by PEFT, which raises what it likes; commands/bad_inputs.jsonl has more."""
    (run / "adapter" / CONFIG).write_text(config)
    with pytest.raises(ModelNotHereError, match=r"the adapter: '.*/adapter' cannot be opened: "):
        load_trained(TINY, run)
