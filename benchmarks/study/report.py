"""Prints the tables of the first study, on sums and drawn clocks, from the committed outcomes.

python benchmarks/study/report.py             # every measure of every part
python benchmarks/study/report.py --overview  # what docs/study.md shows of them

A part whose cells are not all finished has no table: only how far it is.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks is no installed package

from benchmarks.study import outcomes
from benchmarks.study.plan import BASELINE, LOSSES, OUTCOMES, PARTS, WEIGHTED, Cell, Part
from gnomon.eval.comparing.comparison import (
    Comparison,
    apply_holm,
    compare_uncorrected,
    first_metrics,
)
from gnomon.eval.formatting import (
    align,
    difference_text,
    difference_value_text,
    figure,
    interval_text,
)
from gnomon.eval.report.differences import difference_tables
from gnomon.eval.stats.crossed import estimate_crossed

if TYPE_CHECKING:
    from numpy.typing import NDArray

OVERVIEW = {"exact": "Exactly right", "charged": "Mean error"}
"""Measures that the page shows, and their headings."""


def main(arguments: list[str] | None = None) -> int:
    """Print each part, or the overview of all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--overview", action="store_true", help="one table of all parts")
    options = parser.parse_args(arguments)
    print(overview() if options.overview else "\n\n".join(map(text, PARTS.values())))
    return 0


def overview(folder: Path = OUTCOMES) -> str:
    """Put the differences from the cross-entropy in all parts into one table."""
    columns = []
    for part in PARTS.values():
        cells = part.cells(weights_of(part, folder))
        stored = {cell: outcomes.read(folder / part.name / cell.file) for cell in cells}
        columns.append(_overview_column(part, stored))
    return "\n".join(align([list(row) for row in zip(_overview_labels(), *columns, strict=True)]))


def _overview_labels() -> list[str]:
    losses = [f"  {loss}" for loss in LOSSES]
    measures = [[heading, *losses, "  80 % power from"] for heading in OVERVIEW.values()]
    return ["", *[label for measure in measures for label in measure]]


def _overview_column(part: Part, stored: dict[Cell, dict[str, Any]]) -> list[str]:
    """Write the level of the cross-entropy, and how far each loss is from it."""
    comparisons = compared(part, stored)
    column = [part.title]
    for measure in OVERVIEW:
        differences = [
            next(line for line in comparison.differences if line.name == measure)
            for comparison in comparisons
        ]
        column += ["", _level(stored, BASELINE, measure)]
        for difference in differences:
            mark = "" if difference.verdict == "tied" else f" {difference.verdict}"
            column.append(difference_text(difference.estimate, difference.unit) + mark)
        sizes = [difference.detectable_difference for difference in differences]
        column.append(difference_value_text(max(filter(None, sizes)), differences[0].unit))
    return column


def text(part: Part, folder: Path = OUTCOMES) -> str:
    """A part's tables, or how far it is."""
    before = [*part.pilots, *part.choosing]
    missing = [c for c in before if not (folder / part.name / c.file).is_file()]
    if missing:
        return _unfinished(part, len(before), len(missing), "cells before the study")
    weights = weights_of(part, folder)
    cells = part.cells(weights)
    missing = [c for c in cells if not (folder / part.name / c.file).is_file()]
    if missing:
        return _unfinished(part, len(cells), len(missing), "cells")
    found = {cell: outcomes.read(folder / part.name / cell.file) for cell in cells}
    chosen = [] if part.taken else [pilots(part, folder), _weights(part, folder, weights)]
    return "\n\n".join([part.title, *chosen, _compared(part, found), _seeds(part, found)])


def weights_of(part: Part, folder: Path = OUTCOMES) -> dict[str, float]:
    """Of each loss the weight with most validation questions exactly right; the least of equals."""
    if part.taken:
        return dict(part.taken)
    shares = _validation(part, folder)
    return {
        loss: min(part.weights, key=lambda weight: (-shares[loss, weight], weight))
        for loss in WEIGHTED
    }


class NoRoomError(ValueError):
    """The cross-entropy alone is right nearly always, or hardly ever."""


def pilots(part: Part, folder: Path = OUTCOMES) -> str:
    """What the pilots come to; a NoRoomError where there is no room for a gain."""
    right = {
        cell: _measured(outcomes.read(folder / part.name / cell.file), "exact")
        for cell in part.pilots
    }
    baseline = [values for cell, values in right.items() if cell.loss == BASELINE]
    other = [values for cell, values in right.items() if cell.loss != BASELINE]
    level = float(np.mean(baseline))
    if not part.room[0] <= level <= part.room[1]:
        raise NoRoomError(
            f"{part.name}: {BASELINE} has {100 * level:.1f} % right in the pilots: change the"
            " recipe's length or its tasks, and add a dated note to PLAN.md"
        )
    differences = [b - a for a, b in zip(baseline, other, strict=True)]
    differing = float(np.mean(np.abs(differences)))
    spread = float(np.std([one.mean() for one in differences], ddof=1))
    return (
        f"in the pilots {BASELINE} has {100 * level:.1f} % right, {100 * differing:.0f} % of the"
        f" answers differ, and seeds by {100 * spread:.1f} points"
    )


def _unfinished(part: Part, all_of_them: int, missing: int, what: str) -> str:
    done = all_of_them - missing
    return f"{part.title}\n{done} of {all_of_them} {what} are finished: no verdict before all are"


def _validation(part: Part, folder: Path) -> dict[tuple[str, float], float]:
    """The share exactly right by loss and weight, over the seeds that choose."""
    found: dict[tuple[str, float], list[float]] = {}
    for cell in part.choosing:
        right = _measured(outcomes.read(folder / part.name / cell.file), "exact")
        found.setdefault((cell.loss, cell.weight), []).append(float(right.mean()))
    return {key: float(np.mean(shares)) for key, shares in found.items()}


def _weights(part: Part, folder: Path, weights: dict[str, float]) -> str:
    shares = _validation(part, folder)
    rows = [["exactly right in validation", *(f"weight {weight:g}" for weight in part.weights)]]
    rows += [
        [
            loss,
            *(
                figure(shares[loss, weight], "%") + " *" * (weight == weights[loss])
                for weight in part.weights
            ),
        ]
        for loss in WEIGHTED
    ]
    return "\n".join([*align(rows), "* is the weight that was taken"])


def compared(part: Part, found: dict[Cell, dict[str, Any]]) -> list[Comparison]:
    """Each loss against the cross-entropy, paired by seed and question; Holm over the losses."""
    by_loss: dict[str, dict[int, Any]] = {}
    for cell, outcome in found.items():
        scores = outcomes.scores_of(*outcome["sources"].values())
        by_loss.setdefault(cell.loss, {})[cell.seed] = scores
    return apply_holm(
        [
            compare_uncorrected(by_loss[BASELINE], by_loss[loss], names=(BASELINE, loss))
            for loss in part.losses
            if loss != BASELINE
        ]
    )


def _compared(part: Part, found: dict[Cell, dict[str, Any]]) -> str:
    comparisons = compared(part, found)
    (first,) = first_metrics(comparisons[0].differences)
    n = first.estimate.n
    rows = [[f"all questions, {n:,}", "", "difference from ce", "p", "80 % power from", "verdict"]]
    for place, found_first in enumerate(comparisons[0].differences):
        rows.append([found_first.label, "", "", "", "", ""])
        rows.append([f"  {BASELINE}", _level(found, BASELINE, found_first.name), *[""] * 4])
        for comparison in comparisons:
            (of_kind,) = difference_tables(comparison)
            line = [line for line in of_kind["lines"] if line.test][place]
            assert line.label == found_first.label
            level = _level(found, comparison.candidate, found_first.name)
            told = [line.difference, line.p, line.detectable, line.verdict]
            rows.append([f"  {comparison.candidate}", level, *told])
    return "\n".join(align(rows))


def _level(found: dict[Cell, dict[str, Any]], loss: str, measure: str) -> str:
    """A loss's own figure over seeds and questions."""
    values = np.array(_of(found, loss, measure))
    estimate = estimate_crossed([values], np.arange(values.shape[1])).estimate
    unit = "" if measure == "charged" else "%"
    return f"{figure(estimate.value, unit)} {interval_text(estimate, unit)}".rstrip()


def _seeds(part: Part, found: dict[Cell, dict[str, Any]]) -> str:
    """The share exactly right of each seed."""
    rows = [["exactly right, by seed", *map(str, part.seeds)]]
    for loss in part.losses:
        shares = [float(values.mean()) for values in _of(found, loss, "exact")]
        rows.append([f"  {loss}", *(figure(share, "%") for share in shares)])
    return "\n".join(align(rows))


def _of(found: dict[Cell, dict[str, Any]], loss: str, measure: str) -> list[NDArray[np.float64]]:
    """A measure of all answers, of each seed of a loss."""
    return [_measured(outcome, measure) for cell, outcome in found.items() if cell.loss == loss]


def _measured(outcome: dict[str, Any], measure: str) -> NDArray[np.float64]:
    return np.concatenate([source["measures"][measure] for source in outcome["sources"].values()])


if __name__ == "__main__":
    sys.exit(main())
