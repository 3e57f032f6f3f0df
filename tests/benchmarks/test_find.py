"""Readings of crops: a scale goes round, and an answer without a value is wrong."""

from decimal import Decimal

import pytest

from benchmarks.find import Crop, draw_crops
from gnomon.sample import Number, Time


@pytest.mark.parametrize(
    ("value", "cycle", "within", "answer", "is_read"),
    [
        (719, 720, 1, Time(0), True),
        (718, 720, 1, Time(0), False),
        (9.9, 10, 0.1, Number(Decimal(0)), True),
        (9.8, 10, 0.1, Number(Decimal(0)), False),
        (9.8, 10, 0.2, Number(Decimal(0)), True),
        (3.0, 10, 0.2, None, False),
    ],
)
def test_a_scale_goes_round(value, cycle, within, answer, is_read):
    assert Crop(None, "?", value, cycle, within).is_read(answer) == is_read


def test_other_renderers_draw_clocks_with_their_times(capsys):
    name, crops = next(draw_crops())
    assert name == "clocks, matplotlib script"
    assert all("HH:MM" in crop.question for crop in crops)
    assert all(0 <= crop.value < 720 for crop in crops)
    assert len({crop.value for crop in crops}) > 30
    assert "left out" not in capsys.readouterr().out
