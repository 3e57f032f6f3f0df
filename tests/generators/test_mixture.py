"""A mixture is its parts, drawn by weight."""

from collections import Counter

from gnomon.generators import create

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
