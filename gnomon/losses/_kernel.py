"""What the kernel losses share: the kernel over values, the residual, and its quadratic forms.

Shapes: P positions, N entries of the numeric vocabulary, L rulers (one, unless tokens of several
widths stand in a fraction).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import torch

from gnomon.losses import _options as options
from gnomon.losses._constant import Constant
from gnomon.losses._scores import one_hot
from gnomon.losses.base import NumericLoss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from gnomon.losses.spans import Spans
    from gnomon.losses.vocab import NumericVocab


class KernelLoss(NumericLoss):
    """A quadratic form in r = p − q, where q is one-hot at the label.

    K_ij is the mean over bandwidths σ of exp(−d² / 2σ²), d = |v_i − v_j|, or of exp(−d / σ) for
    the Laplace kernel, and −d / 2 for the energy kernel, which has no bandwidth.

    published: distances are stretched so that the smallest is 1 and the largest 9, as the SMMD
    authors do. With single digits that changes nothing; over the values to 999 it makes K almost
    flat, so that 5 is hardly further from 500 than from 6.
    """

    kernels: ClassVar[Sequence[str]] = ("gaussian", "laplace")

    def __init__(
        self,
        vocab: NumericVocab,
        *,
        kernel: str = "gaussian",
        bandwidths: Sequence[float] = (2.0,),
        published: bool = False,
    ) -> None:
        super().__init__(vocab)
        self.kernel = options.one_of("kernel", kernel, self.kernels)
        self.bandwidths = options.positives("bandwidths", bandwidths)
        self.published = options.flag("published", published)
        self._kernel = Constant(self._make_kernel)
        self._degrees = Constant(self._make_degrees)

    def residual(self, scores: Tensor, spans: Spans) -> Tensor:
        """r = p − q at each position: [P, N]."""
        p = scores.softmax(-1)
        q = one_hot(spans.index, len(self.vocab))
        # r_y is minus the sum of the others; p_y − 1 would drop what is small beside 1.
        others = p.masked_fill(q, 0)
        return torch.where(q, -others.sum(-1, keepdim=True), others)

    def mmd(self, r: Tensor, spans: Spans) -> Tensor:
        """rᵀKr at each position: [P]."""
        kernel = self._kernel.on(r.device, r.dtype)
        if len(kernel) == 1:
            return (r * (r @ kernel[0])).sum(-1)
        ruler = self.vocab.ruler(spans)
        each = [r * (r @ k) * (ruler == i)[:, None] for i, k in enumerate(kernel)]
        return torch.stack([form.sum(-1) for form in each]).sum(0)

    def smooth(self, r: Tensor, mmd: Tensor, spans: Spans) -> Tensor:
        """α · (rᵀDr − rᵀKr) at each position, where `mmd` is rᵀKr: [P]."""
        degrees = self._degrees.on(r.device, r.dtype)  # [L, N]
        alpha = 1 / (2 * degrees.mean(-1))
        ruler = self.vocab.ruler(spans)
        return alpha[ruler] * ((degrees[ruler] * r * r).sum(-1) - mmd)

    def _make_kernel(self) -> Tensor:
        v = self.vocab.tables.rulers.on(torch.device("cpu"))[:, : len(self.vocab)]
        d = (v[:, :, None] - v[:, None, :]).abs()  # [L, N, N]
        if self.published:
            d = torch.stack([_stretched(each) for each in d])
        if self.kernel == "energy":
            return -d / 2
        if self.kernel == "laplace":
            return torch.stack([torch.exp(-d / s) for s in self.bandwidths]).mean(0)
        return torch.stack([torch.exp(-(d**2) / (2 * s**2)) for s in self.bandwidths]).mean(0)

    def _make_degrees(self) -> Tensor:
        return self._make_kernel().sum(-1)


def _stretched(d: Tensor) -> Tensor:
    """Distances so that the smallest above 0 is 1 and the largest 9."""
    apart = d[d > 0]
    if len(apart) == 0 or apart.min() == apart.max():
        return d
    share = (d - apart.min()) / (apart.max() - apart.min())
    return torch.where(d > 0, 1 + 8 * share, 0)
