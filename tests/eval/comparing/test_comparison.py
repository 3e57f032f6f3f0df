"""Comparisons: paired, refused where they are not, and modest."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from eval_toys import blank, clock_run, clock_text, clock_texts, clocks, numbers, predict

from gnomon.eval import compare, score, table
from gnomon.eval.report.differences import TOO_FEW, difference_tables
from gnomon.eval.stats.intervals import wilson
from gnomon.eval.stats.significance import holm


def scored(texts, samples=None):
    samples = clocks(len(texts)) if samples is None else samples
    return score(predict(samples, texts), samples)


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
    assert exact.baseline > exact.candidate


def test_a_run_is_tied_with_itself_and_with_its_like():
    samples = clocks(100)
    a = scored(clock_texts(samples, 0.5, seed=1))
    b = scored(clock_texts(samples, 0.5, seed=2))
    for other in (a, b):
        result = compare(a, other)
        assert {d.verdict for d in result.differences} == {"tied"}
        assert "are tied in this: " in result.sentences[0]


@pytest.mark.slow
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
    result = {d.name: d for d in compare(scored(wrong), scored(right)).differences}
    assert result["exact"].verdict == "better"
    assert result["charged"].verdict == "better"
    assert result["charged"].estimate.low is None
    few = compare(scored(wrong[:3]), scored(right[:3]))
    assert {d.verdict for d in few.differences} == {"tied"}


def test_silence_does_not_pay():
    """A run that refuses what it would get wrong has no better deviation than chance there."""
    samples = clocks(100)
    right = [clock_text(s.target.seconds // 60) for s in samples]
    near = [clock_text(s.target.seconds // 60 + 20) for s in samples]
    bold, shy = right[:50] + near[50:], right[:50] + ["?"] * 50
    result = {d.name: d for d in compare(scored(bold), scored(shy)).differences}
    assert result["charged"].verdict == "worse"
    assert result["unread"].verdict == "worse"


def seeded(samples, skills, *, first=0):
    return {
        seed: scored(clock_texts(samples, skill, seed=100 + seed), samples)
        for seed, skill in enumerate(skills, start=first)
    }


@pytest.mark.slow
def test_seeds_are_listed_and_each_has_its_own_test():
    samples = clocks(150)
    weak, strong = seeded(samples, (0.3, 0.35, 0.25)), seeded(samples, (0.8, 0.75, 0.85))
    result = compare(weak, strong)
    assert result.seeds == ((0, 1, 2), (0, 1, 2))
    exact = result.differences[0]
    assert exact.verdict == "better"
    assert [one.seed for one in exact.by_seed] == [0, 1, 2]
    for one in exact.by_seed:
        alone = compare(weak[one.seed], strong[one.seed]).differences[0]
        assert (one.baseline, one.candidate, one.p) == (alone.baseline, alone.candidate, alone.p)
    assert exact.test == "Student's t over seeds"
    assert "3 seeds × 150 pictures" in exact.estimate.method
    assert compare(weak, dict(reversed(strong.items()))) == replace(
        result, seeds=((0, 1, 2), (2, 1, 0))
    )


@pytest.mark.slow
def test_a_difference_that_only_one_seed_has_is_tied():
    """The items alone would show it: the second recipe was lucky once."""
    samples = clocks(150)
    plain, lucky = seeded(samples, (0.4, 0.4, 0.4)), seeded(samples, (0.4, 0.4, 0.9))
    exact = compare(plain, lucky).differences[0]
    assert min(one.p for one in exact.by_seed) < 1e-6
    assert exact.verdict == "tied"


def test_shares_differ_by_a_whole_at_most():
    """The interval of two seeds is wide, but ends where all answers differ."""
    samples = clocks(60)
    result = compare(seeded(samples, (0.2, 0.6)), seeded(samples, (0.9, 0.5))).differences[0]
    assert -1 <= result.estimate.low < result.estimate.value < result.estimate.high <= 1


@pytest.mark.slow
def test_other_seeds_are_no_pairs():
    samples = clocks(100)
    result = compare(seeded(samples, (0.2, 0.2)), seeded(samples, (0.8, 0.8, 0.8), first=7))
    assert result.seeds == ((0, 1), (7, 8, 9))
    assert result.differences[0].by_seed == ()
    assert result.differences[0].verdict == "better"


def test_last_digits_are_no_difference():
    """Means over three seeds round otherwise than one seed's values do."""
    one = scored(clock_texts(clocks(100), 0.5, seed=1))
    items = tuple(
        replace(item, measures=item.measures | {"charged": item.measures["charged"] + 0.1})
        for item in one.items
    )
    near = tuple(
        replace(item, measures=item.measures | {"charged": item.measures["charged"] * (1 + 2e-16)})
        for item in items
    )
    first, second = replace(one, items=items), replace(one, items=near)
    for a, b in ((first, second), ({0: first, 1: first, 2: first}, second)):
        result = {d.name: d for d in compare(a, b).differences}["charged"]
        assert result.p == 1
        assert result.verdict == "tied"


def test_seeds_on_other_samples_are_refused():
    with pytest.raises(ValueError, match="1 of 4 are only in a, seed 1"):
        compare({0: scored(["10:08"] * 3), 1: scored(["10:08"] * 4)}, scored(["10:08"] * 3))


@pytest.mark.slow
def test_questions_about_one_picture_are_counted_as_one():
    """Ten pictures asked 30 times each: what differs on three of them is soon luck."""
    image = [blank(i) for i in range(10)]
    samples = [replace(s, image=image[i % 10]) for i, s in enumerate(clocks(300))]
    right = [clock_text(s.target.seconds // 60) for s in samples]
    wrong = [text if i % 10 > 2 else "06:30" for i, text in enumerate(right)]
    exact = compare(scored(wrong, samples), scored(right, samples)).differences[0]
    assert (exact.test, exact.verdict) == ("sign flips", "tied")
    assert exact.estimate.method.endswith("10 pictures")
    alone = compare(scored(wrong, clocks(300)), scored(right, clocks(300))).differences[0]
    assert (alone.test, alone.verdict) == ("McNemar's exact test", "better")


def test_where_no_answer_differs_wilson_says_how_many_may():
    a = scored(clock_texts(clocks(50), 0.5))
    exact = compare(a, a).differences[0]
    assert (exact.estimate.value, exact.estimate.method) == (0, "Wilson, 50 pictures")
    assert exact.estimate.high == pytest.approx(wilson(0, 50).high)
    assert exact.estimate.low == -exact.estimate.high
    assert exact.detectable is None


def test_a_power_that_no_difference_can_have_is_not_shown():
    """Seeds that differ much: 80 % power from 272 points, or from 405 of 360 minutes."""
    samples = clocks(40)
    sides = seeded(samples, (0.1, 0.6)), seeded(samples, (0.9, 0.3))
    result = compare(*sides, names=("a", "b"))
    by_name = {d.name: d for d in result.differences}
    assert by_name["exact"].detectable == by_name["charged"].detectable == math.inf
    rows = {row["name"]: row for row in result.to_json()["differences"]}
    assert rows["exact"]["detectable"] is rows["charged"]["detectable"] is None
    json.dumps(rows, allow_nan=False)
    (shown,) = difference_tables(result)
    lines = {line.label: line.detectable for line in shown["lines"]}
    assert lines["Exactly right"] == lines["Mean deviation, unread as 360 min"] == TOO_FEW
    forests = "".join(picture for _, picture in shown["forests"])
    assert "nan" not in forests
    assert "inf" not in forests


def test_no_power_of_numbers_is_beyond_the_farthest_truth():
    samples = numbers(["1", "4", "6"])
    result = compare(scored(["1", "9", "6"], samples), scored(["6", "4", "6"], samples))
    charged = next(d for d in result.differences if d.name == "charged")
    assert (charged.baseline, charged.candidate) == (1, pytest.approx(5 / 3))
    assert charged.detectable == math.inf  # two errors of 13 that are possible


def test_first_lines_are_corrected_together_and_the_others_of_a_kind_among_themselves():
    samples = [*clocks(60), *numbers(range(60))]
    said_by = [
        [*clock_texts(clocks(60), skill, seed=1), *(str(i + (i % 3 > lag)) for i in range(60))]
        for skill, lag in ((0.3, 0), (0.6, 1))
    ]
    result = compare(*(scored(texts, samples) for texts in said_by))
    by_kind = {
        kind: [d for d in result.differences if d.kind == kind] for kind in ("time", "number")
    }
    firsts = [differences[0] for differences in by_kind.values()]
    assert [d.family for d in firsts] == [2, 2]
    assert [d.adjusted for d in firsts] == holm([d.p for d in firsts])
    for differences in by_kind.values():
        others = differences[1:]
        assert {d.family for d in others} == {len(others)}
        assert [d.adjusted for d in others] == holm([d.p for d in others])
    assert "Holm over 2" in result.sentences[0]


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
    with pytest.raises(ValueError, match="name each run once"):
        table([clock_run("a", 0.5), clock_run("a", 0.6)])
    with pytest.raises(ValueError, match="no runs"):
        table([])
