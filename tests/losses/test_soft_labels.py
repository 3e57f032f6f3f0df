import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_vocabularies import many_digits, numbered

from gnomon.losses import DIST2Loss, GaussianLoss, NumericVocab

DIGITS = NumericVocab(numbered("0123456789"))
SCORES = st.lists(st.floats(-20, 20), min_size=10, max_size=10)
LABELS = st.integers(0, 9)
V = torch.arange(10, dtype=torch.float64)


def cost(loss, scores, label):
    return loss(scores[None, None], torch.tensor([[label]]))


@given(SCORES, LABELS, st.floats(0.3, 5))
@settings(max_examples=40, deadline=None)
def test_the_least_is_at_the_target(scores, label, sigma):
    scores = torch.tensor(scores, dtype=torch.float64)
    target = -((V - label) ** 2) / (2 * sigma**2)
    divergence, cross_entropy = (
        DIST2Loss(DIGITS, temperature=2 * sigma**2),
        GaussianLoss(DIGITS, sigma=sigma),
    )
    assert cost(divergence, target, label).item() == pytest.approx(0, abs=1e-12)
    assert cost(divergence, scores, label) >= 0
    entropy = cost(cross_entropy, target, label).item()
    found = cost(cross_entropy, scores, label).item()
    assert found == pytest.approx(cost(divergence, scores, label).item() + entropy, abs=1e-9)


@given(SCORES, LABELS)
@settings(max_examples=20, deadline=None)
def test_the_gradient_leads_from_what_is_said_to_the_target(scores, label):
    scores = torch.tensor(scores, dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(cost(GaussianLoss(DIGITS), scores, label), scores)
    target = (-((V - label) ** 2) / 2).softmax(0)
    torch.testing.assert_close(found, scores.softmax(0) - target)


def test_a_bell_in_the_middle_costs_what_the_docstring_says():
    target = -((V - 5) ** 2) / 2
    assert cost(GaussianLoss(DIGITS), target, 5).item() == pytest.approx(1.42, abs=0.005)
    assert cost(GaussianLoss(DIGITS), target, 5).item() == pytest.approx(
        0.5 * math.log(2 * math.pi * math.e), abs=1e-3
    )


@pytest.mark.parametrize("make", [DIST2Loss, GaussianLoss])
def test_no_other_spelling_is_asked_for(make):
    """The target for 5 says nothing about 05: its share of the value's gradient is its own p."""
    vocab = many_digits()
    ids = {e.digits: e.ids[0] for e in vocab.entries}
    logits = torch.zeros(1, 1, vocab.size, dtype=torch.float64)
    logits[..., ids["5"]], logits[..., ids["05"]] = 4.0, -3.0
    logits.requires_grad_()
    (found,) = torch.autograd.grad(make(vocab)(logits, torch.tensor([[ids["5"]]])), logits)
    five, other = found[0, 0, ids["5"]], found[0, 0, ids["05"]]
    assert other.item() == pytest.approx(five.item() * math.exp(-7), rel=1e-9)


def test_in_a_fraction_50_is_5():
    vocab = NumericVocab(numbered(["0", ".", "5", "50", "05", "6"]))
    labels = torch.tensor([[0, 1, 2]])  # 0.5
    costs = {}
    for digits, token in [("5", 2), ("50", 3), ("05", 4), ("6", 5)]:
        logits = torch.zeros(1, 3, vocab.size, dtype=torch.float64)
        logits[0, 0, 0] = logits[0, 2, token] = 50.0
        costs[digits] = DIST2Loss(vocab)(logits, labels).item()
    assert costs["5"] == pytest.approx(costs["50"], rel=1e-9)
    assert costs["5"] < costs["6"] < costs["05"]
