"""The section of reinforcement learning, and the settings of a recipe that GRPO cannot have."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass


@dataclass(frozen=True, config=ConfigDict(extra="forbid", strict=True, allow_inf_nan=False))
class Grpo:
    """Sampling and rewards of GRPO."""

    start: str | None = None
    """Run whose adapter is trained further, such as runs/clocks. It is searched first next to the
    recipe's file, then in the working directory. Default: a new adapter on the model."""
    num_generations: Annotated[int, Field(ge=2, le=2**10)] = 8
    """Answers to each question, which are compared with each other. A batch counts answers, so
    per_device_train_batch_size · gradient_accumulation_steps is a multiple of it."""
    temperature: Annotated[float, Field(gt=0, le=100)] = 1.0
    """Temperature at which answers are sampled. They have at most eval.max_new_tokens tokens."""
    reward: Literal["distance", "exact", "crps"] = "distance"
    """distance: the reward falls with the distance to the truth, from 1 for a right answer. exact:
    1 for a right answer, 0 otherwise. crps: the answers to a question earn most if they vary as
    much as the truth is uncertain."""
    scale: Annotated[float, Field(gt=0, le=10**9)] | None = None
    """Distance from which all numbers are equally wrong, such as 10. crps needs it for numbers
    that are not on a cycle."""
    form: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """Share of the reward that goes to answers which end with their value."""


_KEPT = (
    *("train.language", "train.vision", "train.projector", "train.num_train_epochs"),
    *("train.max_length", "train.lora_dropout", "train.sft"),
)
"""Settings that GRPO does not use or cannot change. They keep their defaults."""


def check_grpo(recipe: Any) -> None:
    """Raise a ValueError that names the first setting which does not go with `train.method`."""
    train = recipe.train
    if train.method != "grpo":
        if train.grpo is not None:
            raise ValueError(
                "train.grpo: only train.method=grpo uses it: set train.method=grpo, or leave"
                " train.grpo out"
            )
        return
    for fault in _faults(recipe):
        raise ValueError(f"train.method=grpo: {fault}")


def _faults(recipe: Any) -> Iterator[str]:
    train, grpo = recipe.train, recipe.train.grpo or Grpo()
    plain = type(recipe)(recipe.data, loss=type(recipe.loss)(name="ce"))
    for key in (*(f"loss.{name}" for name in vars(plain.loss)), *_KEPT):
        needed = attrgetter(key)(plain)
        if attrgetter(key)(recipe) != needed:
            yield (
                "it learns from rewards, by adapters of the language model only: set"
                f" {key}={'null' if needed is None else needed}"
            )
    if train.max_steps == -1:
        yield "it counts steps, not epochs: give train.max_steps, such as 200"
    if train.step_size % grpo.num_generations:
        yield (
            f"a step has {train.step_size} answers (train.per_device_train_batch_size ·"
            " train.gradient_accumulation_steps), which is no multiple of"
            f" train.grpo.num_generations={grpo.num_generations}"
        )
    if grpo.reward == "crps" and grpo.num_generations < 3:
        yield "train.grpo.reward=crps needs train.grpo.num_generations of at least 3"
    if grpo.scale is not None and grpo.reward != "crps":
        yield "only train.grpo.reward=crps uses train.grpo.scale: leave it out"
