"""A calibration's parts, by the lists of answers of its questions."""

from decimal import Decimal
from math import log

import pytest

from gnomon.eval.calibration.calibration import Calibration, Certifier, Terms, calibrate
from gnomon.eval.scoring.questions import Question
from gnomon.sample import Number, Prediction

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
    text, certainty = certifier.certify(TENS, pairs[0][1].target.form_of_question, "plain")
    assert (text, certainty.interval) == ("5", ("4", "6"))
    assert certainty.confidence == pytest.approx(1 / 3, abs=1e-4)
