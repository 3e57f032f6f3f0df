"""Counters keep their zeros in front: in labels, answers, lists and files."""

from decimal import Decimal

import pytest
from case_tables import table

from gnomon.answers.base.answer_type import ModelAnswer
from gnomon.answers.number.answer import NumberForm
from gnomon.answers.registry import TYPES
from gnomon.generators import create
from gnomon.recipe import Columns
from gnomon.sample import Number, target_from_json, target_to_json
from gnomon.store.user_data.opening import open_table


def written(label, **columns):
    return Number.from_label(label, Columns(kind="number", **columns), None).write()


@table(__file__, "digits")
def test_a_label_s_zeros_stand_where_the_columns_say(row):
    unit = "m³" if "m³" in row["text"] else ""
    assert written(row["label"], digits=row["digits"], unit=unit) == row["text"]


def test_nothing_is_written_below_0_that_is_0():
    """Rounding leaves -0.0, and no list or pattern of possible answers holds its sign."""
    assert [written(label) for label in (-0.0, "-0", "−0.00")] == ["0.0", "0", "0.00"]
    assert written(-0.0, digits=5) == "00000.0"
    assert Number(Decimal("-0.0"), cycle=Decimal(10)).write() == "0.0"


def test_more_figures_than_the_counter_has_are_refused():
    with pytest.raises(ValueError, match="has no 3 figures before the point"):
        written(5098, digits=3)
    # The number fits, but the counter of this label has five figures.
    with pytest.raises(ValueError, match=r"'05098' has 5 figures .*: set columns.digits=5"):
        written("05098", digits=4)


@pytest.mark.parametrize("label", [98, 98.5])
def test_a_number_without_quotes_does_not_say_how_many_figures_a_counter_has(label):
    """JSON and Parquet keep no zeros in front: 00098 became a counter of two figures."""
    with pytest.raises(ValueError, match=r"keeps no zeros in front.*set columns.digits"):
        written(label, digits="label")


def test_figures_are_kept_in_files_in_lists_and_when_read_back():
    number = Number(Decimal("7.5"), digits=3)
    form = number.answer_form
    assert target_from_json(target_to_json(number)) == number == form.read_back("007.5")
    assert form.read_back("1234") is None
    assert not {"digits", "cycle"} & target_to_json(Number(Decimal(7))).keys()
    listed = [answer.write() for answer in NumberForm(digits=2).possible_answers()]
    assert (listed[0], listed[7], len(listed)) == ("00", "07", 100)


def test_zeros_are_no_error_but_figures_are_counted():
    kind, truth = TYPES["counter"], Number(Decimal(512), digits=5)
    assert truth.type_name == "counter"
    right = kind.measures(truth, ModelAnswer(Decimal(512), "512"), 9.0)
    assert (right["accepted"], right["digits"], right["error"]) == (1, 1, 0)
    assert kind.measures(truth, ModelAnswer(Decimal(513), "513"), 9.0)["digits"] == 0.8
    assert kind.measures(truth, ModelAnswer(None, "?"), 9.0)["digits"] == 0


def test_zeros_that_get_lost_are_told_of(tmp_path, capsys):
    file = tmp_path / "meters.csv"
    file.write_text("question,answer\nWhat does it read?,05098\nAnd now?,0.5\n")
    open_table(file, Columns(kind="number", image=None), "all")
    warning = capsys.readouterr().err
    assert "labels such as 05098 begin with a zero" in warning
    assert "columns.digits=label" in warning
    for digits in (5, "label", 0):
        open_table(file, Columns(kind="number", image=None, digits=digits), "all")
    assert not capsys.readouterr().err


def test_drawn_counters_can_ask_for_all_figures():
    counter = create("counter", leading_zeros=True, decimals=[0, 2])
    for sample in counter[:20]:
        whole = len(sample.facts["digits"]) - sample.facts["decimals"]
        assert len(sample.target.write().partition(".")[0]) == whole
        assert sample.question == counter.general_question
