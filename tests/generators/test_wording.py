"""Plurals, lists and durations as questions have them."""

import pytest

from gnomon.generators.wording import alternatives, duration, plural


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("leaf", "leaves"), ("fish", "fish"), ("axis", "axes"), ("city", "cities"), ("day", "days"),
        ("butterfly", "butterflies"), ("cross", "crosses"), ("month", "months"), ("bin", "bins"),
    ],
)  # fmt: skip
def test_plurals(one, many):
    assert plural(one) == many


def test_lists_and_durations():
    assert alternatives(("left", "right")) == "left or right"
    assert alternatives(("left", "middle", "right")) == "left, middle or right"
    assert [duration(m) for m in (1, 60, 125)] == ["1 minute", "1 hour", "2 hours and 5 minutes"]
