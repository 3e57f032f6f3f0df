"""Problems of exact arithmetic: how large their numbers are, and how they are put together."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from gnomon.generators.rng import Rng
from gnomon.sample import Target, Text


class ArithmeticLevel(NamedTuple):
    """Values of a level, each a range with both ends; options of the same names override them."""

    digits: tuple[int, int]
    """Digits of its numbers."""
    terms: tuple[int, int]
    """Numbers in a chain or between brackets."""
    places: tuple[int, int]
    """After the decimal point."""
    carries: tuple[int, int] | None = None
    """Carries of a sum of two whole numbers, or borrows of a difference; None for any."""

    def random_number(self, rng: Rng) -> int:
        """Draw a number of which the digits are uniform, not the size. 0 counts as one digit."""
        return rng.within(_RANGES[rng.within(self.digits)])

    def random_positive(self, rng: Rng) -> int:
        """Draw a number that is not 0."""
        return self.random_number(rng) or rng.integer(1, 9)

    def random_places(self, rng: Rng) -> int:
        """Draw the number of decimals."""
        return rng.within(self.places) if self.places[1] else 0


class Problem(NamedTuple):
    """A question with its answer and the working."""

    meaning: str
    """Key that tells it from other questions, whatever the wording."""
    question: str
    """Text of the question: an expression, or the whole question."""
    answer: Target | str
    """A text is a decimal: it becomes a Number only where the question is not drawn again."""
    steps: Iterable[str]
    """The working, a line each; worked out only where it is shown."""
    facts: dict[str, Any]

    @classmethod
    def of_expression(
        cls, text: str, answer: str, steps: Iterable[str] | None = None, meaning: str = ""
    ) -> Problem:
        """Ask for an expression's value; in one step unless steps are given."""
        steps = (f"{text} = {answer}",) if steps is None else steps
        return cls(meaning or text, text, answer, steps, {"expression": text, "value": answer})

    @classmethod
    def of_fraction(cls, text: str, value: Fraction, steps: Iterable[str]) -> Problem:
        """Ask for a fraction in lowest terms, or for the whole number that it comes to."""
        question = f"What is {text}? Give a whole number or a fraction in lowest terms."
        answer = str(value) if value.denominator == 1 else Text(str(value))
        return cls(text, question, answer, steps, {"expression": text, "value": str(value)})


def number_of_digits(rng: Rng, digits: int) -> int:
    """Draw a number with exactly `digits` digits."""
    return rng.within(_RANGES[digits])


# The least and the greatest number of so many digits.
_RANGES = ((0, 0), (0, 9), *((10**digits, 10 ** (digits + 1) - 1) for digits in range(1, 19)))
