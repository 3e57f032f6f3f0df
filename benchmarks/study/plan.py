"""PLAN.md in code: parts, losses, weights and seeds, and the cells that they make."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OUTCOMES = HERE / "outcomes"

BASELINE = "ce"
PUBLISHED = "ntil_ratio"
WEIGHTED = ("ntil", "smmd", "crps")
"""Losses whose weight is chosen on the validation split."""
LOSSES = (BASELINE, *WEIGHTED, PUBLISHED)
PUBLISHED_WEIGHT = 0.3
WEIGHTS = (0.1, 0.3, 1.0)
PILOT_LOSS, PILOT_WEIGHT = "ntil", 0.3
"""Beside the cross-entropy in the pilots."""
ROOM = (0.1, 0.9)
"""The cross-entropy's share exactly right in the pilots, from and to, for a part to be studied."""

Stage = Literal["pilots", "weights", "study"]


@dataclass(frozen=True)
class Cell:
    """One run: a loss with its weight, and a seed."""

    loss: str
    weight: float
    seed: int
    stage: Stage = "study"
    """Before the study, cells of other seeds answer questions of the validation split."""

    @property
    def file(self) -> str:
        """Where its outcome is, within its part."""
        folder = "" if self.stage == "study" else f"{self.stage}/"
        return f"{folder}{self.loss}-{self.weight:g}-seed-{self.seed}.json.xz"

    @property
    def overrides(self) -> tuple[str, ...]:
        """What the part's recipe is given."""
        name = "ntil" if self.loss == PUBLISHED else self.loss
        balance = "ce_ratio" if self.loss == PUBLISHED else "fixed"
        return (
            f"loss.name={name}",
            f"loss.weight={self.weight:g}",
            f"loss.balance={balance}",
            f"seed={self.seed}",
        )


@dataclass(frozen=True)
class Part:
    """One task that all losses are trained on."""

    name: str
    title: str
    recipe: Path
    overrides: tuple[str, ...]
    seeds: tuple[int, ...]
    questions: int
    """Held-out questions of each source."""
    validation_questions: int
    """Before the study, of each source."""
    pilot_seeds: tuple[int, ...] = (201, 202)
    weight_seeds: tuple[int, ...] = (101,)
    weights: tuple[float, ...] = WEIGHTS
    room: tuple[float, float] = ROOM
    taken: tuple[tuple[str, float], ...] = ()
    """The losses and weights of another part; then there are no pilots, and none is chosen."""
    pretrained: bool = False
    """Whether the recipe's model is SmolLM2-135M-Instruct, which run.py unpacks."""

    @property
    def losses(self) -> tuple[str, ...]:
        """The cross-entropy, and those that are compared with it."""
        return (BASELINE, *(loss for loss, _ in self.taken)) if self.taken else LOSSES

    @property
    def pilots(self) -> list[Cell]:
        """The cells that say whether there is room for a gain, and how much seeds differ."""
        if self.taken:
            return []
        losses = ((BASELINE, 0.0), (PILOT_LOSS, PILOT_WEIGHT))
        return [Cell(*loss, seed, "pilots") for seed in self.pilot_seeds for loss in losses]

    @property
    def choosing(self) -> list[Cell]:
        """The cells that the weights are chosen by."""
        if self.taken:
            return []
        found = product(self.weight_seeds, WEIGHTED, self.weights)
        return [Cell(loss, weight, seed, "weights") for seed, loss, weight in found]

    def cells(self, weights: dict[str, float]) -> list[Cell]:
        """The cells of the study, seed by seed, with the weights that were chosen."""
        given = {BASELINE: 0.0, PUBLISHED: PUBLISHED_WEIGHT, **weights}
        return [Cell(loss, given[loss], seed) for seed in self.seeds for loss in self.losses]


CLOCKS = ROOT / "configs" / "day-clock.yaml"
PRECISION = "model.dtype=bfloat16"
"""As the recipe had it when its cells were run."""
PARTS = {
    part.name: part
    for part in (
        Part(
            name="sums",
            title="SmolLM2-135M-Instruct on sums",
            recipe=HERE / "sums.yaml",
            overrides=(),
            seeds=tuple(range(11, 19)),
            questions=1000,
            validation_questions=500,
            pretrained=True,
        ),
        Part(
            name="clocks",
            title="Clocks of 24 hours, 1,280 pictures",
            recipe=CLOCKS,
            overrides=(PRECISION, "train.samples=1280", "train.max_steps=100"),
            seeds=tuple(range(11, 19)),
            questions=1000,
            validation_questions=500,
        ),
        Part(
            name="clocks_all",
            title="Clocks of 24 hours, 12,800 pictures",
            recipe=CLOCKS,
            overrides=(PRECISION,),
            seeds=tuple(range(21, 31)),
            questions=1000,
            validation_questions=500,
            taken=(("ntil", 0.3), ("smmd", 1.0), ("crps", 0.3), (PUBLISHED, PUBLISHED_WEIGHT)),
        ),
    )
}
