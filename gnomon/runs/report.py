"""The report that `gnomon.evaluate` and `gnomon.score` return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.eval.scoring.runs import RunResult, Summary, data_title
from gnomon.runs.python_arguments import path_of
from gnomon.sample import Sample

if TYPE_CHECKING:
    from gnomon.eval.stats.intervals import Estimate


@dataclass(frozen=True, repr=False)
class Report:
    """Measured answers. `print` shows the table, and `save` writes a page with every answer."""

    result: RunResult
    """The answers one by one, as `gnomon.eval` has them, for example for `gnomon.eval.compare`."""
    samples: Mapping[str, Sample] = field(compare=False)
    """The questions with their pictures, by id."""

    def __str__(self) -> str:
        """Return the table of metrics with 95 % intervals and chance levels, and what was asked."""
        from gnomon.eval import table

        asked = f"\n{data_title(self.result)}" if self.result.asked else ""
        return table([self.result]) + asked

    def __repr__(self) -> str:
        return f"Report({self.result.name!r}, {len(self.result.scores.items):,} answers)"

    @property
    def summaries(self) -> Mapping[str, Summary]:
        """The metrics of each type of answer, as in `report.summaries["time"]["within_1"]`."""
        return self.result.scores.summaries

    def __getitem__(self, metric: str) -> Estimate:
        """Return a metric's value and interval, as in `report["within_1"].value`."""
        if len(self.summaries) != 1:
            names = ", ".join(self.summaries)
            raise KeyError(f"{metric!r}: there are several types: report.summaries has {names}")
        (summary,) = self.summaries.values()
        return summary[metric].estimate

    def save(self, page: str | Path) -> Path:
        """Write an HTML page with every answer, and a CSV, a JSON and a picture next to it."""
        from gnomon.runs.report_output import write_pages

        file = path_of(page, "page")
        if file.suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"{file}: the name of a report ends in .html")
        write_pages([self.result], file, self.samples)
        return file
