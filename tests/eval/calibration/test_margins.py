"""Boxes within and around the true one, and how often it lies between them."""

from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.dialect import DIALECTS, create
from gnomon.eval.calibration.calibration import Calibration, Certifier, Terms, calibrate
from gnomon.eval.scoring import margins
from gnomon.eval.scoring.certainty import measures
from gnomon.eval.scoring.questions import Question
from gnomon.sample import Box, Prediction, Unreadable

SIZE = (640, 480)
FORM = Box(0, 0, 1, 1)


def clipped(corners):
    x1, y1, x2, y2 = corners
    x1, x2 = sorted((min(max(x1, 0), 639), min(max(x2, 0), 639)))
    y1, y2 = sorted((min(max(y1, 0), 479), min(max(y2, 0), 479)))
    return x1, y1, max(x2, x1 + 2), max(y2, y1 + 2)


def simulated(rng, n, *, dialect="plain", group=lambda number: None):
    """Boxes met with an error that grows with their side, sure ones better; some are none."""
    pairs = []
    for number in range(n):
        middle, sides = rng.uniform(100, 380, 2), rng.uniform(30, 160, 2)
        truth = clipped((*(middle - sides / 2), *(middle + sides / 2)))
        blur = rng.lognormal(-3, 0.8)
        answer = clipped(np.array(truth) + rng.normal(0, blur * sides.mean(), 4))
        text = create(dialect).write_box(answer, SIZE)
        text = "I see none" if rng.random() < 0.03 else text
        facts = {"line": 1, "group": name} if (name := group(number)) else {}
        question = Question(str(number), Box(*truth), SIZE, str(number), "?", facts)
        prediction = Prediction(str(number), text, SIZE, dialect, logprob=-blur * 10)
        pairs.append((prediction, question))
    return pairs


def test_new_groups_are_covered_by_margins_over_groups():
    rng = np.random.default_rng(1)
    pairs = simulated(rng, 400, group=lambda number: f"camera {number % 40}")
    (part,) = calibrate(pairs, "mean")
    assert len(set(part.groups)) == 40
    (same,) = calibrate(pairs, "mean", same_groups=True)
    assert len(set(same.groups)) == 400
    with pytest.raises(ValueError, match="at least 99 groups, and 40 were"):
        part.limit(0.99)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_what_is_written_covers_as_its_score_says(dialect):
    """Whatever the numbers of the dialect are rounded to."""
    pairs = simulated(np.random.default_rng(2), 60, dialect=dialect)
    parts = calibrate(pairs, "mean")
    certifier = Certifier(Calibration(None, "mean", None, None, parts), Terms())
    limit, held = parts[0].limit(0.9), 0
    for (prediction, question), score in zip(pairs, parts[0].scores, strict=True):
        certainty = certifier.certify_margin(prediction, FORM)
        seen = measures(replace(prediction, certainty=certainty), question.target, "box")
        if score is None:
            assert certainty.interval == ("", "")
            assert "interval_width" not in seen
        if score is not None and score <= limit:
            assert seen["interval_covers"] == 1
            held += 1
        # Beyond the limit the truth may still lie between what is rounded outwards.
        elif score is None or score > 1.2 * limit + 0.1:
            assert seen["interval_covers"] == 0
    assert held >= 54 - 1


corners = st.tuples(*[st.floats(0, 1)] * 4).map(
    lambda c: clipped(
        (c[0] * 600, c[1] * 440, c[0] * 600 + 5 + c[2] * 300, c[1] * 440 + 5 + c[3] * 300)
    )
)


@given(corners, corners)
def test_a_box_within_its_score_lies_between_the_two(answer, truth):
    limit = margins.score(answer, truth)
    inner, outer = (
        create("plain").read_box(text, SIZE) if text else None
        for text in margins.interval(answer, limit, "plain", SIZE)
    )
    slack = max(create("plain").precision(SIZE)) + 1e-6
    assert margins.covers((inner, outer), truth, slack)


@pytest.mark.parametrize("answer", [None, (5, 5, 5, 9), (9, 5, 5, 9)])
def test_no_truth_fits_what_is_no_box(answer):
    assert margins.score(answer, (1, 1, 9, 9)) == float("inf")


def test_a_tolerance_in_pixels_says_what_is_right():
    pairs = simulated(np.random.default_rng(3), 50)
    by_overlap, by_pixels = (calibrate(pairs, "mean", within=w)[0].right for w in (None, 3))
    assert sum(by_pixels) < sum(by_overlap)
    errors = [
        margins.edge_error(margins.answered_box(p, FORM) or (0, 0, 1e9, 1e9), q.target.corners)
        for p, q in pairs
    ]
    assert list(by_pixels) == [error <= 3 for error in errors]


def test_a_picture_without_the_thing_is_right_if_it_is_said():
    question = Question("q", Unreadable(FORM), SIZE, "q")
    pairs = [
        (Prediction("q", text, SIZE, "plain", logprob=log(p)), question)
        for text, p in (("unreadable", 0.9), ("[0.1, 0.1, 0.2, 0.2]", 0.5))
    ]
    (part,) = calibrate(pairs + simulated(np.random.default_rng(4), 30), "mean")
    assert part.right[:2] == (True, False)
    assert part.unreadable[:3] == (True, True, False)
    assert len(part.readable[0]) == 30
