"""Steps before answers: every kind writes them in the forms that readers skip."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from gnomon import dialect
from gnomon.answers.base.dialect import DIALECTS
from gnomon.answers.reading.steps import STEP_FORMS, STEPS_PATTERN, are_steps, form_words
from gnomon.answers.registry import TYPES
from gnomon.generators import KINDS, create, load
from gnomon.generators.drawing.picture_generator import PictureGenerator
from gnomon.sample import Sample

DRAWN = [kind for kind in KINDS if issubclass(load(kind), PictureGenerator)]
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "chart": [{"size": 224, "level": "hard"}, {"size": 224, "questions": ["retrieve"]}],
    "clock": [
        {"size": 112, "forms": ["digits", "words", "json"], "second_hand": 0.5},
        {"size": 224, "numerals": ["arabic-24"], "questions": ["read", "shift"]},
        {"size": 112, "clocks": [2, 3], "questions": ["read", "later", "which"]},
    ],
    "counter": [{"size": 160, "level": "hard"}, {"size": 160, "leading_zeros": True}],
    "face": [{"size": 240}, {"size": 240, "questions": ["read"]}],
    "gauge": [
        {"size": 160, "level": "hard", "log": 0.3},
        {"size": 224, "instruments": ["dial", "speedometer", "compass", "bathroom_scale"],
         "questions": ["read"]},
        {"size": 160, "scales": ["km/h 0 220 20 5"], "instruments": ["gauge"],
         "questions": ["read"], "level": "hard"},
    ],
    "scene": [{"size": 168}],
    "text_spotting": [{"size": 224}],
}  # fmt: skip
CASES = [(kind, options) for kind in DRAWN for options in OPTIONS[kind]]
cases = pytest.mark.parametrize(("kind", "options"), CASES)


def stream(kind: str, options: dict[str, Any], answer: str, n: int = 20) -> list[Sample]:
    every = load(kind).every_question
    if kind == "clock" and "clocks" not in options:
        every = {"questions": [q for q in (*every["questions"], "between") if q != "date"]}
    return list(islice(create(kind, **(every | options), answer=answer), n))


def read(sample: Sample, text: str, name: str = "plain") -> Any:
    assert sample.image is not None
    reading = TYPES[sample.target.type_name].read(
        text, sample.target.answer_form, which="final", dialect=DIALECTS[name],
        size=sample.image.size,
    )  # fmt: skip
    return reading and reading.value


@cases
def test_steps_change_the_answer_alone(kind, options):
    pairs = zip(stream(kind, options, "value"), stream(kind, options, "steps"), strict=True)
    for value, sample in pairs:
        assert sample.image.tobytes() == value.image.tobytes()
        assert sample.id != value.id
        assert not value.rationale
        assert replace(sample, id="", image=None, rationale="", more_images=()) == replace(
            value, id="", image=None, more_images=()
        )


@pytest.mark.parametrize(
    ("kind", "options", "name"),
    [
        ("clock", {}, "clock-v9-5253387a-train-0-0000000"),
        ("clock", {"answer": "mixed"}, "clock-v9-5253387a-train-0-mixed-0000000"),
        ("gauge", {}, "gauge-v9-25578960-train-0-0000000"),
        ("chart", {}, "chart-v4-348e76f3-train-0-0000000"),
    ],
)
def test_ids_of_direct_answers_are_as_before_the_option(kind, options, name):
    assert create(kind, **options).id(0) == name


@cases
def test_an_answer_with_steps_has_the_value_of_the_answer(kind, options):
    n = 0
    for sample in stream(kind, options, "steps"):
        if not sample.rationale:
            continue
        n += 1
        assert are_steps(sample.rationale)
        for step in sample.rationale.split(", "):
            assert form_words(step) in STEP_FORMS, step
        for name in ("plain", "qwen2.5-vl"):
            answer = sample.target.write(DIALECTS[name], sample.image.size)
            text = dialect.add_working(sample.rationale, answer)
            assert text == f"{sample.rationale}: {answer}"
            assert re.fullmatch(STEPS_PATTERN, f"{sample.rationale}: ")
            assert read(sample, text, name) == read(sample, answer, name) is not None
    assert n


@cases
def test_an_answer_that_stops_in_its_steps_is_unread(kind, options):
    for sample in stream(kind, options, "steps", 12):
        for end in range(len(sample.rationale)):
            text = sample.rationale[:end]
            # Scoring, which knows that there are steps, does not take "bar 2" for a label.
            is_label = sample.target.type_name == "text" and re.fullmatch(r"[a-z]+ \d+", text)
            if re.search(r"\d", text) and not is_label:
                assert read(sample, text) is None, text


def test_a_mixed_question_says_if_steps_are_wanted():
    samples = stream("clock", {"size": 112}, "mixed")
    assert {bool(sample.rationale) for sample in samples} == {True, False}
    for sample, value in zip(samples, stream("clock", {"size": 112}, "value"), strict=True):
        wanted = " First state what you see." if sample.rationale else ""
        assert sample.question == value.question + wanted


@pytest.mark.parametrize(
    ("kind", "options", "rationale", "answer"),
    [
        ("clock", {"second_hand": 0}, "short hand 6.8, long hand 9.6", "06:48"),
        ("clock", {"one_hand": 1.0}, "short hand 10.83", "10:50"),
        ("gauge", {"instruments": ["gauge"], "level": "medium", "seed": 1},
         "between 4 and 5, 1.5 of 4", "4.375 bar"),
        ("gauge", {"instruments": ["dial"], "level": "hard"}, "between 3 and 4, 4.5 of 10", "3.5"),
        ("counter", {"faces": ["wheels"], "level": "hard"}, "wheels 0 4 8 4 1 8 5 2 4",
         "48418524"),
        ("chart", {"charts": ["bar"], "questions": ["retrieve"], "value_labels": 0},
         "bar 3 of 4, top 0.882, axis 0 to 50", "44.1"),
        ("scene", {"questions": ["count"]}, "no thing", "0"),
        ("text_spotting", {"questions": ["read"]}, "words 1, characters 6", "MEADOW"),
        ("face", {"description": "dial_indicator"},
         "pointer small.hand at 7.54, pointer hand at 54.3", "7.54 mm"),
    ],
)  # fmt: skip
def test_steps_are_what_the_picture_shows(kind, options, rationale, answer):
    sample = create(kind, answer="steps", **options)[0]
    assert (sample.rationale, sample.target.write()) == (rationale, answer)


def test_questions_without_steps_are_refused():
    with pytest.raises(
        ValueError, match=r"answer='steps': scene has no steps .*or add one of count"
    ):
        create("scene", answer="steps", questions=["where"])
