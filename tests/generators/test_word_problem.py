"""Problems are worked again from their expression, their working and their own sentences."""

import re
from fractions import Fraction

import pytest
import solvers
import sympy
from quick import quick
from solvers import check

from gnomon.generators import create
from gnomon.generators.word_problem import WordProblem
from gnomon.generators.word_problem.generator import LEVELS
from gnomon.generators.word_problem.stories import DOMAINS, ENDINGS, MOVES


def worked(expression):
    return Fraction(
        str(sympy.sympify(expression.replace("×", "*").replace("÷", "/"), rational=True))
    )


@pytest.mark.parametrize("level", quick(LEVELS, "hard"))
def test_the_working_has_a_line_a_step_and_ends_with_the_answer(level):
    (least, most), _, _ = LEVELS[level]
    lengths = set()
    for sample in create("word_problem", level=level)[0:400]:
        lines = sample.rationale.split("\n")
        lengths.add(len(lines))
        assert worked(sample.facts["expression"]) == Fraction(sample.target.value)
        assert lines[-1].split(" = ")[1] == str(sample.target.value)
        for line in lines:
            left, right = line.split(" = ")
            assert worked(left) == int(right) >= 0
    assert lengths == set(range(least, most + 1))


@pytest.mark.long
def test_20_000_problems_are_worked_again_by_fractions_and_by_sympy():
    """By the steps in the facts, by the expression in Python's own parser, and by sympy."""
    for level in LEVELS:
        generator = create("word_problem", level=level)
        for index in range(20_000 // 3 + 1):
            sample = generator[index]
            check(sample)
            answer = Fraction(sample.target.value)
            assert solvers.worked(sample.facts["expression"]) == worked(sample.facts["expression"])
            assert worked(sample.facts["expression"]) == answer


def test_all_numbers_of_the_expression_stand_in_the_sentences():
    parts = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "tenth": 10}
    generator = create("word_problem", level="medium", distractors=[0, 0])
    for index in range(500):
        sample = generator[index]
        told = [int(n) for n in re.findall(r"\d+", sample.question)]
        told += [parts[w] for w in re.findall("|".join(parts), sample.question)]
        facts = sample.facts
        numbers = [facts["start"], *facts["ending"][1:]]
        numbers += [n for step in facts["steps"] for n in step[1:]]
        assert sorted(told) == sorted(numbers)


def test_a_distractor_stands_first_and_adds_one_number():
    plain = create("word_problem", level="hard", distractors=[0, 0])
    told = create("word_problem", level="hard", distractors=[2, 2])
    for generator, more in ((plain, 0), (told, 2)):
        for index in range(200):
            sample = generator[index]
            start = str(sample.facts["start"])
            numbers = re.findall(r"\d+", sample.question)
            assert numbers.index(start, more) == more


def test_numbers_alone_vary():
    generator = create("word_problem", vary="numbers", problem=3, steps=[2, 2])
    samples = [generator[i] for i in range(40)]
    people = {frozenset(re.findall(r"\b[A-Z][a-z]+\b", s.question)) for s in samples}
    assert len(people) <= 3  # the story's words may follow another move where a number forbids one
    assert len({s.facts["meaning"] for s in samples}) > 20


def test_names_alone_vary():
    generator = create("word_problem", vary="names", problem=3)
    samples = [generator[i] for i in range(40)]
    assert len({s.facts["meaning"] for s in samples}) == 1
    assert len({s.target for s in samples}) == 1
    assert len({s.question for s in samples}) > 10


def test_every_world_tells_every_move_and_its_endings():
    for domain in DOMAINS.values():
        assert set(domain.moves) == set(MOVES)
        assert set(domain.endings) <= set(ENDINGS)


@pytest.mark.parametrize("ood", [False, True])
def test_the_rules_of_the_world_hold(ood):
    """Hours, ages and what grows once: a careful teacher would ask such a problem."""
    limits = {"o'clock": 11, "years old": 80, "degrees": 32, "cousins": 19}
    named = set()
    for sample in create("word_problem", level="hard", distractors=[2, 2], ood=ood)[0:400]:
        asked = sample.question
        sentences = asked.replace("?", ".").split(". ")
        assert len(set(sentences)) == len(sentences), asked
        assert asked.count("times as m") <= 1, asked
        assert not re.search(r"(?<!\d)[01] (?!%)", asked), asked  # "1 apples"
        for words, most in limits.items():
            for number in re.findall(rf"(\d+) {words}", asked):
                assert 0 < int(number) <= most, asked
                named.add(words)
    assert len(named) == (1 if ood else 4)


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_every_split_has_problems_at_the_smallest_scale(split):
    for ending in ("all", "numbers", "names"):
        one = WordProblem(split=split, steps=(2, 2), largest=10, vary=ending)
        assert all(one[i].question for i in range(50))
