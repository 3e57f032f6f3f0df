"""Comparisons: paired, refused where they are not, and modest."""

from __future__ import annotations

import pytest
from eval_toys import clock_run, clock_text, clock_texts, clocks, numbers, said

from gnomon.eval import compare, score, table


def scored(texts, samples=None):
    samples = clocks(len(texts)) if samples is None else samples
    return score(said(samples, texts), samples)


def test_a_better_run_is_called_better_and_a_worse_one_worse():
    samples = clocks(200)
    weak, strong = (scored(clock_texts(samples, skill, seed=1)) for skill in (0.2, 0.8))
    up = compare(weak, strong, names=("before", "after"))
    assert {d.verdict for d in up.differences if d.name != "unread"} == {"better"}
    assert up.sentences[0].startswith("after is better than before: exactly right ")
    assert "McNemar's exact test" in up.sentences[0]
    down = compare(strong, weak)
    exact = down.differences[0]
    assert (exact.name, exact.verdict) == ("exact", "worse")
    assert exact.estimate.high < 0
    assert exact.p < 1e-6
    assert exact.first > exact.second


def test_a_run_is_tied_with_itself_and_with_its_like():
    samples = clocks(100)
    a = scored(clock_texts(samples, 0.5, seed=1))
    b = scored(clock_texts(samples, 0.5, seed=2))
    for other in (a, b):
        found = compare(a, other)
        assert {d.verdict for d in found.differences} == {"tied"}
        assert "tied, nothing is shown" in found.sentences[0]


def test_luck_is_rarely_called_a_difference():
    samples = clocks(40)
    runs = [scored(clock_texts(samples, 0.5, seed=seed)) for seed in range(26)]
    verdicts = [
        d.verdict
        for a, b in zip(runs[::2], runs[1::2], strict=True)
        for d in compare(a, b).differences
        if d.name == "exact"
    ]
    assert verdicts.count("tied") >= 11


def test_from_all_wrong_to_all_right_needs_no_interval():
    samples = clocks(20)
    right = [clock_text(s.target.seconds // 60) for s in samples]
    wrong = [clock_text(s.target.seconds // 60 + 30) for s in samples]
    found = {d.name: d for d in compare(scored(wrong), scored(right)).differences}
    assert found["exact"].verdict == "better"
    assert found["charged"].verdict == "better"
    assert found["charged"].estimate.low is None
    few = compare(scored(wrong[:3]), scored(right[:3]))
    assert {d.verdict for d in few.differences} == {"tied"}


def test_silence_does_not_pay():
    """A run that refuses what it would get wrong has no better deviation than chance there."""
    samples = clocks(100)
    right = [clock_text(s.target.seconds // 60) for s in samples]
    near = [clock_text(s.target.seconds // 60 + 20) for s in samples]
    bold, shy = right[:50] + near[50:], right[:50] + ["?"] * 50
    found = {d.name: d for d in compare(scored(bold), scored(shy)).differences}
    assert found["charged"].verdict == "worse"
    assert found["unread"].verdict == "worse"


def test_other_samples_are_refused_by_name():
    a = scored(["10:08"] * 3)
    with pytest.raises(ValueError, match=r"1 of 4 are only in b \('clock-3'\)"):
        compare(a, scored(["10:08"] * 4))
    with pytest.raises(ValueError, match="2 of 3 are only in before"):
        compare(a, scored(["10:08"]), names=("before", "after"))
    samples = numbers(["1", "2"])
    others = numbers(["1", "3"])
    with pytest.raises(ValueError, match="'sum-1' is Number"):
        compare(scored(["1", "2"], samples), scored(["1", "2"], others))


def test_the_order_of_samples_does_not_matter():
    samples = clocks(30)
    texts = clock_texts(samples, 0.5)
    a = scored(texts)
    b = scored(texts[::-1], samples[::-1])
    assert {d.verdict for d in compare(a, b).differences} == {"tied"}


def test_table_in_a_terminal():
    text = table([clock_run("before", 0.1), clock_run("after", 0.9, seed=1)])
    lines = text.splitlines()
    assert " ".join(lines[0].split()) == "Time on a 12-hour dial before after difference chance"
    assert "Exactly right" in lines[1]
    assert "better" in lines[1]
    assert "0.1 %" in lines[1]
    assert "after is better than before" in text
    assert max(map(len, lines)) < 160


def test_table_of_one_run_has_no_difference():
    text = table([clock_run("only", 0.5)])
    assert "difference" not in text
    assert "only" in text.splitlines()[0]


def test_table_says_why_runs_are_not_compared():
    text = table([clock_run("a", 0.5), clock_run("b", 0.5, n=50)])
    assert "b and a are not compared: not the same samples" in text


def test_runs_need_names_of_their_own():
    with pytest.raises(ValueError, match="each must be another"):
        table([clock_run("a", 0.5), clock_run("a", 0.6)])
    with pytest.raises(ValueError, match="no runs"):
        table([])
