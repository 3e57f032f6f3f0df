"""The page on which readings are judged by hand, in a browser too, and what is told of them."""

import json
from dataclasses import replace
from itertools import pairwise
from time import monotonic, sleep

import pytest
from case_tables import table
from chromium import needs_browser
from eval_toys import boxes, by_id, clocks
from eval_toys import run as score_run

from gnomon.eval import RunResult, score
from gnomon.eval.report.review import reader_error, write_review
from gnomon.eval.stats.intervals import wilson

TEXTS = [
    "The time is 10:08. The hour hand is just past the 10.",
    "I cannot make out the hands.",
    "<think>\nIt may be 3:15, or a quarter past three.\n</think>\n**3:15**",
    "<script>alert(1)</script> & 'half past six'",
    "It is either 4 or 5.",
    "12:30",
    "The long hand stands at the 2 and the short one near the 7, so it is ten past seven. " * 9,
]


def made(n=7, texts=TEXTS):
    samples = clocks(n, picture=True)
    run = score_run("said <elsewhere>", samples, (texts * n)[:n], size=(64, 48))
    return run, by_id(samples)


def saved(page, run, wrong=(), **other):
    """Write the page's file with every answer judged; those ids are wrong."""
    from gnomon.eval.report import review

    rows = [
        {"read": review._reading_of(item).model_dump(), "right": item.sample_id not in wrong}
        for item in run.scores.items
    ]
    file = page.with_suffix(".json")
    file.write_text(json.dumps({"format": 1, "judged": rows} | other))
    return file


def test_the_page_shows_the_whole_answer_and_what_was_taken_but_no_truth(tmp_path):
    run, samples = made()
    page = write_review(tmp_path / "r.html", run, samples, 50).read_text()
    assert page.count("<article") == page.count('<img src="data:image/') == 7
    assert "The time is <u>10:08</u>. The hour hand is just past the 10." in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#39;<u>half past six</u>&#39;" in page
    assert TEXTS[-1][:-90] in page
    assert page.count("nothing was read") == 2
    assert "read as <b>6:30</b>" in page
    assert "http" not in page
    for item in run.scores.items:
        assert f">{item.truth.display()}<" not in page


def test_boxes_are_shown_in_the_pixels_that_they_were_read_as(tmp_path):
    run = score_run("boxes", boxes(1), ["It is at [0.1, 0.2, 0.5, 0.8]."], size=(100, 100))
    page = write_review(tmp_path / "r.html", run, {}, 50).read_text()  # without the pictures
    assert "It is at <u>[0.1, 0.2, 0.5, 0.8]</u>." in page
    assert "read as <b>(10.0, 20.0, 50.0, 80.0)</b> <small>in pixels of 100 × 100; " in page
    assert "<img" not in page


def test_the_answers_are_drawn_at_random_and_the_same_each_time(tmp_path):
    run, samples = made(200)
    pages = [write_review(tmp_path / f"{i}.html", run, samples, 50).read_bytes() for i in (0, 1)]
    assert pages[0].replace(b"0.json", b"1.json") == pages[1]
    ids = [item.sample_id for item in run.scores.items]
    shown = [ids.index(text.split("&#34;")[0]) for text in
             pages[0].decode().split("data-read=\"{&#34;id&#34;:&#34;")[1:]]  # fmt: skip
    assert len(set(shown)) == 50
    assert 60 < sum(shown) / 50 < 140
    assert any(a > b for a, b in pairwise(shown))


def test_the_error_is_the_share_that_was_misread_with_its_interval(tmp_path):
    run, _ = made()
    ids = [item.sample_id for item in run.scores.items]
    result = reader_error(saved(tmp_path / "r.html", run, wrong={ids[0], ids[4]}), run)
    assert result.estimate == wilson(2, 7)
    assert (result.wrong, result.changed) == (2, 0)
    assert result.sentence == (
        "Reader: 2 of 7 answers judged by hand were misread: 28.6 % [8.2, 64.1]."
    )


def test_what_is_read_otherwise_by_now_is_left_out(tmp_path):
    run, samples = made()
    file = saved(tmp_path / "r.html", run)
    other = [replace(p, text="3:07") if i == 2 else p for i, p in enumerate(run.predictions)]
    now = RunResult("run", score(other, list(samples.values())), other)
    result = reader_error(file, now)
    assert (result.estimate, result.changed) == (wilson(0, 6), 1)
    assert result.sentence.endswith("Left out, for they are read otherwise by now: 1.")


@table(__file__, "no_reviews")
def test_a_file_that_is_no_review_is_refused(tmp_path, row):
    (tmp_path / "x.json").write_text(row["text"])
    with pytest.raises(ValueError, match=r"x\.json") as error:
        reader_error(tmp_path / "x.json", made()[0])
    assert row["message"] in str(error.value)


PRESSED = """[...document.querySelectorAll("article")].map(one =>
    [...one.querySelectorAll("button")].map(two => two.getAttribute("aria-pressed")).join())"""
PLACE = """[...document.querySelectorAll("article")].findIndex(one => one.matches(".current"))"""
COUNT = """document.getElementById("count").textContent"""
SAVE = """document.getElementById("save").click()"""


@pytest.mark.slow
@needs_browser
def test_it_is_judged_by_keyboard_and_saved_without_a_network(tmp_path, browser):
    run, samples = made()
    page = write_review(tmp_path / "r-review.html", run, samples, 50)
    browser.open(page)
    assert browser.value(COUNT) == "0 of 7 judged"
    places = []
    for key in ("y", "n", "n", "ArrowLeft", "n", "ArrowRight", "ArrowRight"):
        browser.key(key)
        places.append(browser.value(PLACE))
    # The third n, back on its card, takes the judgement back and stays there.
    assert places == [1, 2, 3, 2, 2, 3, 4]
    browser.value('document.querySelectorAll("article")[4].querySelector(".yes").click()')
    yes, no, open_ = "true,false", "false,true", "false,false"
    assert browser.value(PRESSED) == [yes, no, open_, open_, yes, open_, open_]
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.value(SAVE)
    file = saved_by(page)
    assert [row["right"] for row in json.loads(file.read_text())["judged"]] == [True, False, True]
    assert reader_error(file, run).estimate == wilson(1, 3)
    assert browser.requests == [page.as_uri()]
    assert browser.console == []
    browser.open(page)  # a page that is loaded again goes on
    assert browser.value(COUNT) == "3 of 7 judged"
    assert browser.value(PLACE) == 2


def saved_by(page):
    """The file that the browser downloads, once it is whole."""
    file = page.with_suffix(".json")
    ends = monotonic() + 30
    while not file.is_file() and monotonic() < ends:
        sleep(0.02)
    return file


@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(400, False), (1400, True)])
def test_it_fits_the_window_and_can_be_read_and_reached(tmp_path, browser, width, dark):
    run, samples = made()
    browser.open(write_review(tmp_path / "r.html", run, samples, 50), width=width, dark=dark)
    browser.key("y")
    browser.key("n")
    result = browser.look()
    assert (result["width"], result["dark"]) == (width, dark)
    assert result["open"] <= result["width"]
    assert result["outside"] == result["dull"] == result["unreached"] == result["unmarked"] == []
    assert result["images"] == 7
    assert result["nameless"] == result["broken"] == 0
    assert result["interactive"] == 22
