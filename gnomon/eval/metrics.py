"""One function a metric, of one answer and its truth. `gnomon.eval.METRICS` names them.

Times are (hour, minute, second or None); period is the hours that the dial tells apart.
Readers give None for an answer that they could not read: it never comes here, and scoring counts
it as wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gnomon.eval import table_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.sample import Size, Spot, Spots, Table

Number: TypeAlias = float | Decimal
Hms: TypeAlias = tuple[int, int, int | None]
Corners: TypeAlias = tuple[float, float, float, float]


def time_deviation(prediction: Hms, target: Hms, period: int = 12) -> float:
    """Minutes between two times, the shorter way round the dial: min(d, P − d), d = |p − t| mod P.

    At most 6 hours on a 12-hour dial; a uniform guess gives 180 minutes on average. A missing
    second counts as 0. The metric that NTIL's clock task calls the time gap.
    """
    apart = abs(_minutes(prediction, period) - _minutes(target, period))
    return min(apart, 60 * period - apart)


def linear_deviation(prediction: Hms, target: Hms, period: int = 12) -> float:
    """Minutes between two times on the line from 0:00 to P: |p − t|, where 12:00 is 0:00.

    A uniform guess at a uniform truth gives P/3, 240 minutes on a 12-hour dial. Papers do not say
    which of the two deviations they mean; so both are reported.
    """
    return abs(_minutes(prediction, period) - _minutes(target, period))


def within(prediction: Hms, target: Hms, minutes: float, period: int = 12) -> bool:
    """Whether the circular deviation is at most so many minutes."""
    return time_deviation(prediction, target, period) <= minutes


def time_exact(prediction: Hms, target: Hms, period: int = 12) -> bool:
    """Whether both are the same instant on the dial.

    An answer without seconds to a question with seconds is not exact, even at second 0: it left
    out what was asked. One with seconds to a question without is exact only if they are 0.
    """
    if target[2] is not None and prediction[2] is None:
        return False
    return _seconds(prediction, period) == _seconds(target, period)


def hour_right(prediction: Hms, target: Hms, period: int = 12) -> bool:
    """Whether the hour is the same on the dial, whatever the minute."""
    return prediction[0] % period == target[0] % period


def minute_right(prediction: Hms, target: Hms) -> bool:
    """Whether the minute is the same, whatever the hour."""
    return prediction[1] == target[1]


def hands_swapped(prediction: Hms, target: Hms, period: int = 12) -> bool:
    """Whether the answer is what one reads after taking the hour hand for the minute hand.

    At h:m the hands stand at (h + m/60)/P and m/60 of a turn; exchanged they read hour m·P/60,
    to either side, and minute (h + m/60)·60/P, here to within 3. Never true of an answer that is
    within 5 minutes of the truth, as it is near 12:00. A uniform guess does this in about 1.5 %.
    """
    if within(prediction, target, 5, period):
        return False
    hour, minute = target[0] % period, target[1]
    exact_hour = minute * period / 60
    hours = {math.floor(exact_hour) % period, math.ceil(exact_hour) % period}
    apart = abs(prediction[1] - (hour + minute / 60) * 60 / period)
    return prediction[0] % period in hours and min(apart, 60 - apart) <= 3


def number_exact(prediction: Number, target: Number) -> bool:
    """Whether the two are equal as decimals, so that 3.50 is 3.5 and the float 0.1 is 0.1.

    Units are not judged.
    """
    return _decimal(prediction) == _decimal(target)


def absolute_error(prediction: Number, target: Number) -> float:
    """|p − t|; its mean is the MAE."""
    return abs(float(prediction) - float(target))


def relative_error(prediction: Number, target: Number) -> float | None:
    """|p − t| / |t|, or None where t is 0: such items are left out of its mean, and counted."""
    if target == 0:
        return None
    return abs(float(prediction) - float(target)) / abs(float(target))


def symmetric_error(prediction: Number, target: Number) -> float:
    """2 |p − t| / (|p| + |t|), from 0 to 2, and 0 where both are 0; its mean is the sMAPE.

    Makridakis 1993, with absolute values below the line, so that signs do not cancel.
    """
    p, t = float(prediction), float(target)
    return 2 * abs(p - t) / (abs(p) + abs(t)) if p or t else 0.0


def order_of_magnitude(prediction: Number, target: Number) -> float | None:
    """|log10(p / t)|: 1 is ten times too much or too little. None where a sign differs or one is 0.

    It tells a slipped decimal point from a misread digit.
    """
    p, t = float(prediction), float(target)
    if p * math.copysign(1, t) <= 0 or t == 0:
        return None
    return abs(math.log10(abs(p)) - math.log10(abs(t)))


class RSquared(NamedTuple):
    """R² of the pairs that are there, and how many were not."""

    value: float | None
    n: int
    dropped: int


def r_squared(predictions: Sequence[Number | None], targets: Sequence[Number]) -> RSquared:
    """1 − Σ (p − t)² / Σ (t − mean t)², the coefficient of determination of the line p = t.

    Unread answers, None, are dropped and counted: never quote the value without them. Below 0 the
    mean truth would have been the better guess; None where the truths left do not differ.
    """
    if len(predictions) != len(targets):
        raise ValueError(f"{len(predictions)} predictions of {len(targets)} targets: give as many")
    pairs = [
        (float(p), float(t)) for p, t in zip(predictions, targets, strict=True) if p is not None
    ]
    dropped = len(targets) - len(pairs)
    if len({t for _, t in pairs}) < 2:
        return RSquared(None, len(pairs), dropped)
    size = max(max(abs(p), abs(t)) for p, t in pairs)  # squares of 1e300 have no float
    mean = math.fsum(t / size for _, t in pairs) / len(pairs)
    left = math.fsum((p / size - t / size) ** 2 for p, t in pairs)
    spread = math.fsum((t / size - mean) ** 2 for _, t in pairs)
    return RSquared(1 - left / spread if spread else None, len(pairs), dropped)


def number_within(prediction: Number, target: Number, tolerance: float = 0.05) -> bool:
    """|p − t| ≤ tolerance · |t|, of numbers that a reader found; 0 must be met exactly.

    The repaired relative of `relaxed_correctness`: 1,000 is 1000, 0.0 is 0, "about 41" is 41, and
    a percent sign changes nothing. In decimals, so that 44.1 is within 5 % of 42.
    """
    guess, truth = _decimal(prediction), _decimal(target)
    if not (guess.is_finite() and truth.is_finite()):
        return False
    return abs(guess - truth) <= _decimal(tolerance) * abs(truth)


def relaxed_correctness(prediction: str, target: str, tolerance: float = 0.05) -> bool:
    """ChartQA's rule (Masry et al. 2022, section 5.1), as pix2struct's metrics.py has it.

    A trailing % divides by 100. Within 5 % of a numeric target that is not 0; otherwise the
    lower-cased strings must be equal, so that 0.0 is not 0 and 1,000 is not 1000. Kept with these
    faults, for comparison with published figures.
    """
    guess, truth = _pix2struct_float(prediction), _pix2struct_float(target)
    if guess is not None and truth:
        return abs(guess - truth) / abs(truth) <= tolerance
    return prediction.lower() == target.lower()


def iou(a: Corners, b: Corners) -> float:
    """Area of the intersection over area of the union of two boxes (x1, y1, x2, y2).

    0 where either box is degenerate or has its corners swapped: such an answer is never repaired.
    """
    if not (a[0] < a[2] and a[1] < a[3] and b[0] < b[2] and b[1] < b[3]):
        return 0.0
    shared = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(
        0.0, min(a[3], b[3]) - max(a[1], b[1])
    )
    union = _area(a) + _area(b) - shared
    return min(1.0, shared / union) if 0 < union < math.inf else 0.0  # 1e-200 squared is 0


def centre_deviation(a: Corners, b: Corners) -> float:
    """Pixels between the middles of two boxes, also of degenerate ones."""
    return math.hypot((a[0] + a[2] - b[0] - b[2]) / 2, (a[1] + a[3] - b[1] - b[3]) / 2)


def corner_deviation(a: Corners, b: Corners) -> float:
    """Pixels between the upper left corners and between the lower right ones, their mean.

    Swapped corners are not put right: they are far from where they belong.
    """
    return (math.hypot(a[0] - b[0], a[1] - b[1]) + math.hypot(a[2] - b[2], a[3] - b[3])) / 2


def diagonal_share(pixels: float, size: Size) -> float:
    """A distance as a share of the picture's diagonal, so that pictures of any size compare."""
    return pixels / math.hypot(*size)


def text_exact(prediction: str, target: str) -> bool:
    """Whether two texts are the same but for capitals and blanks."""
    return " ".join(prediction.casefold().split()) == " ".join(target.casefold().split())


@dataclass(frozen=True, slots=True)
class Found:
    """How well a list of things was found, each matched to at most one."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def spotting(
    prediction: Spots, target: Spots, threshold: float = 0.5, *, read: bool = True
) -> Found:
    """Precision and recall of texts in their boxes, matched one to one.

    A pair may match from IoU ≥ threshold on and, with `read`, only if its texts are the same. Of
    all matchings the one with the most pairs counts, as ICDAR's end-to-end protocol has it.
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    pairs = np.array(
        [[_match(p, t, threshold, read) for t in target.items] for p in prediction.items]
    )
    rows, columns = linear_sum_assignment(pairs, maximize=True)
    matched = float(pairs[rows, columns].sum())
    return Found(matched / len(prediction.items), matched / len(target.items))


def table_cells(prediction: Table, target: Table, tolerance: float = 0.05) -> float:
    """The share of the target's cells, its first column apart, that stand in the right place.

    A place is a row's first cell and a column's header, wherever they stand. Numbers may be off by
    the tolerance, as in `number_within`; texts must be equal.
    """
    said, true = _places(prediction), _places(target)
    right = [p in said and _same_cell(said[p], cell, tolerance) for p, cell in true.items()]
    return sum(right) / len(right) if right else float(prediction.header == target.header)


def rnss(prediction: Table, target: Table) -> float:
    """Relative number set similarity: 1 − (Σ D + |N − M|) / max(N, M) over numbers matched best.

    Masry et al. 2022, as in DePlot (Liu et al. 2023), D = min(1, |p − t| / |t|), with two errors of
    its metrics.py repaired: a number left unmatched counted as right (one number of ten, right,
    gave 1), and a true 0 was met by anything but 0.
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    said, true = (_numbers(table) for table in (prediction, target))
    if not said or not true:
        return float(said == true)
    apart = np.array([[table_points.relative_distance(p, t) for t in true] for p in said])
    rows, columns = linear_sum_assignment(apart)
    wrong = float(apart[rows, columns].sum()) + abs(len(said) - len(true))
    return 1 - wrong / max(len(said), len(true))


def rms(prediction: Table, target: Table) -> Found:
    """Relative mapping similarity (DePlot, Liu et al. 2023): precision and recall of points.

    Points are (row and column, value), matched by the edit distance of their keys (0.5 and more is
    none), the same keys first; a pair counts (1 − NL) · (1 − D), D being none from 0.1 on. Of the
    table and its transpose the better counts. A true 0 is a number here; DePlot compares it as
    text, so that 0.0 is not 0.
    """
    upright = _mapped(prediction, target, transposed=False)
    if upright.f1 == 1:
        return upright
    turned = _mapped(prediction, target, transposed=True)
    return max(upright, turned, key=lambda one: one.f1)


def _mapped(prediction: Table, target: Table, *, transposed: bool) -> Found:
    said = table_points.points(prediction, transposed=transposed)
    true = table_points.points(target)
    if not said or not true:
        return Found(*[float(len(said) == len(true))] * 2)  # none in both is the same table
    together = table_points.matched(said, true)
    return Found(together / len(said), together / len(true))


def _numbers(table: Table) -> list[float]:
    cells = (table_points.number(cell) for row in (table.header, *table.rows) for cell in row)
    return [cell for cell in cells if cell is not None]


def _match(a: Spot, b: Spot, threshold: float, read: bool) -> bool:
    return iou(a.box.corners, b.box.corners) >= threshold and (
        not read or text_exact(a.text, b.text)
    )


def _places(table: Table) -> dict[tuple[str, str], str]:
    return {
        (row[0].casefold(), name.casefold()): cell
        for row in table.rows
        for name, cell in zip(table.header[1:], row[1:], strict=True)
    }


def _same_cell(prediction: str, target: str, tolerance: float) -> bool:
    guess, truth = (_pix2struct_float(cell.replace(",", "")) for cell in (prediction, target))
    if guess is None or truth is None:
        return text_exact(prediction, target)
    return number_within(guess, truth, tolerance)


def _area(box: Corners) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _seconds(time: Hms, period: int) -> int:
    """From the top of the dial, so that 12:08 and 0:08 are one."""
    return (time[0] % period) * 3600 + time[1] * 60 + (time[2] or 0)


def _minutes(time: Hms, period: int) -> float:
    return _seconds(time, period) / 60


def _decimal(number: Number) -> Decimal:
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def _pix2struct_float(text: str) -> float | None:
    try:
        return float(text.rstrip("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None
