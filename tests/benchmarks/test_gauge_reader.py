"""The gauge reader's eyes and language, and the measure on photographs."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from benchmarks import gauges
from benchmarks.making import gauge_eyes, gauge_reader
from benchmarks.making.chart_eyes import number_classes
from benchmarks.wild import Labelled
from gnomon.sample import Number


@pytest.fixture(scope="module")
def drawn():
    return list(gauge_eyes.drawings(range(27), answer="steps"))


def test_labels_say_what_the_gauge_shows(drawn):
    for sample, pixels, of in drawn:
        assert pixels.shape == (gauge_eyes.SIDE, gauge_eyes.SIDE, 3)
        value = float(sample.facts["value"])
        if sample.facts.get("name") == "dial indicator":
            # A label is of the pointer's place, and the value is cut to thousandths.
            assert abs((of["ring"] / 100 - value + 0.5) % 1 - 0.5) < 0.002
            assert abs((of["small"] / 10 - value + 5) % 10 - 5) < 0.002
            assert of["share"] == of["value"] == -1
        else:
            assert (int(of["value"]), int(of["value power"])) == number_classes(value)
            assert bool(of["sign"]) == (value < 0)
            assert of["ring"] == of["small"] == -1
            assert 0 <= of["share"] < gauge_eyes.SHARES
        assert 0 <= of["aim"] < 64
        spelt = of["letters"][of["text"] == 1]
        assert (spelt >= 0).all()
        assert (of["letters"][of["text"] == 0] == -1).all()


def test_a_tip_lies_in_its_token_wherever_the_picture_is_cut():
    kind, options = gauge_eyes.SORTS[6]
    sample = gauge_eyes.generators.create(kind, **options, size=224)[3]
    side = gauge_eyes.SIDE // gauge_eyes.TOKEN
    for corner, scale in (((0.0, 0.0), 1.0), ((20.0, -11.0), 1.2)):
        of = gauge_eyes.label(sample, corner, scale)
        x, y = ((at - by) * scale for at, by in zip(sample.facts["tip"], corner, strict=True))
        token = int(y // gauge_eyes.TOKEN) * side + int(x // gauge_eyes.TOKEN)
        assert of["aim"] == token
        assert of["tip"].nonzero()[0].tolist() == [token]
    assert gauge_eyes.label(sample, (500.0, 500.0), 1.0)["tip"].sum() == 0


@pytest.mark.parametrize(("said", "is_right"), [(99.0, True), (0.0, True), (2.0, False)])
def test_a_ring_goes_round(said, *, is_right):
    logits = {
        n: torch.zeros(1, 64, size) for n, size in {**gauge_eyes.WHOLE, **gauge_eyes.PLACED}.items()
    }
    truth = {n: torch.tensor([-1.0]) for n in gauge_eyes.WHOLE} | {"ring": torch.tensor([99.8])}
    truth |= {"text": torch.zeros(1, 64), "tip": torch.zeros(1, 64)}
    truth["letters"] = torch.full((1, 64, gauge_eyes.LETTERS), -1.0)
    truth["letters"][0, 0] = 0
    before, _ = gauge_eyes.loss_of(logits, truth)
    logits["ring"][..., int(said)] = 5.0
    loss, right = gauge_eyes.loss_of(logits, truth)
    assert right["ring"] == (float(is_right), 1)
    assert (loss < before) == is_right


def test_questions_with_steps_end_in_the_value(drawn):
    pairs = zip(drawn, gauge_reader.draw(range(27)), strict=True)
    for place, ((sample, *_), (pixels, direct, chained)) in enumerate(pairs):
        value = str(sample.target)
        assert chained.question.startswith(sample.question)
        assert chained.answer == f"{sample.rationale}: {value}"
        if place // len(gauge_eyes.SORTS) % 3 == 2:
            assert direct.question.endswith("read? Answer with a number.")
            assert direct.answer == value.split()[0]
        else:
            assert (direct.question, direct.answer) == (sample.question, value)
        assert pixels.dtype == np.uint8


def test_a_turn_and_a_place_in_it_are_counted_apart():
    row = Labelled("a", "dial indicator", "val", 9.79, (9.79, 0.79, 0.80, 9.80))
    assert gauges.measures(row, 9.79) == [1.0, 1.0, 1.0]
    assert gauges.measures(row, 0.78) == [0.0, 1.0, 0.0]
    assert gauges.measures(row, 9.75) == [1.0, 0.0, 1.0]
    assert gauges.measures(row, None) == [0.0, 0.0, 0.0]
    gauge = Labelled("a", "pressure gauge", "val", 0.62, (0.6, 0.62, 0.64, 0.66))
    assert gauges.measures(gauge, 1.62)[1] == 0.0
    assert gauges.measures(gauge, 0.635)[:2] == [0.0, 1.0]


def test_photographs_are_asked_about_in_their_unit(monkeypatch):
    row = Labelled(Path("a.jpg"), "pressure gauge", "val", 61.0, (60.0, 61.0))
    monkeypatch.setattr(gauges, "load_picture", lambda _: Image.new("RGB", (50, 50)))
    asked = "What is the pressure shown in the image in psi??"
    one = gauges._find(SimpleNamespace(view=lambda sample: sample), row, asked)
    assert one.sample.question == "What does the pressure gauge read? Answer in psi."
    assert one.sample.target == Number(one.sample.target.value, unit="psi")
    assert gauges._asked(one).answer == "61 psi"
    assert not one.is_refused


def test_the_table_has_the_best_constant_and_every_reader():
    rows = [
        Labelled(str(i), "dial indicator", "val", value, (value, value + 0.01))
        for i, value in enumerate((1.0, 2.0, 2.5, 3.0) * 5)
    ]
    test = [gauges.Shown(row, None) for row in rows]
    right: list[float | None] = [row.value for row in rows]
    lines = gauges.table(test, {"exact": [right, right], "half": [[1.0, 2.0, None, 9.9] * 5]})
    # 2.5 has the right turn for three of four, and 2.0 the place in the turn.
    assert lines[1].split()[-3:] == ["100.0", "75.0", "75.0"]
    assert lines[2].startswith("exact")
    assert lines[2].split()[1:] == ["100.0"] * 3 or lines[2].count("100.0 [") == 3
    assert "50.0 [" in lines[3]
