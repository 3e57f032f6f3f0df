"""Prints the tables of docs/study.md from the committed outcomes, by gnomon's own comparison.

python benchmarks/study/report.py             # the tables
python benchmarks/study/report.py --write     # puts them into docs/study.md, and draws its pictures

A part whose cells are not all finished has no table: only how far it is.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks is no installed package

from benchmarks.study import outcomes
from benchmarks.study.plan import BASELINE, OUTCOMES, PARTS, ROOT, WEIGHTED, Cell, Part
from gnomon.eval.comparing.comparison import (
    Comparison,
    apply_holm,
    compare_uncorrected,
    first_lines,
)
from gnomon.eval.formatting import align, figure, interval
from gnomon.eval.report.differences import difference_tables
from gnomon.eval.stats.crossed import estimate_crossed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PAGE = ROOT / "docs" / "study.md"


def main(arguments: list[str] | None = None) -> int:
    """Print each part, or write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="docs/study.md and its pictures")
    given = parser.parse_args(arguments)
    texts = {name: text(part) for name, part in PARTS.items()}
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        for name, found in texts.items():
            page = put(page, name, found)
        PAGE.write_text(page, encoding="utf-8")
        for part in PARTS.values():
            draw(part)
    else:
        print("\n\n".join(texts.values()))
    return 0


def put(page: str, name: str, found: str) -> str:
    """The page with a part's tables between its two marks."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    block = f"{begin}```text\n{found}\n```\n{end}"
    page, many = re.subn(
        f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: block, page, flags=re.DOTALL
    )
    assert many == 1
    return page


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
    (first,) = first_lines(comparisons[0].differences)
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
    return f"{figure(estimate.value, unit)} {interval(estimate, unit)}".rstrip()


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


def draw(part: Part, folder: Path = OUTCOMES, target: Path | None = None) -> None:
    """Error distributions and learning curves, each with a band over its seeds."""
    if not all((folder / part.name / cell.file).is_file() for cell in part.choosing):
        return
    planned = part.cells(weights_of(part, folder))
    cells = [cell for cell in planned if (folder / part.name / cell.file).is_file()]
    if not cells:
        return
    import matplotlib.pyplot as plt

    found = {cell: outcomes.read(folder / part.name / cell.file) for cell in cells}
    plt.rcParams |= {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}
    shape, (errors, curves) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    for loss, colour in zip(part.losses, plt.get_cmap("tab10").colors, strict=False):
        own = [outcome for cell, outcome in found.items() if cell.loss == loss]
        edges, far = _far(own)
        _band(errors, edges, far, loss, colour)
        steps = [line["step"] for line in own[0]["curve"]]
        ce = np.array([[line["ce"] for line in outcome["curve"]] for outcome in own])
        _band(curves, np.array(steps), ce, loss, colour)
    errors.set(xscale="log", xlabel="off by more than", ylabel="share of answers")
    curves.set(xlabel="step", ylabel="cross-entropy in training", yscale="log")
    errors.legend(frameon=False)
    shape.suptitle(f"{part.title}: mean of the seeds, band from least to most", fontsize=9)
    shape.savefig(target or PAGE.with_name(f"study-{part.name}.png"), dpi=110,
                  metadata={"Software": None})  # fmt: skip
    plt.close(shape)


def _far(own: Sequence[dict[str, Any]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distances, and of each outcome the share of answers that are further off."""
    charged = [_measured(outcome, "charged") for outcome in own]
    edges = np.geomspace(0.5, max(values.max() for values in charged), 60)
    return edges, np.array([[(values > edge).mean() for edge in edges] for values in charged])


def _band(axis: Any, x: Any, y: NDArray[np.float64], label: str, colour: Any) -> None:
    axis.plot(x, y.mean(0), label=label, color=colour, lw=1.3)
    axis.fill_between(x, y.min(0), y.max(0), color=colour, alpha=0.12, lw=0)


if __name__ == "__main__":
    sys.exit(main())
