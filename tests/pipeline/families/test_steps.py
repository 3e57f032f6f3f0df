"""What the trainer does inside a model's forward, in every family's architecture, in 4 bits."""

import pytest
import torch
from pipeline_toys import (
    CLOCKS,
    SUMS,
    Gradients,
    assert_close,
    boxed,
    dataset_of,
    ours,
    settings,
    stock,
    trained,
)
from small_models import LINEAR, SEEING, build, uneven

from gnomon.pipeline.collate import Collator
from gnomon.pipeline.load import load
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.pipeline.training.settings import CHECKPOINTING
from gnomon.pipeline.training.trainer import NumericSFTTrainer
from gnomon.recipe import Model, Train

SEEN = [CLOCKS[0], SUMS[0], boxed(1), CLOCKS[1]]
SAID = [SUMS[i] for i in range(4)]


@pytest.fixture(scope="module", params=LINEAR)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def folder(name, tmp_path_factory):
    return build(name, tmp_path_factory.mktemp(name))


def step(name, folder, out, *, at_once=None, **sft):
    """One step of LoRA on the language part alone: trainer, log line and gradients."""
    loaded = load(Model(name=str(folder), dtype="float32"))
    gradients = Gradients()
    trainer = NumericSFTTrainer(
        model=loaded.model,
        args=settings(out, per_device_train_batch_size=4, **sft),
        train_dataset=dataset_of(SEEN if name in SEEING else SAID),
        data_collator=Collator(loaded.family, loaded.processor),
        processing_class=loaded.processor,
        peft_config=prepare_parts(loaded, Train(lora_r=4)),
        numeric_loss="ntil",
        callbacks=[gradients],
    )
    if at_once is not None:
        trainer.logits_at_once = at_once * trainer._vocab_size
    trainer.train()
    return trainer, trainer.state.log_history[0], gradients.found[0]


@pytest.mark.slow
def test_loss_and_gradient_are_those_of_stock_trl(name, folder, tmp_path):
    """On one batch of uneven answers, every weight trained, by cross-entropy alone."""
    loaded = load(Model(name=str(folder), load_in_4bit=False, dtype="float32"))
    samples = uneven(name)["samples"]
    (theirs,), (expected,), _ = trained(stock, loaded, tmp_path, (6, 1), samples=samples)
    (line,), (gradient,), _ = trained(ours, loaded, tmp_path, (6, 1), samples=samples)
    assert line["loss"] == pytest.approx(theirs["loss"], rel=1e-4)
    assert_close(gradient, expected, 1e-4)


@pytest.mark.slow
def test_rows_in_chunks_are_the_same_step(name, folder, tmp_path):
    _, whole, gradient = step(name, folder, tmp_path)
    _, chunked, parts = step(name, folder, tmp_path, at_once=3)
    for figure in ("loss", "ce", "emd", "mean_token_accuracy"):
        assert chunked[figure] == pytest.approx(whole[figure], rel=1e-5), figure
    assert_close(parts, gradient, 1e-2)  # adapters in bf16


@pytest.mark.slow
def test_accumulated_batches_are_one_batch(name, folder, tmp_path):
    """transformers counts no tokens over the window for Qwen2.5-VL's and Qwen3-VL's classes."""
    loaded = load(Model(name=str(folder), load_in_4bit=False, dtype="float32"))
    whole, gradient, _ = trained(ours, loaded, tmp_path, (6, 1), **uneven(name))
    lines, parts, _ = trained(ours, loaded, tmp_path, (1, 6), **uneven(name))
    assert lines[0]["loss"] == pytest.approx(whole[0]["loss"], rel=1e-4)
    assert_close(parts[0], gradient[0], 1e-4)


def test_no_gradient_goes_into_the_frozen_tower(name, folder, tmp_path, monkeypatch):
    if name not in SEEING:
        pytest.skip("no tower")
    entered = []
    forward = torch.nn.Module.__call__

    def watched(module, *args, **kwargs):
        found = forward(module, *args, **kwargs)
        if isinstance(found, torch.Tensor) and id(module) in tower:
            entered.append(found.requires_grad)
        return found

    tower = set()
    prepare = NumericSFTTrainer._prepare_for_training

    def mark(trainer, *args):
        prefix = trainer.data_collator.family.vision[0].rstrip(".")
        tower.update(id(m) for n, m in trainer.model.named_modules() if prefix in n)
        return prepare(trainer, *args)

    monkeypatch.setattr(NumericSFTTrainer, "_prepare_for_training", mark)
    monkeypatch.setattr(torch.nn.Module, "__call__", watched)
    step(name, folder, tmp_path, **{CHECKPOINTING: True})
    assert len(entered) > 10
    assert not any(entered)
