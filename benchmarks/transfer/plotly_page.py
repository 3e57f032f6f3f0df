"""Plotly's figures in headless Chromium, by the script that comes inside its Python package."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.transfer.chromium import Page, page
from benchmarks.transfer.fonts import FONTS, font_face

if TYPE_CHECKING:
    from PIL import Image


def photographed(figure: Any, width: int, height: int, scale: float = 1.0) -> Image.Image:
    """A figure of `plotly.graph_objects`, without its buttons."""
    shown = _opened()
    told = json.dumps(figure.to_plotly_json(), default=_plain)
    shown.value(
        f"(() => {{ const f = {told}; f.layout.width = {width}; f.layout.height = {height};"
        " Plotly.purge('place'); return Plotly.newPlot('place', f.data, f.layout,"
        " {staticPlot: true, displayModeBar: false}).then(() => true); })()"
    )
    return shown.photograph(width, height, scale)


def shown_range(axis: str) -> tuple[float, float]:
    """Return both ends of an axis of the figure that was drawn last."""
    low, high = _opened().value(f"document.getElementById('place')._fullLayout.{axis}.range")
    return low, high


@cache
def _opened() -> Page:
    spec = find_spec("plotly")
    assert spec is not None
    assert spec.origin is not None
    script = Path(spec.origin).parent / "package_data" / "plotly.min.js"
    opened = page("plotly")
    faces = "".join(map(font_face, FONTS))
    opened.show(f'<style>{faces} body {{ margin: 0 }}</style><div id="place"></div>')
    opened.value(
        f"document.fonts.forEach(font => font.load()), {script.read_text(encoding='utf-8')}; true"
    )
    return opened


def _plain(value: Any) -> Any:
    """Tuples and arrays of a figure as lists."""
    return value.tolist() if hasattr(value, "tolist") else list(value)
