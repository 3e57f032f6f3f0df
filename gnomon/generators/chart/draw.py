"""Picture of a chart with the places of all its parts, its facts, and its table as a picture."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from gnomon.generators.chart import chart_questions as phrasing
from gnomon.generators.chart import layout, marks, report_marks, tile_marks
from gnomon.generators.chart.catalog import LEGENDS, PARTS, TYPES, WITHOUT_AXIS, WITHOUT_FRAME
from gnomon.generators.chart.chart_questions import ChartQuestion
from gnomon.generators.chart.layout import Board, Variation
from gnomon.generators.chart.pen import Corners, Pen, Shape, Word
from gnomon.generators.chart.scene import About, Axis, ChartPlan
from gnomon.generators.chart.style import LEAST_CONTRAST, LEAST_OF_TEXT, ChartLook, levels
from gnomon.generators.drawing import backgrounds as photograph
from gnomon.generators.drawing.canvas import Pixels, Points, bounding_box
from gnomon.generators.drawing.colours import is_readable_on
from gnomon.generators.drawing.lettering import font_face
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import oblong
from gnomon.generators.rng import Rng
from gnomon.generators.user_files import UserFile
from gnomon.generators.wording import decimal_text
from gnomon.sample import Box, Boxes, LabelledBox, Size

CHARTS: dict[str, Callable[[Board, Corners], None]] = {
    "bar": marks.bar,
    "grouped": marks.bar,
    "barh": marks.barh,
    "stacked": marks.stacked,
    "histogram": marks.histogram,
    "box": marks.box,
    "heatmap": marks.heatmap,
    "line": marks.line,
    "area": marks.area,
    "scatter": marks.scatter,
    "bubble": marks.bubble,
    "pie": marks.pie,
    "ring": marks.pie,
    "radar": marks.radar,
    "waterfall": report_marks.waterfall,
    "funnel": report_marks.funnel,
    "candlestick": report_marks.candlestick,
    "bullet": report_marks.bullet,
    "treemap": tile_marks.treemap,
    "map": tile_marks.map_of_regions,
}


def draw_chart(plan: ChartPlan, look: ChartLook, rng: Rng, photo: UserFile | None = None) -> Board:
    """Draw the chart. The pen of the board keeps the picture until the next chart starts."""
    size = plan.room.size
    pen = Pen.of(size)
    pen.begin(
        look.style.page, None if photo is None else _photograph_page(plan, look, rng, size, photo)
    )
    pen.is_sketch = look.style.extra == "sketch"
    variation = Variation(
        title=phrasing.title_text(plan, rng),
        legend=rng.choice(("top", "bottom", "right")),
        width=rng.uniform(0.5, 0.9),
        marker=rng.choice(("o", "o", "s", "^", "D")),
        lines=rng.uniform(1.2, 2.6),
        hatched=rng.chance(0.12),
        # 210 = 2 · 3 · 5 · 7, so the remainders by these four are independent choices.
        smooth=rng.integer(0, 209),
    )
    board = Board(pen, plan, look, variation)
    top = layout.draw_title(board)
    parts = plan.frame.rows if plan.chart in PARTS else plan.frame.columns
    legend_names = LEGENDS.get(plan.chart) or (parts if TYPES[plan.chart].legend else ())
    x1, y1, x2, y2 = layout.draw_legend(board, legend_names, top)
    (width, height), air = size, plan.spacing.air
    room = (x1 + int(air[0] * width), y1, x2 - int(air[1] * width), y2 - int(air[2] * height))
    CHARTS[plan.chart](board, room)
    if plan.chart not in WITHOUT_FRAME:
        layout.draw_frame(board)
    return board


def _photograph_page(
    plan: ChartPlan, look: ChartLook, rng: Rng, size: Size, photo: UserFile
) -> Pixels:
    """Return the photograph behind the plot, pale enough for texts and slices to stand out."""
    page, ink, *colours = (
        levels(colour) for colour in (look.style.page, look.style.ink, *look.colours)
    )

    def clear(pixels: Pixels) -> bool:
        slices = colours if plan.chart in WITHOUT_AXIS else []
        part = pixels[::2, ::2]
        return is_readable_on(part, [ink], LEAST_OF_TEXT) and is_readable_on(
            part, slices, LEAST_CONTRAST
        )

    return photograph.crop_photograph(photo, size, page, rng, clear)


# Smallest height of a digit, in pixels.
_DIGIT = 12


def table_picture(plan: ChartPlan, about: About, look: ChartLook) -> Image.Image:
    """Draw the table as a picture in the chart's colours, with a wrong number in one cell.

    Numbers are right-aligned, as in printed tables.
    """
    frame, digit = plan.frame, max(_DIGIT, round(plan.room.text))
    numbers, ((row, column),) = plan.table, about["cells"]
    numbers[row][column] = decimal_text(about["instead"], frame.topic_of(column).places)
    lines = [[name, *row] for name, row in zip(frame.rows, numbers, strict=True)]
    if any(frame.columns):
        lines.insert(0, ["", *frame.columns])
    title, letters = f"{frame.topic.measure} ({frame.topic.unit})", font_face("sans", digit)
    widths = [
        max(map(letters.getlength, column)) + 2 * digit for column in zip(*lines, strict=True)
    ]
    high, wide = 2 * digit, max(sum(widths), letters.getlength(title) + 2 * digit)
    page, ink = levels(look.style.page), levels(look.style.ink)
    picture = Image.new("RGB", (round(wide), high * (len(lines) + 1) + digit), page)
    draw = ImageDraw.Draw(picture)
    draw.text((digit, digit / 2), title, ink, letters)
    for index, line in enumerate(lines, 1):
        draw.line([(0, high * index), (wide, high * index)], ink)
        draw.text((digit, high * index + digit / 2), line[0], ink, letters)
        for cell, text in enumerate(line[1:], 2):
            end = sum(widths[:cell]) - digit
            draw.text((end, high * index + digit / 2), text, ink, letters, anchor="ra")
    return picture


def chart_facts(board: Board, question: ChartQuestion, moved: Pose | None) -> dict[str, Any]:
    """Collect the displayed table, the place of every mark and text, and the question.

    `moved` maps the points of the picture after drawing. None if they stayed in place.
    """
    plan, style = board.plan, board.look.style
    frame = plan.frame
    pose = moved or Pose(np.eye(3))
    corners = pose(oblong(*board.plot))
    return {
        "chart": plan.chart,
        "title": board.variation.title,
        "each": frame.each,
        "rows": list(frame.rows),
        "columns": list(frame.columns),
        "measures": [topic.measure for topic in frame.topics],
        "units": [frame.topic_of(column).unit for column in range(len(frame.columns))],
        "cells": plan.table,
        "labelled": plan.has_labels,
        "plot": list(board.plot)
        if moved is None
        else bounding_box(np.clip(corners, 0, board.pen.size)),
        "corners": corners.tolist(),
        "homography": pose.matrix.tolist() if pose.beyond is None else None,
        "axis": None if plan.chart in WITHOUT_AXIS else _axis(plan.axis, frame.topic.places),
        "across": plan.across and _axis(plan.across, frame.topics[0].places),
        "marks": [
            {
                "cell": list(mark.cell),
                "box": _box(mark.shape, board, moved),
                "at": list(pose.at(*mark.at)),
            }
            for mark in board.marks
        ],
        "texts": [
            {"text": word.text, "role": word.role, "box": _box(word, board, moved)}
            for word in board.pen.words
        ],
        "style": {"name": style.name, "palette": board.look.palette, "font": board.look.font},
        "question": question.name,
        "about": json.loads(json.dumps(question.about)),
    }


def _box(item: Shape | Word, board: Board, moved: Pose | None) -> list[float]:
    """Return the box of an item's ink, clipped to the picture."""
    size = board.pen.size
    if moved is not None:
        outline = item.outline if moved.lens is None else item.dense_outline
        return bounding_box(np.clip(moved(outline), 0, size))
    x1, y1, x2, y2 = item.box
    return [max(0.0, x1), max(0.0, y1), min(size[0], x2), min(size[1], y2)]


def target_of_marks(facts: dict[str, Any]) -> Box | Boxes:
    """Return the box of the mark that the question is about, or the list of all marks with their
    rows."""
    boxes = {tuple(mark["cell"]): Box(*mark["box"]) for mark in facts["marks"]}
    cells = facts["about"]["cells"]
    if facts["question"] == "box":
        return boxes[tuple(cells[0])]
    return Boxes(tuple(LabelledBox(facts["rows"][row], boxes[row, c]) for row, c in cells))


def ink_corners(board: Board) -> Points:
    """Return corners around everything that must not be cropped, with a small margin."""
    boxes = [mark.shape.box for mark in board.marks] + [word.box for word in board.pen.words]
    x1, y1, x2, y2 = np.array([*boxes, board.plot]).T
    air = board.gap
    return oblong(x1.min() - air, y1.min() - air, x2.max() + air, y2.max() + air)


def _axis(axis: Axis, places: int) -> dict[str, Any]:
    """Return the ends and ticks of an axis in the measure's unit."""
    scale = 10**places
    return {
        "low": axis.low / scale,
        "high": axis.high / scale,
        "ticks": [tick / scale for tick in axis.ticks],
        "log": axis.step == 0,
    }
