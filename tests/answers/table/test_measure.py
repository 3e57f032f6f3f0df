"""Deviations of boxes, symmetric errors, R² and DePlot's table metrics, at their edges."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.answers.box.measure import centre_deviation, corner_deviation, diagonal_share
from gnomon.answers.number.measure import order_of_magnitude, r_squared, symmetric_error
from gnomon.answers.table import measure as points
from gnomon.answers.table.measure import rms, rnss, table_cells
from gnomon.answers.table.read import read_table
from gnomon.sample import Table, target_from_json, target_to_json

CORNERS = st.tuples(*[st.floats(-1e3, 1e3)] * 4)
FINITE = st.floats(-1e299, 1e299)


def test_a_box_that_is_moved_is_as_far_off_as_it_was_moved():
    here, there = (0, 0, 10, 20), (3, 4, 13, 24)
    assert centre_deviation(there, here) == corner_deviation(there, here) == 5
    assert diagonal_share(5, (30, 40)) == 0.1


def test_a_box_that_has_grown_keeps_its_centre_and_not_its_corners():
    assert centre_deviation((-3, -4, 13, 24), (0, 0, 10, 20)) == 0
    assert corner_deviation((-3, -4, 13, 24), (0, 0, 10, 20)) == 5


def test_swapped_and_degenerate_boxes_are_measured_as_they_are():
    assert centre_deviation((10, 20, 0, 0), (0, 0, 10, 20)) == 0
    assert corner_deviation((10, 20, 0, 0), (0, 0, 10, 20)) == math.hypot(10, 20)
    assert centre_deviation((5, 5, 5, 5), (0, 0, 10, 20)) == 5


@given(CORNERS, CORNERS)
def test_the_centre_is_never_further_off_than_the_corners(a, b):
    assert centre_deviation(a, b) <= corner_deviation(a, b) + 1e-9
    assert corner_deviation(a, b) == corner_deviation(b, a)


@pytest.mark.parametrize(
    ("prediction", "target", "error"),
    [(0, 0, 0), (1, 0, 2), (0, 1, 2), (-1, 1, 2), (3, 1, 1), (1, 3, 1), (Decimal("0.1"), 0.1, 0)],
)
def test_symmetric_errors(prediction, target, error):
    assert symmetric_error(prediction, target) == error


@given(FINITE, FINITE)
def test_a_symmetric_error_is_symmetric_and_at_most_2(p, t):
    assert 0 <= symmetric_error(p, t) <= 2 + 1e-9
    assert symmetric_error(p, t) == symmetric_error(t, p)


@pytest.mark.parametrize(
    ("prediction", "target", "orders"),
    [(10, 1, 1), (1, 10, 1), (-0.5, -50, 2), (7, 7, 0), (0, 1, None), (1, 0, None), (-1, 1, None)],
)
def test_orders_of_magnitude(prediction, target, orders):
    found = order_of_magnitude(prediction, target)
    assert found == (None if orders is None else pytest.approx(orders))


@given(st.integers(-290, 290), st.integers(-290, 290))
def test_orders_of_magnitude_hold_at_any_size(a, b):
    found = order_of_magnitude(Decimal(10) ** a, Decimal(10) ** b)
    assert found == pytest.approx(abs(a - b), abs=1e-9)


def test_r_squared_counts_what_it_drops():
    assert r_squared([1, None, 3, None], [1, 2, 3, 4]) == (1, 2, 2)
    assert r_squared([2, 2, 2], [1, 2, 3]) == (0, 3, 0)
    assert r_squared([3, 2, 1], [1, 2, 3]).value == pytest.approx(-3)
    assert r_squared([1, 2], [5, 5]) == (None, 2, 0)
    assert r_squared([None], [5]) == (None, 0, 1)
    assert r_squared([], []) == (None, 0, 0)
    assert r_squared([1e299, 2e299], [1e299, 2e299]).value == 1
    with pytest.raises(ValueError, match="1 predictions of 2 targets"):
        r_squared([1], [1, 2])


@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=2, max_size=20))
def test_r_squared_is_its_equation(pairs):
    p, t = np.array(pairs).T
    spread = ((t - t.mean()) ** 2).sum()
    found = r_squared(list(p), list(t)).value
    if spread > 1e-6:
        assert found == pytest.approx(1 - ((p - t) ** 2).sum() / spread, rel=1e-6, abs=1e-6)


def table(*rows):
    return Table(tuple(rows[0].split()), tuple(tuple(row.split()) for row in rows[1:]))


TRUE = table("year apples pears", "a 10 20", "b 30 40")


def test_a_table_is_itself_in_any_order_and_on_its_side():
    shuffled = table("year pears apples", "b 40 30", "a 20 10")
    turned = table("fruit a b", "apples 10 30", "pears 20 40")
    for same in (TRUE, shuffled, turned):
        found = rms(same, TRUE)
        assert (found.precision, found.recall, found.f1) == (1, 1, 1)
        assert rnss(same, TRUE) == 1


def test_half_a_table_is_half_recalled():
    found = rms(table("year apples pears", "a 10 20"), TRUE)
    assert (found.precision, found.recall) == (1, 0.5)


def test_values_count_up_to_a_tenth():
    assert rms(table("x y", "a 105"), table("x y", "a 100")).f1 == pytest.approx(0.95)
    assert rms(table("x y", "a 111"), table("x y", "a 100")).f1 == 0
    assert rms(table("x y", "a 1,000"), table("x y", "a 1000")).f1 == 1
    assert rms(table("x y", "a red"), table("x y", "a Red")).f1 == 1


def test_keys_count_as_far_as_they_are_alike():
    near = rms(table("x y", "abcd 1"), table("x y", "abce 1")).f1
    assert near == pytest.approx(1 - 1 / 6)
    assert rms(table("x y", "pqrs 1"), table("x y", "abce 1")).f1 == 0


PUBLISHED = {
    # DePlot's own metrics_test.py: 1 for the title, 0.99 for 202 instead of 200, none for 158.
    (
        "title | my table\nyear | argentina | brazil\n1999 | 200 | 158",
        "title | my table\nyear | argentina | brazil\n1999 | 202 | 0",
    ): (1.99 / 3, 1.99 / 3, 1.99 / 3),
    (
        "title | my table\ncountry | 1999\nargentina | 200\nbrazil | 158",
        "title | my table\nyear | argentina | brazil\n1999 | 202 | 0",
    ): (1.99 / 3, 1.99 / 3, 1.99 / 3),
    # Printed by its metrics.py for these tables: a title that is off and a key that is,
    # a key off by exactly half, a row too many, and a title that is not said.
    (
        "title | costs of north\nkey | beta | south\nincome | 56 | 6.4",
        "title | costs of north x\nkey | beta | south\nincomy | 56 | 6.0",
    ): (0.8811553030303031,) * 3,
    ("key | east\n2019 | 6.9", "kez | 2019\nalpha | 7.57"): (0.4514492753623188,) * 3,
    (
        "title | a b\nk | x\np | 1\nq | 2",
        "title | a b\nk | x\np | 1\nq | 2\nr | 3",
    ): (0.75, 1.0, 6 / 7),
    ("title | a b\nk | x\np | 1\nq | 2", "k | x\np | 1\nq | 2"): (1.0, 2 / 3, 0.8),
}
"""The true table and the answer, with precision, recall and F1."""


@pytest.mark.parametrize(("texts", "figures"), PUBLISHED.items())
def test_rms_has_the_figures_of_deplots_own_code(texts, figures):
    true, said_ = (read_table(text).value for text in texts)
    found = rms(said_, true)
    assert (found.precision, found.recall, found.f1) == pytest.approx(figures, abs=1e-12)


def test_a_title_counts_only_where_the_truth_has_one():
    """Charts' tables have none: a model that writes one, as DePlot does, loses nothing by it."""
    said_ = read_table("TITLE | Fruit\nyear | apples | pears\na | 10 | 20\nb | 30 | 40").value
    assert said_.title == "Fruit"
    assert rms(said_, TRUE).f1 == table_cells(said_, TRUE) == 1
    assert said_ == TRUE
    again = target_from_json(json.loads(json.dumps(target_to_json(said_))))
    assert again.title == "Fruit"
    assert "title" not in target_to_json(TRUE)


def test_a_row_that_is_said_twice_counts_twice():
    """DePlot's metrics.py keeps the last of them, so that repetition costs nothing."""
    twice = table("year apples pears", "a 10 20", "a 10 20", "b 30 40")
    found = rms(twice, TRUE)
    assert (found.precision, found.recall) == (4 / 6, 1)


def test_a_true_nought_is_met_by_nought_alone():
    """DePlot's metrics.py gives the distance 1 to 0 and the distance 0 to anything else."""
    assert rnss(table("x y", "a 0"), table("x y", "a 0.0")) == 1
    assert rnss(table("x y", "a 5"), table("x y", "a 0")) == 0
    assert rms(table("x y", "a 0"), table("x y", "a 0.0")).f1 == 1
    assert rms(table("x y", "a 5"), table("x y", "a 0")).f1 == 0


def test_numbers_that_are_missing_or_made_up_are_wrong():
    """In DePlot's metrics.py one right number of four gives 1, for the others cost nothing."""
    one = table("year apples", "a 10")
    assert rnss(one, TRUE) == 0.25
    assert rnss(TRUE, one) == 0.25
    words = table("x y", "a b")
    assert rnss(words, words) == 1
    assert rnss(words, TRUE) == 0
    bare = Table(("x",), (("a",),))
    assert rms(bare, bare).f1 == 1
    assert rms(bare, TRUE).f1 == 0


def test_a_cell_that_is_missing_is_met_by_a_missing_one_alone():
    gap = table("year apples pears", "a 10 -", "b 30 40")
    assert table_cells(gap, TRUE) == table_cells(TRUE, gap) == 0.75
    assert table_cells(gap, gap) == 1
    assert rms(gap, gap).f1 == 1
    assert rms(gap, TRUE).f1 == rms(TRUE, gap).f1 == 0.75
    assert rnss(gap, TRUE) == 0.75


VALUES = st.lists(st.integers(-3, 3), min_size=1, max_size=4)


def column(values):
    return Table(("x", "y"), tuple((f"r{chr(97 + i)}", str(v)) for i, v in enumerate(values)))


@given(VALUES, VALUES)
def test_rnss_is_the_best_of_all_matchings(said_, true):
    def apart(p, t):
        if p is None or t is None:
            return 1
        return points._relative_distance(p, t)

    size = max(len(said_), len(true))
    filled = [*said_, *[None] * (size - len(said_))]
    best = min(
        sum(map(apart, filled, order))
        for order in permutations([*true, *[None] * (size - len(true))])
    )
    assert rnss(column(said_), column(true)) == pytest.approx(1 - best / size)


def by_definition(a, b):
    """Wagner and Fischer's table, a row at a time."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        above, row = row, [i]
        for j, other in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != other)))
    return row[-1]


TEXTS = st.text("abcü ", max_size=20) | st.text("ab", min_size=60, max_size=140)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, min_size=1, max_size=6))
def test_similarity_is_the_share_of_letters_left_alone(first, second):
    shares = [[by_definition(a, b) / max(len(a), len(b), 1) for b in second] for a in first]
    expected = [[1 - share if share <= 0.5 else 0 for share in row] for row in shares]
    assert np.allclose(points._similarities(first, second), expected)
    assert points._similarity(first[0].upper(), second[0]) == pytest.approx(expected[0][0])
