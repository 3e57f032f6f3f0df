"""A step of every family on a pretend accelerator: one device, and no wait without a reason.

The trainer is transformers' own from the arguments to the log: device, data loader, optimizer. What
is left out: 4-bit weights, for bitsandbytes keeps them in a class of tensors of its own; and what
needs several devices.
"""

from collections import Counter

import pytest
import torch
from pipeline_toys import CLOCKS, SUMS, boxed, dataset_of, settings
from pretend_device import DEVICE, Asked, Pretend
from small_models import LINEAR, SEEING, build

from gnomon.pipeline.collate import Collator
from gnomon.pipeline.load import load
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.pipeline.training.trainer import NumericSFTTrainer
from gnomon.recipe import Model, Train

SEEN = [CLOCKS[0], SUMS[0], boxed(1), CLOCKS[1]]
SAID = [SUMS[i] for i in range(4)]
WAITS = {
    "pipeline/training/trainer.py:_measure": 2,  # is there an answer in every row; how long
    "pipeline/training/trainer.py:log": 1,
}
"""Of a step that is logged, in our own code."""


def trained(name, folder, out, **sft):
    """Two steps of LoRA on the language part."""
    loaded = load(Model(name=str(folder), load_in_4bit=False, dtype="float32"))
    torch.manual_seed(0)
    trainer = NumericSFTTrainer(
        model=loaded.model,
        args=settings(out, per_device_train_batch_size=4, max_steps=2, learning_rate=1e-3, **sft),
        train_dataset=dataset_of(SEEN if name in SEEING else SAID),
        data_collator=Collator(loaded.family, loaded.processor),
        processing_class=loaded.processor,
        peft_config=prepare_parts(loaded, Train(lora_r=4)),
        numeric_loss="ntil",
        numeric_mass=0.1,
    )
    trainer.train()
    return trainer


def ours(counter):
    """What our own code did, by its place."""
    found = Counter()
    for key, count in counter.items():
        who = key if isinstance(key, Asked) else key[0]
        if who.place and not who.by:
            found[who.place] += count
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", LINEAR)
def test_two_steps_wait_for_nothing_without_a_reason(name, tmp_path, monkeypatch):
    """The first with all rows through the head at once, the second with three at a time."""
    folder = build(name, tmp_path / "model")
    here = trained(name, folder, tmp_path, use_cpu=True).state.log_history
    begin, begun = NumericSFTTrainer.get_batch_samples, []

    def begins(trainer, *args):
        begun.append((pretend.launches.copy(), pretend.waits.copy()))
        if len(begun) == 2:
            trainer.logits_at_once = 3 * trainer._vocab_size
        return begin(trainer, *args)

    monkeypatch.setattr(NumericSFTTrainer, "get_batch_samples", begins)
    monkeypatch.setenv("ACCELERATE_TORCH_DEVICE", "pretend:0")
    with Pretend() as pretend:
        trainer = trained(name, folder, tmp_path)
    assert {p.device for p in trainer.model.parameters()} == {DEVICE}
    for line, expected in zip(trainer.state.log_history, here[:2], strict=False):
        for figure in ("loss", "ce", "numeric_mass", "emd", "relative", "coverage"):
            assert line[figure] == pytest.approx(expected[figure], rel=1e-4), figure

    (before, _), (between, waited) = begun
    assert pretend.unexplained() == []
    assert ours(pretend.waits - waited) == WAITS
    assert ours(pretend.waits).keys() == WAITS.keys() | {"losses/numbers/tables.py:_copy"}
    assert ours(between - before).total() < 300
