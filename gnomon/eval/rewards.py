"""Rewards for reinforcement learning, by the same readers and measures as scoring.

`reward(kind)` and `crps_reward(kind)` return functions for TRL's GRPOTrainer; they need neither TRL
nor torch.
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

# An answer of 1e999 is a finite distance from all others, as measures have it.
_LARGEST = 1e300


@dataclass(frozen=True)
class _Graded:
    """Base of rewards: finds the truths, and reads the completions."""

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
                " give each row its target there, as gnomon.sample.target_to_json makes it"
            )
        return [_target(row) for row in columns[self.column]]

    def _answer(self, truth: Target, completion: Any, size: Size | None = None) -> ModelAnswer:
        text, dialect = _text(completion), create(self.dialect)
        answer_type = TYPES[self.kind]
        reading = answer_type.read(text, truth, which=self.which, dialect=dialect, size=size)
        return ModelAnswer(reading.value if reading else None, text)


@dataclass(frozen=True)
class Reward(_Graded):
    """A reward from 0 to 1 for answers of type `kind`, one of `gnomon.answers.registry.TYPES`.

    The type's `credit` computes it; without `partial` it is 1 if right, else 0. An unread answer
    gets 0. The dataset's `column` holds what `gnomon.sample.target_to_json` makes,
    also as JSON text; a row of another type gets None, which TRL leaves out, so that several
    rewards can share a dataset. Boxes, one or several, and spots need a `size` column, too: width
    and height of the picture in whose pixels they are. `which` and `dialect` are as in scoring.
    """

    _: KW_ONLY
    partial: bool = True

    @property
    def __name__(self) -> str:
        """Name in TRL's log."""
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
        # GRPO learns from differences inside a group: partial credit gives more of them.
        return (
            answer_type.credit(measures)
            if self.partial
            else float(answer_type.is_correct(measures))
        )


reward = Reward
"""Called like a function; as an object it can be pickled for other processes."""


@dataclass(frozen=True)
class CRPSReward(_Graded):
    """A reward that teaches answers to vary as the truth does, where `Reward` has one best guess.

    Distances to the other answers to the prompt are paid for as well. Of n answers x_i, with
    distances d from the truth y and from one another,

        r_i = 1 − d(x_i, y) + Σ_j d(x_i, x_j) / (n − 2)

    and an unread answer gets 0, and is no distance from any. Without answer i the group's CRPS,

        CRPS = Σ_i d(x_i, y) / n − Σ_ij d(x_i, x_j) / 2n(n − 1),

    is worse by (r_i − r̄) / (n − 1), with r̄ the mean reward, which GRPO subtracts. So the expected
    gradient is that of the CRPS. Half the mean distance, by which the CRPS is a sum over its
    answers, would count the spread too little: a distance changes with either of its two answers.

    `scale` is the distance that counts as 1, as all greater ones do: half a turn by default for
    times and numbers on a cycle; other numbers need one. `generations` is TRL's `num_generations`.
    Other options, and rows of another type, are as in `Reward`.
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
                f" take reward({self.kind!r})"
            )
        if self.generations < 3:
            # Of two answers each is as far from the other: nothing remains without their mean.
            raise ValueError(f"generations={self.generations}: give 3 or more answers to a prompt")
        if self.scale is None and not answer_type.is_cyclic:
            raise ValueError(
                f"kind={self.kind!r} needs a scale: the distance from which on all answers are"
                " equally wrong, such as scale=10"
            )
        if self.scale is not None and not 0 < self.scale < _LARGEST:
            raise ValueError(f"scale={self.scale}: give a distance above 0, such as 10")

    @property
    def __name__(self) -> str:
        """Name in TRL's log."""
        return f"{self.kind}_crps_reward"

    def __call__(
        self, prompts: Any = None, completions: Sequence[Any] = (), **columns: Any
    ) -> list[float | None]:
        truths, n = self._truths(columns), self.generations
        if len(truths) % n:
            raise ValueError(
                f"generations={n}: {len(truths)} completions are no whole groups: give TRL's"
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
        """Rewards of all answers to one prompt; None if its truth is of another type."""
        if truth.type_name != self.kind:
            return [None] * len(completions)
        answer_type = TYPES[self.kind]
        values = [self._answer(truth, completion).value for completion in completions]
        is_read = np.array([value is not None for value in values])
        positions = [0.0 if value is None else answer_type.position(value) for value in values]
        x = np.clip(np.array(positions, np.float64), -_LARGEST, _LARGEST)
        period = answer_type.period_of(truth)
        to_truth = self._distance(x - answer_type.position(answer_type.value_of(truth)), period)
        apart = self._distance(x[:, None] - x, period) * np.outer(is_read, is_read)
        rewards = is_read * (1 - to_truth) + apart.sum(1) / (len(values) - 2)
        return [float(earned) for earned in rewards]

    def _distance(self, differences: Floats, period: float) -> Floats:
        # Cut at 1 it stays a distance whose score is proper: 1 − d is the triangular kernel.
        return np.minimum(distance(differences, period) / (self.scale or period / 2), 1.0)


crps_reward = CRPSReward
"""Called like a function, as `reward` is."""


def _target(row: Any) -> Target:
    fields = json.loads(row) if isinstance(row, str) else row
    if not isinstance(fields, dict):
        raise ValueError(f"target {row!r}: give what gnomon.sample.target_to_json makes")
    # A datasets.Dataset of several types gives each row all their fields, the others' as None.
    return target_from_json({name: value for name, value in fields.items() if value is not None})


def _text(completion: Any) -> str:
    """Return a completion's text: itself, or the last message of the assistant."""
    if isinstance(completion, str):
        return completion
    replies = [message for message in completion if message.get("role") == "assistant"]
    content = replies[-1]["content"] if replies else ""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content)
    return content or ""
