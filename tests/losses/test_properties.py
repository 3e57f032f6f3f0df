"""What every registered loss is worth, and where the definitions leave a property out."""

import itertools
import math

import pytest
import torch
from contract_cases import CASES, DOES_NOT_HOLD, case_name, certain_logits, holds, random_logits
from hypothesis import given
from hypothesis import strategies as st
from quick import quick
from toy_vocabularies import VOCABULARIES, labels_of, many_digits, numbered

from gnomon.losses import (
    KINDS,
    DIST2Loss,
    GaussianLoss,
    MMDLoss,
    NumericVocab,
    SMMDLoss,
    SmoothLoss,
    create,
)

DIGITS = NumericVocab(numbered("0123456789"))
V = torch.arange(10, dtype=torch.float64)


@pytest.fixture(params=quick(VOCABULARIES, "one digit"))
def vocab_name(request):
    return request.param


def entry(loss, digits):
    return next(i for i, e in enumerate(loss.vocab.entries) if e.digits == digits)


def cost(loss, p, label):
    """The loss of [N] probabilities of the entries at one label."""
    logits = torch.full((1, 1, loss.vocab.size), -1e4, dtype=torch.float64)
    logits[..., [e.ids[0] for e in loss.vocab.entries]] = p.double().log().clamp(min=-1e4)
    labels = torch.tensor([[loss.vocab.entries[label].ids[0]]])
    return loss(logits, labels).item()


def sure(loss, answer):
    return torch.nn.functional.one_hot(torch.tensor(answer), len(loss.vocab)).double()


def cost_of_answer(loss, answer, label):
    return cost(loss, sure(loss, answer), label)


def values(loss):
    return torch.tensor([e.value for e in loss.vocab.entries], dtype=torch.float64)


def some_p(loss):
    """Distributions over the entries, sure and unsure."""
    return [(s * torch.randn(len(loss.vocab), dtype=torch.float64)).softmax(0) for s in (0.1, 1, 9)]


def test_the_table_names_cases_that_there_are():
    names = [set(case_name(case).split()) for case in CASES]
    for exempt in DOES_NOT_HOLD.values():
        for words in exempt:
            assert any({w for w in words.split() if w[0] != "!"} <= name for name in names), words
    assert {name for name, _ in CASES} == set(KINDS)


def test_it_is_never_negative(case, loss, vocab_name):
    labels = labels_of(vocab_name, *(str(n) for n in range(100)), "3.14", "-0.05")
    with holds("never negative", case):
        for scale in (0.1, 3.0, 30.0):
            for row in range(0, len(labels), 6):
                some = labels[row : row + 6]
                parts = loss.components(random_logits(loss, some, scale=scale), some)
                assert all(part >= 0 for part in parts.values())


def test_it_is_zero_where_all_is_right(case, loss, vocab_name):
    labels = labels_of(vocab_name, "12:05", "-3.507", "(123,456)", "a", "1,234 0.05", "007")
    parts = loss.components(certain_logits(loss, labels), labels)
    with holds("zero where all is right", case):
        assert all(part == 0 for part in parts.values())


def apart(case, one, other):
    """Distance of two values, round the scale where the case has a cycle."""
    distance, cycle = abs(one - other), case[1].get("cycle")
    return min(distance % cycle, -distance % cycle) if cycle else distance


def test_it_is_zero_nowhere_else(case, loss):
    label, near, far = (entry(loss, d) for d in "546")
    half = (sure(loss, near) + sure(loss, far)) / 2
    wrong = [sure(loss, n) for n, v in enumerate(values(loss).tolist()) if apart(case, v, 5)]
    with holds("zero nowhere else", case):
        for p in (half, *wrong, *some_p(loss), 0.999 * sure(loss, label) + 0.001 * half):
            assert cost(loss, p, label) > 1e-9


def test_what_has_the_labels_value_is_right(loss):
    """05 for 5 costs nothing more than 5 does; to tell them apart is the cross-entropy's affair."""
    for said in (e.digits for e in loss.vocab.entries if e.digits[0] == "0"):
        label = entry(loss, said.lstrip("0") or "0")
        alias = cost_of_answer(loss, entry(loss, said), label)
        assert alias == pytest.approx(cost_of_answer(loss, label, label), abs=1e-9)


def test_wrong_answers_are_symmetric(case, loss):
    """Taking 3 for 8 costs what taking 8 for 3 does."""
    with holds("symmetric for one-hot wrong answers", case):
        for one, other in [("3", "8"), ("2", "5"), ("0", "9"), ("1", "2")]:
            i, j = entry(loss, one), entry(loss, other)
            there, back = cost_of_answer(loss, i, j), cost_of_answer(loss, j, i)
            assert there == pytest.approx(back, rel=1e-9)


def test_a_farther_answer_costs_more(case, loss):
    """Never less, and more as long as the kernel or the target tells the distances apart."""
    label, v = entry(loss, "5"), values(loss).tolist()
    beyond = {n: apart(case, v[n], 5) for n in range(len(v)) if v[n] >= 5}
    with holds("increasing in the distance", case):
        for y in range(10):
            costs = [cost_of_answer(loss, answer, y) for answer in range(10)]
            for near, far in itertools.permutations(range(10), 2):
                if apart(case, near, y) < apart(case, far, y):
                    assert costs[near] < costs[far] + 1e-9
                    assert costs[near] < costs[far] or apart(case, far, y) > 4
        for near, far in itertools.pairwise(sorted(beyond, key=lambda n: beyond[n])):
            # Round a scale 5 and 30 may be one value, in other spellings.
            if beyond[near] < beyond[far] or "cycle" not in case[1]:
                there = cost_of_answer(loss, far, label)
                assert there > cost_of_answer(loss, near, label) - 1e-9


@pytest.mark.parametrize(
    ("name", "options", "power"),
    [("emd", {}, 1), ("ntil", {"weights": (1, 0, 0)}, 1), ("crps", {}, 2),
     ("mmd", {"kernel": "energy"}, 2)],
)  # fmt: skip
def test_a_distance_is_that_of_the_distribution_functions(name, options, power, vocab_name):
    """The earth mover's is the sum of their differences, the CRPS that of the squares."""
    loss = create(name, VOCABULARIES[vocab_name](), **options)
    v, order = values(loss).sort(stable=True)
    for label in (entry(loss, d) for d in "059"):
        for p in some_p(loss):
            away = p[order].cumsum(0) - (v >= v[order == label]).double()
            expected = (away[:-1].abs() ** power) @ v.diff()
            assert cost(loss, p, label) == pytest.approx(expected.item(), rel=1e-9)


def test_the_smoothness_punishes_near_misses_as_the_paper_has_it():
    distance = (V[:, None] - V).abs()
    alpha = 1 / (2 * torch.exp(-(distance**2) / 8).sum(1).mean().item())
    smooth, loss = SmoothLoss(DIGITS), SMMDLoss(DIGITS)
    assert cost_of_answer(smooth, 4, 5) / alpha == pytest.approx(9.65, abs=0.005)
    assert cost_of_answer(smooth, 0, 5) / alpha == pytest.approx(6.04, abs=0.005)
    not_monotone = sum(
        cost_of_answer(loss, near, label) >= cost_of_answer(loss, far, label)
        for label in range(10)
        for near, far in itertools.permutations(range(10), 2)
        if abs(near - label) < abs(far - label)
    )
    assert not_monotone == 34


def test_published_distances_are_almost_flat_over_a_thousand_values():
    to_999 = NumericVocab(numbered([str(n) for n in range(1000)]))

    def far_over_near(**options):
        loss = MMDLoss(to_999, **options)
        return cost_of_answer(loss, 60, 5) / cost_of_answer(loss, 6, 5)

    assert far_over_near(published=True) < 2
    assert far_over_near() > 8
    assert far_over_near(kernel="energy") == pytest.approx(55)


def test_random_kernels_are_positive_semi_definite_and_differ_by_seed():
    def gram(seed):
        return MMDLoss(DIGITS, kernel="random", seed=seed).gram(V)

    for seed in range(20):
        k = gram(seed)
        assert torch.linalg.eigvalsh(k).min() > -1e-12
        assert (k.diagonal() == 1).all()
        assert set(k.abs().unique().tolist()) <= {0.0, 0.5**5, 1.0}
        assert torch.equal(k, gram(seed))
    assert len({tuple(gram(seed).flatten().tolist()) for seed in range(20)}) == 20


def test_degrees_that_cancel_are_refused():
    """Of a value and its opposite there is no mean degree to divide by."""
    two, v = NumericVocab(numbered("05")), torch.tensor([0.0, 5.0])
    grams = (MMDLoss(two, kernel="random", seed=n).gram(v) for n in itertools.count())
    seed = next(n for n, k in enumerate(grams) if k[0, 1] == -1)
    with pytest.raises(ValueError, match=f"seed={seed}: this kernel's degrees cancel: give ano"):
        SmoothLoss(two, kernel="random", seed=seed)
    assert MMDLoss(two, kernel="random", seed=seed).weights == {"mmd": 1.0}


def test_small_residuals_do_not_drown():
    """p_y − 1 in float32 has steps of 6e-8, the others' sum has not."""
    logits = torch.zeros(1, 1, 10)
    logits[..., 3] = 17.0
    label = torch.tensor([[3]])
    for loss in (MMDLoss(DIGITS), SMMDLoss(DIGITS)):
        exact = loss(logits.double(), label).item()
        assert loss(logits, label).item() == pytest.approx(exact, rel=1e-4)


@given(st.lists(st.floats(-20, 20), min_size=10, max_size=10), st.integers(0, 9), st.floats(0.3, 5))
def test_a_soft_label_costs_least_at_its_target(scores, label, sigma):
    """And the cross-entropy with it is the divergence from it and its own entropy."""

    def at(loss, scores):
        return loss(scores[None, None], torch.tensor([[label]])).item()

    scores = torch.tensor(scores, dtype=torch.float64)
    target = -((V - label) ** 2) / (2 * sigma**2)
    divergence = DIST2Loss(DIGITS, temperature=2 * sigma**2)
    cross_entropy = GaussianLoss(DIGITS, sigma=sigma)
    assert at(divergence, target) == pytest.approx(0, abs=1e-12)
    assert at(divergence, scores) >= 0
    expected = at(divergence, scores) + at(cross_entropy, target)
    assert at(cross_entropy, scores) == pytest.approx(expected, abs=1e-9)


def test_a_bell_in_the_middle_costs_what_the_docstring_says():
    bell = (-((V - 5) ** 2) / 2).softmax(0)
    least = cost(GaussianLoss(DIGITS), bell, 5)
    assert least == pytest.approx(1.42, abs=0.005)
    assert least == pytest.approx(0.5 * math.log(2 * math.pi * math.e), abs=1e-3)


@pytest.mark.parametrize("make", [DIST2Loss, GaussianLoss])
def test_no_other_spelling_is_asked_for(make):
    """The target for 5 says nothing about 05: its share of the value's gradient is its own p."""
    vocab = many_digits()
    ids = {e.digits: e.ids[0] for e in vocab.entries}
    logits = torch.zeros(1, 1, vocab.size, dtype=torch.float64)
    logits[..., ids["5"]], logits[..., ids["05"]] = 4.0, -3.0
    logits.requires_grad_()
    (slope,) = torch.autograd.grad(make(vocab)(logits, torch.tensor([[ids["5"]]])), logits)
    five, other = slope[0, 0, ids["5"]], slope[0, 0, ids["05"]]
    assert other.item() == pytest.approx(five.item() * math.exp(-7), rel=1e-9)
