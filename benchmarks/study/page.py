"""Puts the tables of both studies into docs/study.md, each between two marks of its name."""

from __future__ import annotations

import re

from benchmarks.study import report as first_study
from benchmarks.study.photographs import plan, report
from benchmarks.study.photographs.outcomes import Outcome

PAGE = plan.ROOT / "docs" / "study.md"
FIGURE = PAGE.with_name("study-photographs.png")


def tables(stored: dict[str, Outcome], *, is_over: bool) -> dict[str, str]:
    """Print each table of the page, by its name there."""
    return {
        "overview": report.overview(stored, is_over=is_over),
        "answers": report.answers(stored, is_over=is_over),
        "cameras": report.cameras(stored, is_over=is_over),
        "strengths": report.choice(stored),
        "first-study": first_study.overview(),
    }


def put(page: str, name: str, table: str) -> str:
    """Replace what stands between a table's two marks."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    block = f"{begin}```text\n{table}\n```\n{end}"
    pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
    page, count = re.subn(pattern, lambda _: block, page, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the page has {count} places for the table {name}; it needs one")
    return page


def write(stored: dict[str, Outcome], *, is_over: bool) -> None:
    """Write the page with the tables of the outcomes, and draw its figure."""
    from benchmarks.study.photographs import figure

    page = PAGE.read_text(encoding="utf-8")
    for name, table in tables(stored, is_over=is_over).items():
        page = put(page, name, table)
    PAGE.write_text(page, encoding="utf-8")
    figure.draw(stored, FIGURE, is_over=is_over)
