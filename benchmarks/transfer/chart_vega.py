"""Charts in Vega-Lite, drawn to PNG by vl-convert in the themes that come with it."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from PIL import Image

from benchmarks.transfer.asked import Table, axis, cell, rng_of, table

if TYPE_CHECKING:
    from random import Random

    from benchmarks.transfer.asked import Drawn

DESIGNS = ("bar", "horizontal bar", "labelled bar", "line", "grouped", "lollipop")
_THEMES = (
    None,
    "quartz",
    "fivethirtyeight",
    "ggplot2",
    "latimes",
    "excel",
    "dark",
    "vox",
    "googlecharts",
)
"""Those whose fonts vl-convert has or replaces: the others leave all text out."""
_UNFIT = {
    "grouped": "ggplot2",  # its first series are black and nearly black
    "labelled bar": "dark",  # labels and stems stay black
    "lollipop": "dark",
}


def draw(index: int) -> Drawn:
    """Design after design, each in any of the themes."""
    import vl_convert

    rng = rng_of("chart_vega", index)
    design = DESIGNS[index % len(DESIGNS)]
    shown = table(rng, several=design == "grouped", ordered=design == "line")
    ends = axis(rng, shown, zero=design != "line" or rng.random() < 0.5)
    png = vl_convert.vegalite_to_png(
        _spec(rng, design, shown, ends), scale=rng.choice((1, 1.5)), theme=_theme(rng, design),
        allowed_base_urls=[],
    )  # fmt: skip
    image = Image.open(BytesIO(png)).convert("RGBA")
    ground = Image.new("RGBA", image.size, "white")  # some themes leave it transparent
    return Image.alpha_composite(ground, image).convert("RGB"), *cell(rng, shown, ends)


def _theme(rng: Random, design: str) -> str | None:
    return rng.choice([theme for theme in _THEMES if theme != _UNFIT.get(design, "")])


def _spec(rng: Random, design: str, shown: Table, ends: tuple[int, int]) -> dict[str, Any]:
    values = [
        {"name": name, "value": value, "kind": kind}
        for name, row in zip(shown.names, shown.rows, strict=True)
        for kind, value in zip(shown.series, row, strict=True)
    ]
    amount: dict[str, Any] = {
        "field": "value",
        "type": "quantitative",
        "title": f"{shown.measure} ({shown.unit})",
        "scale": {"domain": list(ends), "nice": False},
    }
    name = {
        "field": "name",
        "type": "ordinal",
        "title": shown.over,
        "sort": None,
        "axis": {"labelAngle": rng.choice((0, -45, -90))},
    }
    size = {"width": rng.randint(240, 420), "height": rng.randint(180, 300)}
    base: dict[str, Any] = {"data": {"values": values}, **size, "autosize": "pad", "padding": 8}
    if rng.random() < 0.4:
        base["title"] = f"{shown.measure} by {shown.over}".capitalize()
    match design:
        case "horizontal bar":
            across = {**name, "axis": {}}
            return base | {
                "height": {"step": rng.randint(20, 36)},
                "mark": "bar",
                "encoding": {"y": across, "x": amount},
            }
        case "labelled bar":
            text = {"mark": {"type": "text", "dy": -7}, "encoding": {"text": {"field": "value"}}}
            return base | {"encoding": {"x": name, "y": amount}, "layer": [{"mark": "bar"}, text]}
        case "line":
            mark = {
                "type": "line",
                "point": True,
                "interpolate": rng.choice(("linear", "linear", "monotone")),
            }
            return base | {"mark": mark, "encoding": {"x": name, "y": amount}}
        case "grouped":
            kind = {"field": "kind", "sort": None, "title": None}
            return base | {
                "mark": "bar",
                "encoding": {"x": name, "y": amount, "xOffset": kind, "color": kind},
            }
        case "lollipop":
            stem = {"mark": {"type": "rule", "strokeWidth": 2}}
            head = {"mark": {"type": "circle", "size": rng.randint(80, 200), "opacity": 1}}
            return base | {"encoding": {"x": name, "y": amount}, "layer": [stem, head]}
    mark = {
        "type": "bar",
        "cornerRadiusEnd": rng.choice((0, 0, 4)),
        "color": rng.choice(("#4c78a8", "#e45756", "#72b7b2", "#54a24b")),
    }
    return base | {
        "mark": mark if rng.random() < 0.5 else "bar",
        "encoding": {"x": name, "y": amount},
    }
