"""Charts by ggplot2 in its own themes, drawn by R."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from benchmarks.transfer.asked import PLAIN, Table, plain_chart, rng_of
from benchmarks.transfer.fonts import Program

if TYPE_CHECKING:
    from random import Random

    from benchmarks.transfer.asked import Drawn

DESIGNS = PLAIN
_THEMES = ("grey", "bw", "minimal", "classic", "light", "linedraw", "dark")
_COLOURS = ("grey35", "steelblue", "tomato", "darkgreen", "#7b3294", "orange", "black")
_PALETTES = (
    "hue_pal()",
    "brewer_pal(palette = 'Set2')",
    "viridis_pal()",
    "brewer_pal(palette = 'Dark2')",
)


def draw(index: int) -> Drawn:
    """Draw the designs in turns, each in any theme."""
    rng = rng_of("chart_ggplot", index)
    design, shown, ends, question, target = plain_chart(rng, index)
    width, height = rng.choice(((480, 360), (560, 400), (640, 420)))
    script = f"""
        suppressMessages({{library(ggplot2); library(scales)}})
        d <- data.frame(name = {_vector(shown.names)}, value = {_vector(shown.columns()[0])})
        d$name <- factor(d$name, levels = d$name)
        p <- {_plot(rng, design, shown, ends)}
        p <- p + theme(text = element_text(family = "{rng.choice(("Roboto", "Hanken Grotesk"))}"))
        png("chart.png", {width}, {height}, type = "cairo", res = {rng.choice((72, 96))})
        print(p)
        invisible(dev.off())
    """
    return _r().draw(script), question, target


@cache
def _r() -> Program:
    return Program(["R", "--vanilla", "--no-echo"], 'cat("done\\n")')


def _vector(values: object) -> str:
    return f"c({json.dumps(values)[1:-1]})"


def _plot(rng: Random, design: str, shown: Table, ends: tuple[int, int]) -> str:
    amount = f'"{shown.measure} ({shown.unit})"'
    title = f' + ggtitle("{shown.measure} by {shown.over}")' if rng.random() < 0.4 else ""
    if design == "pie":
        return (
            'ggplot(d, aes("", value, fill = name)) + geom_col(width = 1, colour = "white")'
            f' + coord_polar("y") + scale_fill_manual(values = {rng.choice(_PALETTES)}(nrow(d)))'
            f" + labs(fill = NULL, x = NULL, y = {amount}) + theme_void(){title}"
        )
    theme = f" + theme_{rng.choice(_THEMES)}(base_size = {rng.choice((11, 13))}){title}"
    room = rng.choice(("expansion()", "expansion(c(0.05, 0.05))"))
    scale = f"scale_y_continuous({amount}, limits = c{ends}, expand = {room})"
    colour = rng.choice(_COLOURS)
    base, over = "ggplot(d, aes(name, value))", f'xlab("{shown.over}")'
    if design == "line":
        shape = f'geom_line(group = 1, colour = "{colour}") + geom_point(colour = "{colour}")'
        return f"{base} + {shape} + {scale} + {over}{theme}"
    bars = f'geom_col(width = {rng.uniform(0.5, 0.95):.2f}, fill = "{colour}")'
    if design == "lying bar":
        # The first name stands at the bottom unless the order is reversed.
        over = f'scale_x_discrete("{shown.over}", limits = rev) + coord_flip()'
    return f"{base} + {bars} + {scale} + {over}{theme}"
