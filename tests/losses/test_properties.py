"""Costs of sure answers by every registered loss, and properties that a definition leaves out."""

import itertools

import pytest
import torch
from contract_cases import CASES, DOES_NOT_HOLD, case_name, certain_logits, holds, random_logits
from toy_vocabularies import VOCABULARIES, numbered

from gnomon.losses import KINDS, MMDLoss, NumericVocab, SMMDLoss, SmoothLoss, create

DIGITS = NumericVocab(numbered("0123456789"))
PAIRS = list(itertools.product(range(10), repeat=2))


def costs_of_answers(loss):
    """Cost of each sure digit in the rows at each label in the columns."""
    label, answer = torch.tensor(PAIRS).T
    logits = 200 * torch.nn.functional.one_hot(answer, 10).double()
    costs = [loss(x[None, None], y.view(1, 1)).item() for x, y in zip(logits, label, strict=True)]
    return torch.tensor(costs, dtype=torch.float64).view(10, 10).T


def apart(one, other, cycle):
    """Distance of two digits, round the scale where there is a cycle."""
    distance = abs(one - other)
    return min(distance % cycle, -distance % cycle) if cycle else distance


def test_the_table_names_cases_that_there_are():
    names = [set(case_name(case).split()) for case in CASES]
    for exempt in DOES_NOT_HOLD.values():
        for words in exempt:
            assert any({w for w in words.split() if w[0] != "!"} <= name for name in names), words
    assert {name for name, _ in CASES} == set(KINDS)


def test_it_is_never_negative_and_zero_where_all_is_right(case, loss, labels):
    with holds("never negative", case):
        for scale in 10 * (0.1, 3.0, 30.0):
            parts = loss.components(random_logits(loss, labels, scale=scale), labels)
            assert all(part >= 0 for part in parts.values())
    with holds("zero where all is right", case):
        right = loss.components(certain_logits(loss, labels), labels)
        assert all(part == 0 for part in right.values())


def test_a_farther_answer_costs_more_and_the_other_way_as_much(case):
    """Never less, and more as long as the kernel or the target tells the distances apart."""
    name, options = case
    costs, cycle = costs_of_answers(create(name, DIGITS, **options)), options.get("cycle")
    with holds("symmetric for one-hot wrong answers", case):
        torch.testing.assert_close(costs, costs.T)
    with holds("increasing in the distance", case):
        for label, (near, far) in itertools.product(range(10), PAIRS):
            if apart(near, label, cycle) < apart(far, label, cycle):
                assert costs[near, label] < costs[far, label] + 1e-9
                assert costs[near, label] < costs[far, label] or apart(far, label, cycle) > 4


@pytest.mark.parametrize(
    ("name", "options", "power"),
    [("emd", {}, 1), ("ntil", {"weights": (1, 0, 0)}, 1), ("crps", {}, 2),
     ("mmd", {"kernel": "energy"}, 2)],
)  # fmt: skip
def test_a_distance_is_that_of_the_distribution_functions(name, options, power):
    """The earth mover's is the sum of their differences, the CRPS that of the squares."""
    loss = create(name, DIGITS, **options)
    for label in (0, 5, 9):
        logits = 3 * torch.randn(1, 1, 10, dtype=torch.float64)
        away = logits.softmax(-1).flatten().cumsum(0) - (torch.arange(10) >= label).double()
        expected = (away.abs() ** power).sum()
        value = loss(logits, torch.tensor([[label]]))
        assert value.item() == pytest.approx(expected.item(), rel=1e-9)


def test_the_smoothness_punishes_near_misses_as_the_paper_has_it():
    v = torch.arange(10, dtype=torch.float64)
    alpha = 1 / (2 * torch.exp(-((v[:, None] - v) ** 2) / 8).sum(1).mean().item())
    smooth, costs = costs_of_answers(SmoothLoss(DIGITS)) / alpha, costs_of_answers(SMMDLoss(DIGITS))
    assert smooth[4, 5].item() == pytest.approx(9.65, abs=0.005)
    assert smooth[0, 5].item() == pytest.approx(6.04, abs=0.005)
    not_monotone = sum(
        costs[near, label].item() >= costs[far, label].item()
        for label, (near, far) in itertools.product(range(10), PAIRS)
        if abs(near - label) < abs(far - label)
    )
    assert not_monotone == 34


def test_degrees_that_cancel_are_refused():
    """Of a value and its opposite there is no mean degree to divide by."""
    two, v = NumericVocab(numbered("05")), torch.tensor([0.0, 5.0])
    grams = (MMDLoss(two, kernel="random", seed=n).gram(v) for n in itertools.count())
    seed = next(n for n, k in enumerate(grams) if k[0, 1] == -1)
    with pytest.raises(ValueError, match=f"seed={seed}: this kernel's degrees cancel: give ano"):
        SmoothLoss(two, kernel="random", seed=seed)
    assert MMDLoss(two, kernel="random", seed=seed).weights == {"mmd": 1.0}


@pytest.mark.parametrize("name", ["mmd", "smmd"])
def test_small_residuals_do_not_drown(name):
    """p_y − 1 in float32 has steps of 6e-8, the others' sum has not."""
    logits, label = torch.zeros(1, 1, 10), torch.tensor([[3]])
    logits[..., 3] = 17.0
    loss = create(name, DIGITS)
    exact = loss(logits.double(), label).item()
    assert loss(logits, label).item() == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("spelling", ["05", "005"])
@pytest.mark.parametrize("name", KINDS)
def test_what_has_the_labels_value_is_right(name, spelling):
    """05 for 5 costs nothing more than 5 does; to tell them apart is the cross-entropy's affair."""
    vocab = VOCABULARIES["many digits"]()
    ids = {entry.digits: entry.ids[0] for entry in vocab.entries}
    if spelling not in ids:
        return
    loss, label = create(name, vocab), torch.tensor([[ids["5"]]])
    five, other = (
        loss(certain_logits(loss, torch.tensor([[ids[text]]])), label) for text in ("5", spelling)
    )
    assert other.item() == pytest.approx(five.item(), abs=1e-9)
