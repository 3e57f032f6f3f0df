"""Kernel losses: quadratic forms rᵀKr and rᵀ(D − K)r of the residual r = p − q over values.

Shapes: P positions, N entries of the numeric vocabulary, U distinct values among them, M
bandwidths, T tables of values (1, unless tokens of several widths stand in a fraction, or the scale
goes round).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from gnomon.losses.base import (
    NumericLoss,
    Unit,
    check_bounds,
    check_choice,
    check_positive_list,
    one_hot,
)
from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.tables import Constant
from gnomon.losses.numbers.vocab import NO_PERIOD, NumericVocab, ValueTables, circular_distance

BANDWIDTHS = (2.0,)
"""Default σ: one Gaussian of two digits' width, as in the SMMD paper (arXiv 2606.27731)."""
# The random kernel of the paper's ablation: Rademacher features per value, and a Hadamard power,
# odd so that entries may be negative.
RANDOM_FEATURES, RANDOM_POWER = 4, 5


@dataclass(frozen=True)
class Kernel(ABC):
    """A kernel over values: K_ij as a function of their distances d_ij."""

    bandwidths: Sequence[float]
    seed: int

    has_bandwidth: ClassVar[bool] = False
    sees_distances: ClassVar[bool] = True
    allows_cycle: ClassVar[bool] = False
    """True if it stays a kernel, of no negative MMD, where distances go round a circle."""
    allows_smoothness: ClassVar[bool] = True
    """True if degrees Σ_j K_ij are above 0, so that L_smooth can be scaled by them."""

    @abstractmethod
    def gram(self, d: Tensor) -> Tensor:
        """Compute K_ij over distinct values: [U, U] from their distances [U, U]."""

    def _widths(self, d: Tensor) -> Tensor:
        return torch.tensor(self.bandwidths, dtype=d.dtype)[:, None, None]  # [M, 1, 1]


class Gaussian(Kernel):
    """The mean over bandwidths σ of exp(−d² / 2σ²)."""

    has_bandwidth = True

    def gram(self, d: Tensor) -> Tensor:
        """Compute the mean of M Gaussians."""
        return (-(d**2) / (2 * self._widths(d) ** 2)).exp().mean(0)


class Laplace(Kernel):
    """The mean over bandwidths σ of exp(−d / σ)."""

    has_bandwidth = True
    allows_cycle = True

    def gram(self, d: Tensor) -> Tensor:
        """Compute the mean of M exponentials."""
        return (-d / self._widths(d)).exp().mean(0)


class Energy(Kernel):
    """The kernel of the CRPS, −d / 2; positive definite for residuals alone, whose sum is 0."""

    allows_cycle = True
    allows_smoothness = False

    def gram(self, d: Tensor) -> Tensor:
        """Compute −d / 2, without any bandwidth."""
        return -d / 2


class Random(Kernel):
    """(ΦΦᵀ)⁵, entry by entry, where Φ has four features ±½ for each value, drawn from the seed."""

    sees_distances = False

    def gram(self, d: Tensor) -> Tensor:
        """Draw the features of as many values as there are distances."""
        # A Gram matrix's Hadamard powers are positive semi-definite, too (Schur).
        generator = torch.Generator().manual_seed(self.seed)
        signs = torch.randint(2, (len(d), RANDOM_FEATURES), generator=generator).double() * 2 - 1
        return (signs @ signs.T / RANDOM_FEATURES) ** RANDOM_POWER


KERNELS: dict[str, type[Kernel]] = {
    "gaussian": Gaussian,
    "laplace": Laplace,
    "energy": Energy,
    "random": Random,
}


class KernelLoss(NumericLoss):
    """Base of the kernel losses; K is fixed by the values of the numeric vocabulary.

    K_ij is a kernel of d = |v_i − v_j|, by default the mean over bandwidths σ of exp(−d² / 2σ²).

    published: distances are stretched so that the smallest is 1 and the largest 9, as the SMMD
    authors do. With single digits that changes nothing; over the values to 999 it makes K almost
    flat, so that 5 is hardly further from 500 than from 6.

    Two ablations show what the distances are good for; both are drawn from `seed`. The kernel
    "random" looks at none, and has entries below 0, so that L_smooth may be negative there.
    `shuffled` permutes the values before distances are taken.

    cycle: the numbers lie on a scale that begins again there, and d goes the shorter way round.
    """

    kernels: ClassVar[Sequence[str]] = [
        name for name, kernel in KERNELS.items() if kernel.allows_smoothness
    ]

    def __init__(
        self,
        vocab: NumericVocab,
        *,
        kernel: str = "gaussian",
        bandwidths: Sequence[float] = BANDWIDTHS,
        published: bool = False,
        shuffled: bool = False,
        seed: int = 0,
        cycle: float = 0.0,
    ) -> None:
        super().__init__(vocab)
        bandwidths = check_positive_list("bandwidths", bandwidths)
        self.kernel = KERNELS[check_choice("kernel", kernel, self.kernels)](bandwidths, seed)
        # Unlike the others, −d / 2 grows with the distance; `published` has stretched it already.
        self.scale = self.scale if kernel == "energy" and not published else 1.0
        self.published, self.shuffled, self.seed = published, shuffled, seed
        # An option without effect would pass for an ablation that changed nothing.
        if not self.kernel.has_bandwidth and bandwidths != BANDWIDTHS:
            raise ValueError(f"{bandwidths=}: {kernel=} has none")
        if not self.kernel.sees_distances and (published or shuffled):
            raise ValueError(f"{kernel=}: it looks at no distances; leave published, shuffled out")
        if cycle and (not self.kernel.allows_cycle or published or shuffled):
            cyclic = [name for name in self.kernels if KERNELS[name].allows_cycle]
            raise ValueError(
                f"{cycle=}: distances go round with kernel={' or '.join(cyclic)}, and without"
                f" published and shuffled; this is {kernel=}"
            )
        self._tables = ValueTables(vocab, check_bounds("cycle", cycle))
        pairs = self._tables.values_and_periods
        self._grams = Constant(torch.stack([self.gram(v, period) for v, period in pairs]))
        if "smooth" in self.parts:
            laplacians = [self._scaled_laplacian(v, period) for v, period in pairs]
            self._laplacians = Constant(torch.stack(laplacians))

    def residual(self, scores: Tensor, spans: Spans) -> Tensor:
        """Compute r = p − q at each position: [P, N]."""
        p = scores.softmax(-1)
        q = one_hot(spans.index, len(self.vocab))
        # r_y as minus the sum of the others: p_y − 1 would lose what is small beside 1.
        others = p.masked_fill(q, 0)
        return torch.where(q, -others.sum(-1, keepdim=True), others)

    def mmd(self, r: Tensor, spans: Spans) -> Tensor:
        """Compute rᵀKr at each position: [P]."""
        return self.scale * self._quadratic_form(r, self._grams, spans)

    def smooth(self, r: Tensor, spans: Spans) -> Tensor:
        """Compute α · rᵀ(D − K)r at each position: [P]."""
        return self._quadratic_form(r, self._laplacians, spans)

    def gram(self, v: Tensor, period: float = NO_PERIOD) -> Tensor:
        """Compute K_ij over the entries: [N, N]. Entries of one value, 5 and 05, are alike.

        `period` is that of the scale, in units of the values.
        """
        values, inverse = torch.unique(v, return_inverse=True)  # [U], [N]
        return self._gram_of_values(values, period)[inverse[:, None], inverse]

    def _quadratic_form(self, r: Tensor, matrices: Constant, spans: Spans) -> Tensor:
        tables = matrices.on(r.device, r.dtype)  # [T, N, N]
        by_table = torch.stack([(r * (r @ m)).sum(-1) for m in tables])  # [T, P]
        return by_table.gather(0, self._tables.index(spans)[None])[0]

    def _scaled_laplacian(self, v: Tensor, period: float) -> Tensor:
        """Compute α · (D − K) over the entries: [N, N].

        Built over distinct values, so that the mass of 5, 05 and 005 is summed before it is
        squared and no other spelling of the label costs anything.
        """
        values, inverse = torch.unique(v, return_inverse=True)  # [U], [N]
        k = self._gram_of_values(values, period)
        degrees = k.sum(-1)
        if degrees.mean() < 1e-6:  # a random kernel's may cancel; α would be infinite
            raise ValueError(f"seed={self.seed}: this kernel's degrees cancel: give another seed")
        return ((degrees.diag() - k) / (2 * degrees.mean()))[inverse[:, None], inverse]

    def _gram_of_values(self, values: Tensor, period: float) -> Tensor:
        """Compute K_ij over distinct values: [U, U]."""
        if self.shuffled:
            generator = torch.Generator().manual_seed(self.seed)
            values = values[torch.randperm(len(values), generator=generator)]
        d = circular_distance((values[:, None] - values).abs(), period)
        if self.published and len(distances := torch.unique(d[d > 0])) > 1:
            share = (d - distances.min()) / (distances.max() - distances.min())
            d = torch.where(d > 0, 1 + 8 * share, 0)  # 1 to 9
        return self.kernel.gram(d)


class MMDLoss(KernelLoss):
    """L_MMD = rᵀKr = Σ_ij K_ij r_i r_j, the mean over digits; r = p − q, K the kernel.

    It grows with the error. With kernel="energy" it is the CRPS, Σ p|v − y| − ½ ΣΣ p_i p_j d_ij,
    a proper score.
    """

    kernels: ClassVar[Sequence[str]] = list(KERNELS)
    parts: Mapping[str, Unit] = {"mmd": "digits"}

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute rᵀKr of each digit."""
        return {"mmd": self.mmd(self.residual(scores, spans), spans)}


class SmoothLoss(KernelLoss):
    """α · L_smooth, the mean over digits; r = p − q, K the kernel.

    L_smooth = rᵀ(D − K)r = ½ Σ_ij K_ij (r_i − r_j)², where D holds the degrees Σ_j K_ij, and
    α = 1 / (2 · mean degree).

    It punishes near misses more than far ones: for the label 5, L_smooth is 9.65 where all the
    mass is on 4, and 6.04 where it is on 0.
    """

    parts: Mapping[str, Unit] = {"smooth": "digits"}

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute α · rᵀ(D − K)r of each digit."""
        return {"smooth": self.smooth(self.residual(scores, spans), spans)}


class SMMDLoss(KernelLoss):
    """L = L_MMD + α · L_smooth, the mean over digits (arXiv 2606.27731); r = p − q, K the kernel.

    L_MMD = rᵀKr, L_smooth = rᵀ(D − K)r with D the degrees Σ_j K_ij, α = 1 / (2 · mean degree).

    The smoothness punishes near misses more than far ones, so that here and there the sum falls
    as the error grows; `mmd` alone never does. At a saturated wrong digit the gradient vanishes:
    keep the cross-entropy beside it.
    """

    parts: Mapping[str, Unit] = {"mmd": "digits", "smooth": "digits"}

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute L_MMD and α · L_smooth of each digit."""
        r = self.residual(scores, spans)
        return {"mmd": self.mmd(r, spans), "smooth": self.smooth(r, spans)}


class CRPSLoss(KernelLoss):
    """CRPS = Σ_i p_i |v_i − y| − ½ Σ_ij p_i p_j |v_i − v_j|, the mean over digits.

    Computed as rᵀKr under the energy kernel K = −d / 2, to which it is equal. A proper score, where
    `emd` is none: in expectation it is minimal where p is the true probability of each digit.

    published: tokens of one to three digits have distances up to 999. By default the distances are
    scaled so that the largest of the vocabulary is 9, as it is for single digits.
    """

    kernels: ClassVar[Sequence[str]] = ("energy",)
    parts: Mapping[str, Unit] = {"crps": "digits"}

    def __init__(self, vocab: NumericVocab, *, published: bool = False, cycle: float = 0.0) -> None:
        super().__init__(vocab, kernel="energy", cycle=cycle)
        self.scale = 1.0 if published else self.scale

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute rᵀKr of each digit, K = −d / 2."""
        return {"crps": self.mmd(self.residual(scores, spans), spans)}
