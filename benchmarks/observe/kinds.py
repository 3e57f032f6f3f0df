"""Kinds of pictures that are compared, each with eyes that can see its parts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks.real.photographs import SUBJECTS, read_photographs, split_by_group
from gnomon import generators
from gnomon.recipe import Model
from gnomon.sample import Number, Sample

WORK = Path("runs/observe")
GAUGE_EYES = "gnomon-tiny-gauges"
ASKED = 200
SMALL, SQUARE, WIDE = (105**2, 120**2), (48_000, 53_000), (72_000, 90_000)
"""Limits of a picture's area: 112 × 112, 224 × 224, and 336 × 252."""


@dataclass(frozen=True)
class Kind:
    """Drawings with their question, the model whose eyes see them, and what counts as right."""

    name: str
    source: str
    options: dict[str, Any]
    eyes: str
    pixels: tuple[int, int]
    within: float
    """Largest error of a right answer, in minutes or in the unit."""
    is_share: bool = False
    """True if `within` is a share of the scale or of the axis."""
    photographs: str = ""
    """Set of photographs that is asked about, instead of drawings."""

    @property
    def model(self) -> Model:
        least, most = self.pixels
        return Model(
            name=self.eyes,
            family="gnomon-tiny",
            load_in_4bit=False,
            dtype="float32",
            min_pixels=least,
            max_pixels=most,
        )

    def source_of(self, answer: str) -> dict[str, Any]:
        """Return the source as a recipe has it."""
        return {"kind": self.source, "options": {**self.options, "answer": answer}}

    def drawings(self, answer: str, split: str = "train") -> Any:
        """Return the generator of a split. Pictures do not depend on the form of the answer."""
        return generators.create(self.source, **self.options, answer=answer, split=split)

    def asked(self, photographs: Path) -> list[Sample]:
        """Return the held-out questions."""
        if not self.photographs:
            drawn = self.drawings("value", "test")
            return [drawn[index] for index in range(ASKED)]
        subject = SUBJECTS[self.photographs]
        archive, work = photographs / f"{self.photographs}.zip", WORK / self.photographs
        _, test = split_by_group(read_photographs(archive, work))
        samples = []
        for photograph in test[:: max(1, len(test) // ASKED)][:ASKED]:
            with Image.open(photograph.file) as picture:
                image = picture.convert("RGB")
            value = Decimal(f"{photograph.value:.1f}")
            target = Number(value, within=Decimal(str(self.within)), cycle=Decimal(10))
            samples.append(Sample(photograph.file.name, image, subject.question, target, {}))
        return samples

    def is_right(self, sample: Sample, measures: dict[str, float]) -> bool:
        """Return True if an answer is near enough to the truth. An unread answer is wrong."""
        error = measures.get("deviation", measures.get("error", math.inf))
        axis = sample.facts.get("axis") or sample.facts
        length = float(axis["high"]) - float(axis["low"]) if self.is_share else 1.0
        return not measures["unread"] and error <= self.within * length + 1e-9


def _photographed(name: str, within: float) -> dict[str, Any]:
    drawn = SUBJECTS[name].drawn
    return {
        "source": drawn["kind"],
        "options": {**drawn["options"], "size": 160},
        "photographs": name,
        "within": within,
    }


KINDS = (
    Kind("clocks", "clock",
         {"size": [112, 240], "look": "photo", "ask_seconds": 0.0, "second_hand": 0.2},
         "gnomon-tiny", SMALL, 1.0),
    Kind(name="photographed dials", eyes="gnomon-tiny", pixels=SMALL,
         **_photographed("needles", 0.1)),
    Kind(name="photographed digits", eyes="gnomon-tiny", pixels=SMALL,
         **_photographed("digits", 0.2)),
    Kind("gauges", "gauge",
         {"size": 224, "instruments": ["gauge", "meter"], "look": "photo", "level": "medium"},
         GAUGE_EYES, SQUARE, 0.05, is_share=True),
    Kind("dial indicators", "face",
         {"size": 224, "description": "dial_indicator", "look": "photo", "level": "medium"},
         GAUGE_EYES, SQUARE, 0.02),
    Kind("bars", "chart",
         {"size": [336, 252], "charts": ["bar"], "questions": ["nth"], "rows": [3, 8],
          "value_labels": 0.0, "missing": 0.0},
         "gnomon-tiny-charts", WIDE, 0.05, is_share=True),
)  # fmt: skip
