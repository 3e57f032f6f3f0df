"""Word problems of two to eight steps, with the working and a final answer."""

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias

from gnomon.generators.base import Generator, read_levels, split_of, within
from gnomon.generators.rng import Rng
from gnomon.generators.word_problem import stories
from gnomon.generators.wording import exact_number
from gnomon.sample import Number, Sample, Target


class WordProblemLevel(NamedTuple):
    steps: tuple[int, int]
    distractors: tuple[int, int]
    largest: int
    """Largest number in a move."""


LEVELS = read_levels(__file__, WordProblemLevel)
_TRIES = 1000


# Draw a plan: domain, thing, ending and moves, without numbers.
StoryPlan: TypeAlias = tuple[str, str, str, list[str]]


class Story(NamedTuple):
    """Story with its numbers. The names of its people are drawn later."""

    domain: str
    thing: str
    steps: tuple[stories.Step, ...]
    ending: str
    numbers: tuple[int, ...]
    """Numbers that the question at the end contains."""

    @property
    def meaning(self) -> str:
        """Key of the story. Stories that differ only in the names of people have the same key."""
        moves = [f"{step.move} {' '.join(map(str, step.numbers))}" for step in self.steps]
        question = f"{self.ending} {' '.join(map(str, self.numbers))}"
        return "; ".join([f"{self.domain} {self.steps[0].before}", *moves, question])

    @property
    def expression(self) -> str:
        """The problem as an arithmetic expression."""
        text = str(self.steps[0].before)
        for step in self.steps:
            text = _insert(stories.MOVES[step.move].expression, text, step.numbers)
        return _insert(stories.ENDINGS[self.ending].expression, text, self.numbers)


@dataclass(frozen=True, kw_only=True, repr=False)
class WordProblem(Generator):
    """Word problems: sentences change a quantity, and a question ends the story."""

    kind: ClassVar[str] = "word_problem"
    version: ClassVar[int] = 2
    targets: ClassVar[tuple[type[Target], ...]] = (Number,)
    levels: ClassVar[dict[str, WordProblemLevel]] = LEVELS

    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: 2 to 3 steps; medium: 3 to 5; hard: 5 to 8, with distractors."""
    steps: Annotated[tuple[int, int] | None, within(2, 8)] = None
    """Smallest and largest number of lines of working (2 to 8)."""
    distractors: Annotated[tuple[int, int] | None, within(0, 2)] = None
    """Smallest and largest number of sentences with irrelevant numbers (0 to 2)."""
    largest: Annotated[int | None, within(10, 100_000)] = None
    """Largest number in a move (10 to 100,000)."""
    vary: Literal["all", "numbers", "names"] = "all"
    """Property that differs between samples. `problem` fixes the rest."""
    problem: Annotated[int, within(0, math.inf)] = 0
    """Number of the problem to vary if `vary` is numbers or names."""
    working: bool = True
    """True to put the working before the answer."""
    ood: bool = False
    """Use the domains that are held out otherwise."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.vary == "all" and self.problem:
            raise ValueError(
                f"problem={self.problem!r}: give vary=numbers or vary=names, which fix a problem"
            )

    def key(self, index: int) -> str:
        """Return the story's events and numbers as a text. The names of its people are left out."""
        return self._story(index).meaning

    def draw(self, index: int) -> Sample:
        """Tell a problem, without a picture."""
        story = self._story(index)
        names = self._rng("names", index, is_fixed=self.vary == "numbers")
        sentences = self._sentences(
            story, names, self._rng("words", index, is_fixed=self.vary != "all")
        )
        domain = stories.DOMAINS[story.domain]
        lines = [
            stories.MOVES[step.move].work_out(step.before, step.numbers)[0] for step in story.steps
        ]
        last, answer = stories.ENDINGS[story.ending].work_out(story.steps[-1].after, story.numbers)
        unit = domain.worth_unit if story.ending == "worth" else domain.unit or story.thing
        facts = {
            "meaning": story.meaning,
            "expression": story.expression,
            "value": str(answer),
            "domain": story.domain,
            "start": story.steps[0].before,
            "steps": [[step.move, *step.numbers] for step in story.steps],
            "ending": [story.ending, *story.numbers],
        }
        rationale = "\n".join(chain(*lines, last)) if self.working else ""
        target = exact_number(str(answer), unit)
        return Sample(self.id(index), None, " ".join(sentences), target, facts, rationale)

    def _rng(self, what: str, index: int, *, is_fixed: bool) -> Rng:
        """Random draws for one side of a problem: those of the fixed problem, or of the sample."""
        return Rng(*self._identity, what, self.problem if is_fixed else index, is_fixed)

    def _story(self, index: int) -> Story:
        """Draw stories until one belongs to the split. At least one story in ten does.

        A short plan may have few numbers, none of them in the split. Then another plan is drawn.
        """
        numbers = self._rng("numbers", index, is_fixed=self.vary == "names")
        plans = self._rng("shape", index, is_fixed=False)
        for attempt in range(_TRIES):
            if self.vary != "all":
                plan = self._fixed_plan
            # A short plan may have few numbers, none of them in the split, so another plan comes
            # after fifty tries.
            elif attempt % 50 == 0:
                plan = self._plan(plans)
            story = self._with_numbers(plan, numbers)
            if self._is_usable(story):
                return story
        raise AssertionError(f"{self}: no story of the {self.split} split in {_TRIES}")

    def _is_usable(self, story: Story) -> bool:
        """Return True if the story belongs to the split and repeats no sentence."""
        uses = Counter(step.move for step in story.steps)
        ways = stories.DOMAINS[story.domain].moves
        fresh = all(many <= len(ways[move]) for move, many in uses.items())
        return fresh and split_of(self.kind, story.meaning) == self.split

    @cached_property
    def _fixed_plan(self) -> StoryPlan:
        """Return the first plan for which at least 5 of 100 random stories belong to this split."""
        rng = self._rng("shape", 0, is_fixed=True)
        for _ in range(_TRIES):
            plan = self._plan(rng)
            # Five of a hundred is enough for samples of one plan to differ, and most plans reach
            # it.
            if sum(self._is_usable(self._with_numbers(plan, rng)) for _ in range(100)) >= 5:
                return plan
        raise AssertionError(f"{self}: no plan of the {self.split} split in {_TRIES}")

    def _plan(self, rng: Rng) -> StoryPlan:
        """Draw a plan: domain, thing, ending and moves, without numbers."""
        name = rng.choice(
            [n for n, domain in stories.DOMAINS.items() if domain.held_out == self.ood]
        )
        domain = stories.DOMAINS[name]
        total = rng.within(self.settings.steps)
        ending = rng.choice([e for e in domain.endings if len(stories.ENDINGS[e].lines) < total])
        remaining = total - len(stories.ENDINGS[ending].lines)
        moves: list[str] = []
        while remaining:
            fitting = [m for m in stories.MOVES if len(stories.MOVES[m].lines) <= remaining]
            moves.append(rng.choice([m for m in fitting if moves.count(m) < len(domain.moves[m])]))
            remaining -= len(stories.MOVES[moves[-1]].lines)
        return name, rng.choice(domain.things), ending, moves

    def _with_numbers(self, plan: StoryPlan, rng: Rng) -> Story:
        """Put numbers into the plan. A move that does not fit is replaced by another move."""
        domain, thing, ending, moves = plan
        # Work backwards from the end, so every quantity is a whole number.
        after, numbers = stories.random_ending(rng, ending, self.settings.largest)
        steps: list[stories.Step] = []
        for move in reversed(moves):
            steps.append(stories.undo_move(rng, after, move, self.settings.largest))
            after = steps[-1].before
        return Story(domain, thing, tuple(reversed(steps)), ending, numbers)

    def _sentences(self, story: Story, names: Rng, words: Rng) -> list[str]:
        """Write the sentences, with the question at the end."""
        domain = stories.DOMAINS[story.domain]
        first = names.integer(0, len(stories.NAMES) - 1)
        second = (first + names.integer(1, len(stories.NAMES) - 1)) % len(stories.NAMES)
        people = {"A": stories.NAMES[first], "B": stories.NAMES[second], "things": story.thing}

        used: list[str] = []

        def say(of: list[str], *numbers: int) -> str:
            """Choose a sentence that the story does not contain yet, and fill it in."""
            part = stories.PARTS.get(numbers[0], "") if numbers else ""
            used.append(words.choice([sentence for sentence in of if sentence not in used]))
            return used[-1].format(*numbers, part=part, **people)

        sentences = [say(domain.start, story.steps[0].before)]
        sentences += [say(domain.moves[step.move], *step.numbers) for step in story.steps]
        for _ in range(words.within(self.settings.distractors)):
            about = words.choice(
                [sentence for sentence in domain.distractors if sentence not in used]
            )
            number = words.integer(*domain.distractors[about])
            sentences.insert(0, say([about], number))  # later, "them" would mean these
        return [*sentences, say(domain.endings[story.ending], *story.numbers)]


def _insert(written: str, text: str, numbers: tuple[int, ...]) -> str:
    """Insert the expression built so far into the next expression."""
    # Brackets around anything but a number.
    return written.format(*numbers, q=text, p=f"({text})" if " " in text else text)
