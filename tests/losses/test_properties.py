"""What every registered loss is worth, and where the definitions leave a property out."""

import itertools

import pytest
import torch
from contract_cases import CASES, DOES_NOT_HOLD, case_name, certain_logits, holds, random_logits
from naive_losses import components_of, total_of
from toy_vocabularies import VOCABULARIES, labels_of, pieces_of, random_labels

from gnomon.losses import KINDS, create


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


@pytest.mark.slow
def test_the_loops_come_to_the_same(case, loss, vocab_name):
    labels = random_labels(vocab_name, 6, 9, torch.Generator().manual_seed(2))
    logits = random_logits(loss, labels)
    expected = components_of(*case, loss.vocab, pieces_of(vocab_name), logits, labels)
    assert min(loss.counts(labels).values()) >= 6
    found = {part: value.item() for part, value in loss.components(logits, labels).items()}
    assert found == pytest.approx(expected, rel=1e-9)
    assert loss(logits, labels).item() == pytest.approx(total_of(*case, expected), rel=1e-9)


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
    with holds("zero where all is right", case):
        assert all(
            part == 0 for part in loss.components(certain_logits(loss, labels), labels).values()
        )


def test_it_is_zero_nowhere_else(case, loss):
    label, near, far = (entry(loss, d) for d in "546")
    half = (sure(loss, near) + sure(loss, far)) / 2
    wrong = [sure(loss, n) for n, v in enumerate(values(loss)) if v != 5]
    with holds("zero nowhere else", case):
        for p in (half, *wrong, *some_p(loss), 0.999 * sure(loss, label) + 0.001 * half):
            assert cost(loss, p, label) > 1e-9


def test_what_has_the_labels_value_is_right(loss):
    """05 for 5 costs nothing more than 5 does; to tell them apart is the cross-entropy's affair."""
    for said in (e.digits for e in loss.vocab.entries if e.digits[0] == "0"):
        label = entry(loss, said.lstrip("0") or "0")
        alias = cost(loss, sure(loss, entry(loss, said)), label)
        assert alias == pytest.approx(cost(loss, sure(loss, label), label), abs=1e-9)


def test_wrong_answers_are_symmetric(case, loss):
    """Taking 3 for 8 costs what taking 8 for 3 does."""
    with holds("symmetric for one-hot wrong answers", case):
        for one, other in [("3", "8"), ("2", "5"), ("0", "9"), ("1", "2")]:
            i, j = entry(loss, one), entry(loss, other)
            there, back = cost(loss, sure(loss, i), j), cost(loss, sure(loss, j), i)
            assert there == pytest.approx(back, rel=1e-9)


def test_a_farther_answer_costs_more(case, loss):
    """Never less, and more as long as the kernel or the target tells the distances apart."""
    label, v = entry(loss, "5"), values(loss)
    beyond = [n for n in v.argsort(stable=True).tolist() if v[n] >= 5]
    with holds("increasing in the distance", case):
        for y in range(10):
            costs = [cost(loss, sure(loss, answer), y) for answer in range(10)]
            for near, far in itertools.permutations(range(10), 2):
                if abs(near - y) < abs(far - y):
                    assert costs[near] < costs[far] + 1e-9
                    assert costs[near] < costs[far] or abs(far - y) > 4
        costs = [cost(loss, sure(loss, answer), label) for answer in beyond]
        assert all(far > near - 1e-9 for near, far in itertools.pairwise(costs))


@pytest.mark.parametrize("name", ["emd", "ntil"])
def test_emd_is_the_distance_of_the_distribution_functions(name, vocab_name):
    loss = create(
        name, VOCABULARIES[vocab_name](), **({"weights": (1, 0, 0)} if name == "ntil" else {})
    )
    for label in (entry(loss, d) for d in "059"):
        for p in some_p(loss):
            away, width = _distribution_functions(loss, p, label)
            assert cost(loss, p, label) == pytest.approx((away.abs() @ width).item(), rel=1e-9)


@pytest.mark.parametrize(("name", "options"), [("crps", {}), ("mmd", {"kernel": "energy"})])
def test_crps_is_their_squared_distance(name, options, vocab_name):
    loss = create(name, VOCABULARIES[vocab_name](), **options)
    for label in (entry(loss, d) for d in "059"):
        for p in some_p(loss):
            away, width = _distribution_functions(loss, p, label)
            assert cost(loss, p, label) == pytest.approx((away**2 @ width).item(), rel=1e-9)


def _distribution_functions(loss, p, label):
    """What they differ by after each value, and how far it is to the next."""
    v, order = values(loss).sort(stable=True)
    away = (p[order].cumsum(0) - (v >= v[order == label]).double())[:-1]
    return away, v.diff()
