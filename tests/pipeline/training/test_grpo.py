"""Reinforcement learning of a recipe: its settings, rewards and rows, and runs that resume."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
import trl
from pipeline_toys import CLOCKS, SUMS, boxed
from toy_runs import (
    ADAPTER,
    are_same,
    assert_same_run,
    changed,
    killed_after,
    log_of,
    run_of,
    samples_of,
    trainer_of,
    weights_of,
)

from gnomon.eval.rewards import CRPSReward, Reward
from gnomon.pipeline.load import load
from gnomon.pipeline.training.grpo import RewardTrainer, _check_prompts, question_row, reward_of
from gnomon.pipeline.training.settings import grpo_config, training_config
from gnomon.pipeline.training.stream import drawn_in_order
from gnomon.recipe import Eval, Grpo, Loss, Model, Recipe, Source, Train
from gnomon.sample import target_to_json
from gnomon.store.reading.run_folder import RunFolder

RECIPE = Recipe(
    data=(Source(kind="clock", options={"size": 84, "split_by": "none"}),),
    model=Model(load_in_4bit=False, dtype="float32"),
    loss=Loss(name="ce"),
    eval=Eval(max_new_tokens=8, samples=8, batch_size=8),
    train=Train(
        method="grpo",
        grpo=Grpo(num_generations=4),
        samples=3,
        max_steps=4,
        learning_rate=2e-3,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        lora_r=4,
        save_steps=2,
        logging_steps=1,
        eval_steps=None,
    ),
)
"""Four steps of two questions: they see the three samples more than twice."""


def with_grpo(recipe=RECIPE, **options):
    return changed(recipe, grpo=replace(recipe.train.grpo, **options))


@pytest.fixture(scope="module")
def loaded():
    return load(RECIPE.model)


def test_trl_gets_the_recipes_settings(tmp_path):
    settings = training_config(RECIPE, tmp_path)
    assert isinstance(settings, trl.GRPOConfig)
    assert (settings.num_generations, settings.max_completion_length) == (4, 8)
    assert settings.generation_batch_size == 8
    assert settings.reward_weights == [0.9, 0.1]
    assert (settings.beta, settings.scale_rewards) == (0.0, "group")
    assert settings.num_iterations == 1
    assert not settings.gradient_checkpointing
    crps = grpo_config(with_grpo(reward="crps", form=0.0), tmp_path)
    assert (crps.scale_rewards, crps.reward_weights) == ("none", [1.0, 0.0])


def test_several_processes_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(trl.GRPOConfig, "world_size", 2)
    with pytest.raises(ValueError, match="it trains in one process, not in 2"):
        grpo_config(RECIPE, tmp_path)


def test_the_reward_is_the_recipes_and_crps_needs_distances():
    assert reward_of(Grpo(), "plain", [SUMS[0]]) == Reward()
    assert reward_of(Grpo(reward="exact"), "gemini", [SUMS[0]]) == Reward(
        dialect="gemini", partial=False
    )
    assert reward_of(Grpo(reward="crps"), "plain", [CLOCKS[0]]) == CRPSReward()
    scaled = reward_of(Grpo(reward="crps", scale=5.0), "plain", [SUMS[0]])
    assert scaled == CRPSReward(scale=5.0)
    with pytest.raises(ValueError, match=r"train.grpo.reward=crps: kind='number' needs a scale"):
        reward_of(Grpo(reward="crps"), "plain", [SUMS[0]])
    with pytest.raises(ValueError, match=r"train.grpo.reward=crps: kind='box' has no distances"):
        reward_of(Grpo(reward="crps"), "plain", [boxed(1)])


def test_a_row_has_the_truth_in_the_pixels_that_the_model_sees(loaded):
    sample = boxed(1)
    row = question_row(loaded, sample)
    width, height = row["size"]
    assert row["target"] == target_to_json(sample.target.scaled(sample.image.size, (width, height)))
    assert row["prompt"] == [{"role": "user", "content": sample.question}]
    assert row["images"] == [sample.image]
    row = question_row(loaded, SUMS[0])
    assert (row["images"], row["size"]) == ([], None)


class Counted:
    """Samples that are their place, and how often each was read."""

    def __init__(self):
        self.read = []

    def in_epoch(self, index, epoch):
        self.read.append((index, epoch))
        return index, epoch


def test_samples_come_in_another_order_in_each_epoch_whatever_the_total():
    few, more = (
        drawn_in_order(Counted(), 5, total, lambda place: {"place": place}, seed=1)[:]["place"]
        for total in (12, 20)
    )
    assert few == more[:12]
    epochs = np.array(more).reshape(4, 5, 2)
    assert [sorted(epoch[:, 0]) for epoch in epochs] == [[0, 1, 2, 3, 4]] * 4
    assert [set(epoch[:, 1]) for epoch in epochs] == [{0}, {1}, {2}, {3}]
    assert len({tuple(epoch[:, 0]) for epoch in epochs}) > 1
    other = drawn_in_order(Counted(), 5, 12, lambda place: {"place": place}, seed=2)[:]["place"]
    assert other != few


def test_a_question_is_drawn_once_for_all_its_answers():
    samples = Counted()
    rows = drawn_in_order(samples, 4, 4, lambda place: {"place": place}, seed=0)
    batch = rows.__getitems__([0, 0, 0, 1, 1, 1])
    assert len(batch) == 6
    assert len(samples.read) == len(set(samples.read)) == 2


def test_prompts_that_trl_would_write_otherwise_are_refused(loaded):
    _check_prompts(loaded, [CLOCKS[0], SUMS[0]])

    class Talkative(type(loaded.family)):
        def prompt(self, *args, **options):
            return "Look closely.\n" + super().prompt(*args, **options)

    with pytest.raises(ValueError, match="TRL writes its prompts in another way"):
        _check_prompts(replace(loaded, family=Talkative()), [CLOCKS[0]])


def test_a_checkpoint_without_a_chat_template_is_refused(loaded, monkeypatch):
    monkeypatch.setattr(loaded.processor, "chat_template", None)
    with pytest.raises(ValueError, match="TRL needs a chat template"):
        _check_prompts(loaded, [CLOCKS[0]])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nothing disturbed, with checkpoints at 2 and 4."""
    run = tmp_path_factory.mktemp("grpo") / "run"
    run.mkdir()
    return run_of(RECIPE, run)


@pytest.mark.slow
def test_only_adapters_of_the_language_model_train_and_the_log_has_rewards(whole):
    weights = weights_of(whole)
    assert all("language_model" in name and "lora_" in name for name in weights)
    assert any(weight.abs().sum() > 0 for name, weight in weights.items() if "lora_B" in name)
    rows = [row for row in log_of(whole) if "reward" in row]
    assert [row["step"] for row in rows] == [1, 2, 3, 4]
    for row in rows:
        parts = row["rewards/reward/mean"], row["rewards/form_reward/mean"]
        assert row["reward"] == pytest.approx(0.9 * parts[0] + 0.1 * parts[1])
        assert 0 <= row["reward"] <= 1
        assert row["grad_norm"] >= 0
        assert "step_time" not in row


@pytest.mark.slow
@pytest.mark.parametrize("step", [2, 4])
def test_a_killed_run_goes_on_to_the_same_bits(whole, tmp_path, step):
    """The second half begins in another epoch than the first."""
    run = tmp_path / "run"
    killed_after(step, whole, run)
    if step == 2:
        shutil.rmtree(run / "checkpoints" / "checkpoint-4", ignore_errors=True)
    assert_same_run(run_of(RECIPE, run), whole)


@pytest.mark.slow
def test_it_goes_on_from_the_adapter_of_a_run(tmp_path):
    """Adapters of other parts keep their weights, and the adapter keeps its names."""
    before = tmp_path / "before"
    supervised = changed(
        RECIPE, method="sft", grpo=None, max_steps=2, learning_rate=1e-2, vision="lora"
    )
    start = weights_of(run_of(supervised, before))
    recipe = changed(with_grpo(start=str(before)), max_steps=1)
    trainer = trainer_of(recipe, tmp_path / "after", samples_of(recipe))
    assert isinstance(trainer, RewardTrainer)
    trained = [name for name, p in trainer.model.named_parameters() if p.requires_grad]
    assert trained
    assert all("language_model" in name and "lora_" in name for name in trained)
    trainer.save_model(str(tmp_path / "untrained"))
    assert are_same(weights_of(tmp_path / "untrained"), start)
    after = weights_of(run_of(recipe, tmp_path / "after"))
    assert after.keys() == start.keys()
    moved = {name for name in after if not torch.equal(after[name], start[name])}
    assert moved
    assert all("language_model" in name for name in moved)
    assert any("visual" in name for name in start)
    assert (RunFolder(tmp_path / "after").adapter / ADAPTER).is_file()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`gradient_checkpointing_:FutureWarning")  # TRL's own calls
def test_it_trains_in_4_bits_and_evaluates_and_keeps_the_best(checkpoint, tmp_path):
    recipe = replace(RECIPE, model=Model(name=str(checkpoint), dtype="bfloat16"))
    recipe = changed(
        with_grpo(recipe, reward="crps"), max_steps=2, eval_steps=1, eval_samples=4,
        activation_checkpointing=True,
    )  # fmt: skip
    run_of(recipe, tmp_path)
    rows = log_of(tmp_path)
    assert [row["step"] for row in rows if "eval_correct" in row] == [1, 2]
    assert [row["step"] for row in rows if "rewards/crps_reward/mean" in row] == [1, 2]
