"""The headline as plain text, for terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.eval import runs as shared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.eval.comparing import Comparison
    from gnomon.eval.runs import RunResult


def table(runs: Sequence[RunResult]) -> str:
    """Each kind's headline lines with 95 % intervals, a column a run, and what is shown."""
    shared.check(runs)
    comparisons, refused = shared.compared(runs)
    blocks = [_block(runs, kind, comparisons) for kind in shared.kinds(runs)]
    verdicts = [sentence for comparison in comparisons for sentence in comparison.sentences]
    return "\n\n".join(["\n".join(block) for block in blocks] + verdicts + refused) + "\n"


def _block(runs: Sequence[RunResult], kind: str, comparisons: Sequence[Comparison]) -> list[str]:
    rows = shared.rows(runs, kind, comparisons, headline=True)
    differs = any(row.difference for row in rows)
    header = [shared.title(kind), *(run.name for run in runs)] + ["difference"] * differs
    lines = [[*header, "chance"]]
    for row in rows:
        cells = [f"{value} {between}".strip() for value, between in row.cells]
        difference = [f"{row.difference} {row.verdict}".strip()] * differs
        lines.append([row.label, *cells, *difference, row.chance])
    counts = [
        str(summary.n) if (summary := run.scores.summaries.get(kind)) else "0" for run in runs
    ]
    lines.append(["Items", *counts, *[""] * differs, ""])
    return _aligned(lines)


def _aligned(lines: list[list[str]]) -> list[str]:
    """Columns two blanks apart."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
