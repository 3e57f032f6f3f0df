"""The chart reader's eyes and language, before and while they learn."""

import contextlib
from decimal import Decimal

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.making import chart_eyes, chart_reader
from gnomon.pipeline import processor_of
from gnomon.pipeline.families import TINY, tiny


@pytest.fixture(scope="module")
def charts():
    return chart_eyes.draw_charts(range(12))


@given(st.integers(1, 99_999), st.integers(-3, 3))
def test_a_number_is_told_by_two_digits_and_a_power(whole, power):
    value = Decimal(whole).scaleb(power)
    lead, tens = chart_eyes.number_classes(float(value))
    told = Decimal(lead + 9).scaleb(tens - 3 - 1)
    assert abs(told / value - 1) <= Decimal("0.05") or not 1 <= tens <= chart_eyes.POWERS - 2
    assert chart_eyes.number_classes(0.0)[0] == 0


def test_labels_lie_in_the_token_of_their_mark_or_text(charts):
    for chart in charts:
        wide = chart.shape[0] // chart_eyes.TOKEN
        of = chart_eyes.label(chart.facts, chart.shape, chart.scale)
        marks = [mark for mark in chart.facts["marks"] if mark["cell"][1] == 0]
        for mark in marks:
            x, y = (at * chart.scale for at in mark["at"])
            token = int(y // chart_eyes.TOKEN) * wide + int(x // chart_eyes.TOKEN)
            assert of["mark"][token] == 1
            inside = (of["x"][token] + 0.5) / chart_eyes.SPOTS * chart_eyes.TOKEN
            left = token % wide * chart_eyes.TOKEN
            near = [other["at"][0] * chart.scale - left for other in marks]
            assert min(abs(inside - at) for at in near) <= 1.01
        assert of["mark"].sum() <= len(marks)
        read = of["letters"][of["text"] == 1]
        spelt = {
            "".join((*chart_eyes.ALPHABET, "?")[int(code)] for code in codes).strip()
            for codes in read
        }
        shown = {text["text"].lower()[: chart_eyes.LETTERS] for text in chart.facts["texts"]}
        plain = {"".join(c if c in chart_eyes.ALPHABET else "?" for c in text) for text in shown}
        assert spelt <= {text.strip() for text in plain}


def test_pieces_have_the_labels_of_what_they_show():
    (pieces,) = chart_eyes.draw(range(4), pieces=True)
    assert pieces.pixels.shape[1:] == (*chart_eyes.PIECE, 3)
    assert (pieces.of["mark"].sum(1) + pieces.of["text"].sum(1) > 0).all()
    # A piece does not show where the axis ends.
    assert (pieces.of["share"] == -1).all()
    assert (pieces.of["value"] == -1).all()


def test_questions_have_the_table_s_answers(charts):
    for chart in charts:
        direct, chained = chart_reader.questions_of(chart.facts)
        assert len(direct) == len(chained)
        for short, long in zip(direct, chained, strict=True):
            assert long.question.startswith(short.question)
            assert long.answer.endswith(f": {short.answer}")
            assert short.row == long.row
        values = [float(cells[0]) for cells in chart.facts["cells"]]
        best = max(range(len(values)), key=values.__getitem__)
        highest = [one for one in direct if "highest" in one.question]
        assert {one.row for one in highest} == {best}
        # The reader learns to look at the token in which the mark ends.
        places = chart_reader.places_of(chart)
        of = chart_eyes.label(chart.facts, chart.shape, chart.scale)
        assert all(of["mark"][place] == 1 for place in places)


def test_questions_that_share_a_picture_do_not_see_each_other(charts, monkeypatch):
    """The loss of packed questions is that of each question alone, as transformers computes it."""
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: contextlib.nullcontext())
    model = chart_reader.deepen(tiny.GnomonTiny().load_model(TINY, dtype=torch.float32), 4)
    reader = chart_reader.Reader(model, processor_of("gnomon-tiny"))
    chart = charts[0]
    pixels = chart_eyes.cut(torch.from_numpy(chart.pixels)[None])
    grid = torch.tensor([[1, chart.shape[1] // 14, chart.shape[0] // 14]])
    with torch.no_grad():
        tokens = model.model.visual(pixels.flatten(0, 1), grid_thw=grid).pooler_output
        direct, chained = chart_reader.questions_of(chart.facts)
        row = chart_reader.Row(
            tokens, chart.shape, direct[:3], chained[:2], chart_reader.places_of(chart)
        )
        packed, _ = reader.loss([row], np.random.default_rng(0), aimed=False)
        losses = []
        image = model.config.image_token_id
        head = [reader.start, reader.before, *[image] * len(tokens), reader.after]
        for question, answer, _ in (*direct[:3], *chained[:2]):
            block, labels = reader.block(question, answer)
            ids = torch.tensor([head + block])
            out = model(
                input_ids=ids,
                pixel_values=pixels[0],
                image_grid_thw=grid,
                mm_token_type_ids=(ids == image).int(),
            )
            truth = torch.tensor([*[-100] * len(head), *labels])[1:]
            told = truth != -100
            losses.append(
                torch.nn.functional.cross_entropy(
                    out.logits[0, :-1][told], truth[told], reduction="none"
                )
            )
    assert packed.item() == pytest.approx(torch.cat(losses).mean().item(), rel=1e-4)
