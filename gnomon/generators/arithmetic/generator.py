"""Exact arithmetic in words and signs: text alone, exact answers, with or without the working."""

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
# Digits and terms that the questions of `ood` have beyond those of training.
_EXTRA = 2
_WORDINGS = (("What is ", "?"), ("Calculate ", "."), ("", " = ?"), ("Work out ", "."))


@dataclass(frozen=True, kw_only=True, repr=False)
class Arithmetic(Generator):
    """Numbers and signs; the answer is a number, a fraction, a time, a date, or one of two."""

    kind: ClassVar[str] = "arithmetic"
    version: ClassVar[int] = 3
    targets: ClassVar[tuple[type[Target], ...]] = (Number, Text, Time)
    every_question: ClassVar[dict[str, Any]] = {"tasks": ("all",)}
    levels: ClassVar[dict[str, ArithmeticLevel]] = LEVELS
    assign_split = staticmethod(quick_split)

    tasks: Annotated[tuple[str, ...], among([*TASKS, *GROUPS])] = ("add", "subtract", "multiply")
    """Questions to ask, each as often: the names in TASKS, or `all`."""
    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: numbers of 1 to 2 digits; medium: 2 to 3, some decimals; hard: 3 to 5."""
    digits: Annotated[tuple[int, int] | None, within(1, 12)] = None
    """The numbers' digits, from and to (1 to 12), in place of the level's."""
    terms: Annotated[tuple[int, int] | None, within(2, 12)] = None
    """Numbers in a chain or a bracketed expression, from and to (2 to 12)."""
    places: Annotated[tuple[int, int] | None, within(0, 6)] = None
    """Decimal places in sums, differences and products (0 to 6)."""
    carries: tuple[int, int] | None = None
    """Carries of `add` and borrows of `subtract`, from and to."""
    working: bool = False
    """True to put the working before the answer."""
    ood: bool = False
    """Longer numbers and more terms than without it: what training never showed. What has an end
    of its own, such as the minutes of a day, may be as long without it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("carries", self.carries, 0, self.settings.digits[1])

    def key(self, index: int) -> str:
        """Return the expression or what else is asked; 3 + 5 and 5 + 3 are one."""
        return self._problem(index)[1].meaning

    def draw(self, index: int) -> Sample:
        """Ask one question, without a picture."""
        wording, (_, question, answer, steps, facts) = self._problem(index)
        # Most tasks give an expression alone; a task that asks in words ends its sentence.
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
