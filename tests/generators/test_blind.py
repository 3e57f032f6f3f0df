"""The guessers of benchmarks/chance.py --blind: a shortcut is found, and noise is none."""

import numpy as np
import pytest

from benchmarks import blind
from gnomon.sample import Box, Sample, Text

THINGS = ("ring", "star", "fish", "tree", "cup", "bell")


def asked(shortcut: str) -> list[blind.Asked]:
    rng, found = np.random.default_rng(1), []
    for index in range(150):
        one, other = rng.permutation(THINGS)[:2].tolist()
        size, yes = rng.choice(["large", "small"]), rng.integers(2) == 1
        if shortcut == "places":
            choices = (f"{size} {one}", other)
            answer = choices[0] if size == "large" else other
            text = f"Which is further left, the {choices[0]} or the {other}?"
        else:
            yes = size == "large" if shortcut == "words" and index % 10 else yes
            choices, answer = ("yes", "no"), "yes" if yes else "no"
            text = f"Is the {size} {one} left of the {other}? Answer yes or no."
        found.append(blind.asked(Sample(str(index), None, text, Text(answer, choices))))
    return found


@pytest.mark.parametrize(
    ("shortcut", "least", "most"), [("words", 0.85, 1.0), ("places", 0.95, 1.0), ("", 0.3, 0.7)]
)
def test_a_shortcut_is_found_where_there_is_one(shortcut, least, most):
    every = asked(shortcut)
    assert 0.3 < blind.crossed(every, blind.constant).mean() < 0.65
    assert least <= blind.crossed(every, blind.logistic).mean() <= most
    if shortcut != "places":  # no two things are asked about alike
        assert least - 0.15 <= blind.crossed(every, blind.nearest).mean() <= most


def test_boxes_that_follow_from_a_word_are_found():
    every = [
        blind.Asked(f"Where is the {THINGS[i % 6]}?", Box(i % 6 / 9, 0, i % 6 / 9 + 0.1, 1), ())
        for i in range(120)
    ]
    assert blind.crossed(every, blind.constant).mean() == pytest.approx(1 / 6)
    assert blind.crossed(every, blind.nearest).mean() > 0.95
