"""Comparisons: paired, refused where they are not, and modest."""

import json
import math
from dataclasses import replace

import pytest
from eval_toys import (
    blank,
    clock_run,
    clock_texts,
    clocks,
    numbers,
    scored,
    true_texts,
)

from gnomon.eval import compare, table
from gnomon.eval.report import differences as report_differences
from gnomon.eval.report.differences import TOO_FEW, difference_tables
from gnomon.eval.stats.intervals import wilson
from gnomon.eval.stats.significance import holm


def differences(*sides):
    return {d.name: d for d in compare(*sides).differences}


def skilled(n, skill, seed=1):
    return scored(clocks(n), clock_texts(clocks(n), skill, seed=seed))


def seeded(n, skills, *, first=0):
    return {
        seed: skilled(n, skill, seed=100 + seed) for seed, skill in enumerate(skills, start=first)
    }


def test_a_better_run_is_called_better_and_a_worse_one_worse():
    weak, strong = (skilled(200, skill) for skill in (0.2, 0.8))
    up = compare(weak, strong, names=("before", "after"))
    assert {d.verdict for d in up.differences if d.name != "unread"} == {"better"}
    assert up.sentences[0].startswith("after is better than before: exactly right ")
    assert "McNemar's exact test" in up.sentences[0]
    exact = compare(strong, weak).differences[0]
    assert (exact.name, exact.verdict) == ("exact", "worse")
    assert exact.estimate.high < 0
    assert exact.p < 1e-6
    assert exact.baseline > exact.candidate


def test_a_run_is_tied_with_itself_with_its_like_and_in_another_order():
    samples = clocks(100)
    texts = clock_texts(samples, 0.5, seed=1)
    a = scored(samples, texts)
    for other in (a, skilled(100, 0.5, seed=2), scored(samples[::-1], texts[::-1])):
        result = compare(a, other)
        assert {d.verdict for d in result.differences} == {"tied"}
        assert "are tied in this: " in result.sentences[0]


def test_from_all_wrong_to_all_right_needs_no_interval():
    samples = clocks(20)
    wrong, right = (scored(samples, true_texts(samples, late)) for late in (30, 0))
    result = differences(wrong, right)
    assert result["exact"].verdict == "better"
    assert result["charged"].verdict == "better"
    assert result["charged"].estimate.low is None
    few = [scored(samples[:3], true_texts(samples[:3], late)) for late in (30, 0)]
    assert {d.verdict for d in differences(*few).values()} == {"tied"}


def test_silence_does_not_pay():
    """A run that refuses what it would get wrong has no better deviation than chance there."""
    samples = clocks(100)
    right = true_texts(samples)
    bold, shy = right[:50] + true_texts(samples, 20)[50:], right[:50] + ["?"] * 50
    result = differences(scored(samples, bold), scored(samples, shy))
    assert result["charged"].verdict == "worse"
    assert result["unread"].verdict == "worse"


@pytest.mark.slow
def test_seeds_are_listed_and_each_has_its_own_test():
    weak, strong = seeded(150, (0.3, 0.35, 0.25)), seeded(150, (0.8, 0.75, 0.85))
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
    turned = compare(weak, dict(reversed(strong.items())))
    assert turned == replace(result, seeds=((0, 1, 2), (2, 1, 0)))


@pytest.mark.slow
def test_a_difference_that_only_one_seed_has_is_tied():
    """The items alone would show it: the second recipe was lucky once."""
    plain, lucky = seeded(150, (0.4, 0.4, 0.4)), seeded(150, (0.4, 0.4, 0.9))
    exact = differences(plain, lucky)["exact"]
    assert min(one.p for one in exact.by_seed) < 1e-6
    assert exact.verdict == "tied"


def test_shares_differ_by_a_whole_at_most():
    """The interval of two seeds is wide, but ends where all answers differ."""
    result = differences(seeded(60, (0.2, 0.6)), seeded(60, (0.9, 0.5)))["exact"].estimate
    assert -1 <= result.low < result.value < result.high <= 1


@pytest.mark.slow
def test_other_seeds_are_no_pairs():
    result = compare(seeded(100, (0.2, 0.2)), seeded(100, (0.8, 0.8, 0.8), first=7))
    assert result.seeds == ((0, 1), (7, 8, 9))
    assert result.differences[0].by_seed == ()
    assert result.differences[0].verdict == "better"


def test_last_digits_are_no_difference():
    """Means over three seeds round otherwise than one seed's values do."""

    def charged(scores, change):
        items = (
            replace(item, measures=item.measures | {"charged": change(item.measures["charged"])})
            for item in scores.items
        )
        return replace(scores, items=tuple(items))

    first = charged(skilled(100, 0.5), lambda value: value + 0.1)
    second = charged(first, lambda value: value * (1 + 2e-16))
    for side in (first, dict.fromkeys(range(3), first)):
        result = differences(side, second)["charged"]
        assert (result.p, result.verdict) == (1, "tied")


@pytest.mark.slow
def test_questions_about_one_picture_are_counted_as_one():
    """Ten pictures asked 30 times each: what differs on three of them is soon luck."""
    image = [blank(i) for i in range(10)]
    samples = [replace(s, image=image[i % 10]) for i, s in enumerate(clocks(300))]
    right = true_texts(samples)
    wrong = [text if i % 10 > 2 else "06:30" for i, text in enumerate(right)]
    exact = differences(scored(samples, wrong), scored(samples, right))["exact"]
    assert (exact.test, exact.verdict) == ("sign flips", "tied")
    assert exact.estimate.method.endswith("10 pictures")
    alone = differences(scored(clocks(300), wrong), scored(clocks(300), right))["exact"]
    assert (alone.test, alone.verdict) == ("McNemar's exact test", "better")


def test_where_no_answer_differs_wilson_says_how_many_may():
    a = skilled(50, 0.5)
    exact = differences(a, a)["exact"]
    assert (exact.estimate.value, exact.estimate.method) == (0, "Wilson, 50 pictures")
    assert exact.estimate.high == pytest.approx(wilson(0, 50).high)
    assert exact.estimate.low == -exact.estimate.high
    assert exact.detectable_difference is None
    assert report_differences._difference_mark(exact).detectable == 0  # no band in the chart


def test_a_power_that_no_difference_can_have_is_not_shown():
    """Seeds that differ much: 80 % power from 272 points, or from 405 of 360 minutes."""
    result = compare(seeded(40, (0.1, 0.6)), seeded(40, (0.9, 0.3)), names=("a", "b"))
    by_name = {d.name: d for d in result.differences}
    assert (
        by_name["exact"].detectable_difference
        == by_name["charged"].detectable_difference
        == math.inf
    )
    rows = {row["name"]: row for row in result.to_json()["differences"]}
    assert rows["exact"]["detectable"] is rows["charged"]["detectable"] is None
    json.dumps(rows, allow_nan=False)
    (shown,) = difference_tables(result)
    lines = {line.label: line.detectable for line in shown["lines"]}
    assert lines["Exactly right"] == lines["Mean deviation, unread as 360 min"] == TOO_FEW
    forests = "".join(picture for _, picture in shown["forests"])
    assert "nan" not in forests
    assert "inf" not in forests


@pytest.mark.parametrize(("n", "is_shown"), [(5, False), (6, True)])
def test_a_test_that_can_show_nothing_has_no_power(n, is_shown):
    """Of five questions that all differ, McNemar's p is 0.0625."""
    samples = clocks(n)
    wrong = true_texts(samples[:-1], 30) + true_texts(samples[-1:])
    result = differences(scored(samples, wrong), scored(samples, true_texts(samples)))["exact"]
    assert result.test == "McNemar's exact test"
    assert (result.detectable_difference < 1) is is_shown


def test_no_power_of_numbers_is_beyond_the_farthest_truth():
    samples = numbers([1, 4, 6])
    result = differences(scored(samples, ["1", "9", "6"]), scored(samples, ["6", "4", "6"]))
    charged = result["charged"]
    assert (charged.baseline, charged.candidate) == (1, pytest.approx(5 / 3))
    assert charged.detectable_difference == math.inf  # two errors of 13 that are possible


def test_first_lines_are_corrected_together_and_the_others_of_a_kind_among_themselves():
    samples = [*clocks(60), *numbers(range(60))]
    sides = [
        [*clock_texts(clocks(60), skill, seed=1), *(str(i + (i % 3 > lag)) for i in range(60))]
        for skill, lag in ((0.3, 0), (0.6, 1))
    ]
    result = compare(*(scored(samples, texts) for texts in sides))
    by_type = [
        [d for d in result.differences if d.type_name == name] for name in ("time", "number")
    ]
    for family in ([lines[0] for lines in by_type], *(lines[1:] for lines in by_type)):
        assert {d.n_tests for d in family} == {len(family)}
        assert [d.adjusted_p for d in family] == holm([d.p for d in family])
    assert "Holm over 2" in result.sentences[0]


def test_other_samples_are_refused_by_name():
    a, more, fewer = (scored(clocks(n), ["10:08"] * n) for n in (3, 4, 1))
    one, other = (scored(numbers(truths), ["1", "2"]) for truths in ([1, 2], [1, 3]))
    for sides, names, message in [
        ((a, more), ("a", "b"), r"1 of 4 are only in b \('clock-3'\)"),
        ((a, fewer), ("before", "after"), "2 of 3 are only in before"),
        ((one, other), ("a", "b"), "'sum-1' is 2 in a and 3 in b"),
        (({0: a, 1: more}, a), ("a", "b"), "1 of 4 are only in a, seed 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            compare(*sides, names=names)


def test_runs_are_compared_as_their_scores_are_and_printed_in_words():
    before, after = clock_run("before", 0.1), clock_run("after", 0.9, seed=1)
    comparison = compare(before, after, names=("before", "after"))
    assert comparison == compare(before.scores, after.scores, names=("before", "after"))
    assert str(comparison) == "\n".join(comparison.sentences)
    assert "after is better than before" in str(comparison)


def test_table_in_a_terminal():
    text = table([clock_run("before", 0.1), clock_run("after", 0.9, seed=1)])
    lines = text.splitlines()
    assert " ".join(lines[0].split()) == "Time on a 12-hour dial before after difference chance"
    for piece in ("Exactly right", "better", "0.1 %"):
        assert piece in lines[1]
    assert "after is better than before" in text
    assert max(map(len, lines)) < 160
    alone = table([clock_run("only", 0.5)])
    assert "difference" not in alone
    assert "only" in alone.splitlines()[0]
    others = table([clock_run("a", 0.5), clock_run("b", 0.5, n=50)])
    assert "b and a are not compared: not the same samples" in others


def test_runs_need_names_of_their_own():
    with pytest.raises(ValueError, match="name each run once"):
        table([clock_run("a", 0.5), clock_run("a", 0.6)])
    with pytest.raises(ValueError, match="no runs"):
        table([])
