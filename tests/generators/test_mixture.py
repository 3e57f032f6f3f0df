"""A mixture is its parts, drawn by weight."""

from __future__ import annotations

from collections import Counter

import pytest

from gnomon.generators import create
from gnomon.recipe import RecipeError

PARTS = [
    {"kind": "arithmetic", "weight": 3.0, "options": {"level": "hard"}},
    {"kind": "word_problem"},
]


def test_parts_come_by_weight_and_are_their_own_samples():
    mixture = create("mixture", parts=PARTS, seed=4)
    sums = create("arithmetic", level="hard", seed=4)
    words = create("word_problem", seed=4)
    drawn = Counter()
    for index in range(2000):
        kind, _, key = mixture.key(index).partition(": ")
        drawn[kind] += 1
        own = {"arithmetic": sums, "word_problem": words}[kind]
        assert mixture[index] == own[index]
        assert key == own.key(index)
    assert abs(drawn["arithmetic"] / 2000 - 0.75) < 0.03


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ([], "parts is empty"),
        ([{"kind": "clok"}], "did you mean clock"),
        ([{"kind": "clock", "weight": 0.0}], "weight=0.0 of clock"),
        ([{"kind": "clock", "options": {"sise": 3}}], "did you mean size"),
        ([{"kind": "clock", "wieght": 1.0}], "did you mean weight"),
    ],
)
def test_what_a_part_refuses_is_refused_at_once(parts, told):
    with pytest.raises((RecipeError, ValueError), match=told):
        create("mixture", parts=parts)
