"""Tables of charts, and the form of a table."""

from dataclasses import dataclass, field
from reprlib import repr  # noqa: A004 - a value may be long
from typing import Any, ClassVar, Self

from gnomon.answers.base.target import AnswerForm, Size, Target
from gnomon.answers.table.grid import find_grid


@dataclass(frozen=True, slots=True)
class TableForm(AnswerForm):
    """Form of a table: a line for each row, with | between the cells."""

    name: ClassVar[str] = "table"

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> "Table | None":
        """Read the lines that `Table.write` writes.

        None if rows differ in length or a cell is not one line of words.
        """
        header, *rows = (tuple(line.split(" | ")) for line in text.split("\n"))
        try:
            return Table(header, tuple(rows))
        except ValueError:
            return None

    def pattern(self, dialect: Any) -> str:
        """Pattern of a header and at least one row, of at least two cells each."""
        row = "[^|\n]+( [|] [^|\n]+)+"
        return f"{row}(\n{row})+"

    def to_json(self) -> dict[str, Any]:
        """Return the smallest valid table, because a form has no content."""
        return {"header": ["-"], "rows": []}


@dataclass(frozen=True, slots=True)
class Table(Target):
    """Rows of cells under a header, as a chart displays them."""

    name: ClassVar[str] = "table"
    form_type: ClassVar[type[AnswerForm]] = TableForm

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = field(default="", compare=False)
    """Title that a model's answer may have. It is empty in true tables."""

    def __post_init__(self) -> None:
        for row in (self.header, *self.rows):
            if not row or len(row) != len(self.header):
                raise ValueError(f"row {row!r}: give one cell for each of {self.header!r}")
            for cell in row:
                # Cells are written between | signs.
                if not cell or "|" in cell or cell != " ".join(cell.split()):
                    raise ValueError(f"cell {cell!r}: give one line of words without |")

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """Parse a table between bars, in HTML or of separated values. Its title is kept."""
        grid = find_grid(value) if isinstance(value, str) else None
        if grid is None:
            raise ValueError(
                f"answer: {repr(value)}: give a table as one text: a line for each row, the header"
                " first, with | between the cells; CSV with numbers; or HTML"
            )
        header, *rows = map(tuple, grid.rows)
        return cls(header, tuple(rows), grid.title)

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write a line for each row, the header first, with | between the cells."""
        return "\n".join(" | ".join(row) for row in (self.header, *self.rows))

    def to_json(self) -> dict[str, Any]:
        """Fields as plain values, the title only if there is one."""
        values = Target.to_json(self)
        return values if self.title else {"header": values["header"], "rows": values["rows"]}
