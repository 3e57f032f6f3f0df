"""Rows of a table in a text: between bars, in HTML, or separated by tabs, semicolons or commas."""

import csv
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import islice
from typing import NamedTuple, TypeAlias

Lines: TypeAlias = "list[tuple[str, int]]"
"""Lines with their places in the text."""


class Grid(NamedTuple):
    """Cells of a table, row by row, the header first. All rows have the same length."""

    rows: list[list[str]]
    title: str
    span: tuple[int, int]
    """Place of the table in the text."""


# Most blocks of lines that are tried, which limits the time.
_MAX_BLOCKS = 100
# <0x0A> is a new line in the tokenizer of Pix2Struct, which DePlot writes.
_END = re.compile(r"\n|<0x0A>")
_FENCE = re.compile(r"```\w*")
_HTML = re.compile(r"<table\b.*?(?:</table\s*>|$)", re.IGNORECASE | re.DOTALL)
# A comma comes last, because numbers may contain it.
_SEPARATORS = ("\t", ";", ",")
# 5, -1.5, $1,200, 12 % and 3 kg.
_NUMBER = re.compile(r"\W{0,2}\d[\d,.\s]*\W{0,2}\w{0,2}")


def find_grid(text: str) -> Grid | None:
    """Find the last table in HTML, or else between bars, or else between separators.

    Short rows are filled with empty cells ("-"), and so is the header if some rows are longer. If
    all rows are longer than the header, the lines are not a table.
    """
    grid = _html_grid(text) if "<t" in text.casefold() else None
    if grid is None and "|" in text:
        grid = _bars_grid(text)
    return grid or _separated_grid(text)


def _bars_grid(text: str) -> Grid | None:
    """Find the last lines with a |. The header is the first line, or the line above a rule.

    DePlot writes <0x0A> for a new line and may begin with a TITLE. Markdown puts bars at both ends
    and a rule under the header.
    """
    for lines in islice(_from_the_end(text), _MAX_BLOCKS):
        rules = {line for line in {line for line, _ in lines} if _is_rule(line)}
        first = next((index for index, (line, _) in enumerate(lines) if line in rules), 0)
        body = [line for line in lines[max(0, first - 1) :] if line[0] not in rules]
        # A model in a loop repeats a line thousands of times. Equal lines are split once.
        cells = {line: _cells(line) for line in {line for line, _ in body}}
        rows = [cells[line] for line, _ in body]
        title = ""
        # DePlot's first row: TITLE | Sales by year.
        if len(rows) > 2 and len(rows[0]) < 3 and rows[0][0].casefold() == "title":
            (_, title), *rows = [*rows[0], "-"][:2], *rows[1:]
        if filled := _filled(rows):
            return Grid(filled, "" if title == "-" else title, _span(body))
    return None


def _html_grid(text: str) -> Grid | None:
    """Find the last <table>. Its caption is the title."""
    for match in reversed(list(islice(_HTML.finditer(text), _MAX_BLOCKS))):
        parser = _TableParser()
        parser.feed(match[0])
        if filled := _filled([list(map(_one_line, row)) for row in parser.rows if row]):
            return Grid(filled, " ".join(parser.title.split()), match.span())
    return None


class _TableParser(HTMLParser):
    """Collects the cells of a table and its caption."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.title = ""
        self._tag = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag == "tr" or (tag in ("td", "th") and not self.rows):
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag in ("td", "th", "caption"):
            self._tag = tag

    def handle_endtag(self, tag: str) -> None:
        self._tag = "" if tag == self._tag else self._tag

    def handle_data(self, data: str) -> None:
        if self._tag == "caption":
            self.title += data
        elif self._tag:
            self.rows[-1][-1] += data


def _separated_grid(text: str) -> Grid | None:
    """Find the last lines of equally many cells, most of them numbers, under a header with words.

    Sentences have commas, too, so a table of words is not recognised.
    """
    for separator in _SEPARATORS:
        for lines in islice(_from_the_end(text, separator, gaps=(False,)), _MAX_BLOCKS):
            if grid := _rows_of_numbers(lines, separator):
                return grid
    return None


def _rows_of_numbers(lines: Lines, separator: str) -> Grid | None:
    texts = [line.strip(" \r") for line, _ in lines]
    try:
        read = csv.reader(texts, delimiter=separator, skipinitialspace=True, strict=False)
        rows = [list(map(_one_line, row)) for row in read]
    except csv.Error:  # a cell of more than 131,072 letters
        return None
    if len(rows) != len(lines):
        return None  # a quotation mark that is not closed
    # A sentence after the table has no number.
    while rows and not any(map(_NUMBER.fullmatch, rows[-1][1:])):
        rows.pop()
    # The last row may be cut off.
    if len(rows) < 2 or {len(row) for row in rows[1:-1]} - {len(rows[0])}:
        return None
    cells = [cell for row in rows[1:] for cell in row[1:] if cell != "-"]
    if 2 * sum(map(bool, map(_NUMBER.fullmatch, cells))) <= len(cells):
        return None
    filled = None if all(map(_NUMBER.fullmatch, rows[0])) else _filled(rows)
    return Grid(filled, "", _span(lines[: len(rows)])) if filled else None


def _filled(rows: list[list[str]]) -> list[list[str]] | None:
    """Fill all rows to the same length; None if every row is longer than the header."""
    # A model may add an empty cell at the end of every row.
    for row in rows[1:]:
        while len(row) > len(rows[0]) and row[-1] == "-":
            row.pop()
    # If all rows are longer than the header, it is the header of something else.
    if len(rows) < 2 or min(map(len, rows[1:])) > len(rows[0]):
        return None
    width = max(map(len, rows))
    return [[*row, *["-"] * (width - len(row))] for row in rows]


def _span(lines: Lines) -> tuple[int, int]:
    line, start = lines[-1]
    return lines[0][1], start + len(line.rstrip())


def _from_the_end(
    text: str, sign: str = "|", gaps: tuple[bool, ...] = (False, True)
) -> Iterator[Lines]:
    """Yield blocks that may be a table, the last first, then blocks with empty lines."""
    starts = [0, *(end.end() for end in _END.finditer(text))]
    lines = [*zip(_END.split(text), starts, strict=True)]
    for has_gaps in gaps:
        blocks = reversed(_blocks(lines, sign, gaps=has_gaps))
        yield from (block for block in blocks if len(block) > 1)


def _blocks(lines: Lines, sign: str, *, gaps: bool) -> list[Lines]:
    """Group neighbouring lines with the sign; with `gaps`, empty lines may stand between."""
    # A line without the sign ends a block.
    blocks: list[Lines] = [[]]
    for line in lines:
        if sign in line[0]:
            blocks[-1].append(line)
        elif blocks[-1] and (line[0].strip() or not gaps):
            blocks.append([])
    return blocks


def _is_rule(line: str) -> bool:
    """True for the dashes under a header; "- | -" is a row of two empty cells."""
    if "-" not in line or line.strip(" \t\r|:-"):
        return False
    return "--" in line or ":" in line or " " not in line.strip()


def _cells(line: str) -> list[str]:
    inner = _FENCE.sub("", line).strip().removeprefix("|").removesuffix("|")
    return list(map(_one_line, inner.split("|")))


def _one_line(cell: str) -> str:
    """Join the words of a cell. An empty cell is a dash, as DePlot writes it."""
    return " ".join(cell.replace("|", "/").split()) or "-"
