"""Numbers too many to be listed have the probabilities that listing them would give."""

import math
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
import real_tokenizers
from answer_files import predict_to_file
from pipeline_toys import total
from small_models import SEEING

from gnomon.answers.base.number_range import NumberRange
from gnomon.eval.scoring import predictions
from gnomon.pipeline.answering import coordinates, long_numbers
from gnomon.pipeline.answering.belief import answer_logprobs
from gnomon.pipeline.answering.long_numbers import _RangeTrie, range_logprobs
from gnomon.pipeline.answering.rule import AnswerRule
from gnomon.sample import Number

COUNTER = replace(total(7, 1), target=Number(Decimal(42), unit="m³", digits=3))


@pytest.fixture
def whole_tries(monkeypatch):
    """Leave nothing out."""
    for module in (coordinates, long_numbers):
        monkeypatch.setattr(module, "REST", -1e-9)
    monkeypatch.setattr(long_numbers, "_MOST_NODES", 10**6)
    monkeypatch.setattr(long_numbers, "_MOST_NUMBERS", 10**6)


def check(loaded, working=""):
    numbers = COUNTER.target.answer_form.number_range()
    believed = range_logprobs(loaded, COUNTER, numbers, working)
    assert list(believed) == [f"{n:03} m³" for n in range(1000)]
    some = list(believed)[::37]
    for answer, expected in answer_logprobs(loaded, COUNTER, some, working).items():
        assert believed[answer] == pytest.approx(expected, abs=2e-4)


@pytest.mark.usefixtures("whole_tries")
@pytest.mark.parametrize("working", ["", "wheels 0 4 2: "])
def test_a_search_gives_what_a_list_gives(blank, working):
    check(blank, working)


@pytest.mark.slow
@pytest.mark.usefixtures("whole_tries")
def test_every_family_gives_what_a_list_gives(name, exact):
    if name in SEEING:
        check(exact)


def test_a_search_ends_and_says_how_much_it_knows(blank, monkeypatch):
    """Of random weights all numbers are about as likely, and no search can know most."""
    monkeypatch.setattr(long_numbers, "_MOST_NODES", 300)
    longer = replace(COUNTER, target=Number(Decimal(5098), digits=5))
    assert range_logprobs(blank, longer, longer.target.answer_form.number_range()) == {}
    sample = replace(COUNTER, target=Number(Decimal(509), digits=3))
    believed = range_logprobs(blank, sample, sample.target.answer_form.number_range())
    exact = answer_logprobs(blank, sample, list(believed))
    assert 100 < len(believed) < 200
    assert sum(map(math.exp, believed.values())) < 1
    assert all(believed[answer] == pytest.approx(exact[answer], abs=2e-4) for answer in believed)


class _Plain:
    """A family whose answers end in a token after the words."""

    def answer(self, processor, prompt, words):
        return words + processor.eos_token


@pytest.fixture(scope="module", params=real_tokenizers.NAMES)
def tokenizer(request):
    return getattr(real_tokenizers, request.param)()


@pytest.mark.parametrize(
    "numbers",
    [
        NumberRange(Decimal(0), Decimal(99999), Decimal(1), 5, "m³"),
        NumberRange(Decimal(0), Decimal("99999.9"), Decimal("0.1"), 5),
        NumberRange(Decimal(0), Decimal(123456), Decimal(1)),
        NumberRange(Decimal(0), Decimal(99999999), Decimal(1), 8),
    ],
)
def test_real_tokenizers_lead_to_every_number_by_its_own_tokens(tokenizer, numbers):
    rng = np.random.default_rng(0)
    prompt = "<|im_start|>What does the counter show?\nassistant\n"
    trie = _RangeTrie(tokenizer, _Plain(), tokenizer, prompt, numbers)
    n_prompt = len(tokenizer(prompt, add_special_tokens=False)["input_ids"])
    last = int((numbers.last - numbers.first) / numbers.step)
    for n in [0, 1, 10, 100, last, *rng.integers(0, last, 12).tolist()]:
        figures = numbers._decimal_text(numbers._scaled(numbers.first + n * numbers.step))
        text = prompt + numbers.answer(figures) + tokenizer.eos_token
        path = tuple(tokenizer(text, add_special_tokens=False)["input_ids"][n_prompt:])
        for end, token in enumerate(path):
            assert token in trie.tokens_after(path[:end]), (figures, end)
        assert trie.numbers[path] == figures


def test_a_counter_is_answered_by_the_median_of_what_is_believed(blank, tmp_path):
    target = Number(Decimal(509), digits=3)
    samples = [replace(COUNTER, id=f"c/{n}", question=f"Counter {n}?", target=target) for n in "ab"]
    words = {"batch_size": 2, "max_new_tokens": 8, "settings": {}, "total": 2}
    median = AnswerRule("median", belief=True)
    predict_to_file(blank, samples, tmp_path / "a.jsonl", rule=median, **words)
    for answer in predictions.read(tmp_path / "a.jsonl"):
        assert len(answer.text) == 3
        values = np.array([int(text) for text in answer.logprobs])
        p = np.exp(list(answer.logprobs.values()))
        costs = np.abs(values[:, None] - values[None]) @ p
        assert costs[list(answer.logprobs).index(answer.text)] == pytest.approx(costs.min())
    wide = AnswerRule("mode", wide_grid=(Decimal(0), Decimal(50), Decimal(5)))
    number = [replace(sample, target=Number(Decimal(35))) for sample in samples]
    predict_to_file(blank, number, tmp_path / "b.jsonl", rule=wide, **words)
    for answer in predictions.read(tmp_path / "b.jsonl"):
        assert int(answer.text) % 5 == 0
        assert answer.settings["grid"] == ["0", "50", "5"]
