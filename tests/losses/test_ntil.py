"""Numbers put together of digits, and how far they are from the label's."""

import pytest
import torch
from toy_vocabularies import labels_of, one_digit

from gnomon.losses import NTILLoss

VOCAB = one_digit()


def answered(text, gap=30.0):
    """Logits that say this text."""
    answers = labels_of("one digit", text)
    logits = torch.zeros(*answers.shape, VOCAB.size, dtype=torch.float64)
    return logits.scatter(2, answers[..., None], gap)


def test_the_last_of_45_digits_counts():
    meant = "123456789" * 5
    labels = labels_of("one digit", meant)
    means = NTILLoss(VOCAB).components(answered(meant[:-1] + "8"), labels)
    assert means["relative"].item() == pytest.approx(1 / (int(meant) + 1), rel=1e-6)
    whole = NTILLoss(VOCAB)(answered("9" * 45).float(), labels)
    assert whole.isfinite()


def distance(said, meant, **options):
    means = NTILLoss(VOCAB, **options).components(answered(said), labels_of("one digit", meant))
    return means["emd"].item()


def test_the_distance_is_weighted_by_place():
    for place, (said, meant) in enumerate([("1235", "1234"), ("1244", "1234"), ("1334", "1234")]):
        assert distance(said, meant) == pytest.approx(1.2**place / 4, rel=1e-6)
        assert distance(said, meant, base=2.0) == pytest.approx(2.0**place / 4, rel=1e-6)
    assert distance("0.06", "0.05") == pytest.approx(1.2**-2 / 3, rel=1e-6)
    assert distance("11:08", "10:08") == pytest.approx(1 / 4, rel=1e-6)


def test_a_part_of_weight_0_is_not_computed(monkeypatch):
    labels, logits = labels_of("one digit", "1234"), answered("1934", gap=3.0)
    whole = NTILLoss(VOCAB).components(logits, labels)
    for weights, names in [((1, 0, 0), ["emd"]), ((0, 2, 0.5), ["relative", "magnitude"])]:
        loss = NTILLoss(VOCAB, weights=weights)
        assert loss.components(logits, labels) == {part: whole[part] for part in names}
        assert list(loss.counts(labels)) == list(loss.parts) == list(loss.weights) == names
    monkeypatch.setattr(NTILLoss, "_gap", None)
    assert NTILLoss(VOCAB, weights=(1, 0, 0))(logits, labels) == whole["emd"]
    monkeypatch.setattr("gnomon.losses.ntil.expected_distance", None)
    with pytest.raises(TypeError):
        NTILLoss(VOCAB)(logits, labels)


def test_the_gradient_is_the_softmaxs():
    """That of X = Σ 10**place · Σ v · softmax(scores / temperature) at the hard X."""
    labels, temperature = labels_of("one digit", "57"), 0.7
    logits = answered("82", gap=1.5).requires_grad_()
    loss = NTILLoss(VOCAB, weights=(0.0, 1.0, 0.0), temperature=temperature)
    value = loss(logits, labels)
    assert value == NTILLoss(VOCAB, weights=(0.0, 1.0, 0.0))(logits, labels)
    (slope,) = torch.autograd.grad(value, logits)

    scores = torch.stack([logits[..., list(e.ids)].logsumexp(-1) for e in VOCAB.entries], -1)
    digits = ((scores / temperature).softmax(-1) * torch.arange(10.0)).sum(-1)[0]
    soft = 10 * digits[0] + digits[1]
    x = 82 + soft - soft.detach()
    (expected,) = torch.autograd.grad((x - 57) / (x + 1), logits)
    torch.testing.assert_close(slope, expected)
    assert slope.abs().sum() > 0
