"""Each answer found again from the facts alone, by other means than the generator's."""

import re
from decimal import Decimal

import numpy as np
import pytest
from PIL import ImageChops
from quick import quick
from solvers import check

from gnomon.generators import Chart
from gnomon.generators.chart import draw as beside
from gnomon.generators.chart import style
from gnomon.generators.chart.chart_questions import QUESTIONS
from gnomon.generators.chart.generator import CHARTS, DEFAULT_CHARTS
from gnomon.generators.rng import Rng

LEVELS = ("easy", "medium", "hard")
NAMED = tuple(name for name in CHARTS if name not in DEFAULT_CHARTS)
ROUNDED = ("retrieve", "difference", "ratio", "sum", "mean", "median")


def places(sample):
    match = re.search(r"(?:[Rr]ound|rounded) to (\d)", sample.question)
    return int(match[1]) if match else 0


def retrieve(sample, facts, about):
    row, column = about["cells"][0]
    assert facts["rows"][row] in sample.question
    if len(facts["columns"]) > 1:
        assert facts["columns"][column] in sample.question
    assert facts["units"][column] in sample.question


def count(sample, facts, about):
    limit = re.search(r"(?:above|below) (-?[\d.]+) ", sample.question)[1]
    assert Decimal(limit) not in {Decimal(row[about["column"]]) for row in facts["cells"]}


def trend(sample, facts, about):
    if about["trend"] == "tendency":
        points = np.array([[float(v) for v in row[:2]] for row in facts["cells"]])
        r = np.corrcoef(points.T)[0, 1]
        holds = {"rise": r > 0.79, "fall": r < -0.79, "neither": abs(r) < 0.21}
        assert holds[sample.target.text]


def box(sample, facts, about):
    row, column = about["cells"][0]
    name = facts["columns"][column] if facts["chart"] == "area" else facts["rows"][row]
    assert name in sample.question


BESIDES = {form.__name__: form for form in (retrieve, count, trend, box)}
"""What must hold besides the answer that tests/generators/chart_solver.py comes to."""


@pytest.mark.parametrize("form", QUESTIONS)
def test_answers_follow_from_the_facts(form):
    trends = set()
    for level in LEVELS:
        chart = Chart(level=level, questions=(form,), size=224)
        for sample in chart[0:30]:
            facts, about = sample.facts, sample.facts["about"]
            assert facts["question"] == form
            check(sample)
            trends.add(about.get("trend"))
            if form in ROUNDED:
                assert -sample.target.value.as_tuple().exponent == places(sample)
            if form in BESIDES:
                BESIDES[form](sample, facts, about)
    assert form != "trend" or trends == {"between", "rises", "tendency"}


@pytest.mark.parametrize("chart", NAMED)
@pytest.mark.parametrize("level", quick(LEVELS, "medium"))
def test_answers_about_types_that_are_named_follow_from_the_facts(chart, level):
    """Of every form that the type allows."""
    drawn = Chart(level=level, charts=(chart,), size=224, **Chart.every_question)
    forms = dict.fromkeys(drawn._scopes[0][1][chart])
    assert {"extreme", "compare", "box"} <= forms.keys()
    for form in forms:
        for sample in Chart(level=level, charts=(chart,), questions=(form,), size=224)[0:6]:
            assert sample.facts["question"] == form
            check(sample)
            if form in BESIDES:
                BESIDES[form](sample, sample.facts, sample.facts["about"])


@pytest.mark.parametrize(
    ("chart", "form", "said", "never"),
    [
        ("scatter", "count", r"have an [aeiou]", r"\ba [aeiou]"),
        ("histogram", "trend", r"from the bin \d+ to \d+ to the bin \d+ to \d+\?", r"from \d"),
        ("candlestick", "retrieve", r"the close of the \w+ price (in|on) ", r"\(close\)"),
        ("bullet", "compare", r" \((actual|target)\)", r"series"),
        ("histogram", "sum", r"in the bins \d+ to \d+(, | and )\d+ to \d+", r"for \d"),
    ],
)
def test_questions_are_worded_as_people_would(chart, form, said, never):
    drawn = Chart(charts=(chart,), questions=(form,), level="medium")
    texts = [drawn[index].question for index in range(40)]
    assert any(re.search(said, text) for text in texts)
    assert not any(re.search(never, text) for text in texts)


@pytest.mark.parametrize("form", ["nth", "peak", "named"])
@pytest.mark.parametrize("level", quick(LEVELS, "medium"))
def test_short_questions_ask_for_a_value_of_charts_with_one_series(form, level):
    asked = set()
    options = {"value_labels": 0.0, "series": (1, 1), "size": 224}
    for sample in Chart(level=level, questions=(form,), **options)[0:60]:
        facts = sample.facts
        check(sample)
        asked.add(facts["chart"])
        assert len(facts["columns"]) == 1
        # Slices without numbers show shares, and have no first.
        if facts["chart"] in ("pie", "ring"):
            assert (facts["units"], form != "nth") == (["%"], True)
    assert asked == {"bar", "barh", "line", *(("pie", "ring") if form != "nth" else ())}


def test_steps_of_a_slice_say_its_share():
    options = {"questions": ("named",), "value_labels": 0.0, "answer": "steps"}
    for sample in Chart(charts=("pie",), **options)[0:20]:
        row = sample.facts["rows"].index(re.search(r"value of (.+)\?", sample.question)[1])
        place = f"slice {row + 1} of {len(sample.facts['rows'])}"
        assert sample.rationale == f"{place}, {sample.target.value} of 100"


@pytest.mark.parametrize("form", ["sum", "mean"])
def test_shares_are_never_added_up_to_the_whole(form):
    """Half of the hard pies asked for 100."""
    shares = 0
    for rows in ((3, 3), (4, 6)):
        chart = Chart(charts=("pie", "ring"), questions=(form,), rows=rows, value_labels=1.0)
        for index in range(20):
            facts = chart[index].facts
            if facts["units"] == ["%"]:
                shares += 1
                assert len(facts["about"]["cells"]) < len(facts["rows"])
    assert shares > 10


@pytest.mark.parametrize("level", quick(LEVELS, "hard"))
def test_what_must_be_read_off_an_axis_says_how_finely(level):
    found = []
    for index in range(100):
        sample = Chart(level=level, questions=("retrieve",))[index]
        facts, target = sample.facts, sample.target
        if facts["labelled"]:
            assert target.within == 0
            continue
        found.append(target.within)
        column = facts["about"]["cells"][0][1]
        axis = facts["across"] if facts["across"] and column == 0 else facts["axis"]
        span = axis["high"] - axis["low"]
        if axis["log"]:
            assert float(target.within) <= 0.1 * float(target.value) + 1
        else:
            pixels = max(facts["plot"][2] - facts["plot"][0], facts["plot"][3] - facts["plot"][1])
            # Within half a pixel only where the smallest unit is several pixels high.
            unit = pixels / span * 10 ** -places(sample)
            assert target.within > 0 or unit >= 6
            assert float(target.within) <= 0.12 * span
    assert len(set(found)) > 3


def test_a_bar_that_stands_on_another_is_read_at_both_of_its_ends():
    chart = Chart(charts=("waterfall",), value_labels=0.0, questions=("retrieve",))
    for index in range(10):
        plan = chart._meaning(index)[1]
        first, *others = (plan.error((row, 0)) for row in range(len(plan.cells)))
        assert set(others) == {2 * first}


def test_a_number_in_a_table_beside_the_chart_is_not_the_charts():
    """No other cell has it, it is too far off to be misread, and all else stands in the table."""
    look = style.random_look(Rng("a"), names=["open"], palettes=["tab10"], fonts=["sans"])
    for level in LEVELS:
        chart = Chart(level=level, questions=("mismatch",), size=224)
        for index in range(8):
            sample, (_, plan, asked) = chart[index], chart._meaning(index)
            assert len(sample.images) == 2
            ((row, column),) = asked.about["cells"]
            written = sample.facts["cells"]
            told, true = sample.target.value, Decimal(written[row][column])
            assert told.as_tuple().exponent == true.as_tuple().exponent
            assert told not in {Decimal(number) for one in written for number in one}
            error = plan.error((row, column))
            assert abs(told - true) > 4 * Decimal(error).scaleb(true.as_tuple().exponent)
            wrong = beside.table_picture(plan, asked.about, look)
            right = beside.table_picture(
                plan, {**asked.about, "instead": plan.value((row, column))}, look
            )
            if wrong.size == right.size:
                *_, top, _, bottom = ImageChops.difference(wrong, right).getbbox()
                line = row + 1 + any(plan.frame.columns)
                assert 24 * line < top < bottom < 24 * (line + 1)
    assert chart.has_several_pictures
    assert not Chart().has_several_pictures
