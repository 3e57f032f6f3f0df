"""What a chart's sample says of it, as JSON has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.sample import Box

if TYPE_CHECKING:
    from gnomon.generators._chart_axis import Axis
    from gnomon.generators._chart_layout import Board
    from gnomon.generators._chart_questions import Asked


def facts(board: Board, question: Asked) -> dict[str, Any]:
    """The table as displayed, the place of every mark and text, and what was asked."""
    plan, style = board.plan, board.look.style
    frame = plan.frame
    columns = range(len(frame.columns))
    return {
        "chart": plan.chart,
        "title": board.whims.title,
        "each": frame.each,
        "rows": list(frame.rows),
        "columns": list(frame.columns),
        "measures": [topic.measure for topic in frame.topics],
        "units": [frame.unit(column) for column in columns],
        "cells": [
            [plan.written((row, column)) for column in columns] for row in range(len(frame.rows))
        ],
        "labelled": plan.labelled,
        "plot": list(board.plot),
        "axis": None if plan.chart in ("pie", "ring") else _axis(plan.axis, frame.topic.places),
        "across": plan.across and _axis(plan.across, frame.topics[0].places),
        "marks": board.marks,
        "texts": [
            {"text": word.text, "role": word.role, "box": list(word.box)}
            for word in board.pen.words
        ],
        "style": {"name": style.name, "palette": board.look.palette, "font": board.look.font},
        "question": question.form,
        "about": {name: _plain(value) for name, value in question.about.items()},
    }


def box_of(board: Board, question: Asked) -> Box:
    """The mark that is asked for."""
    wanted = list(question.about["cells"][0])
    return Box(*next(mark["box"] for mark in board.marks if mark["cell"] == wanted))


def _axis(axis: Axis, places: int) -> dict[str, Any]:
    """In the measure's unit."""
    scale = 10**places
    return {
        "low": axis.low / scale,
        "high": axis.high / scale,
        "ticks": [tick / scale for tick in axis.ticks],
        "log": axis.step == 0,
    }


def _plain(value: Any) -> Any:
    """Cells as lists."""
    return (
        [list(v) if isinstance(v, tuple) else v for v in value]
        if isinstance(value, list)
        else value
    )
