"""Patterns for guided decoding: they match what is written, and what they match is read."""

import json
import re
from decimal import Decimal

import pytest
from case_tables import table
from command_toys import gnomon
from hypothesis import given
from hypothesis import strategies as st
from target_strategies import boxes_in, decimals, sizes, texts, times, units

from gnomon import dialect
from gnomon.answers.registry import COLUMN_TARGETS, TARGETS
from gnomon.recipe import Columns
from gnomon.sample import Box, Boxes, LabelledBox, Number

naturals = st.decimals(0, 999, places=2)
numbers = st.one_of(
    st.builds(Number, decimals, units),
    st.builds(Number, naturals, units, digits=st.integers(3, 6)),
    st.builds(Number, naturals, units, cycle=st.just(Decimal(1000))),
)
QUICK = ("plain", "qwen2-vl", "qwen2.5-vl")
SPOKEN = [
    pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow])
    for name in sorted(dialect.DIALECTS)
]


@given(target=st.one_of(times(), numbers, texts()), data=st.data())
def test_a_pattern_matches_what_is_written_and_what_it_matches_is_read(target, data):
    form = target.answer_form
    pattern = form.pattern(dialect.create("plain"))
    if pattern is None:
        assert not form.possible_answers()
        return
    assert re.fullmatch(pattern, target.write())
    match = data.draw(st.from_regex(pattern, fullmatch=True))
    try:
        reading = form.read_back(match)
    except ValueError as error:  # a counter's figures are no longer than it
        pytest.fail(str(error))
    assert reading is not None, match
    assert reading.type_name == target.type_name


@pytest.mark.parametrize("name", SPOKEN)
@given(data=st.data())
def test_a_pattern_of_boxes_matches_what_a_dialect_writes(name, data):
    spoken = dialect.create(name)
    size = data.draw(sizes)
    boxes = boxes_in(size, least=4 * max(spoken.precision(size)) + 1)
    labels = st.sampled_from(["", "mug", "red mug 2", "Tasse, groß"])
    several = st.lists(st.builds(LabelledBox, labels, boxes), max_size=4).map(tuple)
    target = data.draw(boxes | st.builds(Boxes, several))
    text = spoken.write(target, size)
    pattern = target.answer_form.pattern(spoken)
    assert re.fullmatch(pattern, text)
    schema = spoken.box_schema if isinstance(target, Box) else spoken.list_schema
    if isinstance(target, Box):
        # Special tokens may be missing, as where a server leaves them out.
        plain = re.sub(r"<\|\w+\|>|</?box>", "", text)
        assert re.fullmatch(pattern, plain)
        assert spoken.read(plain, size, like=target) == spoken.read(text, size, like=target)
    else:
        assert (schema is None) == (not spoken.key)
    if schema is not None:
        jsonschema = pytest.importorskip("jsonschema")
        jsonschema.validate(json.loads(text), schema)


@pytest.mark.parametrize("name", SPOKEN)
@given(data=st.data())
def test_a_box_that_matches_is_read_if_its_corners_are_in_order(name, data):
    spoken = dialect.create(name)
    match = data.draw(st.from_regex(spoken.box_regex, fullmatch=True))
    a, b, c, d = map(
        float, re.findall(r"[0-9.]+", match.replace("box_2d", "").replace("bbox_2d", ""))
    )
    size, far = (640, 640), spoken.far or 640
    is_box = 0 <= a < c <= far and 0 <= b < d <= far
    assert (spoken.read_box(match, size) is not None) == is_box


@pytest.mark.parametrize("name", COLUMN_TARGETS)
def test_every_type_that_a_column_holds_has_a_pattern_or_says_what_is_missing(name, capsys):
    words = ["columns.choices=[open, closed (1)]"] if name == "text" else []
    assert gnomon("ls", "answers", name, *words, "--pattern") == 0
    pattern = capsys.readouterr().out.strip()
    columns = Columns(kind=name, choices=("open", "closed (1)") if words else None)
    form = TARGETS[name].form_of_labels(columns)
    assert pattern == form.pattern(dialect.create("plain"))
    # Of the syntax that Rust's engine and xgrammar share with Python.
    assert not re.search(r"\\[a-zA-Z ]|\(\?", pattern)


@table(__file__, "patterns")
def test_keys_of_a_column_and_a_family_say_the_pattern_or_what_is_missing(row, capsys):
    code = gnomon("ls", *row["words"].split())
    out, err = capsys.readouterr()
    if "pattern" in row:
        assert (code, out.strip()) == (0, row["pattern"])
    else:
        assert code == 2
        assert row["message"] in err


def test_a_schema_is_printed_for_a_family_that_writes_json(capsys):
    assert gnomon("ls", "answers", "box", "--family", "qwen2.5-vl", "--schema") == 0
    assert json.loads(capsys.readouterr().out)["required"] == ["bbox_2d"]
