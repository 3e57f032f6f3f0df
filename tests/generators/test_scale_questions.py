"""Questions about scales whose ticks end before the scale does, or are uneven or few."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.generators import create
from gnomon.generators.faces import scale_marks
from gnomon.generators.faces.description import descriptions, value_at
from gnomon.generators.faces.face_questions import number_of
from gnomon.generators.rng import Rng

SCALE = """
name: odd gauge
value: [{low}, {high}, 0.1]
readings:
  value: {{step: 0.1}}
parts:
  scale: {{part: track, radius: 0.9, start: -135, sweep: 270, values: [{low}, {high}], {ticks}}}
  hand: {{part: pointer, track: scale}}
"""
QUESTIONS = ("difference", "percent", "zone", "in_range")


@st.composite
def odd_scales(draw):
    low = draw(st.sampled_from([0, 0, -3, 1.5]))
    high = low + draw(st.integers(9, 40)) + draw(st.sampled_from([0, 0.5]))
    keys = {"labels": draw(st.sampled_from([1, 1.5, 2, 3, 7]))}
    for name, steps in {"ticks": [0.5, 1, 2], "middle": [1, 3], "origin": [0, 0.7, 2]}.items():
        if draw(st.booleans()):
            keys[name] = draw(st.sampled_from(steps))
    if draw(st.booleans()):
        bend, share = round(low + 0.4 * (high - low), 1), draw(st.sampled_from([0.1, 0.7]))
        last = draw(st.sampled_from(["", ", ticks: null", ", labels: 4"]))
        keys["pieces"] = f"[{{upto: {bend}, share: {share}}}, {{upto: {high}, share: 1{last}}}]"
    ticks = ", ".join(f"{name}: {value}" for name, value in keys.items())
    return SCALE.format(low=low, high=high, ticks=ticks)


@given(odd_scales(), st.floats(0, 1), st.integers(0, 1000))
def test_each_question_about_an_odd_scale_has_an_answer_that_its_picture_shows(text, place, seed):
    (description,) = descriptions(text, "odd.yaml")
    head, rng = description.head, Rng(f"odd {seed}")
    value = value_at(head.value, round(place * (head.count - 1)))
    face, reading = description.draw(value, rng), description.readings["value"]
    low, high = map(Fraction, map(str, head.value[:2]))
    for question in QUESTIONS:
        if scale_marks.obstacle(question, face, reading) is not None:
            continue
        asked, shown = scale_marks.ask(question, face, reading, rng)
        number = Fraction(number_of(reading, face).value)
        if question == "difference":
            assert abs(number - Fraction(asked.mark)) == Fraction(asked.target.value)
        elif question == "percent":
            assert abs(100 * number / high - Fraction(asked.target.value)) <= Fraction("0.05")
        elif question == "in_range":
            begin, end = map(Fraction, asked.limits)
            assert (begin < number < end) == (asked.target.text == "yes")
            assert number not in (begin, end)
        else:
            ends = [(Fraction(begin), Fraction(end)) for _, begin, end in asked.zones]
            assert (ends[0][0], ends[-1][1]) == (low, high)
            zone = next(n for n, b, e in asked.zones if Fraction(b) <= number <= Fraction(e))
            assert asked.target.text == zone
            assert len(shown.part("scale").part.zones) == 3


def test_a_value_beyond_the_last_tick_is_in_the_last_zone_and_in_no_range(tmp_path):
    file = tmp_path / "beyond.yaml"
    file.write_text(SCALE.format(low=0, high=15, ticks="labels: 2"))
    generator = create("face", description=str(file), questions=["zone", "in_range"])
    beyond = [sample for sample in generator[0:60] if Decimal(sample.facts["value"]) > 14]
    assert beyond
    for sample in beyond:
        if zones := sample.facts.get("zones"):
            assert sample.target.text == zones[-1]["name"]
        else:
            assert sample.target.text == "no"


@pytest.mark.parametrize(("question", "changes", "reason"), [
    ("zone", {"labels: 2": "labels: 2, zones: [{colour: blue, span: [0, 5]}]"},
     "it has zones of its own"),
    ("zone", {"labels: 2": "labels: 2, tick: -0.1, numerals: {away: 0.1}"}, "give scale zones_at"),
    ("difference", {"labels: 2": "labels: 2, tick: 0"}, "give scale target_at"),
    ("in_range", {"labels: 2": "labels: 5"}, "scale has 4 labels: give 6 or more"),
    ("percent", {"[0, 15]": "[-1, 15]"}, "give scale a linear scale that starts at 0"),
    ("zone", {"sweep: 270": "sweep: 360"}, "give scale two ends"),
    ("where", {"  hand:": "  red: {part: pointer, track: scale, drive: 3}\n  hand:"},
     "and no other"),
])  # fmt: skip
def test_a_question_that_cannot_be_asked_is_refused_with_its_reason(
    question, changes, reason, tmp_path
):
    text = SCALE.format(low=0, high=15, ticks="labels: 2")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=rf"{question!r} cannot be asked of .*{reason}"):
        create("face", description=str(file), questions=[question])


def test_zones_by_chance_are_never_replaced(tmp_path):
    """In some pictures there are zones, so that none of its pictures is asked about others."""
    text = SCALE.format(low=0, high=15, ticks="labels: 2") + (
        "  red: {part: track, radius: 0.9, start: -135, sweep: 270, values: [0, 15],"
        " zones: [{colour: red, span: [9, 15]}], chance: 0.1}\n"
    )
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match="it has zones of its own"):
        create("face", description=str(file), questions=["zone"])
