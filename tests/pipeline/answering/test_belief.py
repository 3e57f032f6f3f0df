"""Beliefs are exact: one pass over a tree of answers gives what each answer by itself does."""

import json
import math
from decimal import Decimal

import pytest
import torch
from answer_files import predict_to_file
from pipeline_toys import CLOCKS, SUMS, boxed, clock, total
from small_models import SEEING

from gnomon.eval.scoring import predictions
from gnomon.eval.scoring.belief import best_answer
from gnomon.pipeline.answering import local
from gnomon.pipeline.answering.belief import answer_logprobs
from gnomon.pipeline.answering.rule import AnswerRule, listed_in
from gnomon.pipeline.collate import prompt_of
from gnomon.pipeline.families.base import encode
from gnomon.sample import Number, Sample, Text, Time

SOME = ("10:08", "10:09", "1:0", "12:59", "7", "42", "", "10:08:30")
"""Of several lengths, one the beginning of another."""


def alone(loaded, asked, text):
    """The log-probability of one answer, prompt and picture and all, in a forward of its own."""
    prompt = prompt_of(loaded.family, loaded.processor, asked)
    whole = prompt + loaded.family.answer(loaded.processor, prompt, text)
    inputs = encode(loaded.processor, [whole], [asked.image], side="left")
    asked_ids, ids = loaded.tokenizer([prompt, whole], add_special_tokens=False)["input_ids"]
    n = len(ids) - len(asked_ids)
    with torch.inference_mode():
        logits = loaded.model(**inputs).logits[0, -n - 1 : -1].log_softmax(-1)
    return sum(logits[i, token].item() for i, token in enumerate(inputs["input_ids"][0, -n:]))


@pytest.mark.slow
def test_every_family_believes_what_each_answer_alone_says(name, exact):
    pictures = [CLOCKS[0], boxed(1, (300, 90))] if name in SEEING else []
    # A text after a picture: what the picture left behind must not be used.
    for asked in [*pictures, total(7, 1), SUMS[0], *pictures[:1]]:
        found = answer_logprobs(exact, asked, SOME)
        assert list(found) == list(SOME)
        for text in SOME:
            assert found[text] == pytest.approx(alone(exact, asked, text), abs=2e-4), text
        assert len(set(found.values())) == len(SOME)


def test_all_minutes_of_the_embedded_model(blank):
    sample = clock(Time(36480))
    answers = listed_in(blank.family.dialect, sample, belief=True)
    found = answer_logprobs(blank, sample, answers)
    assert len(found) == 720
    for text in answers[::97]:
        assert found[text] == pytest.approx(alone(blank, sample, text), abs=1e-4)
    assert sum(math.exp(value) for value in found.values()) < 1


@pytest.mark.parametrize(
    ("target", "n", "some"),
    [
        (Time(0), 720, "12:00"),
        (Time(0, hours=24), 1440, "23:59"),
        (Time(0, form="words"), 720, "quarter past ten"),
        (Number(Decimal(3)), 101, "100"),
        (Number(Decimal(3), "%"), 101, "7 %"),
        (Text("yes", ("yes", "no")), 2, "no"),
    ],
)
def test_answers_that_can_be_listed(blank, target, n, some):
    answers = listed_in(blank.family.dialect, Sample("a", None, "?", target), belief=True)
    assert len(answers) == n == len(set(answers))
    assert some in answers


@pytest.mark.parametrize(
    "target",
    [
        Time(7, shows_seconds=True),
        Number(Decimal(101)),
        Number(Decimal("0.5")),
        Number(Decimal(-1)),
        Text("free"),
        boxed().target,
    ],
)
def test_answers_that_cannot_be_listed(blank, target):
    assert listed_in(blank.family.dialect, Sample("a", None, "?", target), belief=True) is None
    assert listed_in(blank.family.dialect, Sample("a", None, "?", target), belief=False) is None
    assert listed_in(blank.family.dialect, Sample("a", None, "?", target), belief=("x", "y")) == (
        "x",
        "y",
    )


@pytest.mark.parametrize("working", ["between 2 and 4, 1 of 2: ", "1 + 2 = 3\nAnswer: "])
def test_a_belief_after_a_working_is_that_of_whole_answers_given_the_working(blank, working):
    sample, answers = total(3), ("0", "1", "2", "12")
    after = answer_logprobs(blank, sample, answers, working)
    whole = answer_logprobs(blank, sample, [working + answer for answer in answers])
    # Each whole answer has the probability of the working as a factor.
    factors = [whole[working + answer] - after[answer] for answer in answers]
    assert factors == pytest.approx([factors[0]] * 4, abs=1e-3)
    assert factors[0] < -1


def test_an_answer_with_steps_gets_its_value_from_the_belief(blank, monkeypatch):
    texts = {"sum/1": "between 2 and 4, 1 of 2: 9", "sum/2": "9", "sum/3": "between 2 and 4, 1"}

    def generate(loaded, samples, **_):
        return [texts[sample.id] for sample in samples]

    monkeypatch.setattr(local, "generate_texts", generate)
    rule = AnswerRule("mode", ("0", "3"), steps=True)
    samples = [total(3, index) for index in (1, 2, 3)]
    batches = local.predict_batches(blank, samples, batch_size=3, max_new_tokens=9, rule=rule)
    answers = {p.sample_id: p for batch in batches for p in batch}
    working, _, value = answers["sum/1"].text.rpartition(": ")
    assert working == "between 2 and 4, 1 of 2"
    assert value == max(answers["sum/1"].logprobs, key=answers["sum/1"].logprobs.get)
    assert answers["sum/2"].text in ("0", "3")
    # An answer without a value has no belief.
    assert (answers["sum/3"].text, answers["sum/3"].logprobs) == (texts["sum/3"], None)


def test_predict_stores_beliefs_beside_the_texts(blank, tmp_path):
    samples = [total(7, 1), total("0.5", 2), clock(Time(36480), 3)]
    options = {"total": 3, "settings": {"model": "toy"}, "batch_size": 2, "max_new_tokens": 5}
    answers = []
    for belief in (True, False):
        out = tmp_path / f"{belief}.jsonl"
        predict_to_file(blank, samples, out, rule=AnswerRule(belief=belief), **options)
        answers.append({p.sample_id: p for p in predictions.read(out)})
    told, plain = answers
    assert {i: p.text for i, p in told.items()} == {i: p.text for i, p in plain.items()}
    assert told["sum/1"].logprobs == answer_logprobs(
        blank, samples[0], [str(i) for i in range(101)]
    )
    assert told["sum/2"].logprobs is None
    assert len(told["clock/3"].logprobs) == 720
    assert all(p.logprobs is None for p in plain.values())
    assert told["sum/1"].settings == {"model": "toy", "max_new_tokens": 5, "belief": True}
    assert json.dumps(told["sum/1"].logprobs)


@pytest.mark.parametrize("rule", ["mode", "median", "mean"])
def test_a_rule_s_answer_is_that_of_the_stored_belief(blank, tmp_path, rule):
    """Sums get the grid, clocks their minutes; what has a working is answered greedily."""
    samples = [total(7, 1), clock(Time(36480))]
    grid = [Decimal(n) / 2 for n in range(20)]
    for name, belief in (("with", True), ("without", False)):
        predict_to_file(
            blank, samples, tmp_path / name, total=2, settings={}, batch_size=2, max_new_tokens=4,
            rule=AnswerRule(rule, belief, grid),
        )  # fmt: skip
    stored = predictions.read(tmp_path / "with")
    plain = predictions.read(tmp_path / "without")
    assert [p.text for p in stored] == [p.text for p in plain]
    by_id = {p.sample_id: p for p in stored}
    assert set(by_id[samples[0].id].logprobs) == {str(value) for value in grid}
    assert len(by_id[samples[1].id].logprobs) == 720
    for sample in samples:
        logprobs, form = by_id[sample.id].logprobs, sample.target.answer_form
        assert by_id[sample.id].text == best_answer(logprobs, form, "plain", rule)
    assert all(p.logprobs is None and p.settings["answer"] == rule for p in plain)
