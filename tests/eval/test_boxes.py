"""Boxes in free text."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gnomon import dialect
from gnomon.eval import parse_box, read_box
from gnomon.sample import Box

STATED = {
    "[1,2,3,4]": (1, 2, 3, 4),
    "[ 1.5, 2, 3, 4.25 ]": (1.5, 2, 3, 4.25),
    "(1, 2, 3, 4)": (1, 2, 3, 4),
    "[1 2 3 4]": (1, 2, 3, 4),
    "(1,2),(3,4)": (1, 2, 3, 4),
    "(1, 2) and (3, 4)": (1, 2, 3, 4),
    "from (1, 2) to (3, 4)": (1, 2, 3, 4),
    "[[1,2],[3,4]]": (1, 2, 3, 4),
    "<|box_start|>(12,34),(56,78)<|box_end|>": (12, 34, 56, 78),
    "<|object_ref_start|>x<|object_ref_end|><|box_start|>(1,2),(3,4)<|box_end|>": (1, 2, 3, 4),
    '{"bbox_2d": [1, 2, 3, 4]}': (1, 2, 3, 4),
    '```json\n[\n\t{"bbox_2d": [1, 2, 3, 4], "label": "clock"}\n]\n```': (1, 2, 3, 4),
    '{"bbox": [1, 2, 3, 4]}': (1, 2, 3, 4),
    "<loc0010><loc0020><loc0030><loc0040> clock": (20, 10, 40, 30),
    "clock<loc_1><loc_2><loc_3><loc_4>": (1, 2, 3, 4),
    "<box>[[1, 2, 3, 4]]</box>": (1, 2, 3, 4),
    "<box>(1,2),(3,4)</box>": (1, 2, 3, 4),
    "x1=1, y1=2, x2=3, y2=4": (1, 2, 3, 4),
    '{"x1": 1, "y1": 2, "x2": 3, "y2": 4}': (1, 2, 3, 4),
    "xmin: 1 ymin: 2 xmax: 3 ymax: 4": (1, 2, 3, 4),
    "left: 1, top: 2, right: 3, bottom: 4": (1, 2, 3, 4),
    "y1=2, x1=1, y2=4, x2=3": (1, 2, 3, 4),
    "1 2 3 4": (1, 2, 3, 4),
    "0.1, 0.2, 0.3, 0.4": (0.1, 0.2, 0.3, 0.4),
    "[-1, 2, 3, 4]": (-1, 2, 3, 4),
    "The box is [1,2,3,4] or rather [5,6,7,8].": (5, 6, 7, 8),
    "[10, 20, 5, 4]": (10, 20, 5, 4),  # swapped corners stay swapped
    "[1,2,3]": None,
    "[1,2,3,4,5,6]": None,
    "[[1,2],[3,4],[5,6]]": None,
    "1 2 3 4 5": None,
    "[1, 2, 3": None,
    "x1=1, y1=2, x2=3": None,
    "<loc0010><loc0020>": None,
    "[a,b,c,d]": None,
    "10:08": None,
    "": None,
}


@pytest.mark.parametrize(("text", "box"), STATED.items())
def test_box_as_it_was_stated(text, box):
    assert parse_box(text) == box


def test_several_boxes_the_last_counts_unless_asked_otherwise():
    text = "[1,2,3,4] then [5,6,7,8]"
    assert parse_box(text, which="first") == (1, 2, 3, 4)
    assert parse_box(text, which="last") == (5, 6, 7, 8)


@given(st.sampled_from(sorted(dialect.DIALECTS)), st.tuples(*[st.floats(0, 500)] * 4))
def test_what_any_dialect_writes_is_read_back(name, corners):
    size = (500, 500)
    x1, x2 = sorted(corners[::2])
    y1, y2 = sorted(corners[1::2])
    assume(x2 - x1 > 2 and y2 - y1 > 2)
    spoken = dialect.create(name)
    written = spoken.write(Box(x1, y1, x2, y2), size)
    assert read_box(f"Here: {written}") is not None


FRAGMENTS = st.sampled_from(
    ["[", "]", "(", ")", ",", " ", "1", "2.5", "-", "<box>", "<loc0001>", "x1=", "y2:", "top", '"']
)


@given(st.one_of(st.text(), st.lists(FRAGMENTS).map("".join)))
def test_no_text_raises(text):
    parse_box(text)
