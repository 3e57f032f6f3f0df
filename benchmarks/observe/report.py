"""The plan's table from the kept answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.observe.cells import ARMS, OUTCOMES, SEEDS, Cell, cells
from benchmarks.observe.kinds import KINDS, Kind
from benchmarks.real_language.cells import PAGE as REAL_PAGE
from benchmarks.study.page import put
from benchmarks.study.photographs.outcomes import read
from gnomon.eval.formatting import align
from gnomon.eval.stats.crossed import estimate_crossed

Outcomes = dict[str, dict[str, Any]]
PAGE = REAL_PAGE.parent / "howto" / "steps.md"
NAMES = {"direct": "directly", "steps": "with steps", "rewards": "with steps and rewards"}


def write() -> None:
    """Print the table and put it into the page."""
    table = text(read(OUTCOMES))
    print(table)
    PAGE.write_text(put(PAGE.read_text(encoding="utf-8"), "observe", table), encoding="utf-8")


def text(outcomes: Outcomes) -> str:
    """Write the table, or how far the plan is."""
    planned = cells()
    head = (
        f"{sum(cell.key in outcomes for cell in planned)} of {len(planned)} trainings are finished"
    )
    tables = [_table(outcomes, kind) for kind in KINDS]
    return "\n\n".join([head, *filter(None, tables)])


def _table(outcomes: Outcomes, kind: Kind) -> str:
    seeds = [s for s in SEEDS if all(Cell(kind, arm, s).key in outcomes for arm in ARMS)]
    if not seeds:
        return ""
    count = len(outcomes[Cell(kind, "direct", seeds[0]).key]["right"])
    title = f"{count} {kind.name}, {len(seeds)} seed{'s' * (len(seeds) > 1)}"
    rows = [[title, "right, %", "from directly", "unread, %", "tokens", "CPU s", "s an answer"]]
    base = _values(outcomes, kind, "direct", seeds)
    for arm in ARMS:
        found = [outcomes[Cell(kind, arm, seed).key] for seed in seeds]
        right = _values(outcomes, kind, arm, seeds)
        rows.append(
            [
                f"  {NAMES[arm]}",
                with_interval(right, "{:.1f}"),
                "" if arm == "direct" else with_interval(right - base, "{:+.1f}"),
                f"{100 * np.mean([one['unread'] for one in found]):.1f}",
                f"{np.mean([one['tokens'] for one in found]):,.0f}",
                f"{np.mean([one['cpu_seconds'] for one in found]):.0f}",
                f"{np.mean([one['seconds'] for one in found]):.3f}",
            ]
        )
    return "\n".join(align(rows))


def _values(outcomes: Outcomes, kind: Kind, arm: str, seeds: list[int]) -> NDArray[np.float64]:
    """Return which answers are right, [seeds, questions]."""
    return np.array([outcomes[Cell(kind, arm, seed).key]["right"] for seed in seeds], float)


def with_interval(values: NDArray[np.float64], form: str) -> str:
    """Write the mean of shares [seeds, questions] in percent, with its interval over both."""
    found = estimate_crossed([100 * values], np.arange(values.shape[1])).estimate
    if found.low is None or found.high is None:
        return form.format(found.value)
    return f"{form.format(found.value)} [{form.format(found.low)}, {form.format(found.high)}]"
