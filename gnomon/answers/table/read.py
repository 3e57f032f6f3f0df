"""Reader of tables between bars, as Markdown and DePlot write them."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import TypeAlias

from gnomon.answers.reading.base import Reading
from gnomon.answers.table.answer import Table

Lines: TypeAlias = "list[tuple[str, int]]"
"""Lines with their places in the text."""

# Most blocks of lines with bars that are tried, which limits the time.
_MAX_BLOCKS = 100
# <0x0A> is a new line in the tokenizer of Pix2Struct, which DePlot writes.
_END = re.compile(r"\n|<0x0A>")
_FENCE = re.compile(r"```\w*")


def read_table(text: str) -> Reading[Table] | None:
    """Read the last lines with a |. The header is the first line, or the line above a rule.

    DePlot writes <0x0A> for a new line and may begin with a TITLE. Markdown puts bars at both ends
    and a rule under the header. Short rows are filled with empty cells ("-"), and so is the header
    if some rows are longer. If all rows are longer than the header, the lines are not a table.
    """
    if "|" not in text:
        return None
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
        table = _table(rows, "" if title == "-" else title)
        if table:
            line, start = body[-1]
            return Reading(table, (body[0][1], start + len(line.rstrip())), "table")
    return None


def _table(rows: list[list[str]], title: str) -> Table | None:
    """Fill all rows to the same length; None if every row is longer than the header."""
    # A model may add an empty cell at the end of every row.
    for row in rows[1:]:
        while len(row) > len(rows[0]) and row[-1] == "-":
            row.pop()
    # If all rows are longer than the header, it is the header of something else.
    if len(rows) < 2 or min(map(len, rows[1:])) > len(rows[0]):
        return None
    width = max(map(len, rows))
    header, *body = ((*row, *["-"] * (width - len(row))) for row in rows)
    return Table(header, tuple(body), title)


def _from_the_end(text: str) -> Iterator[Lines]:
    """Yield blocks that may be a table, the last first, then blocks with empty lines."""
    starts = [0, *(end.end() for end in _END.finditer(text))]
    lines = [*zip(_END.split(text), starts, strict=True)]
    for gaps in (False, True):
        yield from (block for block in reversed(_blocks(lines, gaps=gaps)) if len(block) > 1)


def _blocks(lines: Lines, *, gaps: bool) -> list[Lines]:
    """Group neighbouring lines that have a |; with `gaps`, empty lines may stand between."""
    # A line without a bar ends a block.
    blocks: list[Lines] = [[]]
    for line in lines:
        if "|" in line[0]:
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
    # An empty cell is a dash, as DePlot writes it.
    inner = _FENCE.sub("", line).strip().removeprefix("|").removesuffix("|")
    return [" ".join(cell.split()) or "-" for cell in inner.split("|")]
