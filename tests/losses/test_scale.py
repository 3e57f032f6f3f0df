"""One weight means the same for every tokenizer: the largest error costs what it costs with digits.

Each loss that grows with the distance is divided by the largest distance of its vocabulary.
"""

import pytest
import torch
from all_tokenizers import ALL, vocab_of
from contract_cases import random_logits
from hypothesis import given, settings
from hypothesis import strategies as st
from quick import quick
from toy_vocabularies import numbered

from gnomon.losses import KINDS, NumericVocab, create

DIGITS = NumericVocab(numbered("0123456789"))
POWERS = {"crps": 1, "emd": 1, "ntl_was": 1, "ntl_mse": 2}
"""Losses that are powers of a distance, as published."""


def largest_cost(name, vocab):
    """Cost of a sure answer at the label farthest from it: 0 for the largest value and back."""
    loss, entries = create(name, vocab), sorted(vocab.entries, key=lambda entry: entry.value)
    ends = [entries[0].ids[0], entries[-1].ids[0]]
    logits = torch.zeros(2, 1, vocab.size, dtype=torch.float64)
    logits[[0, 1], 0, ends] = 20.0
    return max(loss(logits[[i]], torch.tensor([[ends[1 - i]]])).item() for i in (0, 1))


@pytest.mark.parametrize("tokenizer", quick(ALL, *(n for n in ALL if n.startswith("toy "))))
@pytest.mark.parametrize("name", KINDS)
def test_the_largest_error_costs_the_same_with_every_tokenizer(name, tokenizer):
    # `smooth` does not grow with the distance; it depends on how many values are near the label.
    tolerance = 0.5 if name == "smooth" else 0.15
    expected = largest_cost(name, DIGITS)
    assert largest_cost(name, vocab_of(tokenizer)) == pytest.approx(expected, rel=tolerance)


@settings(max_examples=50)
@given(
    name=st.sampled_from(sorted(POWERS)),
    values=st.sets(st.integers(0, 999), min_size=2, max_size=8),
    seed=st.integers(0, 1000),
)
def test_a_loss_is_its_published_form_in_ninths_of_the_largest_distance(name, values, seed):
    """Value and gradient; the distances of single digits stay as they are."""
    torch.manual_seed(seed)
    vocab = NumericVocab(numbered(map(str, sorted(values))))
    labels = torch.randint(len(values), (2, 1))
    scaled, published = create(name, vocab), create(name, vocab, published=True)
    logits = random_logits(scaled, labels)
    factor = (9 / (max(values) - min(values))) ** POWERS[name]
    value, raw = scaled(logits, labels), published(logits, labels)
    torch.testing.assert_close(value, factor * raw)
    gradients = [torch.autograd.grad(x, logits, retain_graph=True)[0] for x in (value, raw)]
    torch.testing.assert_close(gradients[0], factor * gradients[1])


@pytest.mark.parametrize("name", [*POWERS, "ntil"])
def test_with_single_digits_published_is_the_same_to_the_bit(name):
    labels = torch.tensor([[3, 5], [9, 0]])
    logits = random_logits(create(name, DIGITS), labels, dtype=torch.float32)
    options = {"published": True} if name != "ntil" else {"published": True, "weights": (1, 0, 0)}
    plain = {"weights": (1, 0, 0)} if name == "ntil" else {}
    value = create(name, DIGITS, **plain)(logits, labels)
    assert value == create(name, DIGITS, **options)(logits, labels)


def test_a_vocabulary_of_one_value_has_no_distance_to_divide_by():
    labels = torch.tensor([[0]])
    assert create("crps", NumericVocab({"7": 0}))(torch.zeros(1, 1, 1), labels) == 0
