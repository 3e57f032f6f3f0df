"""Tables of the outcomes: what each method reads, and its difference from the cross-entropy.

Legend: K seeds, N test pictures, C groups (cameras, meters; pictures where gnomon draws them).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.real.photographs import SUBJECTS
from benchmarks.study.photographs.outcomes import Outcome
from benchmarks.study.photographs.plan import (
    BLOCKS,
    CHOICE,
    FEWEST_SEEDS,
    METHODS,
    REFERENCE,
    STRENGTHS,
    TAIL,
    Block,
    block_cells,
    choice_cells,
    choose_strengths,
)
from gnomon.eval.formatting import align
from gnomon.eval.scoring.belief import RULES
from gnomon.eval.stats.crossed import CrossedEstimate, estimate_crossed
from gnomon.eval.stats.significance import ALPHA, detectable, holm

Floats = NDArray[np.float64]
Stored = Mapping[str, Outcome]
# Hits of drawn kinds: a relative error of 5 %, an IoU of a half.
_DRAWN_STEPS = {"chart": 0.05, "scene": 0.5}


@dataclass(frozen=True)
class Measure:
    """A figure of each answer; the report gives its mean."""

    title: str
    values: Callable[[Outcome, float], Floats]
    """From an outcome and the step within which an answer is a hit: [N]."""
    is_share: bool = False
    higher_is_better: bool = False
    needs_belief: bool = False

    def write(self, value: float | None, sign: str = "") -> str:
        """Write a value: shares in percent with one decimal, others with three."""
        if value is None:
            return "–"
        return f"{100 * value:{sign}.1f}" if self.is_share else f"{value:{sign}.3f}"


def distance_measure(title: str, rule: str) -> Measure:
    """Return the mean distance of the answers by a rule, in the scale's unit."""
    return Measure(title, lambda outcome, _: np.array(outcome["distances"][rule]))


def hits_measure(rule: str, limit: float) -> Measure:
    """Return the share of the answers by a rule that are no further off than the limit."""
    return Measure(f"within {limit:g}, %", lambda outcome, _: _within(outcome, limit, rule),
                   is_share=True, higher_is_better=True)  # fmt: skip


def _within(outcome: Outcome, limit: float, rule: str = "greedy") -> Floats:
    # Stored distances are rounded to thousandths.
    return (np.array(outcome["distances"][rule]) <= limit + 1e-6).astype(float)


FIRST = distance_measure("mean distance", "greedy")
_SURPRISE = Measure(
    "−log p of the label", lambda outcome, _: np.array(outcome["nll"]), needs_belief=True
)
MEASURES = (
    FIRST,
    Measure("hits, %", _within, is_share=True, higher_is_better=True),
    Measure(f"beyond {TAIL} steps, %", lambda outcome, step: 1 - _within(outcome, TAIL * step),
            is_share=True, needs_belief=True),
    _SURPRISE,
    replace(distance_measure("mean distance of the median", "median"), needs_belief=True),
)  # fmt: skip
ANSWERS = ("median", "mean")
"""Answers from the belief that are compared with the greedy one."""


@dataclass(frozen=True)
class Difference:
    """A method's level, its difference from the reference, and what the test says."""

    name: str
    level: CrossedEstimate
    difference: CrossedEstimate
    p: float
    """Corrected by Holm over the table's other methods."""
    missed: float | None
    """Gain that the test shows with 80 % power, at Holm's first step."""
    higher_is_better: bool

    @property
    def verdict(self) -> str:
        """Word for the difference: better, worse or tied."""
        value = self.difference.estimate.value or 0.0
        if self.p >= ALPHA or value == 0:
            return "tied"
        return "better" if (value > 0) == self.higher_is_better else "worse"


def text(stored: Stored, *, is_over: bool = False) -> str:
    """Print all tables, and what is missing; with `is_over` no more trainings will come."""
    parts = [choice(stored)]
    if _choice_is_made(stored):
        parts += [block_text(block, stored, is_over=is_over) for block in BLOCKS]
    return "\n\n".join(parts)


def strengths_of(stored: Stored) -> dict[str, float]:
    """Choose the strengths by the plan's rule, once all trainings for it have run."""
    return choose_strengths(_choice_distances(stored))


def complete_seeds(block: Block, stored: Stored) -> list[int]:
    """List the seeds that every method has finished, in the plan's order."""
    cells = block_cells(block, strengths_of(stored))
    open_seeds = {cell.seed for cell in cells if cell.key not in stored}
    return [seed for seed in block.seeds if seed not in open_seeds]


def seeds_to_show(block: Block, stored: Stored, *, is_over: bool) -> list[int]:
    """List the seeds of a block's table; none of a verdict that is still being run for."""
    seeds = complete_seeds(block, stored)
    return [] if block.has_verdict and not is_over and len(seeds) < len(block.seeds) else seeds


def arm(block: Block, stored: Stored, method: str, seeds: list[int], measure: Measure) -> Floats:
    """Return the mean of each seed and group: [K, C]. Every group has the same weight."""
    step = _step(block)
    rows = []
    for cell in block_cells(block, strengths_of(stored)):
        if cell.method == method and cell.seed in seeds:
            outcome = stored[cell.key]
            groups = np.array(outcome["groups"])
            values = measure.values(outcome, step).astype(float)
            rows.append(np.bincount(groups, values) / np.bincount(groups))
    return np.array(rows)


def mean_over(values: Floats) -> CrossedEstimate:
    """Estimate the mean of [K, C] values over seeds and groups."""
    return estimate_crossed([values], np.arange(values.shape[1]))


def compare(arms: Mapping[str, Floats], reference: str, measure: Measure) -> list[Difference]:
    """Compare all arms with the reference, paired by seed and group, Holm over the others."""
    others = [name for name in arms if name != reference]
    differences = [mean_over(arms[name] - arms[reference]) for name in others]
    corrected = holm([difference.p for difference in differences])
    return [
        Difference(
            name,
            mean_over(arms[name]),
            difference,
            p,
            detectable(difference, alpha=ALPHA / len(others)),
            measure.higher_is_better,
        )
        for name, difference, p in zip(others, differences, corrected, strict=True)
    ]


def block_text(block: Block, stored: Stored, *, is_over: bool = False) -> str:
    """Print a block's tables, or how far it is."""
    cells = block_cells(block, strengths_of(stored))
    done = sum(cell.key in stored for cell in cells)
    seeds = seeds_to_show(block, stored, is_over=is_over)
    progress = f"{done} of {len(cells)} trainings" if done < len(cells) else f"{done} trainings"
    if not seeds:
        why = ": no table of a verdict before all are there" if block.has_verdict else ""
        return f"{block.title}\n{progress}{why}"
    outcome = stored[cells[0].key]
    has_test = block.has_verdict and len(seeds) >= FEWEST_SEEDS
    names = "pictures" if block.is_drawn else "groups"
    n, c = len(outcome["groups"]), len(set(outcome["groups"]))
    head = f"{progress}, {len(seeds)} complete seeds, {n} answers each, {c} {names}"
    measures = [m for m in MEASURES if not (block.is_drawn and m.needs_belief)]
    rows = [["", "", f"difference from {REFERENCE}", *_TEST_COLUMNS * has_test]]
    for measure in measures:
        arms = {m: arm(block, stored, m, seeds, measure) for m in METHODS}
        rows += _rows(arms, REFERENCE, measure, has_test=has_test, is_first=measure is FIRST)
    if not block.is_drawn:
        arms = {
            rule: arm(block, stored, REFERENCE, seeds, distance_measure(FIRST.title, rule))
            for rule in ("greedy", *ANSWERS)
        }
        answers = _rows(arms, "greedy", FIRST, has_test=has_test, is_first=True)
        answers[0][0] = f"{FIRST.title} of answers of {REFERENCE}, from greedy"
        rows += answers
    return "\n".join([block.title, head, *align(rows)])


def overview(stored: Stored, *, is_over: bool = False) -> str:
    """Put the mean distances in all blocks into tables of up to three columns."""
    blocks = {block.name: block for block in BLOCKS}
    tables = []
    for names in _TABLES:
        columns = [["mean distance", REFERENCE, *_OTHERS, "80 % power from"]]
        for block in map(blocks.__getitem__, names):
            if seeds := seeds_to_show(block, stored, is_over=is_over):
                columns.append(_overview_column(block, stored, seeds))
        if columns[1:]:
            rows = [list(row) for row in zip(*columns, strict=True)]
            tables.append("\n".join(align([row for row in rows if any(row[1:])])))
    return "\n\n".join(tables)


def _overview_column(block: Block, stored: Stored, seeds: list[int]) -> list[str]:
    """Write the level of the reference, and how far each method is from it.

    Where there is a verdict, p stands behind the difference; a star means better or worse.
    """
    has_test = block.has_verdict and len(seeds) >= FEWEST_SEEDS
    arms = {method: arm(block, stored, method, seeds, FIRST) for method in METHODS}
    level = mean_over(arms[REFERENCE])
    column = [f"{block.title}, {len(seeds)} seeds", _interval(level, FIRST)]
    differences = compare(arms, REFERENCE, FIRST)
    for line in differences:
        mark = "" if line.verdict == "tied" else " *"
        test = f" p = {line.p:.3f}{mark}" if has_test else ""
        column.append(_interval(line.difference, FIRST, "+") + test)
    powers = [line.missed for line in differences if line.missed is not None]
    ends = f"{FIRST.write(min(powers))} to {FIRST.write(max(powers))}" if powers else ""
    column.append(ends if has_test else "")
    return column


_OTHERS = [method for method in METHODS if method != REFERENCE]
_TABLES = (
    ("dials_20", "dials_80", "dials_320"),
    ("dials_80_off", "dials_new"),
    ("digits_80", "digits_320", "digits_all"),
    ("bars", "boxes"),
)
"""Blocks that stand beside each other in the overview."""


def answers(stored: Stored, *, is_over: bool = False) -> str:
    """Compare the answers by each rule, of the reference's runs in the blocks of a verdict."""
    limits = [f"within {limit:g}, %" for limit in _LIMITS]
    rows = [["", "exact, %", *limits, FIRST.title, _SURPRISE.title]]
    for block in BLOCKS:
        seeds = seeds_to_show(block, stored, is_over=is_over)
        if not block.has_verdict or not seeds:
            continue
        rows.append([f"{block.title}, {len(seeds)} seeds", *[""] * (len(rows[0]) - 1)])
        for rule in ("greedy", *RULES):
            measures = [hits_measure(rule, limit) for limit in (0.0, *_LIMITS)]
            measures.append(distance_measure(FIRST.title, rule))
            levels = [_level(block, stored, seeds, measure) for measure in measures]
            # The belief is the same, whatever is answered from it.
            surprise = _level(block, stored, seeds, _SURPRISE) if rule == "greedy" else ""
            rows.append([f"  {rule}", *levels, surprise])
    return "\n".join(align(rows))


def cameras(stored: Stored, *, is_over: bool = False) -> str:
    """Write each camera's mean distance with the reference, over seeds, the best camera first."""
    rows = []
    for block in BLOCKS:
        seeds = seeds_to_show(block, stored, is_over=is_over)
        if block.has_verdict and seeds:
            means = sorted(arm(block, stored, REFERENCE, seeds, FIRST).mean(axis=0))
            rows.append([block.title, *map(FIRST.write, means)])
    return "\n".join(align(rows))


def _level(block: Block, stored: Stored, seeds: list[int], measure: Measure) -> str:
    values = arm(block, stored, REFERENCE, seeds, measure)
    return _interval(mean_over(values), measure)


_LIMITS = (0.1, 0.2)
"""Distances of a hit in the table of answers: one step of the dials' labels, and two."""
_TEST_COLUMNS = ["p", "80 % power from", "verdict"]


def _rows(
    arms: Mapping[str, Floats], reference: str, measure: Measure, *, has_test: bool, is_first: bool
) -> list[list[str]]:
    """List a measure's lines; only the first measure has verdicts."""
    n_columns = 3 + len(_TEST_COLUMNS) * has_test
    level = mean_over(arms[reference])
    rows = [
        [measure.title, *[""] * (n_columns - 1)],
        [f"  {reference}", _interval(level, measure), *[""] * (n_columns - 2)],
    ]
    for line in compare(arms, reference, measure):
        row = [f"  {line.name}", _interval(line.level, measure),
               _interval(line.difference, measure, "+")]  # fmt: skip
        if has_test:
            row += [f"{line.p:.3f}", measure.write(line.missed), line.verdict if is_first else ""]
        rows.append(row)
    return rows


def _interval(result: CrossedEstimate, measure: Measure, sign: str = "") -> str:
    estimate = result.estimate
    value = measure.write(estimate.value, sign)
    if estimate.low is None or estimate.high is None:
        return value
    # Student's t knows no bounds; a level of any measure here is at least 0, a difference is not.
    low = estimate.low if sign else max(0.0, estimate.low)
    return f"{value} [{measure.write(low, sign)}, {measure.write(estimate.high, sign)}]"


def _step(block: Block) -> float:
    return _DRAWN_STEPS[block.subject] if block.is_drawn else SUBJECTS[block.subject].step


def _choice_is_made(stored: Stored) -> bool:
    return all(cell.key in stored for cell in choice_cells())


def _choice_distances(stored: Stored) -> dict[tuple[str, float], float]:
    """Return the mean distance of greedy answers by method and strength, over both seeds."""
    by_strength: dict[tuple[str, float], list[float]] = {}
    for cell in choice_cells():
        outcome = stored[cell.key]
        mean = float(np.mean(outcome["distances"]["greedy"]))
        by_strength.setdefault((cell.method, cell.strength), []).append(mean)
    return {key: float(np.mean(means)) for key, means in by_strength.items()}


def choice(stored: Stored) -> str:
    """Print the mean distances that chose each strength."""
    cells = choice_cells()
    done = sum(cell.key in stored for cell in cells)
    if done < len(cells):
        return f"{CHOICE.title}\n{done} of {len(cells)} trainings: nothing is chosen yet"
    distances, chosen = _choice_distances(stored), strengths_of(stored)
    rows = []
    for method, strengths in STRENGTHS.items():
        if len(strengths) > 1:
            figures = [
                f"{strength:g}: {distances[method, strength]:.3f}"
                + " *" * (strength == chosen[method])
                for strength in strengths
            ]
            rows.append([method, *figures])
    return "\n".join([f"{CHOICE.title}: mean distance; * is taken", *align(rows)])
