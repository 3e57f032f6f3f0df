import base64
import io
import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from target_strategies import sizes, targets

from gnomon.sample import (
    Box,
    Number,
    Prediction,
    Sample,
    Text,
    Time,
    prediction_from_json,
    prediction_to_json,
    target_from_json,
    target_to_json,
)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Time(0, hours=13), "hours=13: give 12 or 24"),
        (lambda: Time(-60), "seconds=-60: outside a 12-hour day"),
        (lambda: Time(12 * 3600), "seconds=43200: outside a 12-hour day"),
        (lambda: Time(24 * 3600, hours=24), "seconds=86400: outside a 24-hour day"),
        (lambda: Time(61), "seconds=61 is not a whole minute: round it, or set shows_seconds=True"),
        (lambda: Number(3.5), r"value=3\.5: give a finite Decimal"),
        (lambda: Number(Decimal("nan")), r"value=Decimal\('NaN'\): give a finite Decimal"),
        (lambda: Number(Decimal("-inf")), r"value=Decimal\('-Infinity'\): give a finite Decimal"),
        (
            lambda: Box(1, 2, 1, 3),
            r"Box\(x1=1, y1=2, x2=1, y2=3\): a box needs finite corners with x1 < x2",
        ),
        (lambda: Box(1, 4, 2, 3), "y1 < y2"),
        (lambda: Box(float("nan"), 0, 1, 1), "x1=nan"),
    ],
)
def test_a_target_that_cannot_be_is_refused(make, told):
    with pytest.raises(ValueError, match=told):
        make()


@pytest.mark.parametrize(
    ("time", "hms"),
    [
        (Time(0), (12, 0, None)),
        (Time(0, hours=24), (0, 0, None)),
        (Time(59 * 60), (12, 59, None)),
        (Time(3600), (1, 0, None)),
        (Time(12 * 3600, hours=24), (12, 0, None)),
        (Time(22 * 3600 + 8 * 60, hours=24), (22, 8, None)),
        (Time(5, shows_seconds=True), (12, 0, 5)),
        (Time(60, shows_seconds=True), (12, 1, 0)),
        (Time(86399, hours=24, shows_seconds=True), (23, 59, 59)),
    ],
)
def test_a_time_has_its_fields_as_written(time, hms):
    assert time.hms == hms


@given(targets)
def test_targets_survive_json(target):
    assert target_from_json(json.loads(json.dumps(target_to_json(target)))) == target


def test_a_numbers_zeros_survive_json():
    """3.50 is written with both places: as a Decimal it equals 3.5, as an answer it does not."""
    row = json.loads(json.dumps(target_to_json(Number(Decimal("3.50"), "m"))))
    assert str(target_from_json(row).value) == "3.50"


@given(
    st.builds(
        Prediction,
        sample_id=st.text(),
        text=st.text(),
        size=st.none() | sizes,
        dialect=st.text(),
        settings=st.dictionaries(st.text(), st.none() | st.integers() | st.text()),
        logprobs=st.none() | st.dictionaries(st.text(), st.floats(-100, 0)),
    )
)
def test_predictions_survive_json(prediction):
    row = json.loads(json.dumps(prediction_to_json(prediction)))
    assert prediction_from_json(row) == prediction


ROWS = Path(__file__).with_name("bad_rows.jsonl").read_text("utf-8").splitlines()


@pytest.mark.parametrize("line", ROWS)
def test_a_row_that_is_no_target_or_prediction_is_refused_by_name(line):
    row = json.loads(line)
    if "target" in row:
        with pytest.raises(ValueError, match=row["message"]):
            target_from_json(row["target"])
    else:
        with pytest.raises(ValueError, match="prediction "):
            prediction_from_json(row["prediction"])


def test_half_an_emoji_is_read_as_what_a_file_can_hold():
    """As a server sends it that stops within one."""
    row = json.loads(
        '{"sample_id": "a", "text": "10:08 \\ud83d", "size": null, "dialect": "plain"}'
    )
    assert prediction_from_json(row).text == "10:08 ?"


@given(sizes, sizes)
def test_a_box_scales_with_its_picture(old, new):
    whole = Box(0, 0, *map(float, old)).scaled(old, new)
    assert (whole.x1, whole.y1, whole.x2, whole.y2) == pytest.approx((0, 0, *new))


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        (Time(36480), "10:08"),
        (Time(5, shows_seconds=True), "12:00:05"),
        (Number(Decimal("3.50"), "kg"), "3.50 kg"),
        (Text("<b>&"), "&lt;b&gt;&amp;"),
        (Box(1, 2, 3, 4), "Box(x1=1, y1=2, x2=3, y2=4)"),
    ],
)
def test_a_sample_shows_itself_in_a_notebook(target, answer):
    picture = Image.new("RGB", (40, 30), (200, 10, 10))
    shown = Sample("s", picture, "<script>Which?", target)._repr_html_()
    png = base64.b64decode(re.search(r'src="data:image/png;base64,([^"]+)"', shown)[1])
    assert Image.open(io.BytesIO(png)).convert("RGB").tobytes() == picture.tobytes()
    assert shown.endswith(f">&lt;script&gt;Which?\n<b>{answer}</b></div>")
    assert "<img" not in Sample("s", None, "Which?", target)._repr_html_()


def test_a_photograph_is_shown_smaller_and_left_as_it_was():
    photo = Image.new("L", (3000, 2000))
    shown = Sample("s", photo, "Which?", Text("a"))._repr_html_()
    png = base64.b64decode(re.search(r"base64,([^\"]+)", shown)[1])
    assert Image.open(io.BytesIO(png)).size == (1024, 683)
    assert photo.size == (3000, 2000)
