"""Reading answers, scoring them, and saying honestly what the scores show.

METRICS names every metric; nothing is loaded until asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.eval.comparing.comparison import compare as compare
    from gnomon.eval.comparing.runs import RunResult as RunResult
    from gnomon.eval.metrics import iou as iou
    from gnomon.eval.metrics import relaxed_correctness as relaxed_correctness
    from gnomon.eval.metrics import time_deviation as time_deviation
    from gnomon.eval.parse import parse_box as parse_box
    from gnomon.eval.parse import parse_number as parse_number
    from gnomon.eval.parse import parse_time as parse_time
    from gnomon.eval.parse import read_box as read_box
    from gnomon.eval.parse import read_number as read_number
    from gnomon.eval.parse import read_time as read_time
    from gnomon.eval.report.page import write_report as write_report
    from gnomon.eval.report.text_tables import table as table
    from gnomon.eval.rewards import reward as reward
    from gnomon.eval.scoring.score import score as score
    from gnomon.eval.scoring.scored import Scores as Scores

METRICS = {
    name: f"gnomon.eval.metrics.{file}:{name}"
    for file, names in {
        "times": (
            "time_deviation",
            "linear_deviation",
            "within",
            "time_exact",
            "hour_right",
            "minute_right",
            "hands_swapped",
        ),
        "numbers": (
            "number_exact",
            "absolute_error",
            "relative_error",
            "symmetric_error",
            "order_of_magnitude",
            "r_squared",
            "number_within",
            "relaxed_correctness",
        ),
        "boxes": ("iou", "centre_deviation", "corner_deviation", "diagonal_share"),
        "texts": ("text_exact", "spotting"),
        "tables": ("table_cells", "rnss", "rms"),
    }.items()
    for name in names
}
_HOMES = {
    "parse": ("parse_box", "parse_number", "parse_time", "read_box", "read_number", "read_time"),
    "scoring.score": ("score",),
    "scoring.scored": ("Scores",),
    "comparing.comparison": ("compare",),
    "rewards": ("reward",),
    "comparing.runs": ("RunResult",),
    "report.text_tables": ("table",),
    "report.page": ("write_report",),
    "metrics": tuple(METRICS),
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(f"gnomon.eval.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
