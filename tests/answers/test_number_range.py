"""Ranges of numbers that are searched figure by figure, against all their numbers in a row."""

from decimal import Decimal

import pytest

from gnomon.answers.base.number_range import NumberRange
from gnomon.answers.number.answer import NumberForm


def all_figures(numbers):
    n = int((numbers.last - numbers.first) / numbers.step)
    values = (numbers.first + i * numbers.step for i in range(n + 1))
    whole = 1 + (numbers.decimals and numbers.decimals + 1)
    width = numbers.digits - 1 + whole if numbers.digits else 0
    return [f"{value:.{numbers.decimals}f}".zfill(width) for value in values]


@pytest.mark.parametrize("window", [1, 2, 3])
@pytest.mark.parametrize(
    ("first", "last", "step", "digits"),
    [
        ("0", "999", "1", 3),
        ("0", "120.5", "0.5", 0),
        ("3", "1203", "7", 0),
        ("0.0", "99.9", "0.1", 2),
        ("5", "500", "5", 0),
        ("0", "20", "0.25", 3),
    ],
)
def test_every_number_is_reached_and_no_other(first, last, step, digits, window):
    numbers = NumberRange(Decimal(first), Decimal(last), Decimal(step), digits)
    figures, open_texts, reached = all_figures(numbers), [""], set()
    while open_texts:
        begun = open_texts.pop()
        outcomes = numbers.outcomes(begun, window)
        following = [text for text in figures if text.startswith(begun)]
        end = len(begun) + window
        whole = {text for text in following if len(text) <= end}
        assert {text for text, is_whole in outcomes.items() if is_whole} == whole
        longer = {text[:end] for text in following if len(text) > end}
        assert sorted(t[:end] for t, is_whole in outcomes.items() if not is_whole) == sorted(longer)
        reached |= whole
        open_texts += longer
    assert reached == set(figures)


def test_an_interval_ends_at_numbers_of_the_range_and_is_no_narrower():
    counter = NumberForm("m³", digits=5).number_range()
    assert counter.around(98.0, 3.0) == ("00095 m³", "00101 m³")
    assert counter.around(98.2, 3.0) == ("00095 m³", "00102 m³")
    assert counter.around(3.0, 10.0) == ("00000 m³", "00013 m³")
    assert counter.around(99998.0, 5.0) == ("99993 m³", "99999 m³")
    tenths = NumberForm().number_range((Decimal(0), Decimal(9999), Decimal("0.1")))
    assert tenths.around(17.3, 0.2) == ("17.1", "17.5")


def test_a_counter_is_searched_and_a_dial_is_listed():
    assert NumberForm(digits=2).number_range() is None
    assert NumberForm().number_range() is None
    assert NumberForm(cycle=Decimal(10), digits=4).number_range() is None
    # A list to 100 would give away that this counter is at its beginning.
    assert not NumberForm(digits=5).possible_answers()
    with pytest.raises(ValueError, match="give 0 or more"):
        NumberRange(Decimal(-1), Decimal(5), Decimal(1))
