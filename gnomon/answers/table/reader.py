"""Reads a table of cells between bars, Markdown's or DePlot's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from gnomon.answers.reading.choice import Reading
from gnomon.answers.table.truth import Table

_TRIED = 100
"""Neighbouring lines with bars that may be no table before none is looked for any more."""
_FENCE = re.compile(r"```\w*")


def read_table(text: str) -> Reading[Table] | None:
    """The last lines that have a |, the first as header; a short row ends in empty cells ("-").

    DePlot writes <0x0A> for a new line and may begin with a TITLE; Markdown puts bars at both ends
    and a rule under the header. Rows longer than the header are no table. All of a table is read,
    in a time that grows with it.
    """
    whole = text.replace("<0x0A>", "\n")
    if "|" not in whole:
        return None
    for lines in islice(_from_the_end(whole), _TRIED):
        cells = {line: _cells(line) for line in set(lines) if not _is_rule(line)}  # each once
        kept = [line for line in lines if line in cells]
        if len(kept) > 2 and len(first := cells[kept[0]]) < 3 and first[0].casefold() == "title":
            kept = kept[1:]
        if len(kept) > 1 and max(len(cells[line]) for line in set(kept)) <= len(cells[kept[0]]):
            header = cells[kept[0]]
            filled = {
                line: (*row, *["-"] * (len(header) - len(row))) for line, row in cells.items()
            }
            body = tuple(filled[line] for line in kept[1:])
            return Reading(Table(tuple(header), body), (0, len(text)), "table")
    return None


def _from_the_end(text: str) -> Iterator[list[str]]:
    """What may be a table, the last first; with empty lines in it only where all else is none."""
    for gaps in (False, True):
        yield from (lines for lines in reversed(_blocks(text, gaps=gaps)) if len(lines) > 1)


def _blocks(text: str, *, gaps: bool) -> list[list[str]]:
    """Neighbouring lines that have a |, with nothing between or with `gaps`, empty lines."""
    blocks: list[list[str]] = [[]]
    for line in text.split("\n"):
        if "|" in line:
            blocks[-1].append(line)
        elif blocks[-1] and (line.strip() or not gaps):
            blocks.append([])
    return blocks


def _is_rule(line: str) -> bool:
    """The dashes under a header; "- | -" is a row of two empty cells."""
    if "-" not in line or line.strip(" \t\r|:-"):
        return False
    return "--" in line or ":" in line or " " not in line.strip()


def _cells(line: str) -> list[str]:
    inner = (
        (_FENCE.sub("", line) if "`" in line else line).strip().removeprefix("|").removesuffix("|")
    )
    return [" ".join(cell.split()) or "-" for cell in inner.split("|")]
