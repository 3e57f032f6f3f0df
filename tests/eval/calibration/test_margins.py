"""Boxes within and around the true one, and how often it lies between them."""

import json
from dataclasses import replace
from math import log

import numpy as np
import pytest
from box_margins import is_between
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from gnomon.dialect import DIALECTS, create
from gnomon.eval.calibration.calibration import Calibration, Certifier, Part, Terms, calibrate
from gnomon.eval.scoring import margins
from gnomon.eval.scoring.certainty import measures
from gnomon.eval.scoring.questions import Question
from gnomon.sample import Box, Boxes, LabelledBox, Prediction, Unreadable

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


def simulated_lists(rng, n, *, dialect="qwen2-vl"):
    """Pictures with bolts and nuts or none, of which some are overlooked and some invented."""
    pairs = []
    for number in range(n):
        blur = rng.lognormal(-3, 0.8)
        truth, answer = [], []
        for place in range(rng.integers(0, 5)):
            corner, sides = (150 * place + 10, 20), rng.uniform(30, 100, 2)
            box = np.array([*corner, *(corner + sides)])
            label = str(rng.choice(["bolt", "nut"]))
            truth.append(LabelledBox(label, Box(*box)))
            if rng.random() > blur / 3:
                moved = clipped(box + rng.normal(0, blur * sides.mean(), 4))
                answer.append(LabelledBox(label, Box(*moved)))
        if rng.random() < blur / 3:
            answer.append(LabelledBox("nut", Box(10, 300, 90, 380)))
        text = Boxes(tuple(answer)).write(create(dialect), SIZE)
        text = "I cannot say" if rng.random() < blur / 3 else text
        question = Question(str(number), Boxes(tuple(truth)), SIZE, str(number))
        prediction = Prediction(str(number), text, SIZE, dialect, logprob=-blur * 10)
        pairs.append((prediction, question))
    return pairs


def rows_of(part, places):
    columns = [part.groups, part.scores, part.trusts, part.right, part.unmatched]
    *rows, unmatched = (tuple(c[i] for i in places) for c in columns)
    return Part(part.listing, part.within, *rows, unmatched=unmatched)


def test_margins_hold_all_matched_boxes_of_nine_of_ten_pictures_in_a_thousand_calibrations():
    rng = np.random.default_rng(0)
    (pool,) = calibrate(simulated_lists(rng, 1500), "mean")
    assert pool.listing == "boxes"
    scores = np.array([np.inf if s is None else s for s in pool.scores])
    trusts, right, unmatched = map(np.array, (pool.trusts, pool.right, pool.unmatched))
    covered, answered, broken = [], [], 0
    for _ in range(1000):
        order = rng.permutation(len(scores))
        known, new = rows_of(pool, order[:200]), order[200:]
        covered.append(np.mean(scores[new][~unmatched[new]] <= known.limit(0.9)))
        given = trusts[new] >= known.threshold(Terms(wrong=0.1))
        answered.append(given.mean())
        broken += given.any() and np.mean(~right[new][given]) > 0.1
    assert 0.9 - 3 * np.std(covered) / 1000**0.5 <= np.mean(covered) <= 0.91
    assert np.mean(answered) > 0.3
    assert broken <= 100


def test_a_list_needs_the_margin_of_its_worst_matched_box():
    """What is overlooked or invented has none, and nor has a list without a match."""
    truth = Boxes((LabelledBox("a", Box(0, 0, 100, 100)), LabelledBox("b", Box(200, 0, 240, 40))))
    near = LabelledBox("a", Box(0, 0, 100, 110)), LabelledBox("b", Box(204, 0, 240, 40))
    far = LabelledBox("a", Box(300, 300, 400, 400))
    assert margins.score(truth, Boxes((*near, far))) == pytest.approx(4 / 38)
    assert margins.score(truth, Boxes(near[:1])) == pytest.approx(10 / 105)
    for value in (Boxes((far,)), Boxes(()), None):
        assert margins.score(truth, value) is None
    assert margins.score(Boxes(()), Boxes(near)) is None


def test_pictures_without_a_match_are_left_out_of_margins_alone():
    pairs = simulated_lists(np.random.default_rng(5), 200)
    (part,) = calibrate(pairs, "mean")
    unmatched = sum(part.unmatched)
    assert 20 < unmatched < 100
    assert len(part.scored[0]) == 200 - unmatched
    assert None not in part.scored[0]
    # Nothing where nothing is, which is right, is among them.
    assert any(np.array(part.right) & np.array(part.unmatched))
    calibration = Calibration(None, "mean", None, None, (part,))
    again = TypeAdapter(Calibration).validate_python(json.loads(json.dumps(calibration.to_json())))
    assert again == calibration
    certifier = Certifier(calibration, Terms())
    for (prediction, question), score in zip(pairs, part.scores, strict=True):
        certainty = certifier.certify_margin(prediction, Boxes())
        seen = measures(replace(prediction, certainty=certainty), question.target, "boxes")
        assert seen.get("interval_covers") == (None if score is None else score <= part.limit(0.9))
        if prediction.text in ("none", "I cannot say"):
            assert certainty.interval == ("", "")
        assert certainty.interval[1].count("box_start") == prediction.text.count("box_start")


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
    spoken = create(dialect)
    slack = max(spoken.precision(SIZE)) + 1e-6
    for (prediction, question), score in zip(pairs, parts[0].scores, strict=True):
        certainty = certifier.certify_margin(prediction, FORM)
        seen = measures(replace(prediction, certainty=certainty), question.target, "box")
        assert seen["interval_covers"] == (score is not None and score <= limit)
        ends = [spoken.read_box(text, SIZE) if text else None for text in certainty.interval]
        is_held = is_between(ends, question.target.corners, slack)
        if score is None:
            assert certainty.interval == ("", "")
            assert "interval_width" not in seen
        if score is not None and score <= limit:
            assert is_held
            held += 1
        # Beyond the limit the truth may still lie between what is rounded outwards.
        elif score is None or score > 1.2 * limit + 0.1:
            assert not is_held
    assert held >= 54 - 1


corners = st.tuples(*[st.floats(0, 1)] * 4).map(
    lambda c: clipped(
        (c[0] * 600, c[1] * 440, c[0] * 600 + 5 + c[2] * 300, c[1] * 440 + 5 + c[3] * 300)
    )
)


@given(corners, corners)
def test_a_box_within_its_score_lies_between_the_two(answer, truth):
    limit = margins.score(Box(*truth), answer)
    inner, outer = (
        create("plain").read_box(text, SIZE) if text else None
        for text in margins.interval(FORM, answer, limit, "plain", SIZE)
    )
    slack = max(create("plain").precision(SIZE)) + 1e-6
    assert is_between((inner, outer), truth, slack)
    assert is_between(margins.bounds(answer, limit, SIZE), truth, 1e-6)


@pytest.mark.parametrize("answer", [None, (5, 5, 5, 9), (9, 5, 5, 9)])
def test_no_truth_fits_what_is_no_box(answer):
    assert margins.score(Box(1, 1, 9, 9), answer) == float("inf")


def test_a_tolerance_in_pixels_says_what_is_right():
    pairs = simulated(np.random.default_rng(3), 50)
    by_overlap, by_pixels = (calibrate(pairs, "mean", within=w)[0].right for w in (None, 3))
    assert sum(by_pixels) < sum(by_overlap)
    errors = [
        margins.edge_error(margins.read_answer(p, FORM) or (0, 0, 1e9, 1e9), q.target.corners)
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
    assert len(part.scored[0]) == 30
