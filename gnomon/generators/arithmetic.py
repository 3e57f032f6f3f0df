"""Sums, differences and products of whole numbers: text alone, exact answers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Literal

from gnomon.generators.base import Generator, Split, split_of
from gnomon.names import nearest_names
from gnomon.sample import Number, Sample, Target

SIGNS = {"add": "+", "subtract": "-", "multiply": "×"}
LEVELS = {"easy": (1, 2), "medium": (2, 3), "hard": (3, 5)}
"""How many digits the two numbers have, from and to."""

_QUESTIONS = ("What is {}?", "Calculate {}.", "{} = ?", "Work out {}.")


@dataclass(frozen=True, kw_only=True)
class Arithmetic(Generator):
    """Two whole numbers and a sign between them; the answer is a whole number, maybe negative."""

    kind: ClassVar[str] = "arithmetic"
    version: ClassVar[int] = 1
    targets: ClassVar[tuple[type[Target], ...]] = (Number,)

    operations: tuple[str, ...] = tuple(SIGNS)
    """add, subtract, multiply."""
    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: numbers of 1 to 2 digits; medium: 2 to 3; hard: 3 to 5."""
    digits: tuple[int, int] | None = None
    """The numbers' digits, from and to (1 to 12), in place of the level's."""

    def __post_init__(self) -> None:
        for name in self.operations or ("",):
            if name not in SIGNS:
                near = ", ".join(nearest_names(name, SIGNS))
                raise ValueError(f"operations: {name!r} is none; did you mean {near}?")
        if self.level not in LEVELS:
            raise ValueError(f"level={self.level!r}: give one of {', '.join(LEVELS)}")
        low, high = self._digits
        if not 1 <= low <= high <= 12:
            raise ValueError(f"digits={self.digits!r}: give a range within 1 to 12, such as [2, 3]")

    def key(self, index: int) -> str:
        """The expression; 3 + 5 and 5 + 3 are one."""
        return _meaning(*self._expression(index))

    def draw(self, index: int) -> Sample:
        """One question without a picture."""
        first, operation, second = self._expression(index)
        expression = f"{first} {SIGNS[operation]} {second}"
        question = self.rng(index).choice(_QUESTIONS).format(expression)
        facts = {"first": first, "operation": operation, "second": second}
        answer = Number(Decimal(_result(first, operation, second)))
        return Sample(self.id(index), None, question, answer, facts)

    @property
    def _digits(self) -> tuple[int, int]:
        return self.digits or LEVELS[self.level]

    def _expression(self, index: int) -> tuple[int, str, int]:
        """The first expression of the sample's draws that belongs to the split.

        At least one in ten does: the smallest key space, one operation on single digits, has
        meanings of every split (a test holds that), so the loop ends.
        """
        rng = self.rng(index)
        rng.bits()  # the question's wording
        low, high = self._digits
        while True:
            operation = rng.choice(self.operations)
            first, second = (_number(rng.integer(low, high), rng.bits()) for _ in "ab")
            if _split(first, operation, second) == self.split:
                return first, operation, second


def _number(digits: int, bits: int) -> int:
    """A number of so many digits; 0 counts as one digit."""
    low = int(10 ** (digits - 1)) if digits > 1 else 0
    return low + (bits * (int(10**digits) - low) >> 64)


def _split(first: int, operation: str, second: int) -> Split:
    return split_of("arithmetic", _meaning(first, operation, second))


def _meaning(first: int, operation: str, second: int) -> str:
    if operation != "subtract":
        first, second = sorted((first, second))
    return f"{first} {SIGNS[operation]} {second}"


def _result(first: int, operation: str, second: int) -> int:
    if operation == "add":
        return first + second
    return first - second if operation == "subtract" else first * second
