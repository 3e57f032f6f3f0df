"""How questions about charts are worded; each names its units and its precision."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from gnomon.generators.chart.plan import ChartPlan
from gnomon.generators.chart.questions import About, ChartQuestion
from gnomon.generators.chart.table import POINTS, Cell
from gnomon.generators.decimals import pointed
from gnomon.generators.rng import Rng
from gnomon.generators.wording import plural

_TABLE = tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))
_WORDS: dict[str, list[str]] = _TABLE["questions"]
_ANSWERS: dict[str, str] = _TABLE["answers"]
_MARKS: dict[str, str] = _TABLE["marks"]


def question(plan: ChartPlan, asked: ChartQuestion, rng: Rng) -> str:
    """The question, and how it is to be answered."""
    about = asked.about
    form, parts = about.get("trend", asked.form), _parts(plan, about)
    said = rng.choice(_WORDS[form])
    if form == "extreme" and plan.chart in POINTS:
        form = "point"
    if form == "compare":
        parts["one"], parts["other"] = names(plan, about["cells"])
    how = _ANSWERS.get(form) or _precision(plan, about["cells"][0][1], about.get("more", 0))
    return f"{said} {how}".format(**parts)


def names(plan: ChartPlan, pair: Sequence[Cell]) -> tuple[str, ...]:
    """What tells the two from each other, in a word."""
    frame = plan.frame
    one_row = pair[0][0] == pair[1][0]
    return tuple(frame.columns[c] if one_row else frame.rows[r] for r, c in pair)


def header(plan: ChartPlan) -> tuple[str, ...]:
    """The first line of the table."""
    frame = plan.frame
    measure = f"{frame.topic.measure} ({frame.topic.unit})"
    return (frame.each, *(f"{name} {measure}".strip() for name in frame.columns))


def _parts(plan: ChartPlan, about: About) -> dict[str, str]:
    """All that a wording may name."""
    frame = plan.frame
    parts = {"each": frame.each, "plural": plural(frame.each), "header": " | ".join(header(plan))}
    parts |= {name: about[name] for name in ("which", "side") if name in about}
    if cells := about.get("cells"):
        ends = cells[0], cells[-1]
        parts |= {"a": _cell(plan, ends[0]), "b": _cell(plan, ends[1])}
        of = "the bin " * (plan.chart == "histogram")  # from 35 to 40 to 45 to 50
        parts |= {"first": of + frame.rows[ends[0][0]], "last": of + frame.rows[ends[1][0]]}
        parts |= {"group": _group(plan, cells), "mark": _mark(plan, cells[0])}
        parts["series"] = _series(plan, cells[0][1])
    if "columns" in about:
        parts["a"], parts["b"] = (frame.columns[column] for column in about["columns"])
    if "column" in about:
        parts["series"] = series = _series(plan, about["column"])
        parts["a_series"] = f"{'an' if series[0] in 'aeiou' else 'a'} {series}"
        limit = pointed(about.get("limit", 0), frame.places(about["column"]))
        parts["limit"] = f"{limit} {frame.unit(about['column'])}"
    if plan.chart in POINTS:
        parts["x"], parts["y"] = (topic.measure for topic in frame.topics[:2])
    return parts


def _cell(plan: ChartPlan, at: Cell) -> str:
    """The rainfall in Mar; the rent for Oslo (North)."""
    row, column = at
    frame = plan.frame
    name, series = frame.rows[row], frame.columns[column]
    if plan.chart in POINTS:
        return f"the {series} of point {name}"
    if plan.chart == "histogram":
        return f"the {frame.topic.measure} in the bin {name} {frame.topics[1].unit}"
    if plan.chart == "box":
        return f"the {series} of the {frame.topic.measure} {_at(plan, name)}"
    return f"the {frame.topic.measure} {_at(plan, name)}" + (f" ({series})" if series else "")


def _series(plan: ChartPlan, column: int) -> str:
    """The measure of a column."""
    frame = plan.frame
    name = frame.columns[column]
    if plan.chart in POINTS:
        return name
    if plan.chart == "box":
        return f"{name} of the {frame.topic.measure}"
    return frame.topic.measure + (f" ({name})" if name else "")


def _group(plan: ChartPlan, of: Sequence[Cell]) -> str:
    """Several cells: a row, a series or a part of it."""
    frame = plan.frame
    if len(of) > 1 and of[0][0] == of[1][0]:
        return f"the {frame.topic.measure} {_at(plan, frame.rows[of[0][0]])} over all series"
    measure = f"the {_series(plan, of[0][1])}"
    if len(of) == len(plan.cells):
        return f"{measure} over all {plural(frame.each)} shown"
    listed = [frame.rows[at[0]] for at in of]
    measure += " in the bins" if plan.chart == "histogram" else " for"
    return f"{measure} {', '.join(listed[:-1])} and {listed[-1]}"


def _mark(plan: ChartPlan, at: Cell) -> str:
    """The bar of Mar."""
    frame, noun = plan.frame, _MARKS[plan.chart]
    name, series = frame.rows[at[0]], frame.columns[at[1]]
    if plan.chart in POINTS:
        return f"the {noun} {name}"
    if plan.chart == "area":
        return f"the {noun} of {series}"
    if plan.chart == "histogram":
        return f"the {noun} of {name} {frame.topics[1].unit}"
    return f"the {noun} of {name}" + (f" ({series})" if series and plan.chart != "box" else "")


def _precision(plan: ChartPlan, column: int, more: int) -> str:
    places, unit = plan.frame.places(column) + more, plan.frame.unit(column)
    if places == 0:
        return f"Answer in {unit}, as a whole number."
    return f"Answer in {unit}, rounded to {places} decimal{'s' if places > 1 else ''}."


def _at(plan: ChartPlan, row: str) -> str:
    if not plan.frame.ordered:
        return f"for {row}"
    return f"on {row}" if plan.frame.each in ("day", "date") else f"in {row}"
