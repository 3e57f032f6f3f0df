"""Scoring: what counts, what is refused, and what comes back from JSON."""

import json
import re
from dataclasses import asdict, replace
from decimal import Decimal

import pytest
from case_tables import table as case_table
from eval_toys import blank, boxes, clock_text, clocks, exam, numbers, predict, scored
from PIL import Image

from gnomon import dialect
from gnomon.eval import RunResult, Scores, compare, score, table
from gnomon.eval.report.answers import badness
from gnomon.eval.scoring.metrics import estimate_relaxed
from gnomon.eval.stats.intervals import wilson
from gnomon.sample import (
    Box,
    Number,
    Prediction,
    Sample,
    Spot,
    Spots,
    Table,
    Text,
    target_from_json,
)

SIZE = (100, 100)


@case_table(__file__, "scored")
def test_an_answer_is_right_or_wrong_by_its_measures(row):
    sample = Sample("s", Image.new("RGB", SIZE), "?", target_from_json(row["target"]))
    (item,) = score(predict([sample], [row["text"]], size=SIZE), [sample]).items
    assert item.correct is row["correct"]
    assert item.rule == row.get("rule", item.rule)
    for name, value in row.get("measures", {}).items():
        assert item.measures.get(name) == value, name


def all_finite(scores):
    assert json.dumps([item.measures for item in scores.items], allow_nan=False)
    assert json.dumps([asdict(summary) for summary in scores.summaries.values()], allow_nan=False)


def test_summaries_count_unread_answers_as_wrong_and_charge_them_half_a_turn():
    samples = [replace(s, target=clocks(1)[0].target) for s in clocks(5)]  # 12:00 each
    result = score(predict(samples, ["12:00", "It is 12:01", "0:00", "3:51", "?"]), samples)
    summary = result.summaries["time"]
    assert (summary.n, summary.unread) == (5, 1)
    shares = {"exact": 0.4, "within_1": 0.6, "unread": 0.2}
    assert {name: summary[name].estimate.value for name in shares} == shares
    assert summary["deviation"].estimate.n == 4
    assert summary["exact"].estimate.n == 5
    assert summary["charged"].estimate.value == pytest.approx((0 + 1 + 0 + 231 + 360) / 5)


def test_nothing_read_at_all_gives_no_deviation_rather_than_0_or_nan():
    samples = clocks(3)
    result = score(predict(samples, ["", "?", "blue"]), samples)
    assert result.estimate("time", "deviation").value is None
    assert result.estimate("time", "charged").value == 360
    all_finite(result)
    wild = numbers(["1", "2", "3"])
    all_finite(score(predict(wild, ["1e299", "-1e299", "3"]), wild))
    assert score([], []) == Scores((), {})


@pytest.mark.parametrize(
    ("units", "headlines"),
    [
        (["bar", "bar"], {"error": "Mean error of read answers, bar"}),
        (["", ""], {"error": "Mean error of read answers"}),
        (["bar", "°C"], {"within_5pct": "Within 5 %",
                         "relative_median": "Median relative error of read answers"}),
    ],
)  # fmt: skip
def test_readings_of_one_unit_headline_in_it(units, headlines):
    truths = [Number(Decimal(4), unit, Decimal("0.5")) for unit in units]
    summary = scored(exam(*truths), ["4.5", "5"]).summaries["reading"]
    labels = {line.name: line.label for line in summary.results if line.headline}
    assert labels == {
        "accepted": "Right as far as the scale can be read",
        "exact": "Exactly right",
        "unread": "Could not be read",
        **headlines,
    }
    assert summary["error"].estimate.value == 0.75


def test_numbers_leave_out_of_an_error_what_has_none():
    samples = numbers(["100", "0", "-2.5", "7", "1000"])
    result = score(predict(samples, ["104", "0.0", "−2.50", "no idea", "1,000"]), samples)
    summary = result.summaries["number"]
    assert summary["within_5pct"].estimate.value == 0.8
    assert summary["error"].estimate.value == 1
    assert summary["relative"].estimate.n == 3  # not of the zero, not of the unread
    assert result.items[3].measures["charged"] == 993  # from 7 to 1000


@pytest.mark.parametrize(
    ("texts", "cost"),
    [([str(n + 1) for n in range(40)], 1), (["?"] * 40, 29.5), (["1e9"] * 40, 29.5)],
    ids=["off by one", "refused", "wild"],
)
def test_refusing_numbers_costs_as_much_as_the_farthest_truth(texts, cost):
    """Of 0 to 39 these are 39, 38, …, 20, 20, …, 39 away."""
    samples = numbers(range(40))
    assert score(predict(samples, texts), samples).estimate("number", "charged").value == cost


@pytest.mark.parametrize(("truth", "cost"), [("7", 7), ("-7", 7), ("0", 1)])
def test_one_truth_alone_is_not_free_to_refuse(truth, cost):
    samples = numbers([truth, truth])
    result = score(predict(samples, ["?", truth]), samples)
    assert [item.measures["charged"] for item in result.items] == [cost, 0]


def test_the_worst_numbers_are_shown_by_how_far_off_they_are():
    """The charge has a limit; 1e9 is still worse than 1e6."""
    samples = numbers(["1", "2", "3"])
    items = score(predict(samples, ["1e6", "1e9", "2"]), samples).items
    assert badness(items[1]) > badness(items[0]) > badness(items[2])


def test_chartqa_is_scored_as_it_was_published():
    """Numbers and texts count together, compared as the strings stand: 12% is a text to us."""
    labels = [Number(Decimal(100)), Text("12%"), Text("1,000"), Text("Blue")]
    scores = scored(exam(*labels), ["104", "12.5%", "1000", "blue"])
    assert estimate_relaxed(scores).value == 0.75
    run = RunResult("m", scores, asked={"benchmark": "chartqa"})
    assert re.search(r"ChartQA, numbers and texts +m\nRelaxed correctness +75\.0 %", table([run]))
    assert "ChartQA, numbers" not in table([replace(run, asked={})])


def test_all_kinds_are_scored_together():
    spotted = Spots((Spot("EXIT", Box(10, 10, 50, 30)), Spot("9", Box(60, 60, 90, 90))))
    years = Table(("Year", "Sales", "Cost"), (("2019", "10", "4"), ("2020", "20", "8")))
    targets = [Text("invalid", ("valid", "invalid")), Text("EXIT"), spotted, years]
    targets.append(Number(Decimal(40)))
    picture = Image.new("RGB", SIZE)
    samples = [Sample(f"{i}", picture, "?", target) for i, target in enumerate(targets)]
    written = dialect.Dialect().write(spotted.scaled(SIZE, (50, 50)), (50, 50))
    texts = ["It is invalid.", "exit", written, dialect.Dialect().write(years), "none"]
    scores = score(predict(samples, texts, size=(50, 50)), samples)
    for kind, name in [("text", "exact"), ("spots", "f1"), ("table", "cells")]:
        assert scores.estimate(kind, name).value == 1
    assert scores.summaries["number"].unread == 1
    turned = written.replace("[0.6", "[0.95")  # a left side beyond the right one
    half = score(predict(samples[2:3], [turned], size=(50, 50)), samples[2:3])
    assert half.estimate("spots", "precision").value == half.estimate("spots", "f1").value == 0.5
    assert half.estimate("spots", "unread").value == 0


@pytest.mark.parametrize("name", sorted(dialect.DIALECTS))
def test_boxes_are_judged_in_the_picture_as_the_model_saw_it(name):
    samples, size, own = boxes(4, size=SIZE), (252, 126), f"dialect {name}"
    written = [dialect.create(name).write(s.target.scaled(SIZE, size), size) for s in samples]
    for form in ("{}", "It is at {}."):
        texts = [form.format(text) for text in written]
        result = score(predict(samples, texts, size=size, dialect=name), samples)
        assert all(item.measures["iou"] > 0.97 for item in result.items)
        rules = {item.rule for item in result.items}
        assert rules == {own} if form == "{}" else own not in rules


def test_a_box_needs_its_picture():
    samples = boxes(1)
    with pytest.raises(ValueError, match="'box-0': a box needs its picture"):
        score(predict(samples, ["[0.1, 0.2, 0.5, 0.8]"]), samples)
    with pytest.raises(ValueError, match="'box-0': a box needs its picture"):
        score(predict(samples, [""], size=(9, 9)), [replace(samples[0], image=None)])


def test_missing_unknown_and_doubled_predictions_are_refused_by_name():
    samples = clocks(9)
    answers = predict(samples, ["10:08"] * 9)
    other = Prediction("other", "10:08", None, "plain")
    for predictions, asked, message in [
        (answers[:3] + answers[4:], samples, "1 samples have no prediction: 'clock-3'"),
        ([], samples, r"9 samples have no prediction: 'clock-0', .*…"),
        ([*answers, other], samples, "not among the samples: 'other'"),
        ([*answers, answers[2]], samples, "'clock-2' is predicted twice"),
        (answers, [*samples, samples[2]], "'clock-2' occurs twice"),
        (predict(boxes(1), ["x"], size=(9, 9), dialect="qwen"), boxes(1), "unknown dialect 'qwen'"),
    ]:
        with pytest.raises(ValueError, match=message):
            score(predictions, asked)


@pytest.mark.parametrize("text", [None, float("nan"), 37.0])
def test_an_answer_is_a_text(text):
    with pytest.raises(ValueError, match=rf"prediction 'q3': text={text!r}: give a str, or ''"):
        Prediction("q3", text, None, "plain")


def test_the_order_is_that_of_the_samples():
    samples = [*clocks(3), *numbers(["1", "2"])]
    samples = [samples[i] for i in (3, 0, 4, 1, 2)]
    result = score(reversed(predict(samples, ["1"] * 5)), samples)
    assert [item.sample_id for item in result.items] == [s.id for s in samples]
    assert list(result.summaries) == ["time", "number"]


def test_which_of_several_values_counts_is_the_tasks_choice():
    samples = clocks(1)
    answers = predict(samples, ["10:08 or 11:08"])
    values = {"final": None, "last": (11, 8, None), "first": (10, 8, None)}
    for which, value in values.items():
        assert score(answers, samples, which=which).items[0].value == value


def test_unknown_lines_are_named():
    result = score(predict(clocks(1), ["10:08"]), clocks(1))
    with pytest.raises(KeyError, match="these scores have time"):
        result.estimate("number", "exact")
    with pytest.raises(KeyError, match="a time summary has exact, within_1"):
        result.estimate("time", "speed")


def answered(samples, answers):
    """Score questions about clocks that are answered rightly or not, or with a text."""
    texts = [
        a if isinstance(a, str) else clock_text(s.target.seconds // 60 + 90 * (not a))
        for s, a in zip(samples, answers, strict=True)
    ]
    return score(predict(samples, texts, size=(64, 48)), samples)


def on_pictures(answers, each):
    """Score answers to questions about clocks, `each` of them to a picture."""
    samples = [replace(s, image=blank(i // each)) for i, s in enumerate(clocks(len(answers)))]
    return answered(samples, answers)


@pytest.mark.slow
def test_questions_about_one_picture_widen_the_interval():
    """Ten questions per picture, all right or all wrong, are 30 pictures, not 300 items."""
    answers = [i // 10 % 2 == 1 for i in range(300)]
    alone, together = on_pictures(answers, 1), on_pictures(answers, 10)
    assert len({item.picture for item in together.items}) == 30
    narrow, wide = (result.estimate("time", "exact") for result in (alone, together))
    assert narrow.value == wide.value == 0.5
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)
    assert wide.method == "bootstrap, 30 pictures"
    median = together.estimate("time", "deviation_median")
    assert median.method == "no interval: pictures are shared"


def test_where_all_are_right_wilson_counts_pictures():
    """200 questions about 10 pictures: one in four pictures may still be misread."""
    result = on_pictures([True] * 200, 20)
    assert result.estimate("time", "exact") == replace(wilson(10, 10), n=200)
    assert result.estimate("time", "unread") == replace(wilson(0, 10), n=200)
    assert result.estimate("time", "deviation").low is None


def test_one_picture_says_nothing_of_others():
    result = on_pictures([True, False] * 20, 40)
    assert result.estimate("time", "exact").value == 0.5
    for name in ("exact", "deviation"):
        estimate = result.estimate("time", name)
        assert (estimate.low, estimate.method) == (None, "no interval: one picture")


def test_no_share_is_less_than_0_nor_more_than_1_and_no_deviation_less_than_0():
    result = on_pictures(["?"] * 4 + [True] * 16, 4)
    assert result.estimate("time", "unread").low == 0
    assert result.estimate("time", "exact").high == 1
    assert on_pictures([False] * 4 + [True] * 16, 4).estimate("time", "deviation").low == 0


def test_pictures_are_told_apart_by_file_or_by_pixels(tmp_path):
    blank(0).save(tmp_path / "a.png")
    opened = [Image.open(tmp_path / "a.png") for _ in range(2)]
    pictures = [*opened, blank(0), blank(0), blank(1), None]
    samples = [replace(s, image=p) for s, p in zip(clocks(6), pictures, strict=True)]
    result = [item.picture for item in score(predict(samples, ["1:00"] * 6), samples).items]
    assert result[0] == result[1] == str(tmp_path / "a.png")
    assert result[2] == result[3] != result[4]
    assert result[5] == "clock-5"
    for image in opened:
        image.close()


def of_cameras(answers, each):
    """Score answers about photographs by cameras, `each` photographs a camera."""
    samples = [
        replace(s, image=blank(i), facts={"group": i // each})
        for i, s in enumerate(clocks(len(answers)))
    ]
    return answered(samples, answers)


def test_intervals_are_over_groups_of_rows():
    answers = [i // 10 % 2 == 1 for i in range(120)]
    result = of_cameras(answers, 10)
    exact, median = (result.estimate("time", name) for name in ("exact", "deviation_median"))
    assert (exact.value, exact.method) == (0.5, "bootstrap, 12 groups")
    assert median.method == "no interval: groups are shared"
    alone = of_cameras(answers, 1)
    narrow = alone.estimate("time", "exact")
    assert exact.high - exact.low > 2 * (narrow.high - narrow.low)
    assert "Confidence intervals are over 12 groups, as" in table([RunResult("a", result)])
    assert "as for new groups" not in table([RunResult("a", alone)])
    of_rows = {"columns": {"group": "camera"}}
    assert "over 12 groups (by camera), as" in table([RunResult("a", result, asked=of_rows)])
    mixed = {"sources": [of_rows, {"kind": "clock"}]}
    assert "over 12 groups (by camera), as" in table([RunResult("a", result, asked=mixed)])
    difference = compare(result, of_cameras([True] * 120, 10)).differences[0]
    assert difference.estimate.method == "bootstrap, 12 groups"
    assert difference.test == "sign flips"


def test_of_a_single_group_intervals_are_over_its_pictures():
    result = of_cameras([True, False] * 20, 40)
    assert result.estimate("time", "exact").method == "Wilson"
