"""Metrics: a table of values by hand or as published, references, and what holds of any values.

Rows of cases/measures.jsonl name a function (`of`), its arguments and its value. Tables are texts.
"""

import inspect
from decimal import Decimal
from importlib import import_module
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from case_tables import table
from hypothesis import given
from hypothesis import strategies as st

from gnomon import answers, names
from gnomon import eval as metrics
from gnomon.answers.base.answer_type import ModelAnswer
from gnomon.answers.boxes.measure import BoxesType
from gnomon.answers.table import measure as points
from gnomon.answers.table.read import read_table
from gnomon.sample import (
    Box,
    Boxes,
    LabelledBox,
    Spot,
    Spots,
    Table,
    target_from_json,
    target_to_json,
)

FUNCTIONS = {
    name: value
    for file in Path(answers.__file__).parent.glob("*/measure.py")
    for module in [import_module(f"gnomon.answers.{file.parent.name}.measure")]
    for name, value in inspect.getmembers(module, inspect.isfunction)
    if not name.startswith("_") and value.__module__ == module.__name__
}
PARTS = {"residual"}
"""Parts of metrics, which no user calls."""
TRUE = Table(("year", "apples", "pears"), (("a", "10", "20"), ("b", "30", "40")))


def argument(value):
    """Turn an argument of a row into what the function takes."""
    if isinstance(value, dict):
        return Decimal(value["decimal"])
    if isinstance(value, str) and "|" in value:
        return read_table(value).value
    return tuple(value) if isinstance(value, list) else value


def near(value):
    if isinstance(value, list):
        return tuple(map(near, value))
    return None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)


@table(__file__, "cases/measures")
def test_a_metric_has_the_value_of_the_table(row):
    value = FUNCTIONS[row["of"]](*map(argument, row["args"]))
    if row["of"] == "rms":
        value = (value.precision, value.recall, value.f1)
    assert value == near(row["value"])
    assert isinstance(value, bool) == isinstance(row["value"], bool)


def test_metrics_are_exactly_the_functions_of_the_answers():
    assert metrics.METRICS.keys() == FUNCTIONS.keys() - PARTS
    for name, place in metrics.METRICS.items():
        assert place == f"{FUNCTIONS[name].__module__}:{name}"
        metric = names.load(metrics.METRICS, name, what="metric", command="gnomon ls metrics")
        assert metric is getattr(metrics, name) is FUNCTIONS[name]
        assert metric.__doc__


TIMES = st.tuples(st.integers(0, 23), st.integers(0, 59), st.none() | st.integers(0, 59))
CORNERS = st.tuples(*[st.floats(-1e3, 1e3)] * 4)
FINITE = st.floats(-1e299, 1e299)


@given(TIMES, TIMES, st.sampled_from([12, 24]))
def test_a_deviation_is_a_distance_on_the_circle(a, b, period):
    apart = metrics.time_deviation(a, b, period)
    assert 0 <= apart <= period * 30
    assert apart == metrics.time_deviation(b, a, period)
    assert apart <= metrics.linear_deviation(a, b, period)
    assert metrics.within(a, b, apart, period)
    assert apart == 0 or not metrics.time_exact(a, b, period)


@pytest.mark.parametrize(("text", "within"), [("45%", True), ("45", True), ("0.45", False)])
def test_a_percent_sign_changes_no_number(text, within):
    assert metrics.number_within(metrics.parse_number(text), 45) is within


@given(CORNERS, CORNERS)
def test_overlap_is_a_share_and_centres_are_never_further_apart_than_corners(a, b):
    assert 0 <= metrics.iou(a, b) <= 1
    assert metrics.iou(a, b) == pytest.approx(metrics.iou(b, a))
    apart = FUNCTIONS["corner_deviation"](a, b)
    assert FUNCTIONS["centre_deviation"](a, b) <= apart + 1e-9
    assert apart == FUNCTIONS["corner_deviation"](b, a)


@given(FINITE, FINITE)
def test_a_symmetric_error_is_symmetric_and_at_most_2(p, t):
    assert 0 <= metrics.symmetric_error(p, t) <= 2 + 1e-9
    assert metrics.symmetric_error(p, t) == metrics.symmetric_error(t, p)


@given(st.integers(-290, 290), st.integers(-290, 290))
def test_orders_of_magnitude_hold_at_any_size(a, b):
    orders = metrics.order_of_magnitude(Decimal(10) ** a, Decimal(10) ** b)
    assert orders == pytest.approx(abs(a - b), abs=1e-9)


@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=2, max_size=20))
def test_r_squared_is_its_equation(pairs):
    p, t = np.array(pairs).T
    spread = ((t - t.mean()) ** 2).sum()
    value = metrics.r_squared(list(p), list(t)).value
    if spread > 1e-6:
        assert value == pytest.approx(1 - ((p - t) ** 2).sum() / spread, rel=1e-6, abs=1e-6)
    with pytest.raises(ValueError, match=f"1 predictions of {len(t)} targets"):
        metrics.r_squared([1], list(t))


def test_a_title_counts_only_where_the_truth_has_one():
    """True tables have none: a model that writes one, as DePlot does, loses nothing by it."""
    titled = read_table("TITLE | Fruit\nyear | apples | pears\na | 10 | 20\nb | 30 | 40").value
    assert (titled, titled.title) == (TRUE, "Fruit")
    assert target_from_json(target_to_json(titled)).title == "Fruit"
    assert "title" not in target_to_json(TRUE)


def test_a_table_of_one_column_has_no_values():
    bare = Table(("x",), (("a",),))
    assert metrics.rms(bare, bare).f1 == 1
    assert metrics.rms(bare, TRUE).f1 == metrics.table_cells(bare, TRUE) == 0


VALUES = st.lists(st.integers(-3, 3), min_size=1, max_size=4)


def column(values):
    return Table(("x", "y"), tuple((f"r{chr(97 + i)}", str(v)) for i, v in enumerate(values)))


@given(VALUES, VALUES)
def test_rnss_is_the_best_of_all_matchings(answer, true):
    def apart(p, t):
        return 1 if p is None or t is None else points._relative_distance(p, t)

    size = max(len(answer), len(true))
    filled = [*answer, *[None] * (size - len(answer))]
    best = min(
        sum(map(apart, filled, order))
        for order in permutations([*true, *[None] * (size - len(true))])
    )
    assert metrics.rnss(column(answer), column(true)) == pytest.approx(1 - best / size)


def edits(a, b):
    """Count edits by Wagner and Fischer's table, a row at a time."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        above, row = row, [i]
        for j, other in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != other)))
    return row[-1]


TEXTS = st.text("abcü ", max_size=20) | st.text("ab", min_size=60, max_size=140)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, min_size=1, max_size=6))
def test_similarity_is_the_share_of_letters_left_alone(first, second):
    shares = [[edits(a, b) / max(len(a), len(b), 1) for b in second] for a in first]
    expected = [[1 - share if share <= 0.5 else 0 for share in row] for row in shares]
    assert np.allclose(points._similarities(first, second), expected)
    assert points._similarity(first[0].upper(), second[0]) == pytest.approx(expected[0][0])


BOXES = st.builds(
    lambda x, y: Box(x, y, x + 10, y + 10), *[st.floats(0, 12, allow_subnormal=False)] * 2
)
SPOTS = st.lists(st.builds(Spot, st.sampled_from("ab"), BOXES), min_size=1, max_size=4).map(
    lambda items: Spots(tuple(items))
)


@given(SPOTS, SPOTS)
def test_spotting_is_the_best_of_all_one_to_one_matchings(answer, true):
    small, large = sorted((answer.items, true.items), key=len)
    most = max(
        sum(
            metrics.spotting(Spots((a,)), Spots((b,))).f1
            for a, b in zip(small, order, strict=False)
        )
        for order in permutations(large)
    )
    result = metrics.spotting(answer, true)
    assert result.precision * len(answer.items) == pytest.approx(most)
    assert result.recall * len(true.items) == pytest.approx(most)
    assert metrics.spotting(true, true).f1 == 1


LABELLED = st.lists(st.builds(LabelledBox, st.sampled_from(["", "a", "A", "b"]), BOXES), max_size=4)
SEVERAL = st.builds(Boxes, LABELLED.map(tuple), st.integers(0, 2))
TRUE_BOXES = st.builds(Boxes, LABELLED.map(tuple))
THRESHOLDS = st.sampled_from([percent / 100 for percent in range(50, 100, 5)])


def most_pairs(answer, true, threshold, labels):
    """Try every order of the longer list: pairs of the best, and its sum of IoU."""
    single = len({item.label.lower() for item in true.items}) < 2

    def overlap(a, b):
        one_name = a.label.lower() == b.label.lower() or not b.label or (single and not a.label)
        value = metrics.iou(a.box.corners, b.box.corners)
        return value if value >= threshold and (one_name or not labels) else None

    rows = [[overlap(a, b) for b in true.items] for a in answer.items]
    if len(answer.items) > len(true.items):
        rows = [list(column) for column in zip(*rows, strict=True)]
    places = range(max(len(answer.items), len(true.items)))
    tries = []
    for order in permutations(places, len(rows)):
        pairs = [row[place] for row, place in zip(rows, order, strict=True)]
        pairs = [value for value in pairs if value is not None]
        tries.append((len(pairs), sum(pairs)))
    return max(tries, default=(0, 0))


@given(SEVERAL, TRUE_BOXES, THRESHOLDS, st.booleans())
def test_detection_is_the_best_of_all_one_to_one_matchings(answer, true, threshold, labels):
    result = metrics.detection(answer, true, threshold, labels=labels)
    given_boxes = len(answer.items) + answer.invalid
    if not given_boxes or not true.items:
        assert result.precision == result.recall == (given_boxes == len(true.items))
        return
    most, _ = most_pairs(answer, true, threshold, labels)
    assert result.precision * given_boxes == pytest.approx(most)
    assert result.recall * len(true.items) == pytest.approx(most)


@given(SEVERAL, TRUE_BOXES)
def test_measures_of_boxes_agree_with_counting(answer, true):
    measures = BoxesType().measures(true, ModelAnswer(answer, ""), 0)
    most, overlap = most_pairs(answer, true, 0.5, labels=True)
    means = [metrics.detection(answer, true, step / 100).f1 for step in range(50, 100, 5)]
    assert measures["f1_50_95"] == pytest.approx(np.mean(means))
    assert measures["f1_50_95"] == metrics.detection_f1(answer, true)
    assert measures["f1"] == metrics.detection(answer, true).f1
    assert measures["count_error"] == metrics.count_error(answer, true)
    assert measures["duplicates"] == metrics.duplicates(answer, true)
    if most:
        assert measures["iou"] * most == pytest.approx(overlap)
        assert measures["centre"] <= measures["corners"] + 1e-9
    else:
        assert not measures.keys() & {"iou", "centre", "corners"}
    assert measures.get("false_alarms") == metrics.false_alarm(answer, true)
    assert measures["exact"] == (
        most == len(true.items) == len(answer.items) and not answer.invalid
    )


@table(__file__, "boxes")
def test_several_boxes_or_none_are_measured(row):
    answer, true = (
        tuple(LabelledBox(label, Box(*corners)) for label, *corners in row[side])
        for side in ("answer", "true")
    )
    answer = ModelAnswer(Boxes(answer, row.get("invalid", 0)), "")
    values = BoxesType().measures(Boxes(true), answer, 0)
    assert {name: values[name] for name in row["measures"]} == pytest.approx(row["measures"])


def test_numpys_numbers_are_measured_as_pythons():
    for number in (np.float64(3.5), np.float32(3.5), 3.5, Decimal("3.5")):
        assert metrics.absolute_error(number, np.int64(4)) == 0.5
        assert not metrics.number_exact(number, 4)


def test_the_order_of_boxes_does_not_matter():
    a, b = LabelledBox("a", Box(0, 5, 9, 9)), LabelledBox("b", Box(3, 0, 9, 9))
    assert Boxes((a, b)) == Boxes((b, a))
    assert Boxes((a, b)).items == (b, a)
    assert hash(Boxes((a, b))) == hash(Boxes((b, a)))
