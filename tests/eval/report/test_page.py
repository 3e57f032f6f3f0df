"""The report: one file, no network, nothing of an answer taken for HTML."""

import re
from dataclasses import replace
from decimal import Decimal
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import all_kinds
import numpy as np
import pytest
from eval_toys import boxes, clock_run, clocks, numbers, page_of, run
from PIL import Image

from gnomon import dialect as dialects
from gnomon.eval import RunResult, compare, score, table
from gnomon.eval.report import answers as examples
from gnomon.eval.report import page as report
from gnomon.eval.report import plots
from gnomon.eval.report.plots import curves
from gnomon.eval.report.sections import LabelCell, label_rows
from gnomon.eval.scoring.metrics import label_figures
from gnomon.eval.stats.intervals import ratio, wilson
from gnomon.sample import Box, Boxes, LabelledBox, Number, Sample, Time

HOSTILE = "<script>alert(1)</script><img src=http://evil.example/x.png onerror=alert(2)>\"'"
LOG = [
    {"step": s, "loss": 2 / s, "ce": 1.5 / s, "mmd": 0.5 / s, "learning_rate": 1}
    for s in range(1, 50)
]


class Page(HTMLParser):
    """Tags, what they load, and whether they close."""

    VOID = frozenset({"meta", "img", "br", "link", "circle", "path", "rect", "polyline", "input"})

    def __init__(self, text):
        super().__init__()
        self.tags, self.loads, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loads += [v for k, v in attrs if k in ("src", "href", "srcset", "data", "action")]
        assert not [k for k, _ in attrs if k.startswith("on")]
        if tag not in self.VOID or tag == "rect":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        if tag in self.VOID and tag != "rect" and self.open[-1] != tag:
            return
        assert self.open.pop() == tag


@pytest.fixture
def two():
    about = {"recipe_yaml": "data:\n- kind: clock\n", "versions": {"gnomon": "0.1.0"}, "log": LOG}
    return [clock_run("before", 0.2), clock_run("after", 0.8, seed=1, **about)]


def boxes_run(truths, answers):
    """A run whose answers are written in pixels."""
    samples = [
        Sample(str(n), Image.new("RGB", (100, 100), (n, n, n)), "Find all.", truth)
        for n, truth in enumerate(truths)
    ]
    texts = [answer.write(dialects.create("pixels"), (100, 100)) for answer in answers]
    return run("after", samples, texts, size=(100, 100), dialect="pixels")


def test_boxes_have_figures_for_each_label(tmp_path):
    """Over all pictures: two of three cats are found, and one of two boxes is no dog."""
    a, b, c = (Box(10 + 30 * n, 10, 30 + 30 * n, 50) for n in range(3))
    cat, dog = (partial(LabelledBox, label) for label in ("Cat", "dog"))
    truths = [Boxes((cat(a), dog(b))), Boxes((cat(a), cat(b))), Boxes()]
    answers = [truths[0], Boxes((LabelledBox("cat", b), dog(c))), Boxes((LabelledBox("cow", c),))]
    done = boxes_run(truths, answers)
    assert label_rows([done], "boxes") == [
        ("cat", 3, [LabelCell("0.800", "", ("precision 1.00 [0.34, 1.00]", "recall 0.667"))]),
        ("dog", 1, [LabelCell("0.667", "", ("precision 0.500", "recall 1.00 [0.21, 1.00]"))]),
        ("labels without true boxes", 0, [LabelCell("–", "", ("1 boxes answered",))]),
    ]
    assert "<caption>F1 by label" in page_of(tmp_path, [done])
    assert label_rows([boxes_run(truths[1:], answers[1:])], "boxes") == []
    assert label_rows([clock_run("clocks", 0.5)], "time") == []


def test_figures_of_labels_have_intervals_that_count_pictures():
    """Of ten pictures with two boxes each, six have both found: as in a picture of its own each."""
    a, b = Box(10, 10, 30, 50), Box(60, 10, 90, 50)
    both, first = (Boxes(tuple(LabelledBox("cat", box) for box in some)) for some in ((a, b), (a,)))
    dog = Boxes((LabelledBox("dog", a),))
    done = boxes_run([both] * 10 + [dog], [both] * 6 + [first] * 4 + [dog])
    figures = label_figures(done.scores.of_type("boxes"), "boxes")["cat"]
    assert (figures.true, figures.answered) == (20, 16)
    assert figures.recall == ratio([2] * 6 + [1] * 4, [2] * 10)
    assert figures.precision == wilson(10, 10)
    assert figures.f1.low < figures.f1.value == 2 * 16 / 36 < figures.f1.high < 1
    text = table([done])
    assert "F1 by label, at IoU 0.5" in text
    assert "recall 0.800 [0." in text
    # Two runs have no room for more than F1.
    assert "recall 0.800" not in table([done, replace(done, name="again")])


@pytest.fixture
def mixed():
    samples = [*clocks(9, picture=True), *numbers([1, 2, 30]), *boxes(5)]
    texts = ["10:08"] * 8 + [HOSTILE, "1", "2.5", HOSTILE]
    texts += ["[0.100, 0.200, 0.500, 0.800]"] * 3 + [HOSTILE, "[9, 9, 1, 1]"]
    return run(HOSTILE, samples, texts, size=(100, 100)), samples


@pytest.mark.slow
def test_it_loads_nothing_and_is_the_same_each_time(tmp_path, two, mixed):
    one, samples = mixed
    for runs, stored in ((two, clocks(60, picture=True)), ([one], samples)):
        page = page_of(tmp_path, runs, stored)
        assert page_of(tmp_path, runs, stored) == page
        parsed = Page(page)
        assert parsed.open == []
        assert all(url.startswith(("data:image/", "#")) for url in parsed.loads)
        assert parsed.tags.count("script") == 2  # data, and what filters them
        assert "link" not in parsed.tags
        assert not re.search(r"@import|url\((?!#)", page)


def test_answers_are_never_html(tmp_path, mixed):
    text = page_of(tmp_path, [mixed[0]], mixed[1], title=HOSTILE, note=HOSTILE)
    scripts = ['<script type="application/json" id="data">', "<script>"]
    assert re.findall("<script[^>]*>", text) == scripts
    assert "&lt;script&gt;alert(1)" in text  # the title and the note
    assert r"\u003cscript\u003ealert(1)" in text
    assert "evil.example" in text


def test_it_says_what_matters(tmp_path, two):
    text = page_of(tmp_path, two, clocks(60, picture=True), note="Sixty clocks")
    words = (
        *("after is better than before", "Exactly right", "95 % intervals", "Sixty clocks"),
        *("no idea", "kind: clock", "What time is it?", "Loss: after", "Chance", "0.1 %"),
        *("Errors by place on the dial: before", "180 min", "toy"),
    )
    assert [word for word in words if word not in text] == []
    assert "Loss: before" not in text


@pytest.mark.parametrize("text", ["10:08", "not a time"])
def test_one_run_where_all_are_right_or_none_is_read(tmp_path, text):
    samples = [replace(clocks(1)[0], target=Time(36480))]
    assert "only" in page_of(tmp_path, [run("only", samples, [text])])


def test_runs_on_other_samples_stand_side_by_side_uncompared(tmp_path, mixed):
    page = page_of(tmp_path, [clock_run("a", 0.5), mixed[0]])
    assert "not the same samples" in page
    assert "Box" in page
    assert page_of(tmp_path, [RunResult("empty", score([], []))])


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P", "1", "CMYK"])
def test_pictures_of_every_mode(mode):
    for side, kind in ((40, "png"), (500, "webp")):
        image = Image.new(mode, (side, side))
        assert examples.data_uri(image).startswith(f"data:image/{kind};base64,")
        assert image.size == (side, side)


def test_an_answer_that_turns_the_line_turns_itself_alone(tmp_path):
    """U+202E in an answer wrote "thgir ,21 sa daer" after it."""
    samples = [*clocks(2, picture=True), *numbers([1, 2])]
    texts = [f"\u202e{text}" for text in ("10:08", "none", "1", "none")]
    text = page_of(tmp_path, [run("turned", samples, texts)], samples)
    assert text.count("\u202e") >= 4
    assert "code { unicode-bidi: isolate; }" in text
    assert "\u202e" not in re.sub(r"<(code|bdi|pre)>.*?</\1>", "", text, flags=re.DOTALL)


def test_a_long_answer_is_in_the_page_once(tmp_path):
    samples = clocks(1)
    page = page_of(tmp_path, [run("wordy", samples, ["bla " * 5000])], samples)
    assert 5000 <= page.count("bla ") < 5100  # whole in the data for the script alone


def test_the_learning_curve_takes_any_parts_and_skips_other_rows():
    rows = [*LOG, {"step": 50, "train_runtime": 3.0}, {"step": 50, "eval_loss": 1.0}]
    rows.append({"step": 50, "loss": float("nan"), "parts": {"emd": 0.1}})
    rows.append({"step": 51, "loss": 0.1, "parts": {"emd": 0.1}})
    drawn = curves({"a": rows})["a"]
    for name in ("loss", "ce", "mmd", "emd"):
        assert f">{name}</text>" in drawn
    assert "learning_rate" not in drawn
    assert "nan" not in drawn
    assert curves({"a": []}) == curves({"a": LOG[:1]}) == {}


def test_losses_side_by_side_have_one_scale():
    """The losses of two runs, of which one falls a hundredfold, have the same axes."""
    steep = [{"step": s, "loss": 10 / s**2, "ce": 5 / s**2} for s in range(1, 50)]
    flat = [{"step": s, "loss": 2.0, "mmd": 1.0} for s in range(1, 100)]
    drawn = curves({"steep": steep, "none": [], "flat": flat})
    assert list(drawn) == ["steep", "flat"]
    axes = [re.findall(r"<text[^>]*>[\d.,e+-]+</text>", one) for one in drawn.values()]
    assert axes[0] == axes[1] != []
    assert curves({"flat": flat})["flat"] != drawn["flat"]
    colours = [set(re.findall(r"run\d", one)) for one in drawn.values()]
    # A part has one colour in both; the first is also that of the points that span the axes.
    assert colours[0] | colours[1] == {"run0", "run1", "run2"}
    assert colours[0] != colours[1]


MACHADO = {
    "all colours": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                 [-0.01182, 0.04294, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.3039]],
}  # fmt: skip
"""Machado, Oliveira and Fernandes 2009: what is seen of linear RGB without one sort of cones."""


def oklab(linear):
    """Convert to Oklab (Ottosson 2020)."""
    cones = np.array([[0.4122214708, 0.5363325363, 0.0514459929],
                      [0.2119034982, 0.6806995451, 0.1073969566],
                      [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
    lab = np.array([[0.2104542553, 0.793617785, -0.0040720468],
                    [1.9779984951, -2.428592205, 0.4505937099],
                    [0.0259040371, 0.7827717662, -0.808675766]])  # fmt: skip
    return np.cbrt(np.clip(linear, 0, 1) @ cones.T) @ lab.T


@pytest.mark.parametrize("place", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("eyes", MACHADO)
def test_eight_runs_have_colours_that_everyone_tells_apart(place, eyes):
    style = (Path(report.__file__).parent / "report.html.j2").read_text()
    result = re.findall(r"--run(\d): #(\w{6});", style)[8 * place : 8 * place + 8]
    assert [int(index) for index, _ in result] == list(range(8))
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (0, 2, 4)] for _, c in result])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = oklab(linear @ np.array(MACHADO[eyes]).T)
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=-1)[np.triu_indices(8, 1)]
    assert apart.min() > 0.1  # two of the colours of before were 0.006 apart
    paper = (0.0088, 1.0)[place == 0]  # the luminances of #14181d and of white
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    contrast = (np.maximum(luminance, paper) + 0.05) / (np.minimum(luminance, paper) + 0.05)
    assert contrast.min() >= 3  # WCAG 2.2, 1.4.11


@pytest.mark.slow
def test_several_kinds_are_told_in_one_sentence_and_a_table_first():
    runs = all_kinds.two()
    result = compare(runs[0].scores, runs[1].scores, names=("before", "after"))
    assert result.short_verdict == (
        "after against before: better at time on a 12-hour dial, number, box;"
        " tied at number on a scale, text, texts and their boxes, table"
    )
    assert result.sentences[3].startswith(
        "Box: after is better than before: IoU at least 0.5 75.0 %"
    )
    assert "F1 of texts in their boxes" in result.sentences[5]


def test_an_answer_beyond_the_end_of_a_dial_lies_next_to_its_truth(monkeypatch):
    """On a meter's dial and on a clock, where the other end would be the farthest."""
    drawn = []
    monkeypatch.setattr(plots, "scatter", lambda points, *_, **__: drawn.append(points))
    # The axes have little room beyond the truths.
    dial = [
        Sample(f"dial-{i}", None, "?", Number(Decimal(value), cycle=Decimal(10)))
        for i, value in enumerate(["0.0", "9.8", "4.0"])
    ]
    plots.truth_scatter(run("a", dial, ["4.9", "4.9", "4.1"]), 0, "cyclic")
    assert np.allclose(drawn.pop(), [(0, 4.9), (9.8, 4.9), (4, 4.1)])  # nearly half a turn
    plots.truth_scatter(run("a", dial, ["9.9", "0.1", "5.5"]), 0, "cyclic")
    assert np.allclose(drawn.pop(), [(0, -0.1), (9.8, 10.1), (4, 5.5)])
    plots.truth_scatter(run("a", clocks(1), ["11:30"]), 0, "time")
    assert np.allclose(drawn.pop(), [(0, -0.5)])
