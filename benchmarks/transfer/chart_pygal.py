"""Charts by pygal in its own styles. resvg draws its SVG."""

from __future__ import annotations

import sys
from io import BytesIO
from typing import TYPE_CHECKING, Any

from PIL import Image

from benchmarks.transfer.asked import PLAIN, plain_chart, rng_of
from benchmarks.transfer.fonts import FONTS, font_file

if TYPE_CHECKING:
    from random import Random

    from benchmarks.transfer.asked import Drawn

DESIGNS = PLAIN
_STYLES = ("Default", "Light", "Clean", "Red blue", "Light solarized", "Solid color", "Turquoise",
           "Light green", "Dark", "Neon", "Dark colorized")  # fmt: skip


def draw(index: int) -> Drawn:
    """Draw the designs in turns, each in any of pygal's styles."""
    import pygal
    import resvg_py

    # This finder of plugins lacks `find_spec`, and Python warns at each later import.
    sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != "PluginImportFixer"]

    rng = rng_of("chart_pygal", index)
    design, shown, ends, question, target = plain_chart(rng, index)
    kind = {"bar": pygal.Bar, "lying bar": pygal.HorizontalBar, "line": pygal.Line,
            "pie": pygal.Pie}[design]  # fmt: skip
    named = [(name, row[0]) for name, row in zip(shown.names, shown.rows, strict=True)]
    width, height = rng.choice(((480, 360), (560, 400), (640, 420)))
    options: dict[str, Any] = {"width": width, "height": height, "style": _style(rng)}
    if rng.random() < 0.6:
        options["title"] = f"{shown.measure} ({shown.unit})"
    if design == "pie":
        chart = kind(inner_radius=rng.choice((0, 0, 0.4)), **options)
        for name, value in named:
            chart.add(name, value)
    else:
        # pygal draws the first of its lying bars at the bottom.
        named = named[::-1] if design == "lying bar" else named
        chart = kind(range=ends, include_x_axis=ends[0] == 0, show_legend=False,
                     x_label_rotation=rng.choice((0, 30)) if design == "bar" else 0,
                     **options)  # fmt: skip
        chart.x_labels = [name for name, _ in named]
        chart.add(shown.measure, [value for _, value in named])
    png = resvg_py.svg_to_bytes(
        svg_string=chart.render(is_unicode=True), skip_system_fonts=True,
        font_files=[str(font_file(name)) for name in FONTS],
    )  # fmt: skip
    image = Image.open(BytesIO(bytes(png))).convert("RGBA")
    ground = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(ground, image).convert("RGB"), question, target


def _style(rng: Random) -> Any:
    from pygal import style

    name = "".join(word.capitalize() for word in rng.choice(_STYLES).split())
    size = rng.choice((11, 13))
    return getattr(style, f"{name}Style")(
        font_family=rng.choice(("Roboto", "Hanken Grotesk")), label_font_size=size,
        major_label_font_size=size, legend_font_size=size, title_font_size=size + 4,
    )  # fmt: skip
