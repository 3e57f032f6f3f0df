"""Answers are found again by another path: exact fractions, sympy, datetime."""

import hashlib
import re
from fractions import Fraction

import pytest
from solvers import check, worked

from gnomon.generators import create
from gnomon.generators.arithmetic import Arithmetic
from gnomon.generators.arithmetic.generator import GROUPS, LEVELS, TASKS
from gnomon.generators.base import split_of
from gnomon.sample import Number, Text, Time, target_to_json

VERSION_3 = {"easy": "b4911702aa587d0a", "medium": "96735d6bafd424f1", "hard": "cf92e8998eea4f30"}


def said(sample) -> str:
    """The answer as plain text."""
    target = sample.target
    return str(target.value) if isinstance(target, Number) else target.text


IN_SIGNS = ("add", "subtract", "multiply", "divide", "power", "chain", "products", "mixed")


@pytest.mark.parametrize("level", LEVELS)
def test_expressions_come_to_their_answers(level):
    generator = create("arithmetic", tasks=IN_SIGNS, level=level, working=True)
    for sample in generator[0:1000]:
        expression = sample.facts["expression"]
        assert expression in sample.question
        assert worked(expression) == Fraction(sample.target.value)
        for line in sample.rationale.split("\n"):
            left, right = line.split(" = ")
            assert worked(left) == Fraction(right)
        assert sample.rationale.split(" = ")[-1] == said(sample)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("task", TASKS)
def test_answers_are_found_again_from_the_question(task, level):
    generator = create("arithmetic", tasks=[task], level=level)
    for sample in generator[0 : 60 if task in ("root", "surd") else 150]:
        check(sample)
        if task == "comparison":
            assert len(set(map(Fraction, sample.target.choices))) == 2


@pytest.mark.long
@pytest.mark.parametrize("level", LEVELS)
def test_20_000_answers_of_all_tasks_are_found_again_from_the_question(level):
    generator = create("arithmetic", tasks=["all"], level=level)
    for index in range(20_000):
        check(generator[index])


def carries(a: int, b: int) -> int:
    found = carry = 0
    while a or b:
        carry = (a % 10 + b % 10 + carry) // 10
        found += carry
        a, b = a // 10, b // 10
    return found


@pytest.mark.parametrize("many", [0, 1, 3])
def test_as_many_carries_as_were_asked_for(many):
    for task, level in (("add", "hard"), ("subtract", "hard")):
        generator = create(
            "arithmetic", tasks=[task], level=level, carries=[many, many], places=[0, 0]
        )
        for index in range(500):
            first, second = map(int, re.findall(r"\d+", generator[index].facts["expression"]))
            assert (
                carries(*((first, second) if task == "add" else (first - second, second))) == many
            )


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_every_split_at_its_smallest_scale(task):
    # So that the search for a question of the split ends.
    for split in ("train", "val", "test"):
        one = Arithmetic(tasks=(task,), digits=(1, 1), terms=(2, 2), split=split)
        assert all(one[i].question for i in range(50))


def test_the_names_of_deepminds_modules_are_covered():
    modules = (
        "add_or_sub add_or_sub_in_base add_sub_multiple div mixed mul mul_div_multiple"
        " nearest_integer_root simplify_surd"
    )
    for name in modules.split():
        assert create("arithmetic", tasks=[name])[0].question
    assert set(GROUPS["all"]) == set(TASKS)


def test_both_orders_of_a_sum_are_one_meaning():
    generator = create("arithmetic", tasks=["add", "multiply"], digits=[1, 1])
    for index in range(3000):
        first, _, second = generator.key(index).split()
        assert int(first) <= int(second)


def test_a_working_stands_before_the_answer_only_if_asked_for():
    assert create("arithmetic")[0].rationale == ""
    assert create("arithmetic", working=True)[0].rationale


def test_answers_longer_than_a_decimal_context_are_not_rounded():
    generator = create("arithmetic", tasks=["multiply"], digits=[12, 12], places=[6, 6], ood=True)
    for index in range(50):
        sample = generator[index]
        assert worked(sample.facts["expression"]) == Fraction(sample.target.value)
    assert max(len(generator[i].target.value.as_tuple().digits) for i in range(50)) > 26


def test_splits_are_eight_one_one():
    splits = [split_of("x", i) for i in range(20_000)]
    assert abs(splits.count("train") / 20_000 - 0.8) < 0.01
    assert abs(splits.count("val") / 20_000 - 0.1) < 0.01


@pytest.mark.parametrize(("level", "drawn"), VERSION_3.items())
def test_version_3_draws_what_it_drew(level, drawn):
    # A dataset is told by its kind, version, options and seed: other samples need another version.
    generator = create("arithmetic", tasks=["all"], level=level, working=True)
    seen = hashlib.sha256()
    for index in range(1000):
        sample = generator[index]
        target = target_to_json(sample.target)
        told = (sample.id, sample.question, target, sample.rationale, sample.facts)
        seen.update(repr(told).encode())
    assert seen.hexdigest()[:16] == drawn


def test_texts_are_only_asked_where_digits_cannot_say_it():
    generator = create("arithmetic", tasks=["all"])
    kinds = {type(generator[i].target) for i in range(500)}
    assert kinds == {Number, Text, Time} == set(Arithmetic.targets)
