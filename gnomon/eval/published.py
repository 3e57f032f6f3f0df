"""Figures that others published, to be laid beside one's own; never compared with them.

`gnomon compare RUN --beside ntil-clock -o it.html`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon import names
from gnomon.eval.figures import NONE, aligned, figure, interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.eval.runs import RunResult

NTIL = "Fei et al. 2025, arXiv 2505.13077 (NTIL)"
_NOT_SAID = "not said with the figures"


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


@dataclass(frozen=True)
class Beside:
    """Ours and theirs, written out."""

    title: str
    label: str
    setup: list[tuple[str, str, list[str]]]
    """What, theirs, and each run's own."""
    header: list[str]
    rows: list[list[str]]


def open_table(name: str) -> Published:
    """The published table of that name."""
    names.check(PUBLISHED, name, what="published table", listing="gnomon compare --help")
    return PUBLISHED[name]


def beside(table: Published, runs: Sequence[RunResult]) -> Beside:
    """A published table with a row for each run under it, and how the set-ups differ above it."""
    return Beside(
        title=table.title,
        label=f"As published: {table.source}",
        setup=[
            (what, theirs, [_setup(run)[what] for run in runs])
            for what, theirs in table.setup.items()
        ],
        header=["Model", "Loss", *(column.heading for column in table.columns)],
        rows=[_printed(table, row) for row in table.rows]
        + [[run.name, "ours", *_ours(table, run)] for run in runs],
    )


def text(laid: Beside, runs: Sequence[RunResult]) -> str:
    """The same for a terminal: the set-ups first."""
    lines = [f"{laid.title}. {laid.label}. Set-ups differ:"]
    for what, theirs, ours in laid.setup:
        lines.append(f"  {what}: {theirs}")
        lines += [f"    {run.name}: {own}" for run, own in zip(runs, ours, strict=True)]
    return "\n".join([*lines, "", *aligned([laid.header, *laid.rows])]) + "\n"


def _setup(run: RunResult) -> dict[str, str]:
    """What a published table's set-up is set against."""
    settings = run.predictions[0].settings if run.predictions else {}
    recipe = _recipe(run)
    model = settings.get("name", _NOT_SAID)
    return {
        "model": f"{model}, in 4 bits" if settings.get("load_in_4bit") else str(model),
        "data": _data(run),
        "trained parameters": _trained(run, recipe),
        "seeds": f"seed {recipe.get('seed', 0)}" if recipe else _NOT_SAID,
    }


def _recipe(run: RunResult) -> dict[str, Any]:
    if run.recipe_yaml is None:
        return {}
    import yaml

    found: dict[str, Any] = yaml.safe_load(run.recipe_yaml)
    return found


def _data(run: RunResult) -> str:
    asked = run.asked
    sources = [str(s.get("kind") or s.get("directory")) for s in asked.get("sources", [asked])]
    split = f", {asked['split']} split" if "split" in asked else ""
    return f"{len(run.scores.items):,} questions of {' + '.join(sources)}{split}"


def _trained(run: RunResult, recipe: Mapping[str, Any]) -> str:
    train = recipe.get("train") or {}
    parts = [
        f"{part} {train[part]}" for part in ("language", "vision", "projector") if part in train
    ]
    count = [f"{run.trained:,}"] if run.trained is not None else []
    return "; ".join([*count, ", ".join(parts)] if parts else count) or _NOT_SAID


def _printed(table: Published, row: tuple[str, str, tuple[float | None, ...]]) -> list[str]:
    model, loss, figures = row
    cells = [
        NONE if x is None else f"{x:g} {column.unit}"  # to the digits that were printed
        for x, column in zip(figures, table.columns, strict=True)
    ]
    return [model, f"{loss}, published", *cells]


def _ours(table: Published, run: RunResult) -> list[str]:
    kind = next((k for k in table.kinds if k in run.scores.summaries), None)
    if kind is None:
        return [NONE] * len(table.columns)
    summary = run.scores.summaries[kind]
    found: list[Any] = [summary[column.line] for column in table.columns]
    return [f"{figure(r.estimate.value, r.unit)} {interval(r.estimate, r.unit)}" for r in found]


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
    "trained parameters": _NOT_SAID,
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
