"""Checkpoints whose files are whole and hold something else: named before a step is taken."""

from __future__ import annotations

import json
import pickle

import pytest
import torch
from safetensors.torch import save_file
from transformers import TrainerState

from gnomon.pipeline.training.resuming import last_checkpoint

RNG = {"python": (3, (0,), None), "numpy": ("MT19937", [0], 0, 0, 0.0), "cpu": torch.zeros(1)}


@pytest.fixture
def folder(tmp_path):
    checkpoint = tmp_path / "checkpoint-2"
    checkpoint.mkdir()
    (checkpoint / "adapter_config.json").write_text("{}")
    save_file({"a": torch.zeros(1)}, checkpoint / "adapter_model.safetensors")
    torch.save({"state": {}, "param_groups": []}, checkpoint / "optimizer.pt")
    torch.save({"last_epoch": 2}, checkpoint / "scheduler.pt")
    torch.save(RNG, checkpoint / "rng_state.pth")
    state = TrainerState(global_step=2, max_steps=4, log_history=[{"step": 1, "loss": 2.5}])
    state.save_to_json(str(checkpoint / "trainer_state.json"))
    return tmp_path


def test_a_sound_one_is_gone_on_from(folder):
    assert last_checkpoint(folder, adapter=True) == folder / "checkpoint-2"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("global_step", "many"),
        ("global_step", None),
        ("max_steps", [1]),
        ("best_global_step", "two"),
        ("log_history", None),
        ("log_history", [5]),
        ("log_history", [{"loss": 2.5}]),
        ("stateful_callbacks", [1]),
        ("stateful_callbacks", {"EarlyStoppingCallback": 5}),
        ("a_key_of_another_version", 1),
        (None, []),
        (None, 5),
        (None, {}),
    ],
)
def test_a_state_of_another_shape_is_told(folder, capsys, key, value):
    file = folder / "checkpoint-2" / "trainer_state.json"
    whole = json.loads(file.read_text())
    file.write_text(json.dumps(value if key is None else whole | {key: value}))
    assert last_checkpoint(folder, adapter=True) is None
    told = capsys.readouterr().err
    assert "checkpoint-2/trainer_state.json is damaged" in told
    assert told.count("\n") == 1


class Foreign:
    def __reduce__(self):
        return exit, (7,)


@pytest.mark.parametrize("name", ["optimizer.pt", "scheduler.pt", "rng_state.pth"])
@pytest.mark.parametrize(
    "value", [Foreign(), [1], {"a": 1}, 5], ids=["code", "list", "keys", "int"]
)
def test_a_pickle_that_holds_something_else_is_refused_and_never_run(folder, name, value):
    torch.save(value, folder / "checkpoint-2" / name)
    with pytest.raises(ValueError, match=f"checkpoint-2/{name} is damaged"):
        last_checkpoint(folder, adapter=True)


def test_a_bare_pickle_is_refused(folder):
    (folder / "checkpoint-2" / "optimizer.pt").write_bytes(pickle.dumps(Foreign()))
    with pytest.raises(ValueError, match=r"optimizer.pt is damaged"):
        last_checkpoint(folder, adapter=True)
