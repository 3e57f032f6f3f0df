"""Rewards for reinforcement learning. They read and score answers as an evaluation does.

`reward(kind)`, `crps_reward(kind)` and `form_reward(kind)` return functions for TRL's GRPOTrainer.
They import neither TRL nor torch.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from gnomon.answers.base.answer_type import ModelAnswer, Value
from gnomon.answers.reading.base import Reading, Which
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

    _suffix: ClassVar[str]
    kind: str | None = None
    """Type of answer, a key of `registry.TYPES`. None grades each row by the type of its truth."""
    _: KW_ONLY
    column: str = "target"
    which: Which = "final"
    dialect: str = "plain"

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in TYPES:
            raise ValueError(f"kind={self.kind!r}: give one of {', '.join(TYPES)}")

    def _truths(self, columns: dict[str, Any]) -> list[Target]:
        if self.column not in columns:
            raise ValueError(
                f"column={self.column!r}: the dataset has {', '.join(columns) or 'no columns'};"
                " add this column with the result of gnomon.sample.target_to_json in each row"
            )
        return [_target(row) for row in columns[self.column]]

    def _grades(self, truth: Target) -> bool:
        return self.kind in (None, truth.type_name)

    @property
    def __name__(self) -> str:
        """Name of the reward in TRL's log."""
        return f"{self.kind}_{self._suffix}" if self.kind else self._suffix

    def _read(self, truth: Target, text: str, size: Size | None) -> Reading[Value] | None:
        return TYPES[truth.type_name].read(
            text, truth.answer_form, which=self.which, dialect=create(self.dialect), size=size
        )

    def _answer(self, truth: Target, completion: Any, size: Size | None = None) -> ModelAnswer:
        text = _text(completion)
        reading = self._read(truth, text, size)
        return ModelAnswer(reading.value if reading else None, text)


@dataclass(frozen=True)
class _RewardOfEach(_Graded, ABC):
    """Base class of rewards that grade each answer by itself."""

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
            if self._grades(truth)
            else None
            for completion, truth, size in zip(completions, truths, sizes, strict=True)
        ]

    @abstractmethod
    def _credit(self, truth: Target, completion: Any, size: Size | None) -> float:
        """Grade one answer from 0 to 1."""


@dataclass(frozen=True)
class Reward(_RewardOfEach):
    """A reward from 0 to 1 for answers of type `kind`, a key of `gnomon.answers.registry.TYPES`.

    A wrong answer earns partial credit, which its type defines. With `partial=False`, the reward is
    1 for a right answer and 0 for a wrong answer. An answer that cannot be read gets 0.

    The dataset's `column` holds the result of `gnomon.sample.target_to_json` for each row, as a
    dict or as JSON text. A row with another type of answer gets None, which TRL ignores, so several
    rewards can share a dataset. Boxes and spots also need a `size` column: the width and height of
    the picture that their pixels refer to. `which` and `dialect` are as in scoring.
    """

    _suffix: ClassVar[str] = "reward"
    _: KW_ONLY
    partial: bool = True

    def _credit(self, truth: Target, completion: Any, size: Size | None) -> float:
        answer_type = TYPES[truth.type_name]
        if truth.has_place and size is None:
            raise ValueError(
                f"kind={truth.type_name!r} needs each picture's width and height: add a `size`"
                " column"
            )
        measures = answer_type.measures(truth, self._answer(truth, completion, size), 0.0)
        # GRPO learns from differences within a group, and partial credit makes more of them.
        return (
            answer_type.credit(measures, truth)
            if self.partial
            else float(answer_type.is_correct(measures))
        )


reward = Reward
"""The class under a function's name. Unlike a closure, its objects can be pickled."""


@dataclass(frozen=True)
class FormReward(_RewardOfEach):
    """A reward of 1 if an answer ends with its value, as training answers do, and otherwise 0.

    The unit of the question and a full stop may follow the value. Add a small weight of this reward
    to another reward, so that the model does not learn to write on after its answer.
    """

    _suffix: ClassVar[str] = "form_reward"

    def _credit(self, truth: Target, completion: Any, size: Size | None) -> float:
        text = _text(completion)
        reading = self._read(truth, text, size)
        if reading is None:
            return 0.0
        unit = getattr(truth.answer_form, "unit", "")
        rest = text[reading.span[1] :].strip().removeprefix(unit).strip()
        return float(rest in ("", "."))


form_reward = FormReward
"""The class under a function's name, like `reward`."""


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

    _suffix: ClassVar[str] = "crps_reward"
    _: KW_ONLY
    generations: int = 8
    scale: float | None = None

    def __post_init__(self) -> None:
        _Graded.__post_init__(self)
        if self.generations < 3:
            # Two answers have the same distance to each other, which the mean reward cancels.
            raise ValueError(f"generations={self.generations}: give 3 or more answers to a prompt")
        if self.scale is not None and not 0 < self.scale < _LARGEST:
            raise ValueError(f"scale={self.scale}: give a distance above 0, such as 10")
        if self.kind is not None:
            self.check_type(self.kind)

    def check_type(self, kind: str) -> None:
        """Raise a ValueError if answers of this type have no distance, or need a scale."""
        axis = TYPES[kind].axis
        if axis is None:
            names = ", ".join(name for name, other in TYPES.items() if other.axis is not None)
            raise ValueError(
                f"kind={kind!r} has no distances between answers: give one of {names}, or"
                f" use reward({kind!r})"
            )
        if self.scale is None and not axis.is_cyclic:
            raise ValueError(
                f"kind={kind!r} needs a scale: the distance beyond which all answers are"
                " equally wrong, for example scale=10"
            )

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
        if not self._grades(truth):
            return [None] * len(completions)
        self.check_type(truth.type_name)
        answer_type = TYPES[truth.type_name]
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
