"""Tables of the plan from the kept answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.real_language.cells import (
    BEFORE,
    LOSSES,
    MORE_SEEDS,
    SEEDS,
    TINY,
    WIDE,
    Cell,
    cells,
)
from gnomon.eval.formatting import align
from gnomon.eval.stats.crossed import CrossedEstimate, estimate_crossed

Outcomes = dict[str, dict[str, Any]]
SOURCES = {
    "clocks": "clocks, within a minute",
    "dials": "drawn dials, within a tenth",
    "photographs": "photographed dials, within a tenth",
    "bars": "bars, within 5 %",
    "sums": "sums, exactly",
}
COLUMNS = {"right": (100.0, "{:.1f}"), "error": (1.0, "{:.3g}"), "nll": (1.0, "{:.3g}")}
"""Measures with the factor and the format in which they are printed."""


def text(outcomes: Outcomes) -> str:
    """Print a table for each source, or how far the plan is."""
    planned = cells()
    done = [cell for cell in planned if cell.key in outcomes]
    head = f"{len(done)} of {len(planned)} runs are finished"
    if not done:
        return head
    tables = [_table(outcomes, source) for source in SOURCES]
    return "\n\n".join([head, *tables, _forgetting(outcomes)])


def _table(outcomes: Outcomes, source: str) -> str:
    title = f"{SOURCES[source]}"
    rows = [[title, "right, %", "from ce", "error", "from ce", "−log p", "from ce"]]
    rows += [[label, *_levels(outcomes, source, arm)] for label, arm in _arms(outcomes)]
    return "\n".join(align(rows))


def _arms(outcomes: Outcomes) -> list[tuple[str, list[Cell]]]:
    """Name the finished runs of each loss, and the models that only answer."""
    arms = [
        ("  gnomon-tiny", [TINY]),
        ("  before stage two, 16 bits", [WIDE]),
        ("  before stage two, 4 bits", [BEFORE]),
    ]
    for name, weight, balance in LOSSES:
        seeds = [Cell(name, weight, seed, balance) for seed in (*SEEDS, *MORE_SEEDS)]
        done = [cell for cell in seeds if cell.key in outcomes]
        arms.append((f"  {seeds[0].name}, {len(done)} seed{'s' * (len(done) != 1)}", done))
    return [(label, arm) for label, arm in arms if arm and arm[0].key in outcomes]


def _forgetting(outcomes: Outcomes) -> str:
    """Tell what short questions and a plain text say of the language model."""
    rows = [["what was not trained", "short questions right, %", "nats a token of a licence"]]
    for label, arm in _arms(outcomes):
        if arm != [TINY]:  # it never knew a language
            found = [outcomes[cell.key]["general"] for cell in arm]
            right = np.array([one["right"] for one in found], float)
            estimate = estimate_crossed([100 * right], np.arange(right.shape[1]))
            nats = [one["nats"] for one in found]
            rows.append([label, _write(estimate, "{:.1f}"), f"{np.mean(nats):.2f}"])
    return "\n".join(align(rows))


def _levels(outcomes: Outcomes, source: str, arm: list[Cell]) -> list[str]:
    """Write each measure's mean, and its difference from cross-entropy with the same seeds."""
    columns = []
    baseline = [Cell("ce", 0.0, cell.seed) for cell in arm]
    is_loss = arm[0].is_trained and arm[0].loss != "ce"
    has_baseline = is_loss and all(cell.key in outcomes for cell in baseline)
    for measure, (factor, form) in COLUMNS.items():
        values = factor * _values(outcomes, source, measure, arm)
        columns.append(_write(_estimate(outcomes, source, values), form))
        if has_baseline:
            difference = values - factor * _values(outcomes, source, measure, baseline)
            columns.append(
                _write(_estimate(outcomes, source, difference), f"{form[:2]}+{form[2:]}")
            )
        else:
            columns.append("")
    return columns


def _values(outcomes: Outcomes, source: str, measure: str, arm: list[Cell]) -> NDArray[np.float64]:
    """Return a measure of each seed's answers, [seeds, questions]."""
    return np.array([outcomes[cell.key]["sources"][source][measure] for cell in arm], float)


def _estimate(outcomes: Outcomes, source: str, values: NDArray[np.float64]) -> CrossedEstimate:
    """Estimate a mean over seeds and questions; photographs of one camera are not independent."""
    some = next(iter(outcomes.values()))["sources"][source]
    groups = some.get("groups", range(values.shape[1]))
    return estimate_crossed([values], np.array(groups))


def _write(result: CrossedEstimate, form: str) -> str:
    estimate = result.estimate
    if estimate.low is None or estimate.high is None:
        return form.format(estimate.value)
    low, high = form.format(estimate.low), form.format(estimate.high)
    return f"{form.format(estimate.value)} [{low}, {high}]"
