"""Refusing to answer is never cheaper than answering; tests/answers/test_types.py has each type."""

import pytest
from eval_toys import clock_text, clocks, numbers, predict

from gnomon.answers.registry import TYPES
from gnomon.eval import compare, score


def test_refusing_all_numbers_costs_more_than_being_off_by_one():
    samples = numbers(range(40))
    off, refused, wild = (
        score(predict(samples, texts), samples)
        for texts in ([str(n + 1) for n in range(40)], ["?"] * 40, ["1e9"] * 40)
    )
    assert off.estimate("number", "charged").value == 1
    assert refused.estimate("number", "charged").value == 29.5  # 39, 38, …, 20, 20, …, 39
    assert wild.estimate("number", "charged").value == 29.5
    result = {d.name: d for d in compare(off, refused).differences}
    assert result["charged"].verdict == "worse"


def test_refusing_clocks_costs_more_than_answering_them_wrongly():
    samples = clocks(40)
    wrong = [clock_text(s.target.seconds // 60 + 350) for s in samples]
    answered, refused = (score(predict(samples, texts), samples) for texts in (wrong, ["?"] * 40))
    assert answered.estimate("time", "charged").value == 350
    assert refused.estimate("time", "charged").value == 360


@pytest.mark.parametrize(("truth", "cost"), [("7", 7), ("-7", 7), ("0", 1)])
def test_one_truth_alone_is_not_free_to_refuse(truth, cost):
    samples = numbers([truth, truth])
    result = score(predict(samples, ["?", truth]), samples)
    assert [item.measures["charged"] for item in result.items] == [cost, 0]


def test_the_worst_numbers_are_shown_by_how_far_off_they_are():
    """The charge has a limit; 1e9 is still worse than 1e6."""
    samples = numbers(["1", "2", "3"])
    items = score(predict(samples, ["1e6", "1e9", "2"]), samples).items
    badness = [TYPES["number"].badness(item.measures) for item in items]
    assert badness[1] > badness[0] > badness[2]
