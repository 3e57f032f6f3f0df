"""What a kind of target must say about itself, so that the rest of scoring is one for all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from gnomon.eval.parse import Reading
from gnomon.eval.parse.reading import Value, Which
from gnomon.sample import Prediction, Size, Target

if TYPE_CHECKING:
    from gnomon.eval.scoring.scored import Scored

Statistic: TypeAlias = Literal["share", "mean", "median", "p90", "r_squared"]
Among: TypeAlias = Literal["all", "read", "wrong"]
"""All items, those that could be read, or those that were read and are wrong."""


class Answer(NamedTuple):
    """A model's text and the value read from it, None where nothing could be."""

    value: Value | None
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary: which measure, of which items, put together how."""

    name: str
    label: str
    measure: str
    statistic: Statistic = "share"
    among: Among = "all"
    unit: str = "%"
    better: Literal["higher", "lower", ""] = "higher"
    headline: bool = False
    against: str = ""
    """What else of the same items goes into it: R² sets residuals against the truths."""

    @property
    def measures(self) -> tuple[str, ...]:
        """All that goes into it."""
        return (self.measure, self.against) if self.against else (self.measure,)


class Kind(ABC):
    """A kind of target. Measures are numbers by name; an unread answer has only some of them."""

    @property
    @abstractmethod
    def lines(self) -> tuple[Line, ...]:
        """The summary's lines, the most important first."""

    @abstractmethod
    def read(self, prediction: Prediction, truth: Target, which: Which) -> Reading[Value] | None:
        """The answer's value. Of the truth only its form may be looked at: hours, unit."""

    @abstractmethod
    def measures(self, truth: Target, answer: Answer, cost: float) -> dict[str, float]:
        """What is measured of one answer; `cost` is the most that one is charged with.

        An unread answer is charged with all of it, and has no measure in which any answer that
        was read is worse.
        """

    def further(self, item: Scored) -> dict[str, float]:  # noqa: ARG002 - by kind
        """What takes long, or asks for the size of the answer's own picture."""
        return {}

    @abstractmethod
    def value_of(self, truth: Target) -> Value:
        """The truth as a reader would give it."""

    def counted(self, line: Line, measures: dict[str, float]) -> tuple[float, ...] | None:
        """What an answer of these measures adds to a line; None where the line is not about it."""
        read = not measures["unread"]
        among = line.among == "all" or (
            read and (line.among == "read" or not self.correct(measures))
        )
        if not among or not measures.keys() >= set(line.measures):
            return None
        return tuple(measures[name] for name in line.measures)

    def correct(self, measures: dict[str, float]) -> bool:
        """Whether an answer of these measures counts as right."""
        return measures["exact"] == 1

    def credit(self, measures: dict[str, float]) -> float:
        """What an answer earns as a reward, 0 to 1: by default 1 if it is right, else 0."""
        return float(self.correct(measures))

    def badness(self, measures: dict[str, float]) -> float:
        """What sorts the worst of the answers that were read first."""
        return measures["charged"]

    def costs(self, truths: Sequence[Target]) -> list[float]:
        """What an unread answer to each truth is charged with: as much as the worst answer."""
        return [0.0] * len(truths)

    def uniform(self, truths: Sequence[Target]) -> dict[str, float]:  # noqa: ARG002 - by kind
        """Each line's expected value under uniform guesses; nothing where no guess is uniform."""
        return {}

    def scaled(self, value: Value, old: Size, new: Size) -> Value:  # noqa: ARG002 - by kind
        """A value of a picture of one size as it is in a picture of another."""
        return value
