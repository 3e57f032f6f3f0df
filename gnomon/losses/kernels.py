"""Kernel losses: quadratic forms rᵀKr and rᵀ(D − K)r of the residual r = p − q over values.

Shapes: P positions, N entries of the numeric vocabulary, U distinct values among them, M
bandwidths, T tables of values (one, unless tokens differ in width or the scale is circular).
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
"""Default σ: a single Gaussian with σ = 2, as in the SMMD paper (arXiv 2606.27731)."""
# The random kernel of the paper's ablation: the number of Rademacher features for each value, and
# the Hadamard power. The power is odd, so entries may be negative.
RANDOM_FEATURES, RANDOM_POWER = 4, 5


@dataclass(frozen=True)
class Kernel(ABC):
    """A kernel over values: a function from the distances d_ij to the entries K_ij."""

    bandwidths: Sequence[float]
    seed: int

    has_bandwidth: ClassVar[bool] = False
    sees_distances: ClassVar[bool] = True
    allows_cycle: ClassVar[bool] = False
    """True if the MMD is at least 0 on a circular scale as well."""
    allows_smoothness: ClassVar[bool] = True
    """True if L_smooth can be divided by the mean of the degrees Σ_j K_ij."""

    @abstractmethod
    def gram(self, d: Tensor) -> Tensor:
        """Compute K_ij from the distances of distinct values: [U, U] from [U, U]."""

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
    """The kernel −d / 2, with which rᵀKr is the CRPS.

    It is positive definite only for vectors whose sum is 0, such as residuals.
    """

    allows_cycle = True
    allows_smoothness = False

    def gram(self, d: Tensor) -> Tensor:
        """Compute −d / 2. The bandwidths are ignored."""
        return -d / 2


class Random(Kernel):
    """A kernel that ignores distances: (ΦΦᵀ)⁵, entry by entry.

    Φ has four features of ±½ for each value, drawn from the seed.
    """

    sees_distances = False

    def gram(self, d: Tensor) -> Tensor:
        """Draw the features of U values. The distances themselves are ignored."""
        # The Hadamard powers of a Gram matrix are positive semi-definite (Schur).
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
    """Base class of the kernel losses. K is computed once, from the numeric vocabulary's values.

    K_ij is a kernel of d = |v_i − v_j|, by default the mean over bandwidths σ of exp(−d² / 2σ²).

    published: stretch the distances to the range from 1 to 9, as the SMMD authors do. Single digits
    have these distances already. For values up to 999, K becomes almost flat: 5 is hardly further
    from 500 than from 6.

    Two ablations show how much the distances contribute. Both draw from `seed`. The kernel "random"
    ignores distances. Its entries may be negative, and so may L_smooth. `shuffled` permutes the
    values before their distances are computed.

    cycle: length of a circular scale. d is then measured the shorter way round.
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
        # Only the energy kernel grows with the distance. `published` stretches it already.
        self.scale = self.scale if kernel == "energy" and not published else 1.0
        self.published, self.shuffled, self.seed = published, shuffled, seed
        # An option without effect would look like an ablation that makes no difference.
        if not self.kernel.has_bandwidth and bandwidths != BANDWIDTHS:
            raise ValueError(f"{bandwidths=}: {kernel=} has no bandwidths; leave the option out")
        if not self.kernel.sees_distances and (published or shuffled):
            raise ValueError(f"{kernel=} ignores distances: leave out published and shuffled")
        if cycle and (not self.kernel.allows_cycle or published or shuffled):
            cyclic = [name for name in self.kernels if KERNELS[name].allows_cycle]
            raise ValueError(
                f"{cycle=} with {kernel=}, {published=}, {shuffled=}: a circular scale needs"
                f" kernel={' or '.join(cyclic)}, without published and shuffled"
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
        # r_y is minus the sum of the others, because p_y − 1 would round small values away.
        others = p.masked_fill(q, 0)
        return torch.where(q, -others.sum(-1, keepdim=True), others)

    def mmd(self, r: Tensor, spans: Spans) -> Tensor:
        """Compute rᵀKr at each position: [P]."""
        return self.scale * self._quadratic_form(r, self._grams, spans)

    def smooth(self, r: Tensor, spans: Spans) -> Tensor:
        """Compute α · rᵀ(D − K)r at each position: [P]."""
        return self._quadratic_form(r, self._laplacians, spans)

    def gram(self, v: Tensor, period: float = NO_PERIOD) -> Tensor:
        """Compute K_ij over the entries: [N, N]. Entries of one value, 5 and 05, have equal rows.

        `period` is the length of the circular scale, in units of the values.
        """
        values, inverse = torch.unique(v, return_inverse=True)  # [U], [N]
        return self._gram_of_values(values, period)[inverse[:, None], inverse]

    def _quadratic_form(self, r: Tensor, matrices: Constant, spans: Spans) -> Tensor:
        tables = matrices.on(r.device, r.dtype)  # [T, N, N]
        by_table = torch.stack([(r * (r @ m)).sum(-1) for m in tables])  # [T, P]
        return by_table.gather(0, self._tables.index(spans)[None])[0]

    def _scaled_laplacian(self, v: Tensor, period: float) -> Tensor:
        """Compute α · (D − K) over the entries: [N, N].

        It is built over distinct values. The mass of 5, 05 and 005 is therefore summed before it
        is squared, and mass on another spelling of the label costs no more.
        """
        values, inverse = torch.unique(v, return_inverse=True)  # [U], [N]
        k = self._gram_of_values(values, period)
        degrees = k.sum(-1)
        if degrees.mean() < 1e-6:  # those of a random kernel may cancel, and α would be infinite
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
    """L_MMD = rᵀKr = Σ_ij K_ij r_i r_j, averaged over digits, with r = p − q and the kernel K.

    The loss grows with the error. With kernel="energy" it equals the CRPS, a proper score:
    Σ p|v − y| − ½ ΣΣ p_i p_j d_ij.
    """

    kernels: ClassVar[Sequence[str]] = list(KERNELS)
    parts: Mapping[str, Unit] = {"mmd": "digits"}

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute rᵀKr of each digit."""
        return {"mmd": self.mmd(self.residual(scores, spans), spans)}


class SmoothLoss(KernelLoss):
    """α · L_smooth, averaged over digits, with the residual r = p − q and the kernel K.

    L_smooth = rᵀ(D − K)r = ½ Σ_ij K_ij (r_i − r_j)². D is the diagonal matrix of the degrees
    Σ_j K_ij, and α = 1 / (2 · mean degree).

    The loss punishes near misses more than far misses. For the label 5, L_smooth is 9.65 if all the
    mass is on 4, but only 6.04 if all the mass is on 0.
    """

    parts: Mapping[str, Unit] = {"smooth": "digits"}

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute α · rᵀ(D − K)r of each digit."""
        return {"smooth": self.smooth(self.residual(scores, spans), spans)}


class SMMDLoss(KernelLoss):
    """L = L_MMD + α · L_smooth, averaged over digits (arXiv 2606.27731), with r = p − q.

    L_MMD = rᵀKr and L_smooth = rᵀ(D − K)r, with the kernel K and the diagonal matrix D of its
    degrees Σ_j K_ij. α = 1 / (2 · mean degree).

    The smoothness term punishes near misses more than far misses. In some cases the total therefore
    falls as the error grows, which never happens with `mmd`. The gradient vanishes at a saturated
    wrong digit, so train with cross-entropy as well.
    """

    parts: Mapping[str, Unit] = {"mmd": "digits", "smooth": "digits"}

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute L_MMD and α · L_smooth of each digit."""
        r = self.residual(scores, spans)
        return {"mmd": self.mmd(r, spans), "smooth": self.smooth(r, spans)}


class CRPSLoss(KernelLoss):
    """CRPS = Σ_i p_i |v_i − y| − ½ Σ_ij p_i p_j |v_i − v_j|, averaged over digits.

    It equals rᵀKr under the energy kernel K = −d / 2, and is computed in that form. CRPS is a
    proper score, unlike `emd`: its expectation is minimal if p is the true probability of each
    digit.

    published: do not scale distances. Tokens of three digits then have distances up to 999. By
    default, distances are scaled to a largest distance of 9, as between single digits.
    """

    kernels: ClassVar[Sequence[str]] = ("energy",)
    parts: Mapping[str, Unit] = {"crps": "digits"}

    def __init__(self, vocab: NumericVocab, *, published: bool = False, cycle: float = 0.0) -> None:
        super().__init__(vocab, kernel="energy", cycle=cycle)
        self.scale = 1.0 if published else self.scale

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute rᵀKr of each digit, with K = −d / 2."""
        return {"crps": self.mmd(self.residual(scores, spans), spans)}
