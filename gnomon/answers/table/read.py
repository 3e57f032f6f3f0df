"""Reader of tables, as Markdown, DePlot, HTML and CSV write them."""

from gnomon.answers.reading.base import Reading
from gnomon.answers.table.answer import Table
from gnomon.answers.table.grid import find_grid


def read_table(text: str) -> Reading[Table] | None:
    """Read the last table: an HTML table, lines with bars, or lines of separated values."""
    grid = find_grid(text)
    if grid is None:
        return None
    header, *rows = map(tuple, grid.rows)
    return Reading(Table(header, tuple(rows), grid.title), grid.span, "table")
