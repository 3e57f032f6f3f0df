"""Figures that others published, to be laid beside one's own; never compared with them.

`gnomon compare RUN --beside ntil-clock -o it.html`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gnomon import names

NTIL = "Fei et al. 2025, arXiv 2505.13077 (NTIL)"
NOT_SAID = "not said with the figures"


@dataclass(frozen=True)
class Column:
    """A column of a published table, and the line of our own summary that comes nearest."""

    heading: str
    line: str
    unit: str


@dataclass(frozen=True)
class Published:
    """A table as it was printed."""

    title: str
    source: str
    kinds: tuple[str, ...]
    """The kinds of target that it is nearest to; the first one that a run has is shown."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, str, tuple[float | None, ...]], ...]
    """Model, loss, and a figure a column."""
    setup: Mapping[str, str]
    """What is known of how the figures came about."""


def open_table(name: str) -> Published:
    """The published table of that name."""
    names.check(PUBLISHED, name, what="published table", listing="gnomon compare --help")
    return PUBLISHED[name]


def _three_ways(
    title: str, kind: str, line: str, figures: Mapping[str, tuple[float, float, float]]
) -> Published:
    """Accuracy at IoU 0.5 after fine-tuning with cross-entropy, EMD and NTIL."""
    return Published(
        title=title,
        source=NTIL,
        kinds=(kind,),
        columns=(Column("Accuracy at IoU 0.5", line, "%"),),
        rows=tuple(
            (model, loss, (round(100 * value, 1),))
            for model, values in figures.items()
            for loss, value in zip(("CE", "EMD", "NTIL"), values, strict=True)
        ),
        setup=_SETUP,
    )


_SETUP = {
    "model": "LLaVA-1.5-7B, Yi-VL-6B, Qwen2-VL-2B and others, as the rows say",
    "data": "the paper's own training and test pictures, not these",
    "trained parameters": NOT_SAID,
    "seeds": "one figure each, without deviations or tests",
}
PUBLISHED = {
    "ntil-clock": Published(
        title="Reading clocks, fine-tuned",
        source=NTIL,
        kinds=("time",),
        columns=(
            Column("Accuracy", "exact", "%"),
            Column("Time deviation (circular or linear is not said)", "deviation", "min"),
        ),
        rows=(
            ("LLaVA-1.5-7B", "CE", (95.1, 8.52)),
            ("LLaVA-1.5-7B", "NTIL", (98.3, 4.14)),
            ("Yi-VL-6B", "CE", (76.2, 56.58)),
            ("Yi-VL-6B", "NTIL", (87.4, 26.58)),
            ("Yi-VL-6B", "NTIL without exponential weights", (83.4, None)),
            ("Yi-VL-6B", "NTIL without relative", (85.6, None)),
            ("Yi-VL-6B", "NTIL without magnitude", (87.6, None)),
            ("Qwen2-VL-2B", "CE", (81.3, 32.34)),
            ("Qwen2-VL-2B", "NTIL", (85.3, 24.66)),
        ),
        setup=_SETUP,
    ),
    "ntil-box": _three_ways(
        "Boxes of what a phrase names, fine-tuned",
        "box",
        "iou_50",
        {
            "PaliGemma-3B": (0.785, 0.789, 0.795),
            "LLaVA-1.5-7B": (0.818, 0.820, 0.822),
            "Yi-VL-6B": (0.733, 0.740, 0.744),
            "Qwen2-VL-2B": (0.863, 0.859, 0.866),
            "Qwen2-VL-7B": (0.860, 0.855, 0.862),
        },
    ),
    "ntil-text": _three_ways(
        "Boxes of texts, fine-tuned",
        "box",
        "iou_50",
        {
            "PaliGemma-3B": (0.193, 0.241, 0.263),
            "Qwen2-VL-2B": (0.720, 0.718, 0.732),
            "Qwen2-VL-7B": (0.764, 0.751, 0.770),
            "LLaVA-1.5-7B": (0.675, 0.690, 0.698),
        },
    ),
}
