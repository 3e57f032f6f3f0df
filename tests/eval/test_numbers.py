"""Numbers in free text: a table of hard cases, and what must hold of any text."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon import dialect
from gnomon.eval import parse_number, read_number
from gnomon.sample import Number

STATED = {
    # figures
    "42": "42",
    "0": "0",
    "007": "7",
    "-42": "-42",
    "+42": "42",
    "−42": "-42",
    "–42": "-42",
    "3.14": "3.14",
    "3.50": "3.5",
    ".5": "0.5",
    "-.5": "-0.5",
    "5.": "5",
    "42.": "42",
    "12345678901234567890": "12345678901234567890",
    "0.1": "0.1",
    "４２": "42",
    # separators
    "1,234": "1234",
    "1,234,567.8": "1234567.8",
    "12,34,567": "1234567",
    "1'234'567": "1234567",
    "1_000": "1000",
    "1 234 567": "1234567",
    "1 234,5": "1234.5",
    "1\u202f234\u202f567": "1234567",
    "1\u00a0234,5": "1234.5",
    "1.234.567": "1234567",
    "1.234,56": "1234.56",
    "3,5": "3.5",
    "0,500": "0.5",
    "1,000": "1000",
    "10,000.": "10000",
    "1.234": "1.234",
    "12, 34": "34",
    "1,2,3": "3",
    # powers
    "1e3": "1000",
    "1.5E+03": "1500",
    "1.5e-3": "0.0015",
    "1.5 × 10^3": "1500",
    "1.5x10^3": "1500",
    "1.5 * 10**3": "1500",
    "1.5×10³": "1500",
    "2·10⁻²": "0.02",
    "1.5 \\times 10^{3}": "1500",
    # percent, money, units
    "45%": "45",
    "45 %": "45",
    "45 percent": "45",
    "45 per cent": "45",
    "$1,234.50": "1234.50",
    "-$5": "-5",
    "$-5": "-5",
    "€5": "5",
    "5 €": "5",
    "USD 5": "5",
    "Rs. 500": "500",
    "Rs.500": "500",
    "5kg": "5",
    "5 kg": "5",
    "-5.5 °C": "-5.5",
    "5 m": "5",
    "3.5 million": "3500000",
    "$5M": "5000000",
    "5k": "5000",
    "2 bn": "2000000000",
    "3 hundred": "300",
    # fractions
    "3/4": "0.75",
    "-3/4": "-0.75",
    "1 3/4": "1.75",
    "3⁄4": "0.75",
    "½": "0.5",
    "-½": "-0.5",
    "1½": "1.5",
    "1 ½": "1.5",
    "\\frac{3}{4}": "0.75",
    "-\\frac{1}{2}": "-0.5",
    # words
    "zero": "0",
    "one": "1",
    "twelve": "12",
    "Twenty-Three": "23",
    "forty two": "42",
    "a hundred": "100",
    "one hundred and five": "105",
    "three hundred forty-two": "342",
    "one hundred and twenty-three thousand four hundred fifty-six": "123456",
    "five hundred thousand and one": "500001",
    "two million": "2000000",
    "one million, two hundred thousand": "1200000",
    "minus three": "-3",
    "negative twelve": "-12",
    "twelve point five": "12.5",
    "three point one four": "3.14",
    "two and a half": "2.5",
    "one half": "0.5",
    "three quarters": "0.75",
    "half": "0.5",
    # sentences
    "The bar is at 42.": "42",
    "The value is 42, I think": "42",
    "Answer:42": "42",
    "x=5": "5",
    "12 + 30 = 42": "42",
    "12 - 30 = -18": "-18",
    "\\boxed{42}": "42",
    "**42**": "42",
    "3-5": "5",
    "10 minus 5": "5",
    "The blue one is 45": "45",
    "45 is the right one": "45",
    "minus 5": "-5",
    "is negative 5.5": "-5.5",
    "from 3 to 5": "5",
    "42 ± 3": "42",
    "4.2 +/- 0.1": "4.2",
    "±5": "5",
    "In Q3 it was 7": "7",
    # refused
    "": None,
    "none": None,
    "nan": None,
    "inf": None,
    "1e999": None,
    "1e-400": None,
    "1e99999999999": None,
    "1.2.3": None,
    "2024-05-01": None,
    "3/4/2024": None,
    "10:30": None,
    "3/0": None,
    "1/0 ": None,
    "Qwen2": None,
    "x1": None,
    "1st": None,
    "2nd bar": None,
    "0x1F": None,
    "two thousand million": None,
    "and": None,
    "a": None,
    "second": None,
    "the third": None,
    "½½½/": "0.5",
    "٤٢": None,
    "1" * 400: None,
}


@pytest.mark.parametrize(("text", "number"), STATED.items(), ids=lambda case: str(case)[:40])
def test_number_as_it_was_stated(text, number):
    reading = read_number(text)
    assert (reading and reading.value) == (None if number is None else Decimal(number))


def test_the_table_is_long():
    assert len(STATED) >= 60


def test_711_is_not_11():
    assert parse_number("711") == 711


def test_percent_is_kept_as_a_mark():
    assert read_number("45 %").rule == "percent"
    assert read_number("45").rule == "numeral"


def test_several_numbers_the_last_counts_unless_asked_otherwise():
    text = "7 bars. Answer: 42, and not 43"
    assert parse_number(text) == 43
    assert parse_number(text, which="first") == 7
    assert parse_number(text, which="answer") == 42


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("about -$1,234.50 or so", "-$1,234.50"),
        ("it is one hundred and five.", "one hundred and five"),
        ("so minus 5 it is", "minus 5"),
        ("1 ½ cups", "1 ½"),
    ],
)
def test_a_reading_says_where(text, place):
    assert text[slice(*read_number(text).span)] == place


@given(
    st.sampled_from(sorted(dialect.DIALECTS)),
    st.decimals(
        allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12
    ),
    st.sampled_from(["", "kg", "%", "°C", "m", "M€", "million", "k"]),
)
def test_what_any_dialect_writes_is_read_back(name, value, unit):
    written = dialect.create(name).write(Number(value, unit))
    assert read_number(written, unit=unit).value == value
    assert parse_number(written, unit=unit) == float(value)


def test_a_scale_in_the_unit_that_was_asked_for_is_not_applied():
    assert parse_number("3.5 million") == 3_500_000
    assert parse_number("3.5 million", unit="million") == 3.5
    assert parse_number("about 5 M€", unit="M€") == 5


# fmt: off
FRAGMENTS = st.sampled_from(
    ["1", "-", ".", ",", " ", "1,234", "/", "½", "e5", "×10^", "three", "hundred", "and", "a",
     "half", "point", "minus", "million", "%", "$", "\\frac{1}{0}", "'", "\u00a0", "third"]
)
# fmt: on


@given(st.one_of(st.text(), st.lists(FRAGMENTS).map("".join), st.lists(FRAGMENTS).map(" ".join)))
def test_no_text_raises_and_what_is_read_is_finite(text):
    value = parse_number(text)
    assert value is None or abs(value) < 1e301
