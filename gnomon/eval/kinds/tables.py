"""Tables read off charts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon import dialect
from gnomon.eval import metrics
from gnomon.eval.kinds.base import Answer, Kind, Line
from gnomon.eval.parse import Reading
from gnomon.eval.parse.reading import Value, Which
from gnomon.eval.parse.tables import read_table
from gnomon.sample import Prediction, Table, Target

if TYPE_CHECKING:
    from gnomon.eval.scoring.scored import Scored


@dataclass(frozen=True)
class TableKind(Kind):
    """Cells count where their row's first cell and their column's header are right."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """An unread table has no cell right."""
        return (
            Line("cells", "Cells within 5 %", "cells", "mean", headline=True),
            Line("exact", "Exactly right", "exact", headline=True),
            Line("rms", "RMS (DePlot), F1", "rms", "mean", "all", ""),
            Line("rnss", "RNSS (DePlot)", "rnss", "mean", "all", ""),
            Line("unread", "Could not be read", "unread", better="lower", headline=True),
        )

    def read(self, prediction: Prediction, truth: Target, which: Which) -> Reading[Value] | None:  # noqa: ARG002 - one table is asked for
        """What the tolerant reader finds after the last "Answer:"."""
        return read_table(dialect.final(prediction.text))

    def measures(self, truth: Target, answer: Answer, cost: float) -> dict[str, float]:  # noqa: ARG002 - no cost
        """Shares of the cells."""
        if answer.value is None:
            return {"cells": 0.0, "exact": 0.0, "unread": 1.0}
        assert isinstance(answer.value, Table)
        cells = metrics.table_cells(answer.value, _table(truth))
        return {"cells": cells, "exact": float(answer.value == truth), "unread": 0.0}

    def further(self, item: Scored) -> dict[str, float]:
        """DePlot's measures, whose matching takes milliseconds."""
        if item.value is None:
            return {"rms": 0.0, "rnss": 0.0}
        assert isinstance(item.value, Table)
        return {
            "rms": metrics.rms(item.value, _table(item.truth)).f1,
            "rnss": metrics.rnss(item.value, _table(item.truth)),
        }

    def credit(self, measures: dict[str, float]) -> float:
        """The share of cells that are right."""
        return measures["cells"]

    def badness(self, measures: dict[str, float]) -> float:
        """The share of cells that are wrong."""
        return 1 - measures["cells"]

    def value_of(self, truth: Target) -> Value:
        """The table."""
        return _table(truth)


def _table(target: Target) -> Table:
    assert isinstance(target, Table)
    return target
