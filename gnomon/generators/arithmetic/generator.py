"""Exact arithmetic questions in words or signs, without pictures, with or without the working."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from gnomon.files import read_toml
from gnomon.generators.arithmetic import parts, whole
from gnomon.generators.arithmetic.whole import ArithmeticLevel, Problem
from gnomon.generators.base import Generator, among, check_range, quick_split, read_levels, within
from gnomon.generators.rng import Rng
from gnomon.generators.wording import exact_number
from gnomon.sample import Number, Sample, Target, Text, Time

TASKS: dict[str, Callable[[Rng, ArithmeticLevel], Problem]] = {
    task.__name__: task for part in (whole, parts) for task in part.TASKS
}
# Names that stand for several tasks.
GROUPS = {"all": tuple(TASKS), **read_toml(__file__, "tables.toml")["groups"]}
LEVELS = read_levels(__file__, ArithmeticLevel)
# Additional digits and terms of `ood` questions, beyond those of training.
_EXTRA = 2
_WORDINGS = (("What is ", "?"), ("Calculate ", "."), ("", " = ?"), ("Work out ", "."))


@dataclass(frozen=True, kw_only=True, repr=False)
class Arithmetic(Generator):
    """Arithmetic questions. The answer is a number, a fraction, a time, a date, or a choice of
    two."""

    kind: ClassVar[str] = "arithmetic"
    version: ClassVar[int] = 3
    targets: ClassVar[tuple[type[Target], ...]] = (Number, Text, Time)
    every_question: ClassVar[dict[str, Any]] = {"tasks": ("all",)}
    levels: ClassVar[dict[str, ArithmeticLevel]] = LEVELS
    assign_split = staticmethod(quick_split)

    tasks: Annotated[tuple[str, ...], among([*TASKS, *GROUPS])] = ("add", "subtract", "multiply")
    """Tasks, equally frequent: names of TASKS, or `all`."""
    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: numbers of 1 to 2 digits; medium: 2 to 3, some decimals; hard: 3 to 5."""
    digits: Annotated[tuple[int, int] | None, within(1, 12)] = None
    """Smallest and largest number of digits (1 to 12). It overrides the level."""
    terms: Annotated[tuple[int, int] | None, within(2, 12)] = None
    """Smallest and largest count of numbers in a chain or bracketed expression (2 to 12)."""
    places: Annotated[tuple[int, int] | None, within(0, 6)] = None
    """Decimal places in sums, differences and products (0 to 6)."""
    carries: tuple[int, int] | None = None
    """Smallest and largest number of carries of `add` and borrows of `subtract`."""
    working: bool = False
    """True to put the working before the answer."""
    ood: bool = False
    """Draw longer numbers and more terms than the training does. Quantities with a natural limit,
    such as the minutes of a day, stay within it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("carries", self.carries, 0, self.settings.digits[1])

    def key(self, index: int) -> str:
        """Return the expression or the other content of the question. 3 + 5 and 5 + 3 have the same
        key."""
        return self._problem(index)[1].meaning

    def draw(self, index: int) -> Sample:
        """Ask a question, without a picture."""
        wording, (_, question, answer, steps, facts) = self._problem(index)
        # Most tasks return an expression. A task in words returns a whole sentence.
        if question[-1] not in ".?":
            before, after = _WORDINGS[wording & 3]
            question = f"{before}{question}{after}"
        rationale = "\n".join(steps) if self.working else ""
        target = exact_number(answer) if isinstance(answer, str) else answer
        return Sample(self.id(index), None, question, target, facts, rationale)

    def _problem(self, index: int) -> tuple[int, Problem]:
        """Draw the wording, and the first question that belongs to the split."""
        rng, tasks, level = self.rng(index), self._tasks, self._level
        wording = rng.bits()

        def question() -> Problem:
            return rng.choice(tasks)(rng, level)

        return wording, self.of_its_split(question, lambda problem: [problem.meaning])

    @cached_property
    def _tasks(self) -> tuple[Callable[[Rng, ArithmeticLevel], Problem], ...]:
        tasks = dict.fromkeys(task for name in self.tasks for task in GROUPS.get(name, (name,)))
        return tuple(TASKS[task] for task in tasks)

    @cached_property
    def _level(self) -> ArithmeticLevel:
        level: ArithmeticLevel = self.settings
        if not self.ood:
            return level
        digits, terms = ((high + 1, high + _EXTRA) for _, high in (level.digits, level.terms))
        return level._replace(digits=digits, terms=terms)
