"""The contract of every type of answer: read back in every dialect, and never paid for silence."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from target_strategies import boxes_in, times

from gnomon import dialect
from gnomon.answers.base.answer_type import ModelAnswer
from gnomon.answers.number.answer import NumberForm
from gnomon.answers.number.measure import Turn
from gnomon.answers.registry import TYPES
from gnomon.eval.scoring.metrics import greater_is_better, type_name_of
from gnomon.sample import (
    Box,
    Boxes,
    LabelledBox,
    Number,
    Spot,
    Spots,
    Table,
    Text,
    Time,
    Unreadable,
)

SIZE = (640, 480)
LONG = "The hands are long and thin, and the picture is a little blurred. " * 40
PROSE = [
    "{}",
    " {}\n",
    "It is {}.",
    "I think it is {}, but look again.",
    "**{}**",
    "Answer: {}",
    "The dial has marks at 3, 6 and 9, and so on.\nAnswer: {}",
    LONG + "\nAnswer: {}",
    "It is {}. " + LONG,
]
OF_LISTS = ["{}", "Let me see.\nAnswer: {}", "Answer:\n{}\n", LONG + "\nAnswer: {}"]
"""Where the whole text is the answer: free texts, spots and tables."""
OF_TABLES = [*OF_LISTS, "Here it is:\n\n{}\n\nThat is all."]
CHOICES = ("left", "lower left", "right", "yes", "no", "Q3 2020")
PHRASES = st.lists(
    st.text("abcdefgXYZ0123456789äß€-", min_size=1, max_size=8), min_size=1, max_size=3
).map(" ".join)


BOXES = boxes_in(SIZE, least=4)
DECIMALS = st.decimals(-(10**12), 10**12, places=3, allow_nan=False)
TURNS = st.integers(0, 99).map(lambda tenths: Decimal(tenths) / 10)
NATURALS = st.integers(0, 10**6 - 1).map(Decimal)
UNITS = st.sampled_from(["", "kg", "%", "°C", "m", "M€", "million", "k", "bar", "degrees"])
SPOTS = st.lists(st.builds(Spot, PHRASES, BOXES), min_size=1, max_size=4).map(
    lambda items: Spots(tuple(items))
)
NAMES = PHRASES.filter(lambda name: re.search("[a-zA-Z]", name))
# Without a label of its own, a box that rounds to the place of another could be either.
SEVERAL = st.one_of(
    st.lists(st.builds(LabelledBox, NAMES, BOXES), max_size=4, unique_by=lambda item: item.label),
    st.lists(st.builds(LabelledBox, st.just(""), BOXES), max_size=1),
).map(lambda items: Boxes(tuple(items)))
CELLS = PHRASES.filter(lambda cell: "--" not in cell)  # a row of them is Markdown's rule
TABLES = st.integers(2, 4).flatmap(
    lambda columns: st.builds(
        lambda rows: Table(tuple(rows[0]), tuple(map(tuple, rows[1:]))),
        st.lists(st.lists(CELLS, min_size=columns, max_size=columns), min_size=2, max_size=4),
    )
)
TARGETS = {
    "time": (times([12]), PROSE),
    "time24": (times([24]), PROSE),
    "number": (st.builds(Number, DECIMALS, UNITS), PROSE),
    "reading": (st.builds(Number, DECIMALS, UNITS, st.just(Decimal("0.5"))), PROSE),
    "cyclic": (TURNS.map(lambda value: Number(value, "", Decimal("0.1"), Decimal(10))), PROSE),
    "counter": (
        st.builds(Number, NATURALS, UNITS, st.just(Decimal(0)), st.just(Decimal(0)), st.just(6)),
        PROSE,
    ),
    "box": (BOXES, PROSE),
    "boxes": (SEVERAL, OF_LISTS),
    "choice": (st.builds(Text, st.sampled_from(CHOICES), st.just(CHOICES)), PROSE),
    "text": (PHRASES.map(Text), OF_LISTS),
    "spots": (SPOTS, OF_LISTS),
    "table": (TABLES, OF_TABLES),
    "unreadable": (
        st.builds(Unreadable, st.builds(NumberForm, UNITS)),
        ["{}", "It is {}.", "**{}**", LONG + "\nAnswer: {}"],
    ),
}
QUICK = ("time", "number", "choice")


IN_EVERY_DIALECT = [
    pytest.param(
        *(name, dialect.create(spoken)),
        marks=[] if name in QUICK else [pytest.mark.slow],
        id=f"{name}-{spoken}",
    )
    for name in TARGETS
    for spoken in sorted(dialect.DIALECTS)
]


def comparable(target, value, spoken):
    """Value of a reading, or of the truth, up to what the dialect rounds."""
    limit = max(spoken.precision(SIZE)) + 1e-6
    if isinstance(target, Box):
        return pytest.approx(value, abs=limit)
    if isinstance(target, Time):
        return value[0] % target.hours, *value[1:]
    if isinstance(target, Boxes):
        return {item.label: pytest.approx(item.box.corners, abs=limit) for item in value.items}
    if isinstance(target, Spots):
        return [(spot.text, pytest.approx(spot.box.corners, abs=limit)) for spot in value.items]
    return value


@pytest.mark.parametrize(("name", "spoken"), IN_EVERY_DIALECT)
@given(data=st.data())
def test_what_a_dialect_writes_is_read_back(name, spoken, data):
    targets, prose = TARGETS[name]
    target = data.draw(targets)
    text = data.draw(st.sampled_from(prose)).format(spoken.write(target, SIZE))
    answer_type = TYPES[target.type_name]
    value = answer_type.read(
        text, target.answer_form, which="last", dialect=spoken, size=SIZE
    ).value
    truth = comparable(target, answer_type.value_of(target), spoken)
    if isinstance(target, Boxes):
        value = {item.label: item.box.corners for item in value.items}
    elif isinstance(target, Spots):
        value = [(spot.text, spot.box.corners) for spot in value.items]
    elif isinstance(target, Time):
        value = comparable(target, value, spoken)
    assert value == truth


HMS = st.tuples(st.integers(0, 23), st.integers(0, 59), st.none() | st.integers(0, 59))
VALUES = {
    "time": HMS,
    "time24": HMS,
    "number": DECIMALS,
    "reading": DECIMALS,
    "cyclic": TURNS.map(lambda value: Turn(value, Decimal(10))),
    "counter": DECIMALS,
    "box": st.tuples(*[st.floats(-50, 700)] * 4),
    "boxes": SEVERAL,
    "text": PHRASES,
    "spots": SPOTS,
    "table": TABLES,
    "unreadable": PHRASES,
}


def measured(kind, truth, value, cost):
    answer = ModelAnswer(value, "" if value is None else str(value))
    return kind.measures(truth, answer, cost) | kind.measures_without_chance(truth, value, SIZE)


@pytest.mark.parametrize("name", TYPES)
@given(data=st.data())
def test_in_no_measure_is_an_unread_answer_better_than_one_that_was_read(name, data):
    kind = TYPES[name]
    truths = data.draw(st.lists(TARGETS[name][0], min_size=1, max_size=4))
    value = data.draw(VALUES[name] | st.just(kind.value_of(truths[0])))
    counted = [metric for metric in kind.metrics if metric.among == "all" and metric.better]
    for truth, cost in zip(truths, kind.costs(truths), strict=True):
        unread, reading = (measured(kind, truth, answer, cost) for answer in (None, value))
        for metric in counted:
            worse, better = unread[metric.key], reading[metric.key]
            assert worse <= better if metric.better == "higher" else worse >= better, metric.name
        assert kind.credit(unread, truth) <= kind.credit(reading, truth)


@pytest.mark.parametrize("name", TYPES)
def test_metrics_have_directions_and_the_first_counts_every_answer(name):
    metrics = TYPES[name].metrics
    assert metrics[0].among == "all"
    assert metrics[0].statistic in ("share", "mean")
    for metric in metrics:
        if metric.headline:
            assert greater_is_better(f"{name}_{metric.name}") is (metric.better == "higher")
            assert metric.better
            assert type_name_of(f"{name}_{metric.name}") == name
