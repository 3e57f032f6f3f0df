"""PLAN.md in code: methods and their strengths, the blocks of cells, and the order of the runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gnomon.generators.looks.augment import Augment

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
OUTCOMES = HERE.parent / "outcomes" / "photographs.jsonl.xz"

REFERENCE = "ce"
WEIGHTS = (0.1, 0.3, 1.0)
STRENGTHS: dict[str, tuple[float, ...]] = {
    "ce": (0.0,),
    "ntil": (0.3,),
    "ntil_ratio": (0.3,),
    "smmd": WEIGHTS,
    "crps": WEIGHTS,
    "gaussian": WEIGHTS,
    "spread": (0.5, 0.8, 1.2),
}
"""Possible strengths of each method: its weight, or the spread's standard deviation in steps. Where
there are several, one is chosen before the study."""
METHODS = tuple(STRENGTHS)

STEPS, PASSES, LEARNING_RATE = 120, 30, 1e-4
# Dials of three training cameras that choose strengths; test dials and digits.
VALIDATION, TESTS = 110, {"needles": 300, "digits": 200}
# Share of the groups that are tested, and photographs that such a group has at least.
TEST_SHARE, VALIDATION_SHARE, LEAST = 1 / 2, 1 / 3, 20
TAIL = 5
"""Steps beyond which an answer belongs to the tail."""
FEWEST_SEEDS = 5
"""Seeds for a verdict where the runs were stopped before all had finished."""

Start = Literal["shipped", "clocks"]
MODELS: dict[Start, tuple[str, str]] = {
    "shipped": (
        "bccea22f25bae495512078616b23d82f17c87d07",
        "8019c58f43a1ef048ff41045b292af26f9710e61570ecb3d10a6037c7a4951bf",
    ),
    "clocks": (
        "a2fc87992384271daab68aa21b6627c38251b39f",
        "590327ee722236fb8e5066ca78b359a4c28a96c8d1d6b465cea68ab372bd2c8b",
    ),
}
"""Commit that has these weights of gnomon-tiny, and their SHA-256. `clocks` never saw a dial."""


@dataclass(frozen=True)
class Block:
    """Cells that differ in method and seed alone, and stand in one table."""

    name: str
    title: str
    subject: str
    """Set of photographs, needles or digits; or a kind that gnomon draws."""
    count: int | None = None
    """Photographs in training; None for all."""
    augment: Augment = "light"
    seeds: tuple[int, ...] = (11, 12, 13)
    start: Start = "shipped"
    steps: int = STEPS
    has_verdict: bool = False
    is_choice: bool = False
    """True for the trainings that choose the strengths: they are asked about training cameras."""

    @property
    def is_drawn(self) -> bool:
        """True if gnomon draws the pictures; such a block has greedy answers alone."""
        return self.subject not in TESTS


@dataclass(frozen=True)
class Cell:
    """A training: a method with its strength, and a seed."""

    block: Block
    method: str
    strength: float
    seed: int

    @property
    def key(self) -> str:
        """Name in the outcomes, such as dials_80/smmd-0.3-11."""
        return f"{self.block.name}/{self.method}-{self.strength:g}-{self.seed}"

    @property
    def loss(self) -> dict[str, Any]:
        """Section `loss` of the recipe."""
        if self.method == "spread":
            return {"name": "ce", "spread": self.strength}
        if self.method == "ntil_ratio":
            published = {"options": {"published": True}, "balance": "ce_ratio"}
            return {"name": "ntil", "weight": self.strength, **published}
        return {"name": self.method, "weight": self.strength}


EIGHT = tuple(range(11, 19))
CHOICE = Block("strengths", "Choice of strengths, 80 dials, three training cameras", "needles", 80,
               seeds=(101, 102), is_choice=True)  # fmt: skip
BLOCKS = (
    Block("dials_80", "80 dials", "needles", 80, seeds=EIGHT, has_verdict=True),
    Block("dials_320", "320 dials", "needles", 320, seeds=EIGHT, has_verdict=True),
    Block("dials_80_off", "80 dials, not augmented", "needles", 80, augment="off"),
    Block("dials_new", "320 dials, for a model that knows clocks alone", "needles", 320,
          start="clocks"),
    Block("dials_20", "20 dials", "needles", 20),
    Block("digits_80", "80 digits", "digits", 80),
    Block("digits_320", "320 digits", "digits", 320),
    Block("digits_all", "All 5,130 digits", "digits"),
    Block("bars", "3,840 drawn bar charts", "chart", steps=60),
    Block("boxes", "3,840 drawn scenes", "scene", steps=60),
)  # fmt: skip
"""Blocks in the order of their runs."""

DRAWN: dict[str, dict[str, Any]] = {
    "chart": {"size": 224, "charts": ["bar"], "questions": ["retrieve"], "rows": [3, 4],
              "value_labels": 0.0, "scales": ["zero"], "missing": 0.0},
    "scene": {"size": 112, "objects": [2, 3], "questions": ["where"]},
}  # fmt: skip
"""Options of the drawn kinds; gnomon-tiny looks at 112 pixels."""
DRAWN_QUESTIONS = 300


def choice_cells() -> list[Cell]:
    """List the trainings that choose a strength, seed by seed."""
    return [
        Cell(CHOICE, method, strength, seed)
        for seed in CHOICE.seeds
        for method, strengths in STRENGTHS.items()
        if len(strengths) > 1
        for strength in strengths
    ]


def study_cells(strengths: Mapping[str, float]) -> Iterator[Cell]:
    """Yield the study's cells in the order of their runs: all methods of a seed, then the next."""
    for block in BLOCKS:
        yield from block_cells(block, strengths)


def block_cells(block: Block, strengths: Mapping[str, float]) -> list[Cell]:
    """List a block's cells, seed by seed."""
    return [
        Cell(block, method, strengths[method], seed) for seed in block.seeds for method in METHODS
    ]


def choose_strengths(distances: Mapping[tuple[str, float], float]) -> dict[str, float]:
    """Choose each method's strength: the least mean distance, of equals the smaller strength."""
    return {
        method: strengths[0]
        if len(strengths) == 1
        else min(strengths, key=lambda strength: (round(distances[method, strength], 6), strength))
        for method, strengths in STRENGTHS.items()
    }
