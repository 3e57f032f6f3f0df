"""Rewards for reinforcement learning. They read and score answers as an evaluation does.

`reward(kind)` and `crps_reward(kind)` return functions for TRL's GRPOTrainer. They import neither
TRL nor torch.
"""

import json
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from gnomon.answers.base.answer_type import ModelAnswer
from gnomon.answers.reading.base import Which
from gnomon.answers.registry import TYPES
from gnomon.dialect import create
from gnomon.eval.scoring.belief import distance
from gnomon.eval.stats.intervals import Floats
from gnomon.sample import Size, Target, target_from_json

# Clips an answer such as 1e999, to keep all distances finite.
_LARGEST = 1e300


@dataclass(frozen=True)
class _Graded:
    """Base class of rewards. It finds the truths in the dataset and reads the completions."""

    kind: str
    """Type of answer, a key of `registry.TYPES`."""
    _: KW_ONLY
    column: str = "target"
    which: Which = "final"
    dialect: str = "plain"

    def __post_init__(self) -> None:
        if self.kind not in TYPES:
            raise ValueError(f"kind={self.kind!r}: give one of {', '.join(TYPES)}")

    def _truths(self, columns: dict[str, Any]) -> list[Target]:
        if self.column not in columns:
            raise ValueError(
                f"column={self.column!r}: the dataset has {', '.join(columns) or 'no columns'};"
                " add this column with the result of gnomon.sample.target_to_json in each row"
            )
        return [_target(row) for row in columns[self.column]]

    def _answer(self, truth: Target, completion: Any, size: Size | None = None) -> ModelAnswer:
        text, dialect = _text(completion), create(self.dialect)
        answer_type = TYPES[self.kind]
        form = truth.answer_form
        reading = answer_type.read(text, form, which=self.which, dialect=dialect, size=size)
        return ModelAnswer(reading.value if reading else None, text)


@dataclass(frozen=True)
class Reward(_Graded):
    """A reward from 0 to 1 for answers of type `kind`, a key of `gnomon.answers.registry.TYPES`.

    A wrong answer earns partial credit, which its type defines. With `partial=False`, the reward is
    1 for a right answer and 0 for a wrong answer. An answer that cannot be read gets 0.

    The dataset's `column` holds the result of `gnomon.sample.target_to_json` for each row, as a
    dict or as JSON text. A row with another type of answer gets None, which TRL ignores, so several
    rewards can share a dataset. Boxes and spots also need a `size` column: the width and height of
    the picture that their pixels refer to. `which` and `dialect` are as in scoring.
    """

    _: KW_ONLY
    partial: bool = True

    @property
    def __name__(self) -> str:
        """Name of the reward in TRL's log."""
        return f"{self.kind}_reward"

    def __call__(
        self,
        prompts: Any = None,  # noqa: ARG002 - TRL passes it by name
        completions: Sequence[Any] = (),
        **columns: Any,
    ) -> list[float | None]:
        truths = self._truths(columns)
        # Types without boxes need no sizes.
        sizes = columns.get("size") or [None] * len(truths)
        return [
            self._credit(truth, completion, size and (int(size[0]), int(size[1])))
            if truth.type_name == self.kind
            else None
            for completion, truth, size in zip(completions, truths, sizes, strict=True)
        ]

    def _credit(self, truth: Target, completion: Any, size: Size | None) -> float:
        answer_type = TYPES[self.kind]
        if truth.has_place and size is None:
            raise ValueError(
                f"kind={self.kind!r} needs each picture's width and height: add a `size` column"
            )
        measures = answer_type.measures(truth, self._answer(truth, completion, size), 0.0)
        # GRPO learns from differences within a group, and partial credit makes more of them.
        return (
            answer_type.credit(measures)
            if self.partial
            else float(answer_type.is_correct(measures))
        )


reward = Reward
"""The class under a function's name. Unlike a closure, its objects can be pickled."""


@dataclass(frozen=True)
class CRPSReward(_Graded):
    """A reward that teaches sampled answers to vary as much as the truth is uncertain.

    With `Reward`, a model learns one best guess. This reward also pays for the distance to the
    other answers to the same prompt. For n answers x_i with distances d from the truth y and from
    each other,

        r_i = 1 − d(x_i, y) + Σ_j d(x_i, x_j) / (n − 2).

    An answer that cannot be read gets 0, and its distance to the other answers counts as 0. The
    CRPS of the group is

        CRPS = Σ_i d(x_i, y) / n − Σ_ij d(x_i, x_j) / 2n(n − 1).

    Without answer i, it is worse by (r_i − r̄) / (n − 1). r̄ is the mean reward, which GRPO
    subtracts. The expected gradient therefore equals the gradient of the CRPS. Half the mean
    distance, as in the CRPS formula, would reward the spread too little, because a distance changes
    with each of its two answers.

    `scale` is the distance that counts as d = 1. Larger distances also count as 1. The default for
    times and for numbers on a cycle is half a turn. Other numbers need a `scale`. `generations` is
    TRL's `num_generations`. The other options are as in `Reward`.
    """

    _: KW_ONLY
    generations: int = 8
    scale: float | None = None

    def __post_init__(self) -> None:
        _Graded.__post_init__(self)
        answer_type = TYPES[self.kind]
        if answer_type.axis is None:
            names = ", ".join(name for name, other in TYPES.items() if other.axis is not None)
            raise ValueError(
                f"kind={self.kind!r} has no distances between answers: give one of {names}, or"
                f" use reward({self.kind!r})"
            )
        if self.generations < 3:
            # Two answers have the same distance to each other, which the mean reward cancels.
            raise ValueError(f"generations={self.generations}: give 3 or more answers to a prompt")
        if self.scale is None and not answer_type.axis.is_cyclic:
            raise ValueError(
                f"kind={self.kind!r} needs a scale: the distance beyond which all answers are"
                " equally wrong, for example scale=10"
            )
        if self.scale is not None and not 0 < self.scale < _LARGEST:
            raise ValueError(f"scale={self.scale}: give a distance above 0, such as 10")

    @property
    def __name__(self) -> str:
        """Name of the reward in TRL's log."""
        return f"{self.kind}_crps_reward"

    def __call__(
        self, prompts: Any = None, completions: Sequence[Any] = (), **columns: Any
    ) -> list[float | None]:
        truths, n = self._truths(columns), self.generations
        if len(truths) % n:
            raise ValueError(
                f"generations={n}: {len(truths)} completions are not a multiple of it: give TRL's"
                " num_generations, and a per_device_train_batch_size that is a multiple of it"
            )
        rewards: list[float | None] = []
        for start in range(0, len(truths), n):
            group = slice(start, start + n)
            if any(truth != truths[start] for truth in truths[group]) or (
                prompts and any(prompt != prompts[start] for prompt in prompts[group])
            ):
                raise ValueError(
                    f"generations={n}: completions {start} to {start + n - 1} answer different"
                    " prompts: give TRL's num_generations"
                )
            rewards += self._rewards(truths[start], completions[group])
        return rewards

    def _rewards(self, truth: Target, completions: Sequence[Any]) -> list[float] | list[None]:
        """Compute the rewards of the answers to a prompt. Each is None if the type differs."""
        if truth.type_name != self.kind:
            return [None] * len(completions)
        answer_type = TYPES[self.kind]
        values = [self._answer(truth, completion).value for completion in completions]
        is_read = np.array([value is not None for value in values])
        positions = [0.0 if value is None else answer_type.position(value) for value in values]
        x = np.clip(np.array(positions, np.float64), -_LARGEST, _LARGEST)
        period = truth.answer_form.period
        to_truth = self._distance(x - answer_type.position(answer_type.value_of(truth)), period)
        apart = self._distance(x[:, None] - x, period) * np.outer(is_read, is_read)
        rewards = is_read * (1 - to_truth) + apart.sum(1) / (len(values) - 2)
        return [float(earned) for earned in rewards]

    def _distance(self, differences: Floats, period: float) -> Floats:
        # A distance cut at 1 still gives a proper score: 1 − d is the triangular kernel.
        return np.minimum(distance(differences, period) / (self.scale or period / 2), 1.0)


crps_reward = CRPSReward
"""The class under a function's name, like `reward`."""


def _target(row: Any) -> Target:
    fields = json.loads(row) if isinstance(row, str) else row
    if not isinstance(fields, dict):
        raise ValueError(f"target {row!r}: give the result of gnomon.sample.target_to_json")
    # A datasets.Dataset with several types fills the fields of the other types with None.
    return target_from_json({name: value for name, value in fields.items() if value is not None})


def _text(completion: Any) -> str:
    """Return the text of a completion, a string or a list of messages: the assistant's last."""
    if isinstance(completion, str):
        return completion
    replies = [message for message in completion if message.get("role") == "assistant"]
    content = replies[-1]["content"] if replies else ""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content)
    return content or ""
