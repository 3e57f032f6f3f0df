"""The registry of numeric losses, `KINDS`. Loss classes and torch are imported on first use."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from gnomon import names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.losses.base import NumericLoss as NumericLoss
    from gnomon.losses.distances import EMDLoss as EMDLoss
    from gnomon.losses.distances import NTLMSELoss as NTLMSELoss
    from gnomon.losses.kernels import CRPSLoss as CRPSLoss
    from gnomon.losses.kernels import MMDLoss as MMDLoss
    from gnomon.losses.kernels import SMMDLoss as SMMDLoss
    from gnomon.losses.kernels import SmoothLoss as SmoothLoss
    from gnomon.losses.ntil import NTILLoss as NTILLoss
    from gnomon.losses.numbers.spans import Spans as Spans
    from gnomon.losses.numbers.vocab import NumericVocab as NumericVocab
    from gnomon.losses.objective import Objective as Objective
    from gnomon.losses.soft_labels import DIST2Loss as DIST2Loss
    from gnomon.losses.soft_labels import GaussianLoss as GaussianLoss

    NTLWASLoss = EMDLoss

CE = "ce"
"""Name in a recipe for training with cross-entropy only, without a numeric loss."""

KINDS = {
    "crps": "gnomon.losses.kernels:CRPSLoss",
    "dist2": "gnomon.losses.soft_labels:DIST2Loss",
    "emd": "gnomon.losses.distances:EMDLoss",
    "gaussian": "gnomon.losses.soft_labels:GaussianLoss",
    "mmd": "gnomon.losses.kernels:MMDLoss",
    "ntil": "gnomon.losses.ntil:NTILLoss",
    "ntl_mse": "gnomon.losses.distances:NTLMSELoss",
    "ntl_was": "gnomon.losses.distances:EMDLoss",  # its name in another paper
    "smmd": "gnomon.losses.kernels:SMMDLoss",
    "smooth": "gnomon.losses.kernels:SmoothLoss",
}
_EXPORTS = {
    "NumericLoss": "gnomon.losses.base:NumericLoss",
    "NumericVocab": "gnomon.losses.numbers.vocab:NumericVocab",
    "Objective": "gnomon.losses.objective:Objective",
    "Spans": "gnomon.losses.numbers.spans:Spans",
    "NTLWASLoss": "gnomon.losses.distances:EMDLoss",
} | {path.partition(":")[2]: path for path in KINDS.values()}


def load(name: str) -> type[NumericLoss]:
    """Import a loss class by its name in `KINDS`, or a user's class by `module:Class`."""
    loss: type[NumericLoss] = names.load(
        KINDS, name, what="loss", command="gnomon ls losses", base=_EXPORTS["NumericLoss"]
    )
    lacking = ["parts"] * (not hasattr(loss, "parts")) + sorted(loss.__abstractmethods__)
    if lacking:
        raise ValueError(
            f"loss {name!r} has no {' and '.join(lacking)}: define the attribute parts, for example"
            " {'mine': 'digits'}, and the method terms(scores, spans)"
        )
    return loss


def create(name: str, vocab: NumericVocab, **options: Any) -> NumericLoss:
    """Create a loss by name. A wrong option raises a ValueError that lists the loss's options."""
    loss_class = load(name)
    try:
        signature(loss_class).bind(vocab, **options)
    except TypeError as error:
        choices = [option for option in signature(loss_class).parameters if option != "vocab"]
        way_out = f"; its options are {', '.join(choices) or 'none'}"
        if "weight" in options:
            way_out += "; set weight in Objective, NumericSFTTrainer or a recipe's section loss"
        raise ValueError(f"loss {name!r} with options {options}: {error}{way_out}") from None
    return loss_class(vocab, **options)


def check(name: str, options: Mapping[str, Any] | None = None) -> None:
    """Raise a ValueError if the loss or an option is unknown.

    torch is imported only to check options or a user's class.
    """
    if names.is_place(name):
        load(name)
    else:
        names.check((CE, *KINDS), name, what="loss", command="gnomon ls losses")
    if name == CE and options:
        raise ValueError(f"{CE!r} is the cross-entropy alone: it takes no options, not {options}")
    if options:
        from gnomon.losses.numbers.vocab import NumericVocab

        create(name, NumericVocab({digit: int(digit) for digit in "0123456789"}), **options)


def __getattr__(name: str) -> Any:
    return names.load_export(__name__, _EXPORTS, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_EXPORTS})
