"""Charts by gnuplot. It draws no pies of its own, so circles with an angle are its slices."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin
from typing import TYPE_CHECKING

from benchmarks.transfer.asked import PLAIN, Table, plain_chart, rng_of
from benchmarks.transfer.fonts import Program

if TYPE_CHECKING:
    from random import Random

    from benchmarks.transfer.asked import Drawn

DESIGNS = PLAIN
_COLOURS = (
    "#9400d3 #009e73 #56b4e9 #e69f00 #f0e442 #0072b2",  # gnuplot's own
    "#e41a1c #377eb8 #4daf4a #984ea3 #ff7f00 #a65628",
    "#404040 #707070 #969696 #bdbdbd #595959 #858585",
    "#1b9e77 #d95f02 #7570b3 #e7298a #66a61e #e6ab02",
)
_FRAMES = (
    "set border 31",
    "set border 3; set tics nomirror out",
    "set border 31; set grid ytics xtics lc rgb '#aaaaaa'",
    "set border 3 lc rgb '#808080'; set tics nomirror; set grid ytics lt 0",
    "set border 1; set tics nomirror scale 0; set grid ytics lt 1 lc rgb '#dddddd'",
)


def draw(index: int) -> Drawn:
    """Draw the designs in turns, each in any frame and colours."""
    rng = rng_of("chart_gnuplot", index)
    design, shown, ends, question, target = plain_chart(rng, index)
    width, height = rng.choice(((480, 360), (560, 400), (640, 480)))
    font = f"{rng.choice(('Roboto', 'Hanken Grotesk', 'Source Serif Pro'))},{rng.choice((10, 12))}"
    lines = [
        "reset",
        f"set term pngcairo size {width},{height} font '{font}'",
        "set output 'chart.png'",
        "set key off",
        rng.choice(_FRAMES),
        f"set title '{shown.measure} by {shown.over}'" if rng.random() < 0.5 else "",
        _PLOTS[design](rng, shown, ends),
        "unset output",
    ]
    return _gnuplot().draw("\n".join(lines)), question, target


@cache
def _gnuplot() -> Program:
    return Program(["gnuplot"], "set print '-'; print 'done'")


def _data(shown: Table) -> str:
    rows = (f'"{name}" {row[0]}' for name, row in zip(shown.names, shown.rows, strict=True))
    return "\n".join(["$d << EOD", *rows, "EOD"])


def _style(rng: Random) -> str:
    """Choose fill and edge of bars."""
    fill = rng.choice(("solid 0.5 border -1", "solid", "solid border -1", "pattern 4 border -1"))
    return f"set style fill {fill}; w = {rng.uniform(0.4, 0.9):.2f}; set boxwidth w"


def _colour(rng: Random) -> str:
    return rng.choice(rng.choice(_COLOURS).split())


def _bar(rng: Random, shown: Table, ends: tuple[int, int]) -> str:
    crowded = sum(map(len, shown.names)) > 36
    turned = " rotate by 45 right" if crowded or rng.random() < 0.3 else ""
    return "\n".join([
        _data(shown), _style(rng), f"set yrange [{ends[0]}:{ends[1]}]; set xrange [-0.7:*]",
        f"set ylabel '{shown.measure} ({shown.unit})'; set xtics{turned}",
        f"plot $d using 0:2:xtic(1) with boxes lc rgb '{_colour(rng)}'",
    ])  # fmt: skip


def _lying_bar(rng: Random, shown: Table, ends: tuple[int, int]) -> str:
    return "\n".join([
        _data(shown), _style(rng), f"set xrange [{ends[0]}:{ends[1]}]",
        f"set yrange [{len(shown.names) - 0.4}:-0.6]; set xlabel '{shown.measure} ({shown.unit})'",
        "plot $d using 2:0:(0):2:($0-w/2):($0+w/2):ytic(1) with boxxyerror"
        f" lc rgb '{_colour(rng)}'",
    ])  # fmt: skip


def _line(rng: Random, shown: Table, ends: tuple[int, int]) -> str:
    points = f"pt {rng.choice((1, 2, 5, 7, 9))} ps {rng.choice((1, 1.5))} lw {rng.choice((1, 2))}"
    return "\n".join([
        _data(shown), f"set yrange [{ends[0]}:{ends[1]}]; set xrange [-0.3:{len(shown.names)}-0.7]",
        f"set ylabel '{shown.measure} ({shown.unit})'",
        f"plot $d using 0:2:xtic(1) with linespoints {points} lc rgb '{_colour(rng)}'",
    ])  # fmt: skip


def _pie(rng: Random, shown: Table, _: tuple[int, int]) -> str:
    colours, start = rng.choice(_COLOURS).split(), 90.0
    parts, words = [], []
    for name, (value,), colour in zip(shown.names, shown.rows, colours, strict=False):
        end = start - 3.6 * value
        middle = (start + end) / 2 * pi / 180
        side = "left" if cos(middle) > 0 else "right"
        words.append(f"set label '{name}' at {1.1 * cos(middle)},{1.1 * sin(middle)} {side}")
        parts.append(f"'+' using (0):(0):(1):({end}):({start}) every ::::0 w circles"
                     f" fs solid border -1 lc rgb '{colour}'")  # fmt: skip
        start = end
    frame = "unset border; unset tics; unset grid; set size ratio -1"
    return "\n".join([frame, "set xrange [-2:2]; set yrange [-1.3:1.3]", *words,
                      f"plot {', '.join(parts)}"])  # fmt: skip


_PLOTS = dict(zip(PLAIN, (_bar, _lying_bar, _line, _pie), strict=True))
