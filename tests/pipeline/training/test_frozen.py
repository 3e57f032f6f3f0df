"""A frozen vision tower costs one forward, and no backward."""

import pytest
import torch
from pipeline_toys import CLOCKS, Gradients, dataset_of, settings

from gnomon.pipeline.collate import Collator
from gnomon.pipeline.load import load
from gnomon.pipeline.training import run_trainer as module
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.pipeline.training.settings import CHECKPOINTING
from gnomon.pipeline.training.trainer import NumericSFTTrainer
from gnomon.recipe import Model, Train

CLOCKED = [CLOCKS[i] for i in range(4)]


def step(kind, checkpoint, out, *, load_in_4bit=True, checkpointing=True, how=None, **parts):
    """One step with LoRA: its gradients, and whether each pass of the tower had a graph."""
    loaded = load(Model(name=str(checkpoint), load_in_4bit=load_in_4bit), seed=1)
    gradients = Gradients()
    trainer = kind(
        model=loaded.model,
        args=settings(out, **{CHECKPOINTING: checkpointing, f"{CHECKPOINTING}_kwargs": how}),
        train_dataset=dataset_of(CLOCKED),
        data_collator=Collator(loaded.family, loaded.processor),
        processing_class=loaded.processor,
        peft_config=prepare_parts(loaded, Train(lora_r=4, **parts)),
        callbacks=[gradients],
    )
    passes = []
    second = loaded.model.model.visual.blocks[1].mlp
    second.register_forward_pre_hook(lambda _, given: passes.append(given[0].requires_grad))
    trainer.train()
    return gradients.found[0], passes


@pytest.mark.parametrize("load_in_4bit", [True, False])
def test_no_gradient_goes_into_a_frozen_tower(checkpoint, tmp_path, load_in_4bit):
    """Without activation checkpointing either; with it: families/test_training.py."""
    options = {"load_in_4bit": load_in_4bit, "checkpointing": False}
    gradients, passes = step(NumericSFTTrainer, checkpoint, tmp_path, **options)
    assert passes == [False]
    assert all(".language_model." in name for name in gradients)


@pytest.mark.slow
def test_the_adapters_gradients_are_the_same_to_the_bit(checkpoint, tmp_path, monkeypatch):
    gradients, _ = step(NumericSFTTrainer, checkpoint, tmp_path)
    monkeypatch.setattr(module, "spare_frozen_towers", lambda model, reentrant: None)
    with_hooks, passes = step(NumericSFTTrainer, checkpoint, tmp_path)
    assert passes == [True, True], "transformers no longer hooks the tower: our part may go"
    assert gradients.keys() == with_hooks.keys()
    assert all(torch.equal(gradients[name], with_hooks[name]) for name in gradients)
    assert sum(g.abs().sum() > 0 for g in gradients.values()) >= len(gradients) // 2


@pytest.mark.slow
@pytest.mark.parametrize("how", [None, {"use_reentrant": True}], ids=["default", "reentrant"])
@pytest.mark.parametrize("part", ["vision", "projector"])
def test_what_trains_keeps_its_gradient(checkpoint, tmp_path, part, how):
    """Qwen2-VL's projector lies in the tower: what is before it needs no gradient."""
    gradients, passes = step(NumericSFTTrainer, checkpoint, tmp_path, how=how, **{part: "lora"})
    theirs = [name for name in gradients if ".visual." in name]
    assert theirs
    assert all(gradients[name].abs().sum() > 0 for name in theirs if "lora_B" in name)
    if how is None:
        assert passes[0] is (part == "vision")
