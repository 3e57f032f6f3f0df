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
    """Share of the target's cells, without the first column, that are right in the answer.

    A cell is found by its row's first cell and its column's header. Numbers may differ by the
    tolerance, as in `number_within`. Texts must be equal.
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

    Masry et al. 2022, as in DePlot (Liu et al. 2023), with D = min(1, |p − t| / |t|). Two errors of
    its metrics.py are repaired: an unmatched number counted as right (a single right number of ten
    gave 1), and a true 0 matched any number except 0.
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


def table_numbers(prediction: Table, target: Table, tolerance: float = 0.05) -> float:
    """Share of the target's numbers that the answer has, within the tolerance of `number_within`.

    Cells are matched by the edit distance of their keys, as in `rms`, so a header may be worded
    otherwise. The better share of the table and its transpose counts.
    """
    true_points = [(key, cell) for key, cell in _points(target) if _cell_number(cell) is not None]
    if not true_points:
        return float(_points(prediction) == _points(target))
    return max(
        sum(
            _same_cell(cell, true_cell, tolerance)
            for _, cell, true_cell in _matched(_points(prediction, transposed=turned), true_points)
        )
        / len(true_points)
        for turned in (False, True)
    )


def rms(prediction: Table, target: Table) -> PrecisionRecall:
    """Relative mapping similarity (DePlot, Liu et al. 2023): precision and recall of points.

    Points are (row and column, value), and the title if the target has a title. They are matched by
    the edit distance NL of their keys. A pair counts (1 − NL) · (1 − D), or 0 if NL is above one
    half or D is at least 0.1. The better score of the table and its transpose counts. DePlot's
    metrics.py differs in three cases: if a key occurs twice it keeps the last value, if the truth
    is 0 it compares texts, and it does not read 1,000 as a number.
    """
    upright = _mapped(prediction, target, transposed=False)
    # A matching takes milliseconds, so the second is skipped after a perfect score.
    if upright.f1 == 1:
        return upright
    turned = _mapped(prediction, target, transposed=True)
    return max(upright, turned, key=lambda score: score.f1)


def _mapped(prediction: Table, target: Table, *, transposed: bool) -> PrecisionRecall:
    titled = target.title != ""
    points = _points(prediction, transposed=transposed, titled=titled)
    true_points = _points(target, titled=titled)
    if not points or not true_points:  # two tables without points are equal
        same = float(len(points) == len(true_points))
        return PrecisionRecall(same, same)
    similarity = sum(
        near * _value_similarity(value, truth)
        for near, value, truth in _matched(points, true_points)
    )
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
    # Cells are compared as texts unless both are numbers.
    guess, truth = (_cell_number(cell) for cell in (prediction, target))
    if guess is None or truth is None:
        return text_exact(prediction, target)
    return number_within(guess, truth, tolerance)


METRICS = (
    Metric("cells", "Cells within 5 %", table_cells, statistic="mean", headline=True),
    Metric("exact", "Exactly right", eq, headline=True),
    Metric("numbers", "Numbers within 5 %", None, "mean", public_function=table_numbers),
    Metric("rms", "RMS (DePlot), F1", None, "mean", unit="", headline=True, public_function=rms),
    Metric("rms_precision", "RMS, precision", None, "mean", unit="", public_function=rms),
    Metric("rms_recall", "RMS, recall", None, "mean", unit="", public_function=rms),
    Metric("rnss", "RNSS (DePlot)", None, "mean", unit="", public_function=rnss),
    Metric("unread", "Could not be read", better="lower", headline=True),
)
"""An unread table has 0 in all shares and means."""


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Floats: TypeAlias = "NDArray[np.float64]"
Points: TypeAlias = list[tuple[str, str]]
# From DePlot's metrics.py: texts that differ in more than half of their characters have similarity
# 0, and so do numbers that differ by a tenth of the true number.
_TEXT = 0.5
_NUMBER = 0.1


def _points(table: Table, *, transposed: bool = False, titled: bool = False) -> Points:
    """List each cell, without the first column, with the names of its row and column.

    With `titled` the title is one more point, if there is one.
    """
    return [("title", table.title)] * (titled and table.title != "") + [
        (f"{name} {row[0]}" if transposed else f"{row[0]} {name}", cell)
        for row in table.rows
        for name, cell in zip(table.header[1:], row[1:], strict=True)
    ]


def _matched(points: Points, true_points: Points) -> list[tuple[float, str, str]]:
    """Match keys by least distance. List the similarity of keys and both values of each pair.

    Pairs whose keys have similarity 0 are left out.
    """
    from scipy.optimize import linear_sum_assignment

    if not points:
        return []
    # In this order, as in DePlot's metrics.py, so that ties are broken in the same way.
    near = _similarities([key for key, _ in true_points], [key for key, _ in points])
    rows, columns = linear_sum_assignment(1 - near)
    return [
        (float(near[row, column]), points[column][1], true_points[row][1])
        for row, column in zip(rows, columns, strict=True)
        if near[row, column]
    ]


def _value_similarity(prediction: str, target: str) -> float:
    """Return 1 − D for two numbers, or 0 if D is at least 0.1. Texts have their similarity."""
    guess, truth = _cell_number(prediction), _cell_number(target)
    if guess is None or truth is None:
        return _similarity(prediction, target)
    distance = _relative_distance(guess, truth)
    return 1 - distance if distance < _NUMBER else 0.0


def _relative_distance(prediction: float, target: float) -> float:
    """Return D = min(1, |p − t| / |t|). If t is 0, D is 0 only for p = 0."""
    # DePlot divides by the target.
    if target == 0:
        return float(prediction != 0)
    return min(1.0, abs(prediction - target) / abs(target))


def _similarity(a: str, b: str) -> float:
    """Return 1 − edits / length of the longer text, ignoring case, or 0 if that is below 1/2."""
    return float(_similarities([a], [b])[0, 0])


def _similarities(first: Sequence[str], second: Sequence[str]) -> Floats:
    """Return the similarity of each first text (rows) with each second text (columns)."""
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
    """Parse a cell as a number: 1,000 is 1000 and 12% is 0.12. None for any other cell."""
    # Commas always group digits, as in DePlot: 1,5 is 15.
    plain = cell.replace(",", "")
    try:
        number = float(plain.rstrip("%")) / 100 if plain.endswith("%") else float(plain)
    except ValueError:
        return None
    return number if isfinite(number) else None


class TableType(AnswerType):
    """Cells count if their row's first cell and their column's header are right."""

    target = Table
    title = "Table"
    readers = (read_table,)
    metrics = METRICS
    reward_measure = "cells"
    error_histogram = ErrorHistogram("Share of the cells that are right", "cells", *SHARES)

    def read(
        self, text: str, form: TableForm, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read the table after the last "Answer:"."""
        return read_table(final_answer(text))

    def measures_without_chance(
        self, truth: Table, value: Table | None, size: Size | None
    ) -> dict[str, float]:
        """Measure by DePlot's metrics, whose matching takes milliseconds."""
        if value is None:
            return dict.fromkeys((m.key for m in METRICS if m.public_function), 0.0)
        mapped = rms(value, truth)
        return {
            "numbers": table_numbers(value, truth),
            "rms": mapped.f1,
            "rms_precision": mapped.precision,
            "rms_recall": mapped.recall,
            "rnss": rnss(value, truth),
        }

    def display(self, value: Table) -> str:
        """Write a line for each row."""
        return value.write()

    def describe_result(self, measures: dict[str, float]) -> str:
        """Write the share of the cells that are right."""
        cells = f"{100 * measures['cells']:.0f} % of the cells"
        return "right" if self.is_correct(measures) else cells


TYPES: dict[str, AnswerType] = {"table": TableType()}
