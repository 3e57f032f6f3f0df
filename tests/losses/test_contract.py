"""What every registered loss promises, over vocabularies of one digit a token and of more."""

import pytest
import torch
from contract_cases import certain_logits, gradient, holds, random_logits
from naive_losses import components_of, total_of
from torch.utils._python_dispatch import TorchDispatchMode
from toy_vocabularies import VOCABULARIES, labels_of, pieces_of, random_labels

from gnomon.losses import KINDS, create


@pytest.fixture
def logits(loss, labels):
    return random_logits(loss, labels)


def test_the_loops_come_to_the_same(case, loss, vocab_name):
    labels = random_labels(vocab_name, 6, 9, torch.Generator().manual_seed(2))
    logits = random_logits(loss, labels)
    expected = components_of(*case, loss.vocab, pieces_of(vocab_name), logits, labels)
    assert min(loss.counts(labels).values()) >= 6
    means = {part: value.item() for part, value in loss.components(logits, labels).items()}
    assert means == pytest.approx(expected, rel=1e-9)
    assert loss(logits, labels).item() == pytest.approx(total_of(*case, expected), rel=1e-9)


def test_rows_of_kept_labels_come_to_the_same(loss, labels, logits):
    spans = loss.vocab.spans(labels)
    whole, rows = loss(logits, labels), loss.at(logits[labels != -100], spans)
    assert rows.item() == pytest.approx(whole.item(), rel=1e-12)
    torch.testing.assert_close(gradient(rows, logits), gradient(whole, logits))


@pytest.mark.parametrize("with_bias", [False, True])
def test_hidden_states_come_to_the_same(loss, labels, with_bias):
    hidden = torch.randn(*labels.shape, 7, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(loss.vocab.size, 7, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(loss.vocab.size, dtype=torch.float64, requires_grad=True)
    logits = hidden @ weight.T + bias * with_bias
    want = loss(logits, labels)
    for states in (hidden, hidden[labels != -100]):
        got = loss.from_hidden(states, weight, labels, bias if with_bias else None)
        assert got.item() == pytest.approx(want.item(), rel=1e-12)
        for of in (hidden, weight, bias)[: 2 + with_bias]:
            torch.testing.assert_close(gradient(got, of), gradient(want, of))


def test_nothing_but_the_digits_of_numbers_matters(loss, labels):
    """What stands elsewhere may be NaN; and only digits have a gradient."""
    numeric = loss.vocab.spans(labels).numeric.view_as(labels)
    assert numeric.any(1).tolist() == [True, True, True, False, True, True]
    columns = torch.tensor([i for entry in loss.vocab.entries for i in entry.ids])
    logits = random_logits(loss, labels).detach()
    spoilt = logits.masked_fill(~numeric[..., None], torch.nan).requires_grad_()
    value = loss(spoilt, labels)
    assert value == loss(logits, labels)
    found = gradient(value, spoilt)
    assert (found[numeric][:, columns] != 0).any(1).all()
    assert (found[~numeric] == 0).all()
    found[..., columns] = 0
    assert (found == 0).all()


def test_digits_that_are_all_masked_out_give_a_finite_loss(loss, labels):
    """Their softmax would be 0 / 0, and the NaN would reach every weight."""
    numeric = [token for entry in loss.vocab.entries for token in entry.ids]
    logits = random_logits(loss, labels, dtype=torch.float32).detach()
    logits[..., numeric] = -torch.inf
    value = loss(logits.requires_grad_(), labels)
    assert value.isfinite()
    assert gradient(value, logits).isfinite().all()


def test_the_gradient_is_that_of_the_value(case, loss, vocab_name):
    labels = labels_of(vocab_name, "10.5")
    head = torch.randn(loss.vocab.size, 3, dtype=torch.float64)
    hidden = 0.1 * torch.randn(*labels.shape, 3, dtype=torch.float64)
    with holds("the gradient is that of the value", case):
        assert torch.autograd.gradcheck(
            lambda x: loss(x @ head.T, labels), hidden.requires_grad_(), raise_exception=False
        )


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_near_float32(loss, labels, dtype):
    exact = random_logits(loss, labels, dtype=dtype).detach()
    logits = exact.clone().requires_grad_()
    value = loss(logits, labels)
    assert value.dtype == torch.float32
    assert value == loss(exact.float(), labels)
    assert value.item() == pytest.approx(loss(exact.double(), labels).item(), rel=1e-5)
    assert gradient(value, logits).dtype == dtype


@pytest.mark.parametrize("answer", ["57 0.3", "58 0.4"], ids=["right", "wrong"])
def test_autocast_changes_nothing_and_leaves_a_gradient_at_a_gap_of_6(loss, vocab_name, answer):
    labels = labels_of(vocab_name, "57 0.3")
    logits = certain_logits(loss, labels_of(vocab_name, answer), gap=6.0).requires_grad_()
    with torch.autocast("cpu", torch.bfloat16):
        value = loss(logits, labels)
        hidden = loss.from_hidden(logits, torch.eye(loss.vocab.size), labels)
    assert value == loss(logits, labels)
    assert hidden.item() == pytest.approx(value.item(), rel=1e-5)
    numeric = loss.vocab.spans(labels).numeric.view_as(labels)
    assert (gradient(value, logits)[numeric].abs().amax(-1) > 1e-6).all()


def test_a_sum_is_the_mean_times_the_count(loss, labels, logits):
    sums = loss._sums(logits.flatten(0, 1), loss.vocab.spans(labels))
    expected = sum(loss.weights[part] * sums[part].item() for part in loss.parts)
    assert loss(logits, labels, reduction="sum").item() == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ValueError, match="reduction='median': give mean or sum"):
        loss(logits, labels, reduction="median")


@pytest.mark.parametrize(("guess", "lead"), [(None, 0.0), ("0", 1.0), ("0", 1e4), ("9", 1e4)])
def test_it_is_finite(loss, vocab_name, guess, lead):
    for text in ["0", "000", "007", "-3", "0.05", "123456789" * 5, "0" * 60, "." + "5" * 45]:
        labels = labels_of(vocab_name, text)
        logits = random_logits(loss, labels, dtype=torch.float32).detach()
        if guess is not None:
            token = next(e.ids[0] for e in loss.vocab.entries if e.digits == guess)
            logits[..., token] = logits.max() + lead
        logits.requires_grad_()
        value = loss(logits, labels)
        assert value.isfinite(), text
        assert gradient(value, logits).isfinite().all(), text


@pytest.mark.parametrize("text", ["a", "", "a%"])
def test_without_numbers_it_is_a_zero_on_the_graph(loss, vocab_name, text):
    labels = labels_of(vocab_name, text, text)
    logits = random_logits(loss, labels)
    for value in (loss(logits, labels), loss.at(logits[labels != -100], loss.vocab.spans(labels))):
        assert value == 0
        assert (gradient(value, logits) == 0).all()
    assert all(part == 0 for part in loss.components(logits, labels).values())


class Watch(TorchDispatchMode):
    """The size of the largest result of what is computed."""

    widest = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and not func.is_view:
            self.widest = max(self.widest, result.numel())
        return result


def test_nothing_is_as_wide_as_the_vocabulary(loss, labels):
    kept = random_logits(loss, labels, dtype=torch.bfloat16).detach()[labels != -100]
    spans = loss.vocab.spans(labels).for_rows(len(kept))
    wide = torch.nn.functional.pad(kept, (0, 5000))
    with Watch() as watch:
        loss.at(wide, spans)
    assert watch.widest < len(wide) * 5000


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_it_compiles_without_graph_breaks(name):
    loss = create(name, VOCABULARIES["many digits"]())
    labels = labels_of("many digits", "12:05", "-3.5")
    logits = random_logits(loss, labels, dtype=torch.float32)
    torch.compiler.reset()
    compiled = torch.compile(loss, fullgraph=True, backend="eager")
    value = compiled(logits, labels)
    assert value.item() == pytest.approx(loss(logits, labels).item(), rel=1e-6)
    assert gradient(value, logits).isfinite().all()


def test_shapes_that_do_not_fit_are_refused(loss, labels, logits):
    with pytest.raises(ValueError, match=r"logits of shape .* for labels of shape"):
        loss(logits[:, 1:], labels)
    with pytest.raises(ValueError, match=f"the head is {loss.vocab.size - 1} wide"):
        loss(logits[..., : loss.vocab.size - 1], labels)


def test_a_model_may_carry_it_in_any_precision(loss, labels, logits):
    value = loss(logits, labels)
    assert list(loss.parameters()) == list(loss.buffers()) == []
    assert loss.to(torch.bfloat16)(logits, labels) == value


def test_it_can_sync_first_in_inference_mode(case, vocab_name, labels):
    name, options = case
    loss = create(name, VOCABULARIES[vocab_name](), **options)
    with torch.inference_mode():
        loss(certain_logits(loss, labels), labels)
    logits = random_logits(loss, labels, dtype=torch.float32)
    assert gradient(loss(logits, labels), logits).abs().sum() > 0
