"""Losses on a scale that goes round: the distance of numbers that differ in one token.

That each loss has its value there the contract shows, by naive loops.
"""

from decimal import Decimal

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_vocabularies import VOCABULARIES, labels_of

from gnomon.losses import create

DIGITS = VOCABULARIES["one digit"]()


def cost(loss, label, digits):
    """Cost of a sure answer with these digits where the label's stand."""
    labels = labels_of("one digit", label)
    logits = torch.zeros(*labels.shape, loss.vocab.size, dtype=torch.float64)
    places = loss.vocab.spans(labels).numeric.view_as(labels)[0].nonzero().flatten().tolist()
    ids = {entry.digits: entry.ids[0] for entry in DIGITS.entries}
    for place, digit in zip(places, digits, strict=True):
        logits[0, place, ids[str(digit)]] = 200.0
    return loss(logits, labels, reduction="sum").item()


@pytest.mark.parametrize("cycle", ["10", "360", "24", "12.5", "1"])
@given(data=st.data())
def test_one_wrong_digit_costs_the_distance_round_the_scale(cycle, data):
    """In units of the digit's place, whatever the other digits are."""
    label = str(Decimal(data.draw(st.integers(0, int(Decimal(cycle) * 10) - 1))) / 10)
    label = label if "." in label else f"{label}.0"
    place = data.draw(st.integers(0, len(label) - 1).filter(lambda i: label[i] != "."))
    digit, turn = data.draw(st.integers(0, 9)), Decimal(cycle)
    answer = label[:place] + str(digit) + label[place + 1 :]
    point = label.index(".")
    unit = Decimal(10) ** (point - 1 - place if place < point else point - place)
    rest = abs(Decimal(label) - Decimal(answer)) % turn
    expected = float(min(rest, turn - rest) / unit)
    if unit >= turn:  # the 0 of 0.4 on a scale of 1 is always written
        expected = abs(digit - int(label[place]))
    digits = [int(character) for character in answer if character != "."]
    for name in ("emd", "crps"):
        loss = create(name, DIGITS, cycle=float(cycle))
        assert cost(loss, label, digits) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("cycle", "label", "digits", "expected"),
    [
        (10, "19.0", (9, 9, 0), 8),  # of another length a label is no number of the scale
        (360, "005", (3, 0, 5), 0.6),
    ],
)
def test_the_leading_digit_goes_round(cycle, label, digits, expected):
    assert cost(create("emd", DIGITS, cycle=cycle), label, digits) == pytest.approx(expected)


@settings(max_examples=20)
@given(st.lists(st.floats(-6, 6), min_size=10, max_size=10), st.integers(0, 9))
def test_crps_round_a_dial_is_proper(scores, digit):
    """In expectation no report is better than the truth's own distribution."""
    loss, p = create("crps", DIGITS, cycle=10), torch.tensor(scores).double().softmax(-1)
    ids = [entry.ids[0] for entry in DIGITS.entries]

    def expected(report):
        logits = torch.full((1, 1, DIGITS.size), -1e9, dtype=torch.float64)
        logits[..., ids] = report.clamp(min=1e-30).log()
        terms = [loss(logits, torch.tensor([[token]])).item() for token in ids]
        return float(p @ torch.tensor(terms, dtype=torch.float64))

    assert expected(p) <= expected((p + torch.eye(10)[digit]) / 2) + 1e-9
