"""Pictures that gnomon did not draw: their labels, and the table of how well a model reads them."""

import ast
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchmarks.transfer import __main__ as command
from benchmarks.transfer import asked, chromium, renderers, sources, training
from benchmarks.transfer.renderers import RENDERERS, Renderer
from benchmarks.transfer.worn import worn
from gnomon import store
from gnomon.recipe import RecipeError
from gnomon.runs.reader import Reader
from gnomon.sample import Prediction, Time

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "transfer"
SLOW = ("clock_traced", "clock_css", "chart_plotly", "gauge_plotly", "chart_ggplot")
"""A ray-tracer, R, and those that start a browser."""
PLAIN = ("chart_gnuplot", "chart_pygal", "chart_ggplot")
"""Sources of charts that are asked all forms of questions."""


def there(name):
    """The renderer, or a skip that says what it lacks."""
    if fault := RENDERERS[name].missing:
        pytest.skip(fault)
    return RENDERERS[name]


def cases():
    return [pytest.param(n, marks=pytest.mark.long if n in SLOW else ()) for n in RENDERERS]


def imports(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_what_draws_is_foreign_to_the_generators():
    files = [file for file in FOLDER.glob("*.py") if file.stem not in ("sources", "training")]
    found = {name for file in files for name in imports(file) if "gnomon.generators" in name}
    assert len(files) > 12
    assert found == set()
    modules = {f"benchmarks.transfer.{r.module}" for r in RENDERERS.values()}
    code = f"import sys, {', '.join(modules)}, benchmarks.transfer.worn\n"
    code += "print([name for name in sys.modules if name.startswith('gnomon.generators')])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", cases())
def test_a_picture_is_a_function_of_its_index(name):
    renderer = there(name)
    (image, *words), (again, *said), (other, *_) = (renderer.draw(index) for index in (4, 4, 5))
    assert (image.tobytes(), words) == (again.tobytes(), said)
    assert image.mode == "RGB"
    assert image.tobytes() != other.tobytes()
    assert min(image.size) >= 80
    assert len(renderer.designs) == len(set(renderer.designs)) >= 1


def hands_of(image, minute_alone, both):
    """Degrees of the hour and the minute hand, measured in the pixels: outside the hour hand's
    reach there is the minute hand alone, and nearer in what is left without it is the other."""
    pixels = np.asarray(image, float)
    away = np.abs(pixels - pixels[0, 0]).sum(axis=2)
    ink = away / away.max() > 0.5
    middle = (np.array(ink.shape) - 1) / 2
    y, x = np.indices(ink.shape)
    x, y = x - middle[1], middle[0] - y
    radius, angle = np.hypot(x, y) / middle[0], np.degrees(np.arctan2(x, y)) % 360

    def mean(mask):
        turn = np.exp(1j * np.radians(angle[mask]))
        return np.degrees(np.angle(turn.mean())) % 360

    minute = mean(ink & (radius > minute_alone[0]) & (radius < minute_alone[1]))
    apart = np.abs((angle - minute + 180) % 360 - 180)
    rest = ink & (radius > both[0]) & (radius < both[1]) & (apart > 16)
    return (mean(rest) if rest.sum() > 4 else minute), minute


@pytest.mark.parametrize(
    ("name", "indices", "minute_alone", "both"),
    [
        # The dial is the inner 200 of 210.6 units of the picture, less its margins.
        ("clock_matplotlib", range(4), (0.52, 0.65), (0.25, 0.4)),
        ("clock_svg", range(5, 100, 6), (0.45, 0.53), (0.2, 0.32)),  # the icon: 240 units
    ],
)
def test_hands_stand_where_the_label_says(name, indices, minute_alone, both):
    """Within the width of a hand; the hour hand moves on with the minutes."""
    renderer = there(name)
    for index in indices:
        image, _, target = renderer.draw(index)
        hour, minute = hands_of(image, minute_alone, both)
        true_hour, true_minute = target.seconds / 120, target.seconds / 10 % 360
        assert abs((minute - true_minute + 180) % 360 - 180) < 2, (index, minute)
        assert abs((hour - true_hour + 180) % 360 - 180) < 4, (index, hour)


def test_a_level_ends_where_the_label_says():
    """The bar's end, or the tip of the triangle, along the 192 of 240 units between the ends."""
    ends = {"%": 100, "litres": 60, "m": 5}
    for index in range(4, 100, 5):
        image, question, target = there("gauge_svg").draw(index)
        row = np.asarray(image, int)[image.height * 122 // 240]  # where the triangle is narrow
        near = [((row - ink) ** 2).sum(axis=1) < 3000 for ink in ((47, 129, 247), (57, 217, 138))]
        end = (np.nonzero(near[0] | near[1])[0].max() + 1) / image.width
        unit = question.rpartition(" ")[2].rstrip(".")
        true = float(target.value) / ends[unit]
        assert abs((240 * end - 24) / 192 - true) < 0.012, index


def test_labels_are_what_is_asked_for():
    rng = asked.rng_of("test", 0)
    for index in range(200):
        hands, question, time = asked.clock(rng, seconds=index % 2 == 0)
        assert hands.minute // 6 == time.seconds // 60 % 60
        assert (hands.second is None) == (index % 2 == 1)
        assert "HH:MM" in question
        shown = asked.table(rng, several=index % 3 == 0)
        question, value = asked.cell(rng, shown, (0, 50))
        assert value.within == Decimal("2.5")
        row = next(r for n, r in zip(shown.names, shown.rows, strict=True) if f" {n}" in question)
        named = [s for s in shown.series if f"({s})" in question]
        assert value.value == row[shown.series.index(named[0]) if named else 0]
        assert len(named) == (len(shown.series) > 1)


@pytest.mark.parametrize("name", [p for p in cases() if p.values[0] in PLAIN])
def test_bars_are_as_long_as_their_values_and_in_their_order(name):
    """Bar 3 is the third from the left, or from above. All bars have one bright colour."""
    renderer, measured = there(name), 0
    for index in [i for i in range(40) if asked.PLAIN[i % 4] in ("bar", "lying bar")]:
        pixels = np.asarray(renderer.draw(index)[0], int)
        bright = np.ptp(pixels, axis=2) > 90
        colours, counts = np.unique(pixels[bright], axis=0, return_counts=True)
        if not len(counts) or counts.max() < 0.02 * bright.size:
            continue  # grey bars, patterns, pale bars
        ink = (pixels == colours[counts.argmax()]).all(axis=2)
        design, shown, *_ = asked.plain_chart(asked.rng_of(name, index), index)
        lengths = np.sum(ink, axis=0 if design == "bar" else 1)
        edges = np.flatnonzero(np.diff(np.r_[0, lengths > 2, 0]))
        bars = [np.median(lengths[a:b]) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        if len(bars) == len(shown.names):  # lines do not cross the bars
            values = shown.columns()[0]
            ratio = np.sum(bars) / np.sum(values)
            apart = np.abs(bars - np.multiply(values, ratio))
            assert apart.max() < 0.03 * max(bars), (index, bars, values)
            measured += 1
    assert measured >= 5


def test_charts_are_asked_in_the_words_of_users():
    forms, marks = set(), set()
    for index in range(160):
        design, shown, ends, question, target = asked.plain_chart(asked.rng_of("x", index), index)
        values = shown.columns()[0]
        form = asked.form_of(question)
        forms.add((design, form))
        assert ends[0] <= min(values) <= max(values) <= ends[1]
        assert target.within == Decimal(ends[1] - ends[0]) / 20
        if form == "n-th":
            mark, place = re.fullmatch(
                r"What is the value of (bar|point) (\d)\? Answer with a number\.", question
            ).groups()
            marks.add(mark)
            assert target.value == values[int(place) - 1]
        if form == "highest":
            assert question == "What is the highest value? Answer with a number."
            assert target.value == max(values)
        if form == "named":
            named = re.fullmatch(r"What is the value of (.*)\? Answer with a number\.", question)
            assert target.value == values[shown.names.index(named[1])]
    assert marks == {"bar", "point"}
    assert forms == {(d, f) for d in asked.PLAIN for f in asked.FORMS} - {("pie", "n-th")}


def test_own_charts_are_asked_as_the_others_are():
    own = sources.OwnStyles("chart")
    drawn = [own.draw(index) for index in range(12)]
    assert [asked.form_of(question) for _, question, _ in drawn] == [
        form for form in asked.FORMS for _ in own.designs
    ]
    assert all(target.within > 0 for *_, target in drawn)


def test_what_is_missing_is_told_with_the_way_out(monkeypatch, capsys):
    lacking = Renderer("clock", "clock_svg", "SVG", "clock_svg", ("no_such_package",), browser=True)
    assert "no no_such_package here: pip install" in lacking.missing
    monkeypatch.setattr(chromium, "found", lambda: None)
    assert "apt-get install chromium" in Renderer("clock", "x", "X", "x", browser=True).missing
    no_gnuplot = Renderer("chart", "x", "X", "x", program="gnuplot")
    monkeypatch.setattr(renderers.shutil, "which", lambda name: None)
    assert no_gnuplot.missing == "x: no gnuplot on the path: apt-get install gnuplot-nox"
    monkeypatch.setattr(renderers, "of", lambda kind: (lacking,))
    assert command.main(["--kind", "clock", "--model", "gnomon-tiny"]) == 2
    assert "transfer: clock_svg: no no_such_package here: pip" in capsys.readouterr().err
    assert command.main(["--n", "0"]) == 2
    assert "--n 0: give 1 or more" in capsys.readouterr().err
    assert command.main(["--kind", "clock", "--only", "cuckoo"]) == 2
    assert "--only cuckoo: of clock give some of clock_svg" in capsys.readouterr().err


@pytest.mark.parametrize("kind", renderers.KINDS)
def test_each_source_of_variety_can_be_left_out(kind):
    whole = training.recipe_of(kind, steps=10).recipe
    assert whole.data[0].options is None
    assert whole.train.samples == 640
    for name, options in training.WITHOUT[kind].items():
        of_kind = training.recipe_of(kind, steps=10, without=name, overrides=("degrade=light",))
        opened = of_kind.recipe
        assert opened.data[0].options == {**options, "degrade": "light"}
    with pytest.raises(RecipeError, match=r"--without spoons: of \w+ give one of"):
        training.recipe_of(kind, steps=10, without="spoons")


@pytest.mark.parametrize("name", RENDERERS)
def test_docs_show_each(name):
    page = (ROOT / "docs" / "transfer-renderers.md").read_text(encoding="utf-8")
    assert f"![{RENDERERS[name].title}](transfer/{name}.webp)" in page
    assert 5_000 < (ROOT / "docs" / "transfer" / f"{name}.webp").stat().st_size <= 150_000


class Toy:
    """Grey squares; the hour follows from the index."""

    kind, name, title, designs, digest, missing = "clock", "toy", "Toys", ("a", "b"), "0", ""

    def __init__(self):
        self.drawn = 0

    def draw(self, index):
        self.drawn += 1
        picture = Image.new("RGB", (40, 40), (index, 0, 0))
        return picture, f"Which time, {index}?", Time(3600 * index)


def test_pictures_are_a_users_own_rows(tmp_path):
    toy = Toy()
    source = sources.written(toy, tmp_path, 5)
    read = store.mixture((source,), split="test", seed=0)
    assert read.length == 5
    assert [read[i].target for i in range(5)] == [Time(3600 * i) for i in range(5)]
    assert read[3].question == "Which time, 3?"
    assert read[3].image.getpixel((0, 0)) == (3, 0, 0)
    changed = sources.written(toy, tmp_path, 5, wear=True, shrink=20)
    assert toy.drawn == 5  # worn ones are made of the plain ones
    again = store.mixture((changed,), split="test", seed=0)
    small = read[3].image.convert("RGB")
    small.thumbnail((20, 20))
    assert again[3].image.tobytes() == worn(small, "clock", 3).tobytes()


def test_the_table_of_a_model_that_is_half_right(tmp_path, monkeypatch, capsys):
    """It is right about design a, an hour late about b; nothing is asked twice."""
    asked_for = []

    def answer(self, samples, batch_size, rule):
        some = list(samples)
        asked_for.append(len(some))
        for sample in some:
            hour = sample.target.seconds // 3600
            late = int(sample.facts.get("line", 0)) % 2
            text = f"{(hour + late) % 12:02}:00"
            yield [Prediction(sample.id, text, (40, 40), "plain", self.settings)]

    monkeypatch.setattr(Reader, "_ask", answer)
    monkeypatch.setattr(renderers, "of", lambda kind: (Toy(),))
    monkeypatch.setattr(command, "OwnStyles", lambda kind: Toy())
    words = ["--model", "gnomon-tiny", "--n", "8", "--designs", "--out", str(tmp_path)]
    assert command.main(words) == 0
    first = capsys.readouterr().out.splitlines()
    assert first[0].startswith("$ python -m benchmarks.transfer --model gnomon-tiny --n 8")
    table = {line[:12].strip(): line for line in first[2:]}
    assert re.search(r"8 +50\.0 % \[21\.5, 78\.5\] .* 30\.0 min .* 0\.4 %$", table["Toys"])
    assert re.search(r"^    a +4 +100\.0 %", table["a"])
    assert re.search(r"^    b +4 +0\.0 % .* 60\.0 min", table["b"])
    assert asked_for == [8, 8]  # the toys and their worn pictures; the two sources are one here
    assert command.main(words) == 0
    assert capsys.readouterr().out.splitlines() == first
    assert asked_for == [8, 8]
    assert command.main([*words, "--without", "hands"]) == 2
    assert "leave --model out" in capsys.readouterr().err


def test_without_a_model_the_run_is_trained_and_asked(tmp_path, monkeypatch):
    """The training itself is gnomon's; here it is only seen what it is told."""
    told = []
    monkeypatch.setattr(
        command, "train_run", lambda resolved, run: told.append((resolved.recipe, run))
    )
    given = command._parser().parse_args(
        ["--kind", "gauge", "--without", "turns", "--steps", "7", "--out", str(tmp_path), "log=0.5"]
    )
    model = command._model(given)
    ((opened, run),) = told
    assert run == model.run == tmp_path / "trained" / "gauge-without-turns-log=0.5-7"
    assert opened.data[0].options == {"rotation": 0.0, "perspective": 0.0, "log": 0.5}
    assert (opened.model.name, opened.train.max_steps) == ("gnomon-tiny", 7)
