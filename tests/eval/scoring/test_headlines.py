"""The figures that a training is watched by."""

from decimal import Decimal

import pytest
from eval_toys import exam, scored

from gnomon.eval.scoring.metrics import greater_is_better, headlines, type_name_of
from gnomon.names import UnknownNameError
from gnomon.sample import Number, Time

SAMPLES = exam(Time(3600), Time(7200), Number(Decimal(7)), Number(Decimal(8)))


def test_all_answers_count_and_each_kind_has_its_own_figures_as_far_as_they_can_be_told():
    """Where no time was read there is no deviation of read answers; what is charged says so."""
    result = headlines(scored(SAMPLES, ["01:00", "02:06", "7", "9"]))
    expected = {"correct": 0.5, "time_exact": 0.5, "time_deviation": 3.0, "number_exact": 0.5}
    assert expected.items() <= result.items()
    assert not any(name.startswith("box") for name in result)
    unread = headlines(scored(SAMPLES, ["", "", "7", "8"]))
    assert "time_deviation" not in unread
    assert (unread["time_charged"], unread["correct"]) == (360.0, 0.5)


@pytest.mark.parametrize("name", ["time_exakt", "exact", "time_hour"])
def test_an_unknown_one_is_refused_with_the_nearest(name):
    with pytest.raises(UnknownNameError, match=rf"no metric '{name}' .*did you mean \w*_"):
        greater_is_better(name)
    assert greater_is_better("correct")
    assert type_name_of("correct") is None
