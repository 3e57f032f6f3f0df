"""Rewards for reinforcement learning, by the same readers and measures as scoring.

`reward(kind)` returns a function for TRL's GRPOTrainer; it needs neither TRL nor torch.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from gnomon.answers.base.answer_type import Answer
from gnomon.answers.reading.base import Which
from gnomon.answers.registry import TYPES
from gnomon.dialect import create
from gnomon.sample import Size, Target, target_from_json


@dataclass(frozen=True)
class Reward:
    """A reward from 0 to 1 for answers of that kind, one of `gnomon.answers.registry.TYPES`.

    The kind's `credit` computes it; without `partial` it is 1 if right, else 0. An unread answer
    gets 0. The dataset's `column` holds what `gnomon.sample.target_to_json` makes,
    also as JSON text; a row of another kind gets None, which TRL leaves out, so that several
    rewards can share a dataset. Boxes and spots need a `size` column, too: width and height of the
    picture in whose pixels they are. `which` and `dialect` are as in scoring.
    """

    kind: str
    _: KW_ONLY
    column: str = "target"
    partial: bool = True
    which: Which = "final"
    dialect: str = "plain"

    def __post_init__(self) -> None:
        if self.kind not in TYPES:
            raise ValueError(f"kind={self.kind!r}: give one of {', '.join(TYPES)}")

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
        if self.column not in columns:
            raise ValueError(
                f"column={self.column!r}: the dataset has {', '.join(columns) or 'no columns'};"
                " give each row its target there, as gnomon.sample.target_to_json makes it"
            )
        truths = [_target(row) for row in columns[self.column]]
        # Kinds without boxes need no sizes.
        sizes = columns.get("size") or [None] * len(truths)
        return [
            self._credit(truth, _text(completion), size and (int(size[0]), int(size[1])))
            if truth.answer_type == self.kind
            else None
            for completion, truth, size in zip(completions, truths, sizes, strict=True)
        ]

    def _credit(self, truth: Target, text: str, size: Size | None) -> float:
        answers = TYPES[self.kind]
        if truth.has_place and size is None:
            raise ValueError(
                f"kind={self.kind!r} needs each picture's width and height: add a `size` column"
            )
        dialect = create(self.dialect)
        reading = answers.read(text, truth, which=self.which, dialect=dialect, size=size)
        measures = answers.measures(truth, Answer(reading.value if reading else None, text), 0.0)
        # GRPO learns from differences inside a group: partial credit gives more of them.
        return answers.credit(measures) if self.partial else float(answers.is_correct(measures))


reward = Reward
"""Called like a function; as an object it can be pickled for other processes."""


def _target(row: Any) -> Target:
    fields = json.loads(row) if isinstance(row, str) else row
    if not isinstance(fields, dict):
        raise ValueError(f"target {row!r}: give what gnomon.sample.target_to_json makes")
    # A datasets.Dataset of several kinds gives each row all their fields, the others' as None.
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
