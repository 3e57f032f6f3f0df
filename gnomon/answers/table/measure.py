"""Metrics of tables by their cells, DePlot's two, and the type."""

from collections.abc import Sequence
from math import isfinite
from operator import eq
from typing import TYPE_CHECKING, TypeAlias

from gnomon.answers.base.answer_type import (
    SHARES,
    AnswerType,
    ErrorHistogram,
    Metric,
    PrecisionRecall,
    Value,
)
from gnomon.answers.base.dialect import Dialect, final_answer
from gnomon.answers.base.target import Size
from gnomon.answers.number.measure import number_within
from gnomon.answers.reading.base import Reading, Which
from gnomon.answers.table.answer import Table, TableForm
from gnomon.answers.table.read import read_table
from gnomon.answers.text.measure import text_exact


def table_cells(prediction: Table, target: Table, tolerance: float = 0.05) -> float:
    """Share of the target's cells, its first column aside, that stand in the right place.

    A place is a row's first cell and a column's header, wherever they stand. Numbers may be off by
    the tolerance, as in `number_within`; texts must be equal.
    """
    cells, true_cells = _places(prediction), _places(target)
    right = [
        place in cells and _same_cell(cells[place], cell, tolerance)
        for place, cell in true_cells.items()
    ]
    # A table of one column has no cells to compare.
    return sum(right) / len(right) if right else float(prediction.header == target.header)


def rnss(prediction: Table, target: Table) -> float:
    """Relative number set similarity: 1 − (Σ D + |N − M|) / max(N, M) over numbers matched best.

    Masry et al. 2022, as in DePlot (Liu et al. 2023), D = min(1, |p − t| / |t|), with two errors of
    its metrics.py repaired: a number left unmatched counted as right (one number of ten, right,
    gave 1), and a true 0 was met by anything but 0.
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    numbers, true_numbers = _numbers(prediction), _numbers(target)
    if not numbers or not true_numbers:
        return float(numbers == true_numbers)
    distances = np.array([[_relative_distance(p, t) for t in true_numbers] for p in numbers])
    rows, columns = linear_sum_assignment(distances)
    wrong = float(distances[rows, columns].sum()) + abs(len(numbers) - len(true_numbers))
    return 1 - wrong / max(len(numbers), len(true_numbers))


def rms(prediction: Table, target: Table) -> PrecisionRecall:
    """Relative mapping similarity (DePlot, Liu et al. 2023): precision and recall of points.

    Points are (row and column, value), and the title where the target has one. They are matched by
    the edit distance of their keys (more than half is nothing in common); a pair counts
    (1 − NL) · (1 − D), D being none from 0.1 on. Of the table and its transpose the better counts.
    DePlot's metrics.py gives the same figures but where a key stands twice (it keeps the last), for
    a true 0 (it compares texts, so that 0.0 is not 0) and with 1,000 (no number there).
    """
    upright = _mapped(prediction, target, transposed=False)
    # The matching takes milliseconds: a perfect score needs no second one.
    if upright.f1 == 1:
        return upright
    turned = _mapped(prediction, target, transposed=True)
    return max(upright, turned, key=lambda score: score.f1)


def _mapped(prediction: Table, target: Table, *, transposed: bool) -> PrecisionRecall:
    titled = target.title != ""
    points = _points(prediction, transposed=transposed, titled=titled)
    true_points = _points(target, titled=titled)
    if not points or not true_points:  # no points in either is the same table
        same = float(len(points) == len(true_points))
        return PrecisionRecall(same, same)
    similarity = _matched_similarity(points, true_points)
    return PrecisionRecall(similarity / len(points), similarity / len(true_points))


def _numbers(table: Table) -> list[float]:
    cells = (_cell_number(cell) for row in (table.header, *table.rows) for cell in row)
    return [cell for cell in cells if cell is not None]


def _places(table: Table) -> dict[tuple[str, str], str]:
    return {
        (row[0].casefold(), name.casefold()): cell
        for row in table.rows
        for name, cell in zip(table.header[1:], row[1:], strict=True)
    }


def _same_cell(prediction: str, target: str, tolerance: float) -> bool:
    # A cell that is no number on either side is compared as text.
    guess, truth = (_cell_number(cell) for cell in (prediction, target))
    if guess is None or truth is None:
        return text_exact(prediction, target)
    return number_within(guess, truth, tolerance)


METRICS = (
    Metric("cells", "Cells within 5 %", table_cells, statistic="mean", headline=True),
    Metric("exact", "Exactly right", eq, headline=True),
    Metric("rms", "RMS (DePlot), F1", None, "mean", unit="", public_function=rms),
    Metric("rnss", "RNSS (DePlot)", None, "mean", unit="", public_function=rnss),
    Metric("unread", "Could not be read", better="lower", headline=True),
)
"""An unread table has no cell right."""


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Floats: TypeAlias = "NDArray[np.float64]"
Points: TypeAlias = list[tuple[str, str]]
# Of DePlot's metrics.py: texts that differ in more than half of their characters have nothing in
# common, nor have numbers that are off by a tenth of the true one.
_TEXT = 0.5
_NUMBER = 0.1


def _points(table: Table, *, transposed: bool = False, titled: bool = False) -> Points:
    """List each cell with the names of its row and column, the first column aside.

    With `titled` the title is one more point, if there is one.
    """
    return [("title", table.title)] * (titled and table.title != "") + [
        (f"{name} {row[0]}" if transposed else f"{row[0]} {name}", cell)
        for row in table.rows
        for name, cell in zip(table.header[1:], row[1:], strict=True)
    ]


def _matched_similarity(points: Points, true_points: Points) -> float:
    """Sum the similarity of all pairs, their keys matched by least distance."""
    from scipy.optimize import linear_sum_assignment

    # Keys with nothing in common have similarity 0 and are matched for nothing.
    near = _similarities([key for key, _ in points], [key for key, _ in true_points])
    rows, columns = linear_sum_assignment(near, maximize=True)
    return float(
        sum(
            near[row, column] * _value_similarity(points[row][1], true_points[column][1])
            for row, column in zip(rows, columns, strict=True)
            if near[row, column]
        )
    )


def _value_similarity(prediction: str, target: str) -> float:
    """Return 1 − D for two numbers, 0 from a tenth on; else the similarity of the texts."""
    guess, truth = _cell_number(prediction), _cell_number(target)
    if guess is None or truth is None:
        return _similarity(prediction, target)
    distance = _relative_distance(guess, truth)
    return 1 - distance if distance < _NUMBER else 0.0


def _relative_distance(prediction: float, target: float) -> float:
    """Distance D = min(1, |p − t| / |t|), where t = 0 is met by 0 alone."""
    # DePlot divides by the target.
    if target == 0:
        return float(prediction != 0)
    return min(1.0, abs(prediction - target) / abs(target))


def _similarity(a: str, b: str) -> float:
    """Return 1 − edits / length of the longer, in any case; 0 where that is less than half."""
    return float(_similarities([a], [b])[0, 0])


def _similarities(first: Sequence[str], second: Sequence[str]) -> Floats:
    """Similarity of each text of the first (rows) with each of the second (columns)."""
    import numpy as np
    from rapidfuzz.distance.Levenshtein import normalized_similarity
    from rapidfuzz.process import cdist

    matrix: Floats = cdist(
        first,
        second,
        scorer=normalized_similarity,
        processor=str.casefold,
        score_cutoff=1 - _TEXT,
        dtype=np.float64,
    )
    return matrix


def _cell_number(cell: str) -> float | None:
    """Parse a cell that is a number: 1,000 is 1000 and 12% is 0.12. None for any other cell."""
    # Commas group thousands here, as in DePlot: 1,5 is 15.
    plain = cell.replace(",", "")
    try:
        number = float(plain.rstrip("%")) / 100 if plain.endswith("%") else float(plain)
    except ValueError:
        return None
    return number if isfinite(number) else None


class TableType(AnswerType):
    """Cells count where their row's first cell and their column's header are right."""

    target = Table
    title = "Table"
    readers = (read_table,)
    metrics = METRICS
    reward_measure = "cells"
    error_histogram = ErrorHistogram("Share of the cells that are right", "cells", *SHARES)

    def read(
        self, text: str, form: TableForm, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read the table after the last "Answer:", by the tolerant reader."""
        return read_table(final_answer(text))

    def measures_without_chance(
        self, truth: Table, value: Table | None, size: Size | None
    ) -> dict[str, float]:
        """Measures of DePlot, whose matching takes milliseconds."""
        if value is None:
            return {"rms": 0.0, "rnss": 0.0}
        return {"rms": rms(value, truth).f1, "rnss": rnss(value, truth)}

    def display(self, value: Table) -> str:
        """Write a line for each row."""
        return value.write()

    def describe_result(self, measures: dict[str, float]) -> str:
        """Write the share of the cells that are right."""
        if self.is_correct(measures):
            return "right"
        return f"{100 * measures['cells']:.0f} % of the cells"


TYPES: dict[str, AnswerType] = {"table": TableType()}
