"""The figures that a training is watched by."""

from decimal import Decimal

import pytest

from gnomon.eval import score
from gnomon.eval.scoring.figures import answer_type_of, greater_is_better, headlines
from gnomon.names import UnknownNameError
from gnomon.sample import Number, Prediction, Sample, Time

SAMPLES = [
    Sample("a", None, "When?", Time(3600)),
    Sample("b", None, "When?", Time(7200)),
    Sample("c", None, "How many?", Number(Decimal(7))),
    Sample("d", None, "How many?", Number(Decimal(8))),
]


def scores_of(*texts):
    answers = zip(SAMPLES, texts, strict=True)
    return score([Prediction(s.id, text, None, "plain") for s, text in answers], SAMPLES)


def test_all_answers_count_for_what_is_correct_and_each_kind_has_its_own():
    result = headlines(scores_of("01:00", "02:06", "7", "9"))
    assert result["correct"] == 0.5
    assert result["time_exact"] == 0.5
    assert result["time_deviation"] == 3.0
    assert result["number_exact"] == 0.5
    assert not any(name.startswith("box") for name in result)


def test_what_cannot_be_told_is_left_out():
    """No time was read: there is no deviation of read answers, and what is charged says so."""
    result = headlines(scores_of("", "", "7", "8"))
    assert "time_deviation" not in result
    assert result["time_charged"] == 360.0
    assert result["correct"] == 0.5


@pytest.mark.parametrize("name", ["time_exakt", "exact", "time_hour"])
def test_an_unknown_one_is_refused_with_the_nearest(name):
    with pytest.raises(UnknownNameError, match=rf"no metric '{name}' .*did you mean \w*_"):
        greater_is_better(name)
    assert greater_is_better("correct")
    assert answer_type_of("correct") is None
