"""Sums are right, found again from the question's own text."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from gnomon.generators import create
from gnomon.generators.arithmetic import LEVELS, SIGNS, Arithmetic
from gnomon.generators.base import split_of

WORKED = {"+": Fraction.__add__, "-": Fraction.__sub__, "×": Fraction.__mul__}


@pytest.mark.parametrize("level", LEVELS)
def test_answers_are_what_the_questions_ask(level):
    low, high = LEVELS[level]
    for index in range(3000):
        sample = create("arithmetic", level=level)[index]
        (first, sign, second) = re.search(r"(\d+) (.) (\d+)", sample.question).groups()
        worked = WORKED[sign](Fraction(first), Fraction(second))
        assert Fraction(sample.target.value) == worked
        assert low <= len(first) <= high
        assert sample.image is None


def test_both_orders_of_a_sum_are_one_meaning():
    generator = create("arithmetic", operations=["add", "multiply"], digits=[1, 1])
    keys = {generator.key(i) for i in range(3000)}
    for key in keys:
        first, _, second = key.split()
        assert int(first) <= int(second)


@pytest.mark.parametrize("operation", SIGNS)
def test_the_smallest_key_space_has_every_split(operation):
    # So that the search for an expression of the split ends.
    for split in ("train", "val", "test"):
        one = Arithmetic(operations=(operation,), digits=(1, 1), split=split)
        assert one[0].question


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"operations": ["ad"]}, "did you mean add"),
        ({"operations": []}, "operations"),
        ({"digits": [0, 3]}, "digits"),
        ({"digits": [3, 1]}, "digits"),
        ({"digits": [1, 13]}, "digits"),
        ({"level": "severe"}, "level"),
    ],
)
def test_impossible_options_are_refused_by_name(options, said):
    with pytest.raises(ValueError, match=said):
        create("arithmetic", **options)


def test_splits_are_eight_one_one():
    splits = [split_of("x", i) for i in range(20_000)]
    assert abs(splits.count("train") / 20_000 - 0.8) < 0.01
    assert abs(splits.count("val") / 20_000 - 0.1) < 0.01
