"""Which value of a text is its final answer: examples of each place and qualification."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gnomon.answers.text.read import read_text
from gnomon.eval import read_box, read_number, read_time

PLACES = {
    "<think>Is it 9:08? The answer is 7:00.</think> 10:08": "opening: colon",
    "So 9:08. $\\boxed{10:08}$, not 11:08": "boxed: colon",
    "<answer>10:08</answer> or 9:08": "tag: colon",
    "<|begin_of_box|>10:08<|end_of_box|> at 9:08": "tag: colon",
    '{"steps": "9:08?", "answer": "10:08", "later": "11:08"}': "json key: colon",
    "9:08? **Answer:** 10:08. It was 7:00 before.": "answer: colon",
    "9:08, no. 10:08 is the answer, and 7:00 is wrong.": "is the answer: colon",
    "10:08. At 7:00 the hands are elsewhere.": "opening: colon",
    "At 7:00 they part, so it is 10:08.": "conclusion: colon",
    "The clock shows 10:08. At 7:00 it would be lower.": "shows: colon",
    "At 7:00 they part, at 9:00 they turn.\n\n10:08": "own line: colon",
    "7:00 comes after **10:08** and before 9:00 they part.": "bold: colon",
    "The hands stand at ten past seven or so, or 10:08.\nNo, 10:08.": "own line: colon",
}


@pytest.mark.parametrize(("text", "rule"), PLACES.items())
def test_a_place_is_found_and_named(text, rule):
    found = read_time(text)
    assert (found.value, found.rule) == ((10, 8, None), rule)
    assert "10:08" in text[slice(*found.span)]


@pytest.mark.parametrize(
    "text",
    [
        "10:12… no, 10:08",
        "It is 10:12. Wait, I mean 10:08.",
        "10:08 (not 1:52)",
        "The time is 10:08 rather than 1:52.",
        "Es ist 10:12 Uhr, nein, 10:08 Uhr.",
        "At first I thought 1:52, but it is 10:08.",
    ],
)
def test_corrections_count(text):
    assert read_time(text).value == (10, 8, None)


@pytest.mark.parametrize(
    "text",
    [
        "between 10:05 and 10:10",
        "10:05 to 10:10",
        "10:08 or 1:52",
        "It is either 10:08 or 1:52.",
        "If it is day, 10:08; if it is night, 1:52.",
        "Answer: unknown. A clock at 10:08 looks like this.",
        "I cannot tell the time; 10:08 is usual.",
        "<think>It is 10:08, since",
        "<think>It is 10:08.</think>",
        "- left: 10:08\n- right: 1:52",
        "To read it we look at the hand that was at 10:08 and then",
    ],
)
def test_ranges_alternatives_and_refusals_are_unread(text):
    assert read_time(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Answer: 42. Confidence: 90 %",
        "It is 42 (90 % sure).",
        "42 out of 100",
        "On the scale of [0-59] it is 42.",
        "As Figure 3 shows, it was 42 in 2019.",
        "36, not 48? No, 42",
        "12 + 30 = 42",
        "Total: 12 + 30 = 42",
        "42 of the 60 bars",
        "1. Red: 12\n2. Blue: 30\n3. Total: 42",
        "More than 30, namely 42.",
    ],
)
def test_other_numbers_are_not_the_answer(text):
    assert read_number(text).value == Decimal(42)


def test_the_unit_that_was_asked_for_tells_the_answer():
    assert read_number("The limit is 50 and the car drives 88 km/h.", unit="km/h").value == 88


@pytest.mark.parametrize(
    ("text", "choices", "value"),
    [
        ("B. A red car", ("A", "B"), "B"),
        ("Yes, there are no people.", ("yes", "no"), "yes"),
        ("Nein, kein Hund. Yes is wrong.", ("yes", "no"), "no"),
        ('{"answer": false}', ("yes", "no"), "no"),
        ("B", ("A. a bus", "B. a van"), "B. a van"),
        ("a van", ("A. a bus", "B. a van"), "B. a van"),
        ("A or B", ("A", "B"), None),
        ("这辆车是红色的", ("红色", "蓝色"), "红色"),
    ],
)
def test_choices(text, choices, value):
    found = read_text(text, choices=choices)
    assert (found and found.value) == value


def test_one_box_is_the_answer_and_two_are_none():
    assert read_box("It is at [1,2,3,4]. Its owner is at [5,6,7,8].").value == (1, 2, 3, 4)
    assert read_box("[1,2,3,4], [5,6,7,8]") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The needle is 4 small divisions past 60, each worth 0.5, so it reads 62.", "62"),
        ("3 ticks past 40, so it reads 46", "46"),
        ("It is a bit past 70; each small tick is 2, so 72.", "72"),
        ("It is between 40 and 50, about 42.", "42"),
        ("The values are between 3 and 9, with a mean of 6.", "6"),
        ("It is between 40 and 50, which took 60 seconds.", None),
        ("I count 5 squares in the top row and 6 in the bottom row, 11 in total.", "11"),
        ("In 2021, sales reached 530 units, up 12% from 2020.", "530"),
        ("The blue bar is 12 and the red bar is 19.", None),
        ("x = 2 and x = 5", None),
        ("It is 12 and the sum is 19. Answer: 19", "19"),
        ("The missing number is **7**.\n\nCheck: 12 + 7 = 19", "7"),
        ('{"reasoning": "32 + 48 = 80 ✓", "answer": "9"}', "9"),
        ("The difference is 3570 - 1070 = 2500.", "2500"),
    ],
)
def test_steps_ends_of_a_range_and_parts_of_a_sum_are_not_the_answer(text, value):
    found = read_number(text)
    assert (found and found.value) == (value and Decimal(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4 2 5 2 1", "42521"),
        ("5-0-2-7-0", "50270"),
        ("[4] [2] [5]", "425"),
        ("four-two-five", "425"),
        ("4, 2, 5, 2, 1", "42521"),
        ('{"digits": [4, 2, 5, 2]}', "4252"),
        ("could be 1 or 7. My best guess: 43681", "43681"),
        ("The numerals are 1 2 3 4 5 6 7 8 9 10 11 12.", None),
        ("7 - 3 - 0 - 1 = 3", "3"),
        ("4 * 2 * 5 = 40", "40"),
        ("Red has 4, blue has 2, green has 5.", None),
        ("18 degrees below zero", "-18"),
        ("04 217 kWh", "4217"),
        ("2.4, give or take 0.1", "2.4"),
    ],
)
def test_digits_one_by_one_are_a_number_and_lists_are_none(text, value):
    found = read_number(text)
    assert (found and found.value) == (value and Decimal(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10h08min30", (10, 8, 30)),
        ("5 o'clock and 12 seconds", (5, 0, 12)),
        ("a minute past noon", (12, 1, None)),
        ("a minute ago it was 5:10", (5, 10, None)),
        ("half six", (6, 30, None)),
        ("It's half ten in the morning.", (10, 30, None)),
        ("The hand is at half six marks", None),
        ("half of six", None),
        ("nearly a quarter past twelve, 12:14 to be exact", (12, 14, None)),
        ("Look at the short hand first. For example, with it on 3 it is 3:00.", None),
        ("The left one shows 8:15 and the right one shows 9:15.", None),
    ],
)
def test_times_as_they_are_spoken_and_given_as_examples(text, value):
    found = read_time(text)
    assert (found and found.value) == value


@pytest.mark.parametrize(
    ("text", "choices", "value"),
    [
        ("Neither A nor B; it's D", "ABCD", "D"),
        ("Neither A nor B is right, so C.", "ABCD", "C"),
        ("Neither A nor B.", "AB", None),
        ("Between A and C, A fits better.", "ABCD", "A"),
        ("It is between A and C.", "ABCD", None),
        ("Ich würde A sagen", "ABCD", "A"),
        ("Not really", ("yes", "no"), "no"),
        ("Correct", ("yes", "no"), "yes"),
        ("That's right.", ("yes", "no"), "yes"),
        ("That's not right, there are two.", ("yes", "no"), "no"),
        ("Absolutely not.", ("yes", "no"), "no"),
        ("Certainly! Let me look at the picture first", ("yes", "no"), None),
        ("I have no opinion on this.", ("yes", "no"), None),
        ("The correct reading is hard to tell", ("yes", "no"), None),
        ("That's right.", ("left", "right"), "right"),
    ],
)
def test_what_is_left_when_choices_are_denied_and_other_words_for_yes_and_no(text, choices, value):
    found = read_text(text, choices=tuple(choices))
    assert (found and found.value) == value
