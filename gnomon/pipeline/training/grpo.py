"""Reinforcement learning: TRL's GRPOTrainer on a recipe's samples, with gnomon's rewards."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import trl
from transformers.trainer_utils import EvalLoopOutput
from trl.data_utils import prepare_multimodal_messages
from typing_extensions import override  # typing has it from Python 3.12 on

from gnomon.eval.rewards import CRPSReward, FormReward, Reward
from gnomon.pipeline.adapter import attach_adapter
from gnomon.pipeline.collate import COVERAGE_SAMPLES, prompt_of, resized_size
from gnomon.pipeline.families.base import encode
from gnomon.pipeline.families.releases import check_overrides
from gnomon.pipeline.load import Loaded
from gnomon.pipeline.training.parts import train_only_language
from gnomon.pipeline.training.run_trainer import RunTrainer
from gnomon.pipeline.training.stream import drawn_in_order
from gnomon.recipe import Grpo, Recipe
from gnomon.sample import Sample, target_to_json
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.samples import Samples, evenly_spaced

_LOGGED = (
    *("reward", "reward_std", "rewards/reward/mean", "rewards/crps_reward/mean"),
    *("rewards/form_reward/mean", "frac_reward_zero_std", "entropy"),
    *("completions/mean_length", "completions/clipped_ratio"),
)
"""TRL's metrics that enter the log. Its other thirty say little about short answers."""


class RewardTrainer(RunTrainer, trl.GRPOTrainer):  # type: ignore[misc]
    """GRPOTrainer that logs, evaluates and resumes like a supervised training."""

    @override
    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        metrics = self._metrics["train" if self.model.training else "eval"]
        for name in [name for name in metrics if name not in _LOGGED]:
            del metrics[name]
        logs.pop("train_loss", None)  # a resumed run's would leave out the steps before
        super().log(logs, start_time)

    @override
    def evaluation_loop(self, *_: Any, metric_key_prefix: str = "eval", **__: Any) -> Any:
        """Score the greedy answers of the validation. TRL would sample answers and reward them."""
        figures = self.score_validation(metric_key_prefix)
        return EvalLoopOutput(None, None, figures, num_samples=len(self.eval_dataset))


def question_row(loaded: Loaded, sample: Sample) -> dict[str, Any]:
    """Convert a sample to a row for TRL: its question, pictures and truth."""
    prompt_of(loaded.family, loaded.processor, sample)  # refuses what it cannot ask
    target, size = sample.target, resized_size(loaded.family, loaded.processor, sample)
    # Answers name pixels of the picture as the model sees it.
    if sample.image is not None and size is not None:
        target = target.scaled(sample.image.size, size)
    return {
        "prompt": [{"role": "user", "content": sample.question}],
        "images": list(sample.images),
        "target": target_to_json(target),
        "size": size,
    }


def reward_trainer(
    recipe: Recipe, loaded: Loaded, samples: Samples, n: int, settings: dict[str, Any]
) -> RewardTrainer:
    """Build the trainer of a recipe with `train.method=grpo`, on the first n samples."""
    grpo, family, config = recipe.train.grpo or Grpo(), loaded.family, settings["args"]
    probes = [samples[index] for index in evenly_spaced(n, COVERAGE_SAMPLES)]
    rewards = [reward_of(grpo, family.dialect, probes), FormReward(dialect=family.dialect)]
    _check_prompts(loaded, probes)
    if grpo.start is not None:
        model = attach_adapter(loaded.model, RunFolder(Path(grpo.start)).adapter, trainable=True)
        train_only_language(model, family, recipe.train)
        settings |= {"model": model, "peft_config": None}
    config.chat_template_kwargs = dict(family.template_options)
    loaded.tokenizer.padding_side = "left"  # TRL generates from the end of the prompts
    questions = config.max_steps * config.generation_batch_size // grpo.num_generations
    row = partial(question_row, loaded)
    rows = drawn_in_order(samples, n, questions, row, seed=recipe.seed)
    return RewardTrainer(**settings, reward_funcs=rewards, train_dataset=rows)


def reward_of(grpo: Grpo, dialect: str, probes: Sequence[Sample]) -> Reward | CRPSReward:
    """Return the reward of the answers. CRPS is refused for types of answers without distances."""
    if grpo.reward != "crps":
        return Reward(dialect=dialect, partial=grpo.reward == "distance")
    reward = CRPSReward(dialect=dialect, generations=grpo.num_generations, scale=grpo.scale)
    for name in sorted({sample.target.type_name for sample in probes}):
        try:
            reward.check_type(name)
        except ValueError as error:
            raise ValueError(f"train.grpo.reward=crps: {error}") from error
    return reward


def _check_prompts(loaded: Loaded, probes: Sequence[Sample]) -> None:
    """Refuse a model whose prompts TRL would write in another way than gnomon asks questions."""
    family, processor = loaded.family, loaded.processor
    way_out = f"train.method=grpo: {family.name}: "
    if processor.chat_template is None:
        raise ValueError(f"{way_out}TRL needs a chat template, and this checkpoint has none")
    for sample in probes[:3]:
        message: dict[str, Any] = {"role": "user", "content": sample.question}
        if family.vision is not None:
            (message,) = prepare_multimodal_messages([message], images=list(sample.images))
        ids = processor.apply_chat_template(
            [[message]],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            **family.template_options,
        )["input_ids"]
        expected = encode(
            processor, [prompt_of(family, processor, sample)], [sample.images], side="left"
        )["input_ids"]
        if list(map(list, ids)) != expected.tolist():
            raise ValueError(
                f"{way_out}TRL writes its prompts in another way than gnomon: train another model"
            )


# At import, so an unsupported release is refused before anything is loaded.
for ours in (RunTrainer, RewardTrainer):
    check_overrides(ours, trl.GRPOTrainer)
