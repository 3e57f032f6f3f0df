"""No verdict praises a model that does no better than who never looks at the picture."""

import random
import re
from dataclasses import replace

import numpy as np
import pytest
from eval_toys import clock_run, clock_texts, clocks, numbers, scored, true_texts
from eval_toys import run as score_run

from gnomon.eval import compare, table, write_report
from gnomon.eval.comparing.guessing import compare_with_chance, repeated_answer_warnings
from gnomon.eval.report.text_tables import json_data
from gnomon.sample import Text

DIGITS = numbers([digit for digit in range(10) for _ in range(10 + 6 * (digit == 2))])
"""106 questions, of which 16 are of a 2: the best constant answer has 15.1 %."""


def run(name, texts, samples=DIGITS):
    return score_run(name, samples, texts)


def right(n, *, wrong="7.5"):
    """The first n are right."""
    return [str(sample.target.value) for sample in DIGITS[:n]] + [wrong] * (len(DIGITS) - n)


def verdicts(*runs):
    """Return the text below the terminal's tables."""
    return table(runs).split("\n\n")[1:]


SHUFFLED = random.Random(0).sample([str(s.target.value) for s in DIGITS], len(DIGITS))
VERDICTS = {
    "at chance": (
        [("before", ["no idea"] * 106), ("after", ["2"] * 106)],
        r"after is no better than the best constant answer, 15\.1 %, though better than before:"
        r" exactly right 15\.1 % against 0\.0 %",
    ),
    "beats chance": (
        [("before", ["9.5"] * 106), ("after", right(60))],
        "after is better than before: exactly right",
    ),
    "may be luck": (
        [("gpt", right(20, wrong="none"))],
        r"gpt is not shown to be better than the best constant answer, 15\.1 % \(one-sided p = "
        r".*McNemar's exact test\): exactly right 18\.9 %$",
    ),
    "both at chance": (
        [("ce", SHUFFLED), ("ntil", SHUFFLED[::-1])],
        r".*constant answer, 15\.1 %, nor is ce; ntil and ce are tied in this: ",
    ),
}


@pytest.mark.parametrize(("runs", "verdict"), VERDICTS.values(), ids=VERDICTS)
def test_no_verdict_praises_a_model_at_chance(runs, verdict):
    sentence, *warnings = verdicts(*(run(name, texts) for name, texts in runs))
    assert re.match(verdict, sentence), sentence
    if runs[0][1][0] == "no idea":
        assert 'before: 100.0 % of the answers are "no idea", which cannot' in warnings[0]


def test_a_random_guess_is_named_where_it_is_the_better_guesser():
    asked = [Text(word, ("yes", "no")) for word in ["yes", "no"] * 40]
    asked += [Text(word, (word, "other")) for word in map(str, range(40))]
    samples = [replace(s, target=of) for s, of in zip(numbers(range(120)), asked, strict=True)]
    result = compare_with_chance({0: scored(samples, ["yes"] * 120)})["text"]
    assert result.sentence == "no better than a random guess, 50.0 %: exactly right 33.3 %"


def test_a_constant_answer_is_told_apart_from_the_chance_of_the_table():
    """The table said 0.1 %, and the sentence below it named another figure for chance."""
    samples = clocks(4)
    samples = [*samples, *(replace(samples[0], id=f"again{n}") for n in range(6))]
    scores = scored(samples, ["no idea"] * 10)
    assert scores.summaries["time"]["exact"].chance["uniform"] == pytest.approx(1 / 720)
    assert compare_with_chance({0: scores})["time"].sentence == (
        "no better than the best constant answer, 70.0 % (a random guess has 0.1 %): exactly right"
        " 0.0 %"
    )


def test_an_answer_that_is_true_of_one_question_is_no_constant_answer():
    """Four clocks: one is right whatever is said, and guesses are right in one of 720 cases."""
    samples = clocks(4)
    (right, *_) = true_texts(samples)
    result = compare_with_chance({0: scored(samples, [right, *["no"] * 3])})["time"]
    assert (result.guesser, result.is_beaten) == ("uniform", True)
    assert result.test == "exact binomial test"
    assert result.p == pytest.approx(4 / 720, rel=0.01)
    alone = numbers(range(6))  # nothing is known of guesses at sums
    assert compare_with_chance({0: scored(alone, ["9"] * 6)}) == {}


def test_seeds_are_judged_by_their_mean_over_these_items():
    """Student's t over two seeds would take three times chance for luck."""
    side = {seed: scored(DIGITS, right(n)) for seed, n in enumerate((40, 60), start=3)}
    result = compare_with_chance(side)["number"]
    assert result.is_beaten
    assert result.value == pytest.approx(50 / 106)


@pytest.mark.slow
def test_a_model_that_beats_no_label_is_wrong_about_that_in_one_case_of_twenty():
    """Labels are guessed by who knows how frequent they are: no wonder if he seems better."""
    rng = np.random.default_rng(0)
    beaten = 0
    for _ in range(100):
        texts = [str(digit) for digit in rng.choice(10, len(DIGITS))]
        beaten += compare_with_chance({0: scored(DIGITS, texts)})["number"].is_beaten
    assert beaten <= 5


def test_the_constant_answer_is_measured_on_all_questions():
    """It is chosen on a thousand of them, where it looks better than it is."""
    samples = numbers([place % 10 for place in range(3000)])
    result = scored(samples, ["1"] * 3000)
    assert result.summaries["number"]["exact"].chance["constant"] == pytest.approx(0.1)
    assert sum(result.constant_measures["number"]) == 300


def test_every_kind_that_is_at_chance_comes_first(tmp_path):
    samples = [*clocks(60), *DIGITS]
    texts = [clock_texts(clocks(60), 0.9), ["2"] * 106]
    after = run("after", [*texts[0], *texts[1]], samples)
    before = run("before", [*clock_texts(clocks(60), 0.1, seed=1), *["9.5"] * 106], samples)
    result = compare(before.scores, after.scores, names=("before", "after"))
    assert result.short_verdict == (
        "after is not shown to be better than chance at number; against before: better at time on"
        " a 12-hour dial, number"
    )
    page = write_report(tmp_path / "r.html", [before, after]).read_text()
    assert result.short_verdict in page
    assert "after: Number: 100.0 % of the answers are" in page
    values = json_data([before, after])
    by_kind = {one["kind"]: one for one in values["chance"]["after"]}
    assert [by_kind[kind]["beaten"] for kind in ("time", "number")] == [True, False]
    assert by_kind["number"]["guesser"] == "constant"
    assert values["warnings"][-1].startswith("after: Number: 100.0 %")


def test_a_report_of_one_run_says_that_it_is_at_chance(tmp_path):
    page = write_report(tmp_path / "r.html", [run("gpt", ["2"] * 106)]).read_text()
    assert "gpt is no better than the best constant answer, 15.1 %: exactly right 15.1 %." in page
    good = write_report(tmp_path / "g.html", [clock_run("good", 0.9)]).read_text()
    assert "constant answer, " not in good


@pytest.mark.parametrize(
    ("texts", "share"),
    [
        (["2"] * 106, "100.0"),
        (["2"] * 80 + ["3"] * 26, "75.5"),
        (["It is 2."] * 30 + ["2"] * 40 + right(106)[70:], "66.0"),
        (right(106), None),
        (["2"] * 50 + right(106)[50:], None),
    ],
)
def test_one_answer_to_most_questions_is_warned_of(texts, share):
    message = f'{share} % of the answers are "2", which is true of 15.1 %'
    assert repeated_answer_warnings(run("it", texts).scores) == ([message] if share else [])


def test_one_answer_that_is_mostly_right_is_no_fault():
    mostly = [1] * 90 + [2] * 10
    for truths, texts in (
        (mostly, ["1"] * 90 + ["2"] * 10),
        (mostly, ["1"] * 91 + ["2"] * 9),
        ([1, 2, 3], ["1"] * 3),  # may be luck
    ):
        assert repeated_answer_warnings(scored(numbers(truths), texts)) == []
