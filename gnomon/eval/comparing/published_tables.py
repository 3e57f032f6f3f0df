"""A published table with one's own runs under it, and how the set-ups differ.

The figures are never compared: `gnomon compare RUN --beside ntil-clock -o it.html`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gnomon import names
from gnomon.eval.comparing.runs import RunResult
from gnomon.eval.report.figures import NONE, aligned, figure, interval


@dataclass(frozen=True)
class Beside:
    """Ours and theirs, written out."""

    title: str
    label: str
    setup: list[tuple[str, str, list[str]]]
    """What, theirs, and each run's own."""
    header: list[str]
    rows: list[list[str]]


NOT_SAID = "not said with the figures"


def open_table(name: str) -> dict[str, Any]:
    """The published table of that name."""
    tables = yaml.safe_load(Path(__file__).with_name("published.yaml").read_text("utf-8"))
    names.check(tables, name, what="published table", listing="gnomon compare --help")
    return dict(tables[name])


def lay(table: Mapping[str, Any], runs: Sequence[RunResult]) -> Beside:
    """A published table with a row for each run under it, and how the set-ups differ above it."""
    columns = table["columns"]
    return Beside(
        title=table["title"],
        label=f"As published: {table['source']}",
        setup=[
            (what, theirs, [_setup(run)[what] for run in runs])
            for what, theirs in table["setup"].items()
        ],
        header=["Model", "Loss", *(column["heading"] for column in columns)],
        rows=[_printed(columns, *row) for row in table["rows"]]
        + [[run.name, "ours", *_ours(columns, run, table["kind"])] for run in runs],
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
    model = settings.get("name", NOT_SAID)
    return {
        "model": f"{model}, in 4 bits" if settings.get("load_in_4bit") else str(model),
        "data": data_of(run),
        "trained parameters": _trained(run, recipe),
        "seeds": f"seed {recipe.get('seed', 0)}" if recipe else NOT_SAID,
    }


def _recipe(run: RunResult) -> dict[str, Any]:
    if run.recipe_yaml is None:
        return {}
    found: dict[str, Any] = yaml.safe_load(run.recipe_yaml)
    return found


def data_of(run: RunResult) -> str:
    """What was asked, as in "200 questions of clock, test split"."""
    asked = run.asked
    n = len(run.scores.items)
    told = [
        next((str(one[key]) for key in _NAMES if one.get(key)), "")
        for one in asked.get("sources", [asked])
    ]
    named = f" of {' + '.join(told)}" if all(told) else ""
    split = f", {asked['split']} split" if asked.get("split", "all") != "all" else ""
    return f"{n:,} question{'s' * (n != 1)}{named}{split}"


_NAMES = ("kind", "directory", "benchmark", "file")
"""What a source may be called by, as it describes itself."""


def _trained(run: RunResult, recipe: Mapping[str, Any]) -> str:
    train = recipe.get("train") or {}
    parts = [
        f"{part} {train[part]}" for part in ("language", "vision", "projector") if part in train
    ]
    count = [f"{run.trained:,}"] if run.trained is not None else []
    return "; ".join([*count, ", ".join(parts)] if parts else count) or NOT_SAID


def _printed(columns: Sequence[Any], model: str, loss: str, *figures: float | None) -> list[str]:
    cells = [
        NONE if x is None else f"{x:g} {column['unit']}"  # to the digits that were printed
        for x, column in zip(figures, columns, strict=True)
    ]
    return [model, f"{loss}, published", *cells]


def _ours(columns: Sequence[Any], run: RunResult, kind: str) -> list[str]:
    if kind not in run.scores.summaries:
        return [NONE] * len(columns)
    found = [run.scores.summaries[kind][column["line"]] for column in columns]
    return [f"{figure(r.estimate.value, r.unit)} {interval(r.estimate, r.unit)}" for r in found]
