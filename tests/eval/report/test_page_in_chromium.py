"""The report in a browser: narrow and wide, light and dark, by keyboard, without scripts too."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import all_kinds
import pytest
from chromium import needs_browser

from gnomon.eval import RunResult, score, write_report
from gnomon.sample import Certainty

pytestmark = [pytest.mark.slow, needs_browser]

LOOKS = [
    ("report", 400, False, True),
    ("report", 400, True, True),
    ("report", 1400, False, True),
    ("report", 1400, True, True),
    ("report", 400, True, False),
    ("report", 1400, False, False),
    ("compare", 400, False, True),
]


@pytest.fixture(scope="module")
def two():
    return all_kinds.two()


@pytest.fixture(scope="module")
def pages(tmp_path_factory, two):
    """A run before and after, and three recipes, one of them with two seeds."""
    samples = {sample.id: sample for sample in all_kinds.samples()}
    seeds = [
        all_kinds.run(
            f"{loss}-{seed}", skill, seed=seed, recipe_yaml=f"seed: {seed}\nloss: {loss}\n"
        )
        for loss, skill, seed in (("ce", 0.4, 0), ("ce", 0.4, 1), ("ntil", 0.6, 0), ("emd", 0.9, 0))
    ]
    folder = tmp_path_factory.mktemp("report")
    write_report(folder / "report.html", two, samples=samples)
    write_report(folder / "compare.html", seeds, samples=samples)
    return folder


@pytest.fixture(scope="module", params=LOOKS, ids=str)
def look(request, pages, browser):
    name, width, dark, scripts = request.param
    browser.open(pages / f"{name}.html", width=width, dark=dark, scripts=scripts)
    result = browser.look()
    assert (result["width"], result["dark"], result["scripted"]) == (width, dark, scripts)
    return result, list(browser.requests), list(browser.console)


def test_it_fits_the_window_and_can_be_read_reached_and_heard(look):
    """And asks for nothing more: pictures have names, headings skip no level, links lead on."""
    result, requests, console = look
    assert [url.rpartition("/")[2] for url in requests] in (["report.html"], ["compare.html"])
    assert console == []
    assert max(result["closed"], result["open"]) <= result["width"]
    assert result["texts"] > 500
    assert result["interactive"] > 20
    assert result["images"] > 10
    for fault in ("outside", "dull", "unreached", "unmarked", "unlabelled", "lost", "twice"):
        assert result[fault] == [], fault
    assert result["nameless"] == result["broken"] == 0
    headings = result["headings"]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(headings))


COUNT = "document.querySelector('#count').textContent"
FOCUS = "document.activeElement.textContent"
TITLE = "document.querySelector('#dialog-title').textContent"
OPENED = f"document.querySelector('#dialog').open && {TITLE}"
CARDS = "[...document.querySelectorAll('#results .card')].map(one => one.textContent)"


@pytest.fixture
def page(pages, browser):
    browser.open(pages / "report.html")
    return browser


def test_answers_are_filtered_by_how_they_are(page, two):
    before, after = two
    n = len(after.scores.items)
    assert page.value(COUNT) == f"{n} of {n}"
    wrong = sum(not i.correct and i.value is not None for i in after.scores.items)
    page.choose("[name=state]", "wrong")
    assert page.value(COUNT) == f"{wrong} of {n}"
    page.choose("[name=run]", "0")
    of_before = sum(not i.correct and i.value is not None for i in before.scores.items)
    assert page.value(COUNT) == f"{of_before} of {n}"
    unread = sum(item.value is None for item in before.scores.items)
    page.choose("[name=state]", "not read")
    assert page.value(COUNT) == f"{unread} of {n}"
    apart = [
        a.correct - b.correct for a, b in zip(after.scores.items, before.scores.items, strict=True)
    ]
    page.choose("[name=state]", "where runs disagree")
    assert page.value(COUNT) == f"{sum(map(abs, apart))} of {n}"
    page.choose("[name=state]", "this run alone right")
    assert page.value(COUNT) == f"{apart.count(-1)} of {n}"
    late = sum(60 < i.measures.get("deviation", 0) <= 180 for i in after.scores.items)
    page.choose("[name=run]", "1")
    page.choose("[name=state]", "off: 1–3 h")
    assert page.value(COUNT) == f"{late} of {n}"
    page.choose("[name=run]", "0")
    page.choose("[name=state]", "this run alone wrong")
    assert page.value(COUNT) == f"{apart.count(1)} of {n}"


def test_refused_answers_are_marked_and_seen_together(tmp_path, browser):
    """Their cards hold the interval and the confidence, in narrow windows too."""
    samples = all_kinds.samples()[:24]
    answers = [
        replace(prediction, certainty=Certainty(("10:00", "11:30"), 0.3, refused=index % 3 == 0))
        for index, prediction in enumerate(all_kinds.run("after", 0.7).predictions[:24])
    ]
    run = RunResult("after", score(answers, samples), answers)
    page = write_report(tmp_path / "page.html", [run], samples={s.id: s for s in samples})
    for width in (420, 1100):
        browser.open(page, width=width)
        assert browser.value(COUNT) == "24 of 24"
        browser.choose("[name=state]", "refused")
        assert browser.value(COUNT) == "8 of 24"
        cards = browser.value(CARDS)
        assert len(cards) == 8
        assert all("refused 10:00 to 11:30; right in 30 % of such cases" in card for card in cards)
        browser.value("document.querySelector('#results button').click()")
        dialog = browser.value("document.querySelector('#inside').textContent")
        assert "refused 10:00 to 11:30; right in 30 % of such cases" in dialog
        browser.value("document.querySelector('#close').click()")
        browser.choose("[name=state]", "answered")
        assert browser.value(COUNT) == "16 of 24"
        assert not any("refused" in card for card in browser.value(CARDS))
        result = browser.look()
        assert result["outside"] == result["dull"] == []
        assert result["open"] <= width


def test_they_are_filtered_by_what_was_drawn(page):
    samples = all_kinds.samples()
    options = page.value("[...document.querySelector('[name=fact]').options].map(one => one.value)")
    round_ones = [s.facts.get("style", {}).get("dial") for s in samples].count("round")
    assert round_ones
    assert "style dial: round" in options
    page.choose("[name=fact]", "style dial: round")
    assert page.value(COUNT) == f"{round_ones} of {len(samples)}"
    assert "kind of answer: Box" in options
    page.choose("[name=fact]", "kind of answer: Box")
    assert page.value(COUNT) == f"24 of {len(samples)}"
    page.value("document.querySelector('.slices th button').click()")  # a slice shows its answers
    row = page.value("document.querySelector('.slices tbody tr:nth-child(2)').innerText")
    shown = page.value(COUNT).partition(" ")[0]
    assert shown in row.split()


def test_they_are_searched_and_sorted(page, two):
    n = len(all_kinds.samples())
    by_id = {item.sample_id: item for item in two[1].scores.items}
    page.key("/")
    page.type("CLOCK 12:")
    texts = page.value(CARDS)
    assert page.value(COUNT) == f"{len(texts)} of {n}"
    assert all("clock-" in text and "12:" in text for text in texts)
    page.value("document.querySelector('#browse form').reset()")
    page.wait(COUNT, f"{n} of {n}")
    page.choose("[name=fact]", "kind of answer: Time on a 12-hour dial")
    ids = "[...document.querySelectorAll('#results button')].map(one => one.textContent)"
    page.value("document.querySelector('#more').click()")
    shown = [by_id[sample_id] for sample_id in page.value(ids)]
    assert len(shown) == 40
    off = [item.measures["charged"] for item in shown if not item.correct and item.value]
    assert off == sorted(off, reverse=True)
    assert [item.correct for item in shown] == sorted(item.correct for item in shown)
    page.choose("[name=sort]", "asked")
    assert page.value(ids) == [i for i in by_id if i.startswith("clock")][:24]
    page.choose("[name=sort]", "best")
    assert by_id[page.value(ids)[0]].correct


def test_all_can_be_done_by_keyboard(page):
    page.key("/")
    page.type("gauge")
    page.key("Enter")
    ids = page.value("[...document.querySelectorAll('#results button')].map(b => b.textContent)")
    assert page.value(FOCUS) == ids[0]
    page.key("j")
    page.key("ArrowRight")
    page.key("k")
    assert page.value(FOCUS) == ids[1]
    page.key("Enter")
    assert page.value(OPENED) == f"{ids[1]} (2 of 24)"
    page.key("j")
    page.key("ArrowLeft")
    page.key("j")
    assert page.value(OPENED) == f"{ids[2]} (3 of 24)"
    assert page.value("document.querySelector('#inside img').naturalWidth") > 200
    page.key("Escape")
    page.wait(OPENED, False)
    page.wait(FOCUS, ids[2])  # the browser first goes back to where it was opened
    page.key("/")
    page.type("jk/")
    assert page.value("document.activeElement.value") == "gaugejk/"


def test_without_scripts_the_galleries_are_there_and_with_them_the_browser(pages, browser):
    there = "[...document.querySelectorAll('#browse, .plain .card')]"
    there += ".filter(one => one.checkVisibility()).map(one => one.id || 'card')"
    browser.open(pages / "report.html", scripts=False)
    plain = browser.value(there)
    assert set(plain) == {"card"}
    assert len(plain) > 50
    browser.open(pages / "report.html")
    assert browser.value(there) == ["browse"]
