"""The total: what is added to the cross-entropy, how it is weighed, and what is left alone."""

import math
import re

import pytest
import torch
from contract_cases import gradient
from torch.nn.functional import cross_entropy, pad
from torch.utils._python_dispatch import TorchDispatchMode
from toy_vocabularies import VOCABULARIES, labels_of, one_digit, one_digit_pieces, tokens_of

from gnomon.losses import KINDS, EMDLoss, NTILLoss, Objective, SMMDLoss, create
from gnomon.losses.objective import reduce_logits

IGNORED = -100
TEXTS = ["12:05", "-3.507", "a%", "1,234 0.05", "007", "2024"]
SPLITS = [(1, 5), (4, 2), (1, 1, 1, 1, 1, 1)]


@pytest.fixture
def vocab(vocab_name):
    return VOCABULARIES[vocab_name]()


@pytest.fixture
def labels(vocab_name):
    """Rows of several lengths behind a prompt of two tokens that is ignored."""
    return pad(labels_of(vocab_name, *TEXTS), (2, 0), value=IGNORED)


@pytest.fixture
def logits(vocab, labels):
    width = vocab.size + 5
    return (2 * torch.randn(*labels.shape, width, dtype=torch.float64)).requires_grad_()


def ce_of(logits, labels):
    return cross_entropy(logits[labels != IGNORED], labels[labels != IGNORED])


def test_it_is_the_equation(vocab, labels, logits):
    loss = NTILLoss(vocab)
    total = Objective(loss, weight=0.7)(logits, labels)
    assert total.item() == pytest.approx(
        (ce_of(logits, labels) + 0.7 * loss(logits, labels)).item()
    )
    alone = Objective()(logits, labels)
    assert alone.item() == pytest.approx(ce_of(logits, labels).item())


@pytest.mark.parametrize("balance", ["fixed", "ce_ratio"])
def test_a_weight_of_0_is_the_cross_entropy_to_the_bit(vocab, labels, logits, balance):
    alone = Objective(vocab=vocab)(logits, labels)
    weightless = Objective(NTILLoss(vocab), weight=0.0, balance=balance)(logits, labels)
    assert weightless == alone
    assert torch.equal(gradient(weightless, logits), gradient(alone, logits))
    rising = Objective(NTILLoss(vocab), weight=0.5, warmup=0.1)(logits, labels, progress=0.0)
    assert rising == alone


def test_ce_ratio_gives_the_loss_the_size_of_the_cross_entropy(vocab, labels, logits):
    loss = SMMDLoss(vocab)
    total = Objective(loss, weight=0.3, balance="ce_ratio")(logits, labels)
    ce, numeric = ce_of(logits, labels), loss(logits, labels)
    assert total.item() == pytest.approx(1.3 * ce.item())
    ratio = (ce / numeric).item()
    expected = gradient(ce, logits) + 0.3 * ratio * gradient(numeric, logits)
    torch.testing.assert_close(gradient(total, logits), expected)


@pytest.mark.parametrize("gap", [5.0, 20.0, 60.0, 100.0, 1e4])
@pytest.mark.parametrize("name", KINDS)
def test_ce_ratio_is_finite_where_the_digit_is_sure_and_right(name, gap):
    """At a gap of 100 the loss is 1e-43, and the ratio was infinite, its gradients NaN."""
    labels = labels_of("one digit", "5")
    logits = torch.zeros(1, 1, one_digit().size)
    logits[..., labels[0]] = gap
    logits.requires_grad_()
    total = Objective(create(name, one_digit()), weight=0.3, balance="ce_ratio")(logits, labels)
    ce = ce_of(logits, labels).item()
    assert ce - 1e-6 <= total.item() <= 1.3 * ce + 1e-6
    assert gradient(total, logits).isfinite().all()


def test_a_label_that_is_masked_out_spoils_no_other_gradient():
    """Its cross-entropy is infinite, as torch's own is; the ratio must not be."""
    labels = labels_of("one digit", "5a")
    logits = torch.randn(1, 2, one_digit().size)
    logits[0, 0, labels[0, 0]] = -torch.inf
    logits.requires_grad_()
    total = Objective(EMDLoss(one_digit()), balance="ce_ratio")(logits, labels)
    assert gradient(total, logits).isfinite().all()


@pytest.mark.parametrize("balance", ["fixed", "ce_ratio"])
def test_without_a_number_it_is_the_cross_entropy(vocab, vocab_name, balance):
    labels = labels_of(vocab_name, "a", "a%")
    logits = torch.randn(*labels.shape, vocab.size, requires_grad=True)
    total = Objective(EMDLoss(vocab), balance=balance, numeric_mass=0.5)(logits, labels)
    assert total.item() == pytest.approx(ce_of(logits, labels).item())
    assert gradient(total, logits).isfinite().all()


def naive_mass(vocab, logits, labels):
    """−log of the probability that all numeric tokens have together, at each digit."""
    tokens = sorted({token for entry in vocab.entries for token in entry.ids})
    numeric = vocab.spans(labels).numeric.view_as(labels)
    found = [
        -logits[b, t].softmax(-1)[tokens].sum().log()
        for b, t in numeric.nonzero().tolist()
    ]  # fmt: skip
    return torch.stack(found).mean()


def test_numeric_mass_is_what_all_digits_have_together(vocab, labels, logits):
    total = Objective(vocab=vocab, numeric_mass=0.4)(logits, labels)
    expected = ce_of(logits, labels) + 0.4 * naive_mass(vocab, logits, labels)
    assert total.item() == pytest.approx(expected.item())
    torch.testing.assert_close(gradient(total, logits), gradient(expected, logits))


@pytest.mark.parametrize("masked", ["digits", "words"])
def test_digits_that_are_masked_out_leave_a_finite_gradient_of_the_mass(
    vocab, labels, logits, masked
):
    """As a decoding mask leaves them, where a digit is due or where a word is."""
    objective = Objective(vocab=vocab, numeric_mass=0.4)
    numeric = vocab.spans(labels).numeric.view_as(labels)
    rows = numeric if masked == "digits" else ~numeric
    columns = torch.tensor([token for entry in vocab.entries for token in entry.ids])
    mask = rows[..., None] & torch.isin(torch.arange(logits.shape[-1]), columns)
    spoilt = logits.detach().masked_fill(mask, -torch.inf).requires_grad_()
    assert gradient(objective(spoilt, labels), spoilt).isfinite().all()
    if masked == "words":
        parts, expected = (means_of(objective, x, labels) for x in (spoilt, logits))
        assert parts["numeric_mass"] == pytest.approx(expected["numeric_mass"])


@pytest.mark.parametrize("sizes", SPLITS, ids=str)
def test_a_split_batch_adds_up(vocab, labels, logits, sizes):
    """As accumulation and several processes split it: unequal, some without any number."""
    objective = Objective(NTILLoss(vocab), weight=0.7, numeric_mass=0.2)
    whole = objective(logits, labels)
    batches = list(zip(logits.split(sizes), labels.split(sizes), strict=True))
    counted = [objective.counts(y, objective.spans(y)) for _, y in batches]
    counts = {name: sum(c[name] for c in counted) for name in counted[0]}
    total = 0
    for x, y in batches:
        rows = objective.rows(x[y != IGNORED], y[y != IGNORED])
        total = total + objective.combine(objective.sums(rows, objective.spans(y)), counts)
    assert total.item() == pytest.approx(whole.item(), rel=1e-12)
    torch.testing.assert_close(gradient(total, logits), gradient(whole, logits))


def means_of(objective, logits, labels, final=None):
    kept, spans = labels != IGNORED, objective.spans(labels, final)
    sums = objective.sums(objective.rows(logits[kept], labels[kept]), spans)
    counts = objective.counts(labels, spans)
    assert sums.keys() == counts.keys()
    return {name: (sums[name] / counts[name]).item() for name in sums}


def test_every_part_is_named_and_unweighted(vocab, labels, logits):
    loss = NTILLoss(vocab)
    found = means_of(Objective(loss, weight=0.7, numeric_mass=0.1), logits, labels)
    right = logits.argmax(-1) == labels
    numeric = vocab.spans(labels).numeric.view_as(labels)
    expected = {
        "ce": ce_of(logits, labels),
        "numeric_mass": naive_mass(vocab, logits, labels),
        "mean_token_accuracy": right[labels != IGNORED].double().mean(),
        "digit_accuracy": right[numeric].double().mean(),
        **loss.components(logits, labels),
    }
    expected = {name: value.item() for name, value in expected.items()}
    assert 0 < found.pop("coverage") <= 1
    assert found == pytest.approx(expected)


def test_coverage_is_the_share_of_digits_that_are_read():
    """`2024` in one token is no number: its tokens have digits that no loss sees."""
    year = one_digit_pieces().index("2024")
    for tokens, share in (
        ([*tokens_of("one digit", "57"), year], 0),
        ([*tokens_of("one digit", "57a"), year], 2 / 3),
    ):
        logits = torch.randn(1, len(tokens), one_digit().size)
        means = means_of(Objective(EMDLoss(one_digit())), logits, torch.tensor([tokens]))
        assert means["coverage"] == pytest.approx(share)


def test_a_final_answer_is_all_that_the_numeric_terms_see(vocab, vocab_name):
    """`3 4 a -12`, of which `-12` is the answer: working counts for the cross-entropy alone."""
    texts = ["3 4 a-12", "120 a 7"]
    labels = labels_of(vocab_name, *texts)
    final = labels.clone()
    for row, text in enumerate(texts):
        final[row, : len(tokens_of(vocab_name, text.partition("a")[0])) + 1] = IGNORED
    logits = torch.randn(*labels.shape, vocab.size, dtype=torch.float64, requires_grad=True)
    loss = NTILLoss(vocab)
    total = Objective(loss, weight=0.7, numeric_mass=0.2)(logits, labels, final=final)
    expected = ce_of(logits, labels) + 0.7 * loss(logits, final)
    expected = expected + 0.2 * naive_mass(vocab, logits, final)
    assert total.item() == pytest.approx(expected.item())
    torch.testing.assert_close(gradient(total, logits), gradient(expected, logits))
    everything = Objective(loss, weight=0.7, numeric_mass=0.2)(logits, labels)
    assert total.item() != pytest.approx(everything.item())
    found = means_of(Objective(loss), logits, labels, final)
    assert found["coverage"] == 1
    assert found["ce"] == pytest.approx(ce_of(logits, labels).item())


def test_what_is_looked_at_has_the_gradient_of_its_value():
    logits = torch.randn(3, 9, dtype=torch.float64, requires_grad=True)
    targets, columns = torch.tensor([4, 0, 8]), torch.tensor([1, 4, 4, 7])

    def shares(x):
        """Whatever is computed of them cancels a row's constant."""
        summed, picked, looked = reduce_logits(x, targets, columns)
        return summed - picked, looked - summed[:, None], looked.softmax(-1)

    assert torch.autograd.gradcheck(shares, logits)
    summed, picked, looked = reduce_logits(logits, targets, columns)
    torch.testing.assert_close(summed - picked, cross_entropy(logits, targets, reduction="none"))
    torch.testing.assert_close(looked - summed[:, None], logits.log_softmax(-1)[:, columns])


def test_a_loss_that_is_almost_0_keeps_its_value():
    """Of logits near 60, float32's own sum would lose it: next to 60 comes 60.000004."""
    logits = torch.tensor([[60.0, 50.0, 49.0]])
    ce = Objective().rows(logits, torch.tensor([0]))[:, 0]
    exact = cross_entropy(logits.double(), torch.tensor([0]))
    assert ce.item() == pytest.approx(exact.item(), rel=2e-3)


@pytest.mark.parametrize("numeric_mass", [0.0, 0.2])
def test_one_gradient_is_as_wide_as_the_vocabulary(numeric_mass):
    """Cross-entropy, mass and numeric loss would have one each, and then their sum."""
    vocab, labels = one_digit(), labels_of("one digit", "12", "57")
    wide = torch.randn(4, vocab.size + 5000, requires_grad=True)
    objective = Objective(NTILLoss(vocab), numeric_mass=numeric_mass)
    rows, spans = objective.rows(wide, labels.flatten()), objective.spans(labels)
    total = objective.combine(objective.sums(rows, spans), objective.counts(labels, spans))
    with Counted(wide.numel()) as counted:
        total.backward()
    assert counted.made == 1


class Counted(TorchDispatchMode):
    """How many new tensors of so many numbers are made."""

    def __init__(self, numel):
        super().__init__()
        self.numel, self.made, self.known = numel, 0, set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result.numel() == self.numel:
            self.made += result.data_ptr() not in self.known
            self.known.add(result.data_ptr())
        return result


@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_rows_in_chunks_come_to_the_same(vocab, labels, at_once):
    objective = Objective(NTILLoss(vocab), weight=0.7, numeric_mass=0.2)
    head = torch.nn.Linear(7, vocab.size, dtype=torch.float64)
    targets = labels[labels != IGNORED]
    hidden = torch.randn(len(targets), 7, dtype=torch.float64, requires_grad=True)
    rows = objective.rows_from_hidden(hidden, targets, head, chunk=at_once)
    whole = objective.rows(head(hidden), targets)
    for one, other in zip(rows, whole, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)
    spans = objective.spans(labels)
    counts = objective.counts(labels, spans)
    found, expected = (objective.combine(objective.sums(r, spans), counts) for r in (rows, whole))
    for of in (hidden, head.weight, head.bias):
        torch.testing.assert_close(gradient(found, of), gradient(expected, of))


def test_no_more_logits_than_a_chunk_are_held(vocab, labels):
    held = []

    def head(some):
        held.append(len(some))
        return torch.nn.functional.linear(some, weight)

    weight = torch.randn(vocab.size, 7)
    targets = labels[labels != IGNORED]
    hidden = torch.randn(len(targets), 7, requires_grad=True)
    objective = Objective(NTILLoss(vocab))
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t.shape) or t, lambda t: t):
        rows = objective.rows_from_hidden(hidden, targets, head, chunk=4)
    assert held == [4] * (len(targets) // 4) + [len(targets) % 4] * (len(targets) % 4 > 0)
    assert all(vocab.size not in shape for shape in kept)
    rows[:, 0].sum().backward()
    assert len(held) == 2 * math.ceil(len(targets) / 4)


def test_a_schedule_changes_the_weight_and_nothing_else(vocab, labels, logits):
    loss = NTILLoss(vocab)
    ce, numeric = ce_of(logits, labels).item(), loss(logits, labels).item()
    for options, progress, share in [
        ({"schedule": "cosine"}, 0.0, 1.0),
        ({"schedule": "cosine"}, 0.5, 0.5),
        ({"schedule": "cosine"}, 1.0, 0.0),
        ({"warmup": 0.2}, 0.05, 0.25),
        ({"warmup": 0.2}, 0.2, 1.0),
        ({"warmup": 0.2}, 0.9, 1.0),
        ({"schedule": "cosine", "warmup": 0.2}, 0.1, 0.5),
        ({"schedule": "cosine", "warmup": 0.2}, 0.6, 0.5),
        ({"schedule": "cosine", "warmup": 1.0}, 1.0, 1.0),
    ]:
        total = Objective(loss, weight=0.8, **options)(logits, labels, progress=progress)
        assert total.item() == pytest.approx(ce + 0.8 * share * numeric), (options, progress)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": -0.1}, "weight=-0.1: give 0 or more"),
        ({"weight": math.inf}, "weight=inf: give 0 or more"),
        ({"numeric_mass": -1}, "numeric_mass=-1: give 0 or more"),
        ({"warmup": 1.5}, "warmup=1.5: give a share, 0 to 1"),
        ({"balance": "ratio"}, "balance='ratio': give"),
        ({"schedule": "linear"}, "schedule='linear': give"),
    ],
    ids=str,
)
def test_options_are_refused_by_name_and_value(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Objective(vocab=one_digit(), **options)


def test_what_is_not_told_is_asked_for(vocab, labels, logits):
    with pytest.raises(ValueError, match=r"numeric_mass=0.5 needs a numeric vocabulary"):
        Objective(numeric_mass=0.5)
    for options in ({"schedule": "cosine"}, {"warmup": 0.1}):
        with pytest.raises(ValueError, match="weight changes with the training; give progress"):
            Objective(EMDLoss(vocab), **options)(logits, labels)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_computed_in_float32(vocab, labels, logits, dtype):
    exact = logits.detach().to(dtype)
    objective = Objective(NTILLoss(vocab), numeric_mass=0.2)
    total = objective(exact, labels)
    assert total.dtype == torch.float32
    assert total == objective(exact.float(), labels)
    with torch.autocast("cpu", torch.bfloat16):
        assert objective(exact.float(), labels) == total
