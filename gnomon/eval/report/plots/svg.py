"""The few SVG elements that the charts are made of, and round ticks for their axes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup, escape

COLOURS = 8
"""Colours that are told apart by nearly everyone, whatever colours they see less of."""


def colour(kind: str, index: int) -> str:
    """The CSS class of the run or line at that place; colours that come again are not solid."""
    again = " again" * (index // COLOURS % 2)
    return f"{kind}{index % COLOURS}{again}"


def picture(width: float, height: float, label: str, parts: Iterable[str]) -> Markup:
    """A chart that scales with the page; `label` is what a screen reader says of it."""
    # Every part is built here from numbers and escaped texts.
    return Markup(  # noqa: S704
        f'<svg viewBox="0 0 {num(width)} {num(height)}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


def text(x: float, y: float, words: str, *, anchor: str = "middle", kind: str = "") -> str:
    """Words at a place; `anchor` is start, middle or end."""
    css = f' class="{kind}"' if kind else ""
    return f'<text x="{num(x)}" y="{num(y)}" text-anchor="{anchor}"{css}>{escape(words)}</text>'


def turned(x: float, y: float, words: str) -> str:
    """Words that read upwards, beside a vertical axis."""
    return (
        f'<text x="{num(x)}" y="{num(y)}" text-anchor="middle"'
        f' transform="rotate(-90 {num(x)} {num(y)})">{escape(words)}</text>'
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "grid") -> str:
    """A straight line of a CSS class."""
    return f'<path class="{kind}" d="M{num(x1)} {num(y1)}L{num(x2)} {num(y2)}"/>'


def bar(x: float, y: float, width: float, height: float, kind: str, tip: str = "") -> str:
    """A filled rectangle, with a tip where a pointer rests."""
    title = f"<title>{escape(tip)}</title>" if tip else ""
    return (
        f'<rect class="{kind}" x="{num(x)}" y="{num(y)}" width="{num(width)}"'
        f' height="{num(height)}">{title}</rect>'
    )


def dot(x: float, y: float, radius: float, css: str, tip: str = "") -> str:
    """A disc, with a tip where a pointer rests."""
    title = f"<title>{escape(tip)}</title>" if tip else ""
    place = f'cx="{num(x)}" cy="{num(y)}" r="{num(radius)}"'
    return f'<circle class="{css}" {place}>{title}</circle>'


def dots(points: Iterable[tuple[float, float]], kind: str) -> str:
    """Many dots as one path, 12 characters each; a few are drawn larger."""
    places = [f"M{num(x)} {num(y)}h0" for x, y in points]
    size = "few" if len(places) <= _FEW else "many"
    return f'<path class="dots {size} {kind}" d="{"".join(places)}"/>'


_FEW = 300


def polyline(points: Iterable[tuple[float, float]], kind: str) -> str:
    """A line through points."""
    places = " ".join(f"{num(x)},{num(y)}" for x, y in points)
    return f'<polyline class="curve {kind}" points="{places}"/>'


def num(value: float) -> str:
    """A coordinate to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def square(across: Scale, up: Scale, marks: Iterable[tuple[float, str]]) -> list[str]:
    """A grid with the same marks on either axis, and its diagonal."""
    parts = []
    for value, words in marks:
        parts += [
            line(across(value), up.start, across(value), up.end),
            line(across.start, up(value), across.end, up(value)),
            text(across(value), up.start + 15, words),
            text(across.start - 6, up(value) + 4, words, anchor="end"),
        ]
    return [*parts, line(across.start, up.start, across.end, up.end, "axis dashed")]


@dataclass(frozen=True, slots=True)
class Scale:
    """A line from data to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers between two ends, 1, 2 or 5 times a power of ten apart."""
    step = (high - low) / about
    power = 10.0 ** math.floor(math.log10(step))
    step = power * min((m for m in (1, 2, 5, 10) if m * power >= step), default=10)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def tick_text(value: float) -> str:
    """A tick's label: 1500 is 1,500, 2e6 is 2e+06."""
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e5 else f"{value:.3g}"
