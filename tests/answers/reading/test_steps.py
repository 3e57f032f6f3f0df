"""Steps of answers: readers skip them, and other answers are read as before."""

import re

import pytest

from gnomon.answers.reading.steps import Observation, add_working, steps_of, value_start
from gnomon.eval import read_number, read_text, read_time
from gnomon.runs.name_lists import answer_form


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("between 4 and 5, 7 of 10: 4.7", "4.7"),
        (" between 4 and 5, 7 of 10: the gauge reads 4.7 bar", "4.7"),
        ("Steps: needle past 4: tick 7\nAnswer: 4.7", "4.7"),
        ("bar 2 of 4, top 0.62, axis 0 to 80: 49.6", "49.6"),
        ("no thing: 0", "0"),
        ("<think>Near 3.</think>between 4 and 5, 7 of 10: 4.7", "4.7"),
        ("<think>Near 3.</think>\nSteps: needle past 4\nAnswer: 4.7", "4.7"),
        ("<answer>between 4 and 5, 7 of 10: 4.7</answer>", "4.7"),
        ("Answer: **between 4 and 5, 7 of 10: 4.7**", "4.7"),
        # Answers in other words are read as before.
        ("Between 4 and 5: about 4.7", "4.7"),
        ("The value is: 4.7", "4.7"),
        ("bars 4.7", "4.7"),
    ],
)
def test_the_value_after_the_steps_is_read(text, value):
    reading = read_number(text)
    assert str(reading.value) == value
    assert text[slice(*reading.span)] == value


@pytest.mark.parametrize(
    "text",
    [
        "between 4",
        "between 4 a",
        "between 4 and 5",
        "between 4 and 5,",
        "between 4 and 5, 7 o",
        "between 4 and 5, 7 of 10:",
        "Steps: needle past 4",
        "bar 2 of 4, top 0.",
        "<think>Near 3.</think>between 4 and 5, 7 o",
        "Answer: between 4 and",
    ],
)
def test_an_answer_that_stops_in_its_steps_has_no_value(text):
    assert read_number(text) is None
    assert read_text(text) is None
    assert value_start(text) == len(text)


@pytest.mark.parametrize(
    "text", ["at 10:08", "bar", "digits", "none", "10:08", "no", "the bar", ""]
)
def test_short_answers_are_no_steps(text):
    assert value_start(text) == 0
    assert steps_of(text) == ()


@pytest.mark.parametrize("text", ["box 2", "window 3", "point 12"])
def test_a_label_with_a_number_is_a_text_and_no_beginning_of_steps(text):
    assert read_text(text).value == text
    assert read_number(text) is None


def test_a_time_in_steps_is_not_the_answer():
    assert read_time("short hand 10.13, long hand 1.6, shows 10:08: 11:30").value[:2] == (11, 30)
    assert read_time("short hand 10.13, long hand 1.6") is None


@pytest.mark.parametrize(
    ("text", "truth", "right"),
    [
        ("short hand 10.2", "short hand 10.13", True),
        ("short hand 10.3", "short hand 10.13", False),
        ("short hand 1.02", "short hand 12.98", True),
        ("between 4 and 5", "between 4 and 5", True),
        ("between 4 and 6", "between 4 and 5", False),
        ("pointer hand at 4.1", "pointer hand at 4", True),
        ("pointer small at 4", "pointer hand at 4", False),
        ("needle at 4", "needle at 4", True),
        ("needle at 5", "needle at 4", False),
    ],
)
def test_a_step_is_right_within_what_can_be_seen(text, truth, right):
    assert Observation.of(text).is_right(Observation.of(truth)) is right


def test_steps_in_other_words_are_marked_off_by_the_answer():
    assert add_working("short hand 10.13", "10:08") == "short hand 10.13: 10:08"
    assert add_working("5 + 3 = 8", "8") == "5 + 3 = 8\nAnswer: 8"
    thought = "<think>Near 3.</think> between 4 and 5, 7 of 10: 4.7"
    assert [s.text for s in steps_of(thought)] == ["between 4 and 5", "7 of 10"]
    assert [s.name for s in steps_of("Steps: needle past 4, tick 7\nAnswer: 4.7")] == [
        "needle past", "tick",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("10:08", True),
        ("short hand 10.13, long hand 1.6, shows 10:08: 11:30", True),
        ("Steps: short hand past 10\nAnswer: 10:08", True),
        ("short hand 10.13, long hand 1.6", False),
        ("It is about 10:08", False),
    ],
)
def test_a_pattern_for_guided_decoding_allows_steps(text, fits):
    pattern = answer_form("time", "columns.steps=seen", as_schema=False, family=None)
    assert bool(re.fullmatch(pattern, text)) is fits
    assert read_time(text) or not fits
