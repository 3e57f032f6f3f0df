"""Charts: options, reach, and the promises of layout: nothing clipped, nothing written over."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from case_tables import table
from quick import quick

from gnomon.generators import Chart, create
from gnomon.generators.chart import scene as plans
from gnomon.generators.chart import style as styles
from gnomon.generators.chart.chart_questions import QUESTIONS
from gnomon.generators.chart.generator import CHARTS, DEFAULT_CHARTS, LEVELS

SIZES = ((224, 224), (448, 336), (300, 224), (224, 500), (1000, 700))
NAMED = tuple(name for name in CHARTS if name not in DEFAULT_CHARTS)
"""Types that are drawn only if they are named."""


def inside(box, size):
    return min(box) >= 0 and box[2] <= size[0] and box[3] <= size[1]


def cut(one, other):
    """Whether two boxes share a place."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("level", LEVELS)
def test_no_text_is_clipped_or_over_another_and_marks_have_room(level, size):
    for ood, charts, count in ((False, DEFAULT_CHARTS, 25), (True, CHARTS, 25), (False, NAMED, 30)):
        chart = Chart(level=level, size=size, ood=ood, charts=charts)
        for index in range(count):
            facts = chart[index].facts
            boxes = [text["box"] for text in facts["texts"]]
            for box in boxes:
                assert inside(box, size), facts["texts"]
            assert not any(cut(a, b) for a, b in combinations(boxes, 2)), (index, facts)
            room = plans.plot_room(facts["chart"], size)
            left, top, right, bottom = facts["plot"]
            assert right - left >= room.width, (index, facts)
            assert bottom - top >= room.height, (index, facts)
            for mark in facts["marks"]:
                x1, y1, x2, y2 = mark["box"]
                assert inside(mark["box"], size), (index, mark)
                assert x1 < x2, mark
                assert y1 < y2, mark


def test_every_chart_meets_every_question_that_it_can_be_asked():
    met = {chart: set() for chart in DEFAULT_CHARTS}
    for level in LEVELS:
        chart = Chart(level=level)
        for index in range(1500):
            _, plan, question = chart._meaning(index)
            met[plan.chart].add(question.name)
    assert set().union(*met.values()) == set(QUESTIONS)
    assert all({"extreme", "compare", "box"} <= forms for forms in met.values())


@pytest.mark.parametrize("chart", NAMED)
def test_a_type_that_is_named_keeps_the_promises_of_layout(chart):
    """In the smallest picture, whose texts are closest."""
    drawn = Chart(level="medium", size=224, charts=(chart,))
    for index in range(12):
        facts = drawn[index].facts
        texts = [text["box"] for text in facts["texts"]]
        marks = [mark["box"] for mark in facts["marks"]]
        assert all(inside(box, (224, 224)) for box in (*texts, *marks))
        assert not any(cut(a, b) for a, b in combinations(texts, 2)), (index, facts)
        room = plans.plot_room(chart, (224, 224))
        left, top, right, bottom = facts["plot"]
        assert (right - left >= room.width, bottom - top >= room.height) == (True, True)
        mark_cells = {tuple(mark["cell"]) for mark in facts["marks"]}
        assert {row for row, _ in mark_cells} == set(range(len(facts["rows"])))


def test_types_that_are_not_in_the_mix_are_drawn_only_if_they_are_named():
    assert set(NAMED) == {"waterfall", "funnel", "candlestick", "bullet", "treemap", "map"}
    assert Chart().charts == DEFAULT_CHARTS
    assert len(DEFAULT_CHARTS) == 14
    named = Chart(charts=NAMED, level="medium")
    assert {named._meaning(index)[1].chart for index in range(60)} == set(NAMED)


WORN = [{"level": "hard", "degrade": "heavy"}]
EXTREMES = [
    *WORN,
    *({"level": level} for level in LEVELS),
    *({"level": level, "degrade": "light"} for level in LEVELS),
    {"rows": (14, 16), "size": (2000, 2000)},
    {"level": "hard", "series": (4, 4), "size": 224},
    {"series": (4, 4), "size": 224},
    {"level": "hard", "series": (4, 4), "size": 336, "degrade": "heavy"},
    {"level": "medium", "value_labels": 0.0, "near_ties": 1.0},
    {"level": "hard", "value_labels": 0.02, "scales": ("truncated", "log"), "size": 224},
    *({"level": level, "size": 224, "charts": NAMED} for level in LEVELS),
    {"rows": (14, 16), "size": (2000, 2000), "charts": ("candlestick", "map")},
]


@pytest.mark.parametrize("options", quick(EXTREMES, *WORN, EXTREMES[-2]), ids=str)
def test_every_question_of_every_chart_has_samples_whatever_else_is_asked(options):
    every = options.keys() == {"level"}
    choices = Chart(**options, **(Chart.every_question if every else {}))._scopes[0][1]
    for chart, form in ((c, f) for c, forms in choices.items() for f in forms):
        for split in ("train", "val", "test") if every else ("test",):
            one = Chart(**options | {"charts": (chart,), "questions": (form,), "split": split})
            assert len({one.key(index) for index in range(6)}) > 2


@pytest.mark.parametrize("style", [*styles.STYLES.values(), *styles.STYLES_HELD_OUT.values()])
def test_texts_and_marks_stand_out(style):
    for ground in (style.page, style.floor):
        assert styles.ratio(style.ink, ground) >= 4.5
    for palette in (*styles.PALETTES, *styles.PALETTES_HELD_OUT):
        colours = styles.colours_on(palette, style.floor)
        for colour in colours:
            assert styles.ratio(colour, style.floor) >= styles.LEAST_CONTRAST
        assert len(colours) >= 8, "a pie has up to eight parts"
        for one, other in combinations(colours, 2):
            assert styles.colour_distance(one, other) >= styles.APART >= 12, palette


@table(__file__, "ciede2000")
def test_ciede2000_is_as_its_authors_publish_it(row):
    """Sharma, Wu and Dalal (2005), table 1."""
    for one, other in ((row["one"], row["other"]), (row["other"], row["one"])):
        assert styles.ciede2000(one, other) == pytest.approx(row["apart"], abs=5e-5)


@pytest.mark.slow
def test_the_users_matplotlib_settings_change_nothing():
    code = (
        "import hashlib, sys\nimport matplotlib\n"
        "if sys.argv[1] == 'odd':\n"
        "    matplotlib.rcParams.update({'path.simplify_threshold': 1.0, 'path.snap': False,"
        " 'text.hinting': 'no_autohint', 'text.hinting_factor': 2, 'text.antialiased': False,"
        " 'font.family': 'serif', 'hatch.color': 'red', 'hatch.linewidth': 9,"
        " 'lines.antialiased': False, 'patch.antialiased': False, 'axes.unicode_minus': False})\n"
        "from gnomon.generators import create\n"
        "g = create('chart', level='medium', size=224)\n"
        "print(hashlib.sha256(b''.join(g[i].image.tobytes() for i in range(25))).hexdigest())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code, how], capture_output=True, check=True
        ).stdout
        for how in ("odd", "plain")
    }
    assert len(printed) == 1


def test_keys_need_no_matplotlib_and_pictures_no_pyplot():
    code = (
        "import sys\nfrom gnomon.generators import create\ng = create('chart')\n"
        "g.key(0)\nassert 'matplotlib' not in sys.modules\n"
        "g[0]\nassert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def _correlated(one, other):
    return np.corrcoef(one, other)[0, 1] if np.ptp(one) and np.ptp(other) else np.nan


def test_data_have_a_course_over_times_heavy_tails_over_things_and_series_in_common():
    """Of independent draws, neighbours correlate by -0.09, series by 0.00, and tails end at 2.3."""
    chart = Chart(level="hard", charts=("line", "bar", "grouped"), scales=("zero",), missing=0.0)
    neighbours, series, tails = [], [], []
    for index in range(600):
        plan = chart._meaning(index)[1]
        columns = np.array(plan.cells, float).T
        if plan.frame.ordered:
            neighbours += [_correlated(one[:-1], one[1:]) for one in columns]
        else:
            tails += [one.max() / np.median(one) for one in columns]
        if len(columns) > 1:
            series.append(_correlated(columns[0], columns[1]))
    assert np.nanmean(neighbours) > 0.35
    assert np.nanmean(series) > 0.5
    assert np.quantile(tails, 0.9) > 3
    assert np.quantile(tails, 0.1) < 1.6


def test_nothing_is_asked_of_a_missing_value_and_it_has_no_mark():
    chart = Chart(level="hard", charts=("line", "bar", "grouped"), missing=1.0, size=224,
                  questions=("extreme", "retrieve", "sum", "box"))  # fmt: skip
    for index in range(30):
        facts = chart[index].facts
        empty = [[r, c] for r, row in enumerate(facts["cells"]) for c, v in enumerate(row) if not v]
        assert len(empty) == 1
        assert empty[0] not in facts["about"].get("cells", [])
        marked = [mark["cell"] for mark in facts["marks"]]
        assert len(marked) == len(facts["rows"]) * len(facts["columns"]) - 1
        assert empty[0] not in marked
    assert not any(plan.missing for plan in (Chart()._meaning(i)[1] for i in range(100)))


@pytest.mark.parametrize(
    "charts", [("bar", "barh", "histogram"), ("grouped", "line"), ("scatter",)]
)
def test_lists_of_marks_have_every_length_and_are_often_empty(charts):
    """A series that is not there, or a limit that nothing reaches."""
    chart = Chart(charts=charts, questions=("boxes",), level="medium")
    questions = [chart._meaning(index)[2].about for index in range(300)]
    lengths = Counter(len(about["cells"]) for about in questions)
    assert 0.1 < lengths[0] / 300 < 0.5
    assert len(lengths) > 4
    words = {about["words"] for about in questions}
    assert words == {"marks_beyond"} | ({"marks_of"} if charts[0] == "grouped" else set())


def test_near_ties_can_be_seen():
    chart = Chart(near_ties=1.0, charts=("bar", "line"), questions=("extreme",), level="medium")
    close = 0
    for index in range(60):
        facts = chart[index].facts
        heights = sorted(m["at"][1] for m in facts["marks"] if m["cell"][1] == 0)
        gap = heights[1] - heights[0]
        top = facts["about"] == {"column": 0, "which": "highest"}
        assert not top or facts["labelled"] or gap >= 2
        close += gap < 0.1 * (facts["plot"][3] - facts["plot"][1])
    assert close > 40


def test_options_that_no_table_meets_are_named_with_the_way_out():
    """That none has room for its values is seen only when tables are tried."""
    crowded = create("chart", size=224, questions=["table"], rows=[9, 14])
    with pytest.raises(ValueError, match=r"rows=\[9, 14\].*\['table'\]; give a larger size, fewer"):
        crowded[0]


def test_a_pair_of_numbers_and_a_number_are_sizes():
    assert create("chart", size=224)[0].image.size == (224, 224)
    assert create("chart", size=[320, 240])[0].image.size == (320, 240)
    several = create("chart", size=[[320, 240], [240, 300]])
    assert {several[i].image.size for i in range(12)} == {(320, 240), (240, 300)}
    with pytest.raises(ValueError, match="size"):
        create("chart", size=[[320, 240], [100, 300]])
    assert dataclasses.replace(Chart(), size=(500, 250))[0].image.size == (500, 250)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(224, 224), (448, 336)], ids=str)
def test_no_point_hides_another_or_its_letter(size):
    for level in LEVELS:
        chart = Chart(charts=("scatter", "bubble"), level=level, size=size)
        for index in range(40):
            facts = chart[index].facts
            marks = [mark["box"] for mark in facts["marks"]]
            assert not any(cut(a, b) for a, b in combinations(marks, 2)), (level, index)
            letters = [text["box"] for text in facts["texts"] if text["role"] == "name"]
            assert sum(cut(a, b) for a in marks for b in letters) == (
                len(letters) if facts["chart"] == "bubble" else 0
            )


@pytest.mark.slow
def test_numbers_have_signs_in_place_of_units_and_rows_dates_and_long_names():
    seen = {level: [Chart(level=level)[i].facts for i in range(120)] for level in LEVELS}
    facts = [one for drawn in seen.values() for one in drawn]
    ticks = " ".join(t["text"] for one in facts for t in one["texts"] if t["role"] != "title")
    for written in (r"\$\d", r"€\d", r"\dk\b", r"\dM\b", r"\d%", r"\d{4}-\d\d-\d\d", r"\d Mar"):
        assert re.search(written, ticks), written
    assert any(len(name) > 12 for one in facts for name in one["rows"])
    for one in facts:  # the unit is on the axis or at its numbers
        if one["chart"] == "bar" and any(t["text"].startswith("€") for t in one["texts"]):
            assert "EUR" in one["units"][0]


def test_people_are_no_older_than_a_hundred():
    ages = {}
    chart = Chart(level="hard", charts=("histogram",), questions=("box",))
    for index in range(400):
        bins = chart._meaning(index)[1].frame.topics[1]
        ages.setdefault(bins.measure, []).append((bins.low, bins.high))
    assert max(high for _, high in ages["age"]) <= 100
    assert min(low for low, _ in ages["height"]) >= 120
