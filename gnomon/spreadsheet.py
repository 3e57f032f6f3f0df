"""Write CSV files in which a spreadsheet runs nothing."""

import csv
import re
from collections.abc import Iterable
from typing import TextIO

_FORMULA = re.compile(
    r"(?![-+][\d.,]+(?:e[-+]?\d+)? ?%?\Z)[=+\-@\t\r\n＝＋－＠]",
    re.ASCII | re.IGNORECASE,
)
"""Start of a text that a spreadsheet would run, full-width signs included; no signed number."""


def write_rows(file: TextIO, rows: Iterable[Iterable[object]]) -> None:
    """Write rows of cells as CSV, the header first; the file was opened with `newline=""`.

    A text that a spreadsheet would take for a formula has an apostrophe before it, and undecodable
    bytes of file names are escaped. Numbers stay numbers, and None is an empty cell.
    """
    csv.writer(file).writerows(map(_guarded, row) for row in rows)


def _guarded(cell: object) -> object:
    if not isinstance(cell, str):  # -5 is a number to a spreadsheet, and no formula
        return cell
    # An apostrophe is how a user marks a cell as text; Excel and LibreOffice hide it.
    text = cell.encode("utf-8", "backslashreplace").decode()
    return f"'{text}" if _FORMULA.match(text) else text
