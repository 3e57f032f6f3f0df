"""Forgetting: a run's guard before its training against after it."""

import pytest
from eval_toys import clock_run, clock_texts, clocks, numbers, scored

from gnomon.eval import table
from gnomon.eval.comparing.forgetting import compare_guards, compare_text
from gnomon.eval.report.text_tables import forgetting_rows, json_data

SUMS = numbers(range(40))
RIGHT = [str(number) for number in range(40)]


def test_what_was_right_and_is_wrong_is_forgotten():
    lost = scored(SUMS, ["-1"] * 20 + RIGHT[20:])
    (row,) = compare_guards({"sums": (scored(SUMS, RIGHT), lost)})
    assert (row.name, row.before, row.after, row.verdict) == ("sums", 1.0, 0.5, "worse")
    estimate = row.difference
    assert (estimate.value, estimate.n) == (-0.5, 40)
    assert -0.7 < estimate.low < -0.5 < estimate.high < -0.3


def test_files_are_corrected_together():
    """Six questions lost are shown in one file, and are not among ten files."""
    whole, lost = scored(SUMS, RIGHT), scored(SUMS, ["-1"] * 6 + RIGHT[6:])
    (alone,) = compare_guards({"sums": (whole, lost)})
    rows = compare_guards({"sums": (whole, lost)} | {f"{i}": (whole, whole) for i in range(9)})
    assert [alone.verdict, rows[0].verdict] == ["worse", "tied"]


def test_a_file_of_two_types_has_two_rows():
    mixed = [*SUMS, *clocks(10)]
    scores = scored(mixed, [*RIGHT, *clock_texts(clocks(10), 1.0)])
    rows = compare_guards({"mixed": (scores, scores)})
    assert {row.label: row.difference.n for row in rows} == {
        "Number: exactly right": 40, "Time on a 12-hour dial: exactly right": 10,
    }  # fmt: skip


def guarded(name):
    rows = [compare_text("page", 900, 3.25, 3.5)]
    return clock_run(name, 0.5, forgetting=rows)


def test_tables_name_the_run_only_if_several_have_a_guard():
    one = forgetting_rows([clock_run("before", 0.5), guarded("after")])
    assert one[1] == ["page, −log p per token", "3.25 nats", "3.50 nats", "+0.25 nats", "900"]
    both = forgetting_rows([guarded("a"), guarded("b")])
    assert [row[0] for row in both[1:]] == [f"{name}: page, −log p per token" for name in "ab"]
    assert forgetting_rows([clock_run("before", 0.5)]) == []


def test_the_printed_table_and_the_json_have_it():
    runs = [clock_run("before", 0.5), guarded("after")]
    assert "page, −log p per token  3.25 nats" in table(runs)
    (row,) = json_data(runs)["forgetting"]["after"]
    assert row["difference"]["value"] == pytest.approx(0.25)
    assert "Forgetting" not in table(runs[:1])
    assert json_data(runs[:1])["forgetting"] == {}
