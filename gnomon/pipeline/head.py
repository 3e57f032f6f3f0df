"""The answer's rows through a model's head: at once, or in chunks where they are many."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gnomon.losses.objective import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor
    from torch.nn import Module

    from gnomon.losses import Objective


def rows_at_once(
    model: Module, inputs: dict[str, Any], targets: Tensor, objective: Objective
) -> tuple[Rows, Any]:
    """What the objective needs of the logits, and the model's outputs, which hold them all."""
    outputs = model(**inputs)
    return objective.rows(outputs.logits, targets), outputs


def rows_in_chunks(
    model: Module,
    inputs: dict[str, Any],
    targets: Tensor,
    objective: Objective,
    *,
    head: Module,
    at_once: int,
) -> tuple[Rows, Any]:
    """The same with the logits of `at_once` rows at a time; the outputs have none of them.

    It is done within the model's own forward, where DDP and FSDP have the head's weights ready.
    """

    def answer(hidden: Tensor) -> Tensor:
        return objective.rows_of_hidden(hidden, targets, project, at_once=at_once).packed()

    with _replaced(head, answer) as project:
        outputs = model(**inputs)
    return Rows.unpacked(outputs.logits), outputs


@contextmanager
def _replaced(
    head: Module, forward: Callable[[Tensor], Tensor]
) -> Iterator[Callable[[Tensor], Tensor]]:
    """The head answers with another forward for a while; gives its own."""
    own, hooked = head.forward, head.__dict__.get("forward")
    head.forward = forward
    try:
        yield own
    finally:
        del head.forward
        if hooked is not None:  # accelerate, for one, sets a forward of its own
            head.forward = hooked
