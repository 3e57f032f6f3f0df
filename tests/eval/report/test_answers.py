"""The examples inside a page: what is underlined, what its script is given, and the CSV."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from chromium import needs_browser
from eval_toys import (
    blank,
    by_id,
    clock_run,
    clock_texts,
    clocks,
    csv_rows,
    numbers,
    page_of,
    run,
    scored,
    true_texts,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.eval import RunResult, read_number, read_time, write_report
from gnomon.eval.report import answers as browsing
from gnomon.eval.report.answers import example_pictures
from gnomon.eval.report.markup import excerpt
from gnomon.eval.scoring.question_file import Question
from gnomon.sample import Box, Boxes, LabelledBox, Sample, Text, Time

CORPUS = Path(__file__).parents[2] / "answers" / "corpus"


def data_of(page):
    result = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(result[1])


def test_what_is_underlined_reads_as_what_was_read():
    """The underlined words alone have the value of the whole answer, over the corpus.

    But for a few, such as "1.500" in Spanish, whose value the sentence around them tells.
    """
    n = same = 0
    for name, read in (
        ("time", lambda text, asked: read_time(text, hours=asked["hours"])),
        ("number", lambda text, asked: read_number(text, unit=asked["unit"])),
    ):
        for line in (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()[::7]:
            row = json.loads(line)
            if result := read(row["text"], row["asked"]):
                parts = excerpt(row["text"], result.span, 10**6)
                assert "".join(parts) == row["text"]
                alone = read(parts.answer, row["asked"])
                same += alone is not None and alone.value == result.value
                n += 1
    assert n > 60
    assert same >= 0.98 * n


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=60),
    st.none() | st.tuples(st.integers(-5, 80), st.integers(-5, 80)),
    st.integers(1, 40),
)
def test_an_excerpt_holds_the_taken_words(text, span, most):
    before, taken, after = excerpt(text, span, most)
    start, end = span or (0, 0)
    start, end = max(start, 0), min(end, len(text))
    assert taken == text[start : max(start, end)][:most]
    if len(text) <= most:
        assert before + taken + after == text
    shown = re.sub(r"^\(\d+ characters\) … ", "", before, count=1) if len(text) > most else before
    cut = re.sub(r" … \(\d+ more characters\)$", "", after, count=1) if len(text) > most else after
    assert shown + taken + cut in text
    assert len(shown + taken + cut) <= max(most, 0) or len(text) <= most


def test_a_long_text_is_cut_around_its_answer():
    text = "a" * 1000 + " 10:08 " + "b" * 500
    before, taken, after = excerpt(text, (1001, 1006), 25)
    assert (taken, before, after) == (
        "10:08",
        "(991 characters) … " + "a" * 9 + " ",
        " " + "b" * 9 + " … (491 more characters)",
    )
    assert excerpt(text, None, 10).after == "a" * 10 + " … (1,497 more characters)"


HOSTILE = "<script>alert(1)</script> & </script><u>7</u> \u202e"


@pytest.fixture
def hostile():
    samples = [*numbers([42, 7]), Sample("t&<b>", None, HOSTILE, Text("<i>"), {"f": "<u>"})]
    texts = [f"{HOSTILE}\nAnswer: 42", f"Answer: 7 {HOSTILE}", HOSTILE]
    return run("r&<b>", samples, texts), samples


def test_an_answer_s_signs_stay_signs(tmp_path, hostile):
    one, samples = hostile
    page = page_of(tmp_path, [one], samples, files=["a&b.csv"])
    assert page.count("<script") == 2
    assert 'href="a%26b.csv"' in page
    data = data_of(page)
    assert data["runs"] == ["r&<b>"]
    assert [item["id"] for item in data["items"]] == [sample.id for sample in samples]
    words = [item["answers"][0][0] for item in data["items"]]
    assert words[0] == [f"{HOSTILE}\nAnswer: ", "42", ""]
    assert words[1] == ["Answer: ", "7", f" {HOSTILE}"]


@pytest.mark.slow
@needs_browser
def test_the_browser_shows_them_as_text_and_stays_quick_to_use_with_ten_thousand(
    tmp_path, hostile, browser
):
    """Large pages stay small, and hostile texts are text; both share one browser."""
    one, samples = hostile
    small = write_report(tmp_path / "small.html", [one], samples=by_id(samples))
    n = 10_000
    asked = [
        Sample(f"clock-{i}", None, "What time is it?", Time(i % 720 * 60), {"dial": f"d{i % 5}"})
        for i in range(n)
    ]
    some = scored(asked[:500], clock_texts(asked[:500], 0.8))
    items = tuple(replace(some.items[i % 500], sample_id=f"clock-{i}") for i in range(n))
    questions = [Question.of(sample) for sample in asked]
    many = RunResult("many", replace(some, items=items), questions=questions)
    large = write_report(tmp_path / "large.html", [many])
    assert large.stat().st_size < 4_000_000
    browser.open(small)
    cards = "[...document.querySelectorAll('#results .card')].map(one => one.textContent)"
    assert all(HOSTILE in card for card in browser.value(cards))
    injected = "#results script, #results i, #results b b"
    assert browser.value(f"document.querySelectorAll('{injected}').length") == 0
    underlined = "[...document.querySelectorAll('#results u')].map(one => one.textContent)"
    assert set(browser.value(underlined)) >= {"42", "7"}
    assert browser.console == []
    browser.open(large)
    count = "document.querySelector('#count').textContent"
    assert browser.value(count) == "10,000 of 10,000"
    wrong = sum(not i.correct and i.value is not None for i in many.scores.items)
    browser.choose("[name=state]", "wrong")
    assert browser.value(count) == f"{wrong:,} of 10,000"
    browser.choose("[name=fact]", "dial: d3")
    browser.choose("[name=state]", "")
    assert browser.value(count) == "2,000 of 10,000"
    browser.key("/")
    browser.type("clock-7773")
    assert browser.value(count) == "1 of 10,000"
    assert browser.value("document.querySelectorAll('#results .card').length") == 1
    assert browser.requests == [large.as_uri()]


@pytest.mark.slow
def test_of_more_questions_some_are_in_the_page(tmp_path, monkeypatch):
    monkeypatch.setattr(browsing, "MOST", 100)
    monkeypatch.setattr(browsing, "_MOST_CHARACTERS", 50_000)
    many = clock_run("many", 0.9, n=350)
    page = page_of(tmp_path, [many], clocks(350, picture=True), worst=5, right=2)
    data = data_of(page)
    ids = {item["id"] for item in data["items"]}
    assert data["n_questions"] == 350
    assert {f"clock-{i}" for i in range(0, 350, 4)} <= ids
    assert 88 <= len(ids) <= 95
    pictured = set(re.findall(r'class="card" data-id="([^"]+)"', page))
    assert set() < pictured <= ids
    assert f"{len(ids)} of 350 questions, evenly selected" in page
    cut = data_of(page_of(tmp_path, [run("long", clocks(60), ["so " * 400 + "10:08"] * 60)]))
    words = cut["items"][0]["answers"][0][0]
    assert words[1:] == ["10:08", ""]
    assert words[0].startswith("(")
    assert len("".join(words)) < 50_000 / 60 + 30


def test_a_fact_in_bins_keeps_its_value(tmp_path):
    """Facts are filtered by their class and displayed exactly."""
    asked = [
        replace(s, facts={"angle": i / 7, "dial": f"d{i % 3}"}) for i, s in enumerate(clocks(60))
    ]
    data = data_of(page_of(tmp_path, [run("a", asked, clock_texts(asked, 0.8))], asked))
    (angle,) = (i for i, (name, _) in enumerate(data["facts"]) if name == "angle")
    (result,) = (fact for fact in data["items"][40]["facts"] if fact[0] == angle)
    assert result[2] == "5.714"
    assert data["facts"][angle][1][result[1]].startswith("4")


def test_runs_that_disagree_have_their_pictures(tmp_path):
    runs = [clock_run("before", 0.5, n=80), clock_run("after", 0.9, n=80, seed=1)]
    samples = by_id(clocks(80, picture=True))
    apart = {
        a.sample_id
        for a, b in zip(*(run.scores.items for run in runs), strict=True)
        if a.correct != b.correct
    }
    shown = example_pictures(runs, samples, n_worst=0, n_right=0, n_disagreeing=12)
    assert len(shown) == 12
    assert shown.keys() <= apart
    assert example_pictures(runs, samples, n_worst=0, n_right=0, n_disagreeing=0) == {}
    assert example_pictures(runs[:1], samples, n_worst=0, n_right=0, n_disagreeing=9) == {}


def test_all_boxes_of_truth_and_answer_are_drawn_over_the_picture():
    mugs = [LabelledBox("mug", Box(x, 10, x + 10, 20)) for x in (0, 50)]
    samples = [
        Sample("several", blank(0, (100, 50)), "Find all mugs.", Boxes(tuple(mugs))),
        Sample("none", blank(1, (100, 50)), "Find all mugs.", Boxes()),
    ]
    texts = ["[0.1, 0.2, 0.2, 0.4]\n[0.5, 0.2, 0.6, 0.4]", "none"]
    result = run("after", samples, texts, size=(100, 50))
    pictures = example_pictures([result], by_id(samples), n_worst=9, n_right=9, n_disagreeing=0)
    frames = {name: frames for name, (_, frames) in pictures.items()}
    assert [frame[1:] for frame in frames["several"]] == [
        (0, 20, 10, 20), (50, 20, 10, 20), (10, 20, 10, 20), (50, 20, 10, 20)
    ]  # fmt: skip
    assert [frame[0] == "truth" for frame in frames["several"]] == [True, True, False, False]
    assert frames["none"] == []


def test_the_csv_has_every_answer_with_its_facts(tmp_path):
    samples = [
        Sample(f"c-{i}", blank(i), "What, time?", Time(60 * i), {"dial": "round", "lens": None})
        for i in range(4)
    ]
    texts = ["0:00", 'a "quoted",\nanswer', "", "0:03"]
    one = run("only", samples, texts, size=(64, 48), questions=list(map(Question.of, samples)))
    rows = csv_rows(tmp_path, [one, replace(one, name="again")])
    assert [row["run"] for row in rows] == ["only"] * 4 + ["again"] * 4
    assert [row["text"] for row in rows[:4]] == texts
    assert [row["state"] for row in rows[:4]] == ["right", "not read", "not read", "right"]
    assert rows[0]["question"] == "What, time?"
    assert (rows[0]["truth"], rows[0]["value"], rows[1]["value"]) == ("12:00", "12:00", "")
    assert (rows[3]["fact.dial"], rows[3]["fact.lens"]) == ("round", "")
    assert float(rows[3]["deviation"]) == 0
    assert rows[1]["deviation"] == ""


def test_no_cell_of_the_csv_is_a_formula(tmp_path):
    evil = '=HYPERLINK("http://a.b")'
    facts = {"file": evil, "group": "@SUM(A1)", "=1+1": "-5", "turn": -20.5}
    samples = [Sample(f"{evil}-{i}", None, f"+{evil}", Text("-a"), facts) for i in range(2)]
    questions = list(map(Question.of, samples))
    one = run(f"-{evil}", samples, [evil, "\t=1"], questions=questions)
    rows = csv_rows(tmp_path, [one])
    cells = [cell for row in rows for cell in (*row, *row.values())]
    assert [cell for cell in cells if cell[:1] in set("=+-@\t\r")] == ["-5", "-20.5"] * 2
    assert [row["text"] for row in rows] == [f"'{evil}", "'\t=1"]
    assert rows[0]["fact.file"] == f"'{evil}"


@pytest.mark.parametrize(("n", "pictured"), [(30, 30), (61, 8)])
def test_of_few_questions_all_have_their_picture(tmp_path, n, pictured):
    samples = [Sample(f"c-{i}", blank(i), "What time?", Time(60 * i)) for i in range(n)]
    page = page_of(tmp_path, [run("only", samples, true_texts(samples))], samples)
    assert page.count("data:image/") == pictured
    assert ("To keep the page small" in page) == (n != pictured)


@pytest.mark.slow
def test_title_and_date_say_which_runs_models_and_data(tmp_path):
    def named(one, model):
        return replace(one, predictions=[replace(one.predictions[0], settings={"name": model})])

    about = {"asked": {"kind": "clock", "split": "test"}, "date": "2026-11-22"}
    before, after = clock_run("before", 0.5, **about), clock_run("after", 0.9, **about)
    toys = [named(before, "owner/toy"), named(after, "owner/toy")]
    title = "owner/toy: before and after on 60 questions of clock, test split"
    unnamed = RunResult("a", scored(clocks(1), ["12:00"]))
    for runs, pieces in (
        (
            toys,
            [
                f"<h1>{title}</h1>",
                f"<title>{title} (2026-11-22)</title>",
                "Answered on 2026-11-22.",
            ],
        ),
        ([toys[0], replace(toys[1], date="2026-12-01")], ["from 2026-11-22 to 2026-12-01."]),
        ([unnamed], ["<h1>a on 1 question</h1>"]),
        (
            [toys[0], named(after, "owner/big")],
            ["<h1>before (owner/toy) and after (owner/big) on 60 questions"],
        ),
        ([replace(toys[0], name=name) for name in "abcd"], ["<h1>owner/toy: 4 runs on"]),
    ):
        page = page_of(tmp_path, runs)
        assert [piece for piece in pieces if piece not in page] == []
    assert "Answered" not in page_of(tmp_path, [unnamed])
