"""Losses and objective on a pretend accelerator: nothing waits for it, and its values are right."""

import pytest
import torch
from contract_cases import TEXTS, random_logits
from pretend_device import DEVICE, Pretend
from toy_vocabularies import labels_of, one_digit

from gnomon.losses import EMDLoss, NTILLoss, Objective, SMMDLoss


def there(tensor):
    return tensor.detach().to(DEVICE).requires_grad_(tensor.is_floating_point())


def assert_same(on_device, here, of):
    """The value of a function of what is on the device, and its gradient, as on the CPU."""
    gradient = torch.autograd.grad(here, of)[0]
    with Pretend() as pretend:
        given = there(of)
        value = on_device(given)
        found = torch.autograd.grad(value, given)[0]
    assert pretend.unexplained() == []
    outside = {operation for who, operation in pretend.waits if not who.place}
    assert outside <= {"aten._to_copy.default"}  # what `there` copies; none in the backward
    assert value.device == found.device == DEVICE
    torch.testing.assert_close(value.here, here, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(found.here, gradient, rtol=1e-4, atol=1e-6)
    return pretend


def test_no_loss_waits(loss, labels):
    logits = random_logits(loss, labels, dtype=torch.float32)
    rows = logits[labels != -100].detach().requires_grad_()
    states = torch.randn(*labels.shape, 7, requires_grad=True)
    weight = torch.randn(loss.vocab.size, 7)
    for on_device, here, of in [
        (lambda x: loss(x, labels.to(DEVICE)), loss(logits, labels), logits),
        (
            lambda x: loss.at(x, loss.vocab.spans(labels.to(DEVICE))),
            loss.at(rows, loss.vocab.spans(labels)),
            rows,
        ),
        (
            lambda x: loss.from_hidden(x, weight.to(DEVICE), labels.to(DEVICE)),
            loss.from_hidden(states, weight, labels),
            states,
        ),
    ]:
        assert_same(on_device, here, of)


OBJECTIVES = {
    "ce": {},
    "ce without digits": {"vocab": None},
    "mass": {"numeric_mass": 0.2},
    "ntil": {"loss": NTILLoss(one_digit()), "numeric_mass": 0.2},
    "ratio": {"loss": SMMDLoss(one_digit()), "balance": "ce_ratio"},
    "schedule": {"loss": EMDLoss(one_digit()), "schedule": "cosine", "warmup": 0.1},
}


@pytest.mark.parametrize("final", [False, True], ids=["all", "final"])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_no_objective_waits(name, final):
    objective = Objective(**{"vocab": one_digit(), **OBJECTIVES[name]})
    labels = labels_of("one digit", *TEXTS)
    last = labels.clone()
    last[:, :3] = -100
    logits = torch.randn(*labels.shape, one_digit().size, requires_grad=True)

    def total(x, y, only):
        return objective(x, y, final=only if final else None, progress=0.5)

    pretend = assert_same(
        lambda x: total(x, labels.to(DEVICE), last.to(DEVICE)), total(logits, labels, last), logits
    )
    waits = [n for (who, _), n in pretend.waits.items() if who.place.startswith("losses/obj")]
    assert waits == [1]
    assert pretend.ours() < 300


def test_no_chunk_waits():
    objective = Objective(NTILLoss(one_digit()))
    labels = labels_of("one digit", *TEXTS)
    targets = labels[labels != -100]
    hidden = torch.randn(len(targets), 7, requires_grad=True)
    weight = torch.randn(one_digit().size, 7)

    def total(x, y, by_row, head):
        rows = objective.rows_from_hidden(x, by_row, lambda some: some @ head.T, chunk=4)
        spans = objective.spans(y)
        return objective.combine(objective.sums(rows, spans), objective.counts(y, spans))

    assert_same(
        lambda x: total(x, labels.to(DEVICE), targets.to(DEVICE), weight.to(DEVICE)),
        total(hidden, labels, targets, weight),
        hidden,
    )


OPERATIONS = {
    "item": (True, lambda x: x.sum().item()),
    "bool": (True, lambda x: bool(x.any())),
    "tolist": (True, lambda x: x.tolist()),
    "cpu": (True, lambda x: x.cpu()),
    "print": (True, lambda x: f"{x}"),
    "unique": (True, lambda x: x.unique()),
    "equal": (True, lambda x: torch.equal(x, x + 1)),
    "mask as an index": (True, lambda x: x[x > 0]),
    "mask that is written to": (True, lambda x: x.clone().index_put_((x > 0,), x.sum())),
    "index of the CPU": (True, lambda x: x[torch.tensor([0])]),
    "repeat_interleave": (True, lambda x: x.repeat_interleave(x.ne(0).long())),
    "tensor of a list": (True, lambda x: torch.tensor([1, 2], device=x.device)),
    "tensor of scalars": (True, lambda x: torch.tensor([x.sum()])),
    "arithmetic": (False, lambda x: (x * 2 + torch.tensor(1.0)).sum()),
    "indices": (False, lambda x: x[x.argsort()]),
    "known length": (False, lambda x: x.repeat_interleave(x.ne(0).long(), output_size=len(x))),
    "arange": (False, lambda x: torch.arange(3, device=x.device)),
    "views": (False, lambda x: x[None].expand(2, -1).T),
}
"""Whether each makes the host wait."""


class Asking(EMDLoss):
    """A loss that does more than it should."""

    def __init__(self, does):
        super().__init__(one_digit())
        self.does = does

    def terms(self, scores, spans):
        self.does(scores[:, 0].detach())
        return super().terms(scores, spans)


def unexplained(does, device=DEVICE):
    labels = labels_of("one digit", "12")
    with Pretend() as pretend:
        logits = torch.randn(*labels.shape, one_digit().size, device=DEVICE)
        Asking(does)(logits, labels.to(device))
    return pretend.unexplained()


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_waits_is_noted_with_the_line_of_ours_that_asked(name):
    waits, does = OPERATIONS[name]
    lines = unexplained(does)
    assert bool(lines) is waits
    assert all(line.startswith("losses/base.py:_sums_of_columns, line ") for line in lines), lines


@pytest.mark.parametrize(
    "mixes",
    [
        lambda x: x + torch.ones(len(x)),
        lambda x: torch.stack([x.sum(), torch.tensor(1.0)]),
        lambda x: torch.ones(len(x))[x.argsort()],
    ],
)
def test_a_tensor_of_the_cpu_among_those_of_the_device_raises(mixes):
    with pytest.raises(RuntimeError, match="a tensor of pretend:0 and one of cpu"):
        unexplained(mixes)
    with pytest.raises(RuntimeError, match="a tensor of pretend:0 and one of cpu"):
        unexplained(lambda x: x, device="cpu")  # labels that stayed behind


def test_launches_are_operations_on_values_and_end_with_the_block():
    with Pretend() as pretend:
        x = torch.ones(4, device=DEVICE)
        pretend.launches.clear()
        torch.empty_like((x.view(2, 2).T + 1).detach())
    assert sum(pretend.launches.values()) == 1
    assert not torch.accelerator.is_available()
    with pytest.raises(RuntimeError, match=r"and no `Pretend\(\)` around it"):
        x + 1
