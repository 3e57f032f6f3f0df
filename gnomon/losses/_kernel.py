"""What the kernel losses share: the kernel over values, the residual, and its quadratic forms.

Shapes: P positions, N entries of the numeric vocabulary, L rulers (one, unless tokens of several
widths stand in a fraction).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import torch
from torch import Tensor

from gnomon.losses import _options as options
from gnomon.losses._constant import Constant
from gnomon.losses._gram import BANDWIDTHS, Kernel
from gnomon.losses.base import NumericLoss, one_hot
from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.vocab import NumericVocab


class KernelLoss(NumericLoss):
    """A quadratic form in r = p − q, where q is one-hot at the label.

    K_ij is the mean over bandwidths σ of exp(−d² / 2σ²), d = |v_i − v_j|, or of exp(−d / σ) for
    the Laplace kernel, and −d / 2 for the energy kernel, which has no bandwidth.

    published: distances are stretched so that the smallest is 1 and the largest 9, as the SMMD
    authors do. With single digits that changes nothing; over the values to 999 it makes K almost
    flat, so that 5 is hardly further from 500 than from 6.

    Two ablations show what the distances are good for; both are drawn from `seed`. The kernel
    "random" is (ΦΦᵀ)⁵, entry by entry, where Φ has four features ±½ for each value: positive
    semi-definite, but with entries below 0, so that L_smooth may be negative there. `shuffled`
    gives each value the place of another before distances are taken.
    """

    kernels: ClassVar[Sequence[str]] = ("gaussian", "laplace", "random")

    def __init__(
        self,
        vocab: NumericVocab,
        *,
        kernel: str = "gaussian",
        bandwidths: Sequence[float] = BANDWIDTHS,
        published: bool = False,
        shuffled: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(vocab)
        self.kernel = Kernel(
            options.one_of("kernel", kernel, self.kernels),
            options.positives("bandwidths", bandwidths),
            published=options.flag("published", published),
            shuffled=options.flag("shuffled", shuffled),
            seed=options.whole("seed", seed),
        )
        rulers = vocab.tables.rulers.on(torch.device("cpu"))[:, : len(vocab)]
        self._kernel = Constant(torch.stack([self.kernel.gram(v) for v in rulers]))
        if "smooth" in self.parts:
            self._laplacian = Constant(torch.stack([self.kernel.laplacian(v) for v in rulers]))

    def residual(self, scores: Tensor, spans: Spans) -> Tensor:
        """r = p − q at each position: [P, N]."""
        p = scores.softmax(-1)
        q = one_hot(spans.index, len(self.vocab))
        # r_y is minus the sum of the others; p_y − 1 would drop what is small beside 1.
        others = p.masked_fill(q, 0)
        return torch.where(q, -others.sum(-1, keepdim=True), others)

    def mmd(self, r: Tensor, spans: Spans) -> Tensor:
        """rᵀKr at each position: [P]."""
        return self._form(r, self._kernel, spans)

    def smooth(self, r: Tensor, spans: Spans) -> Tensor:
        """α · rᵀ(D − K)r at each position: [P]."""
        return self._form(r, self._laplacian, spans)

    def _form(self, r: Tensor, matrices: Constant, spans: Spans) -> Tensor:
        tables = matrices.on(r.device, r.dtype)  # [L, N, N]
        by_ruler = torch.stack([(r * (r @ m)).sum(-1) for m in tables])  # [L, P]
        return by_ruler.gather(0, self.vocab.ruler(spans)[None])[0]
