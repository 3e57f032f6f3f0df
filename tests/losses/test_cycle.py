"""Losses on a scale that goes round: the distance of numbers that differ in one token."""

import math
from decimal import Decimal

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from toy_vocabularies import VOCABULARIES, labels_of

from gnomon.losses import create

DIGITS = VOCABULARIES["one digit"]()
TURNING = [
    ("emd", {}),
    ("ntl_was", {}),
    ("crps", {}),
    ("mmd", {"kernel": "laplace"}),
    ("mmd", {"kernel": "energy"}),
    ("dist2", {}),
    ("gaussian", {}),
]


def token(digit):
    """Id of the first way to write a digit."""
    return next(entry.ids[0] for entry in DIGITS.entries if entry.digits == str(digit))


def cost(loss, label, digits, sure=200.0):
    """Cost of an answer with these digits where the label's stand."""
    labels = labels_of("one digit", label)
    logits = torch.zeros(*labels.shape, loss.vocab.size, dtype=torch.float64)
    places = loss.vocab.spans(labels).numeric.view_as(labels)[0].nonzero().flatten().tolist()
    for place, digit in zip(places, digits, strict=True):
        logits[0, place, token(digit)] = sure
    return loss(logits, labels, reduction="sum").item()


def round_apart(one, other, cycle):
    """Distance of two numbers round a scale."""
    rest = abs(Decimal(one) - Decimal(other)) % Decimal(cycle)
    return min(rest, Decimal(cycle) - rest)


@pytest.mark.parametrize("cycle", ["10", "360", "24", "12.5", "1"])
@given(data=st.data())
def test_one_wrong_digit_costs_the_distance_round_the_scale(cycle, data):
    """In units of the digit's place, whatever the other digits are."""
    steps = int(Decimal(cycle) * 10)
    label = str(Decimal(data.draw(st.integers(0, steps - 1))) / 10)
    label = label if "." in label else f"{label}.0"
    place = data.draw(st.integers(0, len(label) - 1).filter(lambda i: label[i] != "."))
    digit = data.draw(st.integers(0, 9))
    answer = label[:place] + str(digit) + label[place + 1 :]
    point = label.index(".")
    power = point - 1 - place if place < point else point - place
    expected = float(round_apart(label, answer, cycle) / Decimal(10) ** power)
    if Decimal(10) ** power >= Decimal(cycle):  # the 0 of 0.4 on a scale of 1 is always written
        expected = abs(digit - int(label[place]))
    for name in ("emd", "crps"):
        loss = create(name, DIGITS, cycle=float(cycle))
        digits = [int(character) for character in answer if character != "."]
        assert cost(loss, label, digits) == pytest.approx(expected, abs=1e-6)


def test_the_leading_digit_goes_round_and_the_tenths_do_not():
    loss = create("emd", DIGITS, cycle=10)
    assert cost(loss, "0.0", (9, 0)) == pytest.approx(1)
    assert cost(loss, "9.0", (0, 0)) == pytest.approx(1)
    assert cost(loss, "9.9", (9, 0)) == pytest.approx(9)
    # Of another length a label is no number of the scale, and no place of it goes round.
    assert cost(loss, "19.0", (9, 9, 0)) == pytest.approx(8)
    # 355 degrees for 5 have two digits more, which no digit of the label meets; of 005 they have.
    compass = create("emd", DIGITS, cycle=360)
    assert cost(compass, "005", (3, 0, 5)) == pytest.approx(0.6)


@pytest.mark.parametrize(("name", "options"), TURNING)
@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 2**16))
def test_on_one_digit_a_turn_changes_nothing(name, options, label, by, seed):
    """Label and distribution turned together cost the same, as on no scale that ends."""
    loss = create(name, DIGITS, cycle=10, **options)
    scores = torch.randn(10, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)

    def turned(shift):
        labels = torch.tensor([[token((label + shift) % 10)]])
        logits = torch.full((1, 1, DIGITS.size), -1e9, dtype=torch.float64)
        for digit in range(10):
            logits[0, 0, token((digit + shift) % 10)] = scores[digit]
        return loss(logits, labels).item()

    assert turned(by) == pytest.approx(turned(0), abs=1e-9)


@pytest.mark.parametrize(("name", "options"), TURNING)
def test_a_scale_beyond_reach_is_one_that_ends(name, options):
    labels = labels_of("one digit", "3.507", "12:05")
    logits = torch.randn(*labels.shape, DIGITS.size, dtype=torch.float64)
    plain, longer = (create(name, DIGITS, **options, **more) for more in ({}, {"cycle": 10**6}))
    assert plain(logits, labels) == longer(logits, labels)


@given(st.lists(st.floats(-6, 6), min_size=10, max_size=10), st.integers(0, 9))
def test_crps_round_a_dial_is_never_negative_and_proper(scores, digit):
    """In expectation no report is better than the truth's own distribution."""
    loss = create("crps", DIGITS, cycle=10)
    p = torch.tensor(scores, dtype=torch.float64).softmax(-1)

    def expected(report):
        logits = torch.full((1, 10, DIGITS.size), -1e9, dtype=torch.float64)
        for place in range(10):
            logits[0, :, token(place)] = report[place].clamp(min=1e-30).log()
        total = 0.0
        for truth in range(10):
            term = loss(logits[:, :1], torch.tensor([[token(truth)]])).item()
            assert term >= -1e-9
            total += float(p[truth]) * term
        return total

    other = (p + torch.nn.functional.one_hot(torch.tensor(digit), 10)) / 2
    assert expected(p) <= expected(other) + 1e-9


def test_three_digits_a_token_go_round_as_whole_numbers():
    name = next(name for name in VOCABULARIES if len(VOCABULARIES[name]()) > 100)
    vocab = VOCABULARIES[name]()
    loss = create("emd", vocab, cycle=360)
    by_digits = {entry.digits: entry.ids[0] for entry in vocab.entries}
    labels = torch.tensor([[by_digits["5"]]])
    logits = torch.zeros(1, 1, vocab.size, dtype=torch.float64)
    answer = max(by_digits, key=lambda digits: (int(digits) < 360, int(digits)))
    logits[0, 0, by_digits[answer]] = 200
    apart = float(round_apart(answer, "5", "360"))
    assert loss(logits, labels).item() == pytest.approx(apart)
    assert math.isfinite(apart)
