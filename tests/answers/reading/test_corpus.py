"""Answers in the styles of current models, judged by hand: how many are read as judged.

`python tests/answers/accuracy.py` prints what the floors are set to, and more with --by-style.
"""

from __future__ import annotations

import json

import pytest
from accuracy import CORPUS, counted, rows

FLOORS = {"time": 0.99, "number": 0.985, "text": 0.985, "box": 0.98}
READ_AT_MOST = 0.02
"""Of what a person does not read."""
BLIND = {"time": 0.98, "number": 0.975, "text": 0.97, "box": 0.985}
"""Of the answers that were written without a look at the rules."""
FRESH = {"time": 0.96, "number": 0.95, "text": 0.95, "box": 0.91}
"""Of fresh.jsonl; before the mends these were 0.93, 0.76, 0.86 and 0.91."""


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOORS)
def test_most_are_read_as_judged(name):
    if not rows(name):
        pytest.skip(f"no {name}.jsonl")
    shares = counted(name)
    assert shares["all"] >= FLOORS[name]
    assert shares["unread read"] <= READ_AT_MOST
    assert shares["all"] > counted(name, "last")["all"] + 0.04


@pytest.mark.slow
@pytest.mark.parametrize("name", BLIND)
def test_most_of_the_blind_corpus_are_read_as_judged(name):
    shares = counted(name, part="blind")
    assert shares["all"] >= BLIND[name]
    assert shares["unread read"] <= 0.11


@pytest.mark.parametrize(("name", "floor"), FRESH.items())
def test_most_of_the_fresh_corpus_are_read_as_judged(name, floor):
    shares = counted(name, part="fresh")
    assert shares["all"] >= floor
    assert shares.get("unread read", 0) == 0


def test_every_line_is_an_answer_with_its_judgement():
    for file in CORPUS.glob("*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            assert json.loads(line).keys() >= {"text", "asked", "judged", "style", "language"}
