"""Beliefs about several views of a picture are averaged, answer by answer."""

import math
from decimal import Decimal

import numpy as np
import pytest
from answer_files import ask_server, predict_to_file
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from pipeline_toys import clock, total

from gnomon.eval.scoring import predictions
from gnomon.eval.scoring.belief import best_answer
from gnomon.pipeline.answering import local
from gnomon.pipeline.answering.belief import answer_logprobs, average_beliefs, other_views
from gnomon.pipeline.answering.rule import AnswerRule
from gnomon.pipeline.answering.server import Server
from gnomon.sample import Number, Sample, Time

LOGPROBS = st.dictionaries(st.sampled_from("abcde"), st.floats(-700, 0), min_size=1)


@given(st.lists(LOGPROBS, min_size=1, max_size=4))
def test_an_average_is_that_of_the_probabilities(beliefs):
    average = average_beliefs(beliefs)
    assert set(average) == {answer for belief in beliefs for answer in belief}
    for answer, logprob in average.items():
        shares = [math.exp(belief[answer]) for belief in beliefs if answer in belief]
        assert math.exp(logprob) == pytest.approx(sum(shares) / len(beliefs), rel=1e-4, abs=1e-300)


def test_one_view_is_cut_off_and_another_is_wider():
    pixels = np.random.default_rng(0).integers(0, 256, (40, 100, 3), dtype=np.uint8)
    more = (Image.new("RGB", (200, 20)),)
    sample = Sample("a", Image.fromarray(pixels), "How far?", Number(Decimal(7)), more_images=more)
    closer, wider = other_views(sample)
    assert np.array_equal(np.asarray(closer.image), pixels[2:-2, 4:-4])
    wide = np.asarray(wider.image)
    assert np.array_equal(wide[3:-3, 8:-8], pixels)
    assert (wide[:4, :9] == pixels[0, 0]).all()
    assert (wide[-4:, -9:] == pixels[-1, -1]).all()
    assert [view.more_images[0].size for view in (closer, wider)] == [(182, 18), (230, 24)]
    assert other_views(total(7)) == []


def test_an_answer_is_chosen_from_the_average_over_three_views(blank, tmp_path):
    """A sum without a picture has one view."""
    samples = [total(7, 1), clock(Time(36480))]
    rule = AnswerRule("mode", belief=True, views=3)
    predict_to_file(
        blank, samples, tmp_path / "a", total=2, settings={}, batch_size=2, max_new_tokens=4,
        rule=rule,
    )  # fmt: skip
    by_id = {answer.sample_id: answer for answer in predictions.read(tmp_path / "a")}
    written, drawn = (by_id[sample.id] for sample in samples)
    assert written.logprobs == answer_logprobs(blank, samples[0], [*written.logprobs])
    views = [samples[1], *other_views(samples[1])]
    beliefs = [answer_logprobs(blank, view, [*drawn.logprobs]) for view in views]
    assert len({tuple(belief.values()) for belief in beliefs}) == 3
    assert drawn.logprobs == average_beliefs(beliefs)
    form = samples[1].target.answer_form
    assert drawn.text == best_answer(drawn.logprobs, form, "plain", "mode")
    assert drawn.settings["views"] == 3


def test_all_views_are_about_the_value_after_the_steps_of_the_first(blank, tmp_path, monkeypatch):
    sample, working = clock(Time(36480)), "short hand 10.13, long hand 1.6: "
    monkeypatch.setattr(local, "generate_texts", lambda *_, **__: [f"{working}11:30"])
    rule = AnswerRule("mode", ("10:08", "11:30", "04:15"), views=3, steps=True)
    predict_to_file(
        blank, [sample], tmp_path / "a", total=1, settings={}, batch_size=1, max_new_tokens=4,
        rule=rule,
    )  # fmt: skip
    (answer,) = predictions.read(tmp_path / "a")
    views = [sample, *other_views(sample)]
    beliefs = [answer_logprobs(blank, view, [*answer.logprobs], working) for view in views]
    assert answer.logprobs == average_beliefs(beliefs)
    best = best_answer(answer.logprobs, sample.target.answer_form, "plain", "mode")
    assert answer.text == working + best


def test_a_server_is_asked_about_the_picture_as_it_is(tmp_path):
    with pytest.raises(ValueError, match=r"eval\.views=3: a model behind a server sees only the"):
        ask_server(
            Server("http://localhost:1/v1", "m"), [], tmp_path / "a", total=0, settings={},
            n_parallel=1, max_new_tokens=4, dialect="plain", rule=AnswerRule("mode", views=3),
        )  # fmt: skip
