"""Texts, spots and tables: read, measured, summed up, and carried by JSON."""

import json
from decimal import Decimal
from itertools import permutations

import pytest
from eval_toys import said
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from gnomon.dialect import Dialect
from gnomon.eval import score
from gnomon.eval.metrics import spotting, table_cells
from gnomon.eval.parse.tables import read_table
from gnomon.eval.parse.texts import read_text
from gnomon.eval.scored import Scores
from gnomon.sample import Box, Number, Sample, Spot, Spots, Table, Text

CHOICES = ("left", "lower left", "right", "valid", "invalid")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It is LEFT.", "left"),
        ("the lower left one", "lower left"),
        ("Invalid!", "invalid"),
        ("not left but right", "right"),
        ("leftmost", None),
        ("", None),
    ],
)
def test_a_choice_is_read_as_whole_words(text, value):
    found = read_text(text, choices=CHOICES)
    assert (found.value if found else None) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"Exit 9".', "Exit 9"),
        ("**Exit  9**", "Exit 9"),
        ("It says so above.\nAnswer: 'Exit 9'", "Exit 9"),
        ("Dr. No.", "Dr. No"),
        (" \n", None),
        ("Answer:", None),
    ],
)
def test_a_free_text_is_all_that_is_said(text, value):
    found = read_text(text)
    assert (found.value if found else None) == value


@given(st.text())
def test_any_text_is_read_without_an_error(text):
    read_text(text)
    read_text(text, choices=CHOICES)
    read_table(text)


TABLE = Table(("Year", "Sales", "Cost"), (("2019", "10", "4"), ("2020", "20", "8")))


@pytest.mark.parametrize(
    "text",
    [
        "Year | Sales | Cost\n2019 | 10 | 4\n2020 | 20 | 8",
        "| Year | Sales | Cost |\n|---|:-:|--:|\n| 2019 | 10 | 4 |\n| 2020 | 20 | 8 |",
        "Year | Sales | Cost <0x0A> 2019 | 10 | 4 <0x0A> 2020 | 20 | 8",
        "Here it is:\n```\nYear | Sales | Cost\n2019 | 10 | 4\n2020 | 20 | 8\n```",
    ],
)
def test_tables_are_read_in_every_common_form(text):
    assert read_table(text).value == TABLE


def test_cells_are_found_wherever_row_and_column_stand():
    turned = Table(("year", "Cost", "Sales"), (("2020", "8.3", "19"), ("2019", "x", "10.2")))
    assert table_cells(turned, TABLE) == 0.75
    assert table_cells(TABLE, TABLE) == 1
    assert table_cells(Table(("Other",), (("1",),)), TABLE) == 0


boxes = st.builds(
    lambda x, y: Box(x, y, x + 10, y + 10), *[st.floats(0, 12, allow_subnormal=False)] * 2
)
spots = st.lists(st.builds(Spot, st.sampled_from("ab"), boxes), min_size=1, max_size=4).map(
    lambda items: Spots(tuple(items))
)


@given(spots, spots)
def test_spotting_is_the_best_of_all_one_to_one_matchings(said_spots, true):
    small, large = sorted((said_spots.items, true.items), key=len)
    most = max(
        sum(spotting(Spots((a,)), Spots((b,))).f1 for a, b in zip(small, order, strict=False))
        for order in permutations(large)
    )
    found = spotting(said_spots, true)
    assert found.precision * len(said_spots.items) == pytest.approx(most)
    assert found.recall * len(true.items) == pytest.approx(most)
    assert spotting(true, true).f1 == 1


def test_a_reading_is_right_as_far_as_the_scale_can_be_read():
    asked = [Sample("a", None, "How much?", Number(Decimal(40), "bar", within=Decimal("0.5")))]
    for text, right in [("40.5 bar", True), ("40.6", False), ("39.5", True), ("", False)]:
        scores = score(said(asked, [text]), asked)
        assert scores.items[0].correct is right
        assert scores.estimate("reading", "accepted").value == right


def test_all_kinds_are_scored_together_and_survive_json():
    picture = Image.new("RGB", (100, 100))
    spotted = Spots((Spot("EXIT", Box(10, 10, 50, 30)), Spot("9", Box(60, 60, 90, 90))))
    samples = [
        Sample("verdict", None, "Valid?", Text("invalid", ("valid", "invalid"))),
        Sample("word", picture, "Which word?", Text("EXIT")),
        Sample("spots", picture, "All texts?", spotted),
        Sample("table", picture, "The table?", TABLE),
        Sample("gauge", picture, "How much?", Number(Decimal(40))),
    ]
    texts = [
        "It is invalid.",
        "exit",
        Dialect().write(spotted.scaled((100, 100), (50, 50)), (50, 50)),
        Dialect().write(TABLE),
    ]
    scores = score(said(samples, [*texts, "none"], size=(50, 50)), samples)
    for kind, name in [("text", "exact"), ("spots", "f1"), ("table", "cells")]:
        assert scores.estimate(kind, name).value == 1
    assert scores.summaries["number"].unread == 1
    assert Scores.from_json(json.loads(json.dumps(scores.to_json()))) == scores
