"""A calibration's parts, by the lists of answers of its questions."""

import json
from dataclasses import replace
from decimal import Decimal
from math import log

import pytest
from pydantic import TypeAdapter

from gnomon.answers.text.answer import TextForm
from gnomon.eval.calibration.calibration import (
    Calibration,
    CalibrationPart,
    Certifier,
    Terms,
    calibrate,
)
from gnomon.eval.scoring.certainty import measures
from gnomon.eval.scoring.question_file import Question
from gnomon.sample import Number, Prediction, Text, prediction_from_json, prediction_to_json

TENS = {str(number): log(0.7 if number == 5 else 0.03) for number in range(11)}


def answered(n, within):
    """Sure answers of 5 to labels around it."""
    target = Number(Decimal(4 + n % 3), within=Decimal(str(within)))
    question = Question(str(n), target, None, str(n))
    return Prediction(str(n), "5", None, "plain", logprobs=TENS), question


def test_labels_of_several_tolerances_share_the_part_of_their_list():
    """Each list had a part for every tolerance, of which the first answered by the last's limit."""
    pairs = [answered(n, 0.5 if n % 2 else 1) for n in range(30)]
    (part,) = parts = calibrate(pairs, "mode")
    assert (part.within, len(part.scores)) == (0.5, 30)
    assert part.right == tuple(n % 3 == 1 for n in range(30))
    assert calibrate(pairs, "mode", within=1)[0].right == (True,) * 30
    certifier = Certifier(Calibration(None, "mode", None, None, parts), Terms())
    text, certainty = certifier.certify(TENS, pairs[0][1].target.answer_form, "plain", "")
    assert (text, certainty.interval) == ("5", ("4", "6"))
    assert certainty.confidence == pytest.approx(1 / 3, abs=1e-4)


def test_another_question_has_no_interval_unless_each_picture_has_its_own():
    """Pressure was calibrated and temperature asked: its confidences were those of pressure."""
    ask = ["What is the pressure?", "What is the pressure  in bar?"]
    pairs = [answered(n, 1) for n in range(30)]
    asked = [(a, replace(q, question=ask[n % 2])) for n, (a, q) in enumerate(pairs)]
    form = pairs[0][1].target.answer_form
    calibration = Calibration(None, "mode", None, None, calibrate(asked, "mode"))
    again = TypeAdapter(Calibration).validate_python(json.loads(json.dumps(calibration.to_json())))
    assert again == calibration
    certifier = Certifier(again, Terms())
    for question in ask:
        assert certifier.certify(TENS, form, "plain", question)[0] == "5"
    # With a blank more or less a model reads another text, and may answer otherwise.
    assert certifier.certify(TENS, form, "plain", "What is the pressure in bar?") is None
    assert certifier.certify(TENS, form, "plain", "What is the temperature?") is None
    # Sums have a question each, and the next ones have others.
    sums = [(a, replace(q, question=f"What is {n} + 1?")) for n, (a, q) in enumerate(pairs)]
    certifier = Certifier(replace(calibration, parts=calibrate(sums, "mode")), Terms())
    assert certifier.certify(TENS, form, "plain", "What is 99 + 1?")[0] == "5"


def test_choices_with_commas_are_counted_whole():
    """They were split at their commas: parts of them crashed the score, or made the set wider."""
    choices = ("Bonn, Germany", "Germany, Bonn", "no, nothing")
    logprobs = dict(zip(choices, map(log, (0.5, 0.3, 0.2)), strict=True))
    pairs = [
        (Prediction(str(n), choices[0], None, "plain", logprobs=logprobs),
         Question(str(n), Text(choices[n % 2], choices), None, str(n)))
        for n in range(30)
    ]  # fmt: skip
    certifier = Certifier(Calibration(None, "mode", None, None, calibrate(pairs, "mode")), Terms())
    text, certainty = certifier.certify(logprobs, TextForm(choices), "plain", "")
    assert (text, certainty.words) == (choices[0], choices[:2])
    answer = Prediction("a", text, None, "plain", certainty=certainty)
    assert prediction_from_json(prediction_to_json(answer)) == answer
    for choice in choices:
        figures = measures(answer, Text(choice, choices), "text")
        assert figures["interval_width"] == 2
        assert figures["interval_covers"] == (choice != choices[2])


@pytest.mark.parametrize("grid", [None, (0.0, 99999.0, 1.0)])
def test_counters_share_a_part_though_each_belief_has_other_numbers(grid):
    digits = 5 if grid is None else 0

    def believed(value):
        numbers = [Number(Decimal(value + d), digits=digits).write() for d in (-1, 0, 1)]
        return dict(zip(numbers, map(log, (0.2, 0.6, 0.2)), strict=True))

    # Up to seven off the likeliest of the three numbers that are believed, which all hold none.
    pairs = []
    for n in range(60):
        target = Number(Decimal(5000 + 100 * n + n % 8), digits=digits)
        question = Question(str(n), target, None, str(n))
        logprobs = believed(5000 + 100 * n)
        settings = {} if grid is None else {"grid": ["0", "99999", "1"]}
        pairs.append((Prediction(str(n), "?", None, "plain", settings, logprobs), question))
    (part,) = parts = calibrate(pairs, "median", within=1)
    assert part.outside == 0
    assert part.right == tuple(n % 8 <= 1 for n in range(60))
    certifier = Certifier(Calibration(None, "median", grid, None, parts), Terms())
    form = pairs[0][1].target.answer_form
    text, certainty = certifier.certify(believed(76), form, "plain", "")
    assert text == Number(Decimal(76), digits=digits).write()
    ends = [Number(Decimal(end), digits=digits).write() for end in (69, 83)]
    assert certainty.interval == tuple(ends)
    # At the end of the counter there is no more.
    _, certainty = certifier.certify(believed(2), form, "plain", "")
    assert int(certainty.interval[0]) == 0
    # No interval holds a truth beyond the grid, and that is counted.
    if grid is not None:
        beyond = Question("x", Number(Decimal(120_000)), None, "x")
        settings = {"grid": ["0", "99999", "1"]}
        prediction = Prediction("x", "?", None, "plain", settings, believed(5000))
        (part,) = calibrate([*pairs, (prediction, beyond)], "median", within=1)
        assert part.outside == 1


@pytest.mark.parametrize(
    ("n", "groups", "right", "doubt"),
    [
        (30, 30, True, "30 labelled pictures cannot show it: calibrate on at least 45"),
        (300, 30, True, "30 groups cannot show it: calibrate on at least 56, or with same_g"),
        (300, 100, False, "even among the most confident answers, more may be wrong"),
        (300, 300, True, ""),
        (300, 100, True, ""),
    ],
)
def test_why_every_answer_is_refused_is_said(n, groups, right, doubt):
    """A hundred pictures of each camera were counted as a hundred cameras, and all was answered."""
    names = tuple(str(place % groups) for place in range(n))
    part = CalibrationPart("list", 0.0, names, (0.0,) * n, (0.9,) * n, (right,) * n)
    certifier = Certifier(Calibration(None, "mean", None, None, (part,)), Terms(wrong=0.05))
    assert [text.partition("refused: ")[2].startswith(doubt) for text in certifier.doubts] == (
        [True] if doubt else []
    )
    assert Certifier(certifier.calibration, Terms()).doubts == []
