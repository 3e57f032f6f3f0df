"""The foreign renderers by kind and name. None of them imports `gnomon.generators`."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.transfer import chromium, fonts

if TYPE_CHECKING:
    from benchmarks.transfer.asked import Drawn

INSTALL = "pip install -c constraints.txt --group transfer   (or: make transfer)"
_SHARED = ("asked", "fonts")
_BROWSERS = ("chromium", "plotly_page")
_DEBIAN = {"gnuplot": "gnuplot-nox", "R": "r-cran-ggplot2"}
"""Debian packages of the programs that draw."""


@dataclass(frozen=True)
class Renderer:
    """A source of foreign pictures, and what it needs."""

    kind: str
    name: str
    title: str
    """In the table."""
    module: str
    packages: tuple[str, ...] = ()
    browser: bool = False
    function: str = "draw"
    program: str = ""
    """Program on the path that draws."""

    @property
    def designs(self) -> tuple[str, ...]:
        """What takes turns, index by index."""
        designs: tuple[str, ...] = self._imported.DESIGNS
        return designs

    @property
    def missing(self) -> str:
        """What is not here, with the way out; empty where nothing is missing."""
        lacking = [name for name in self.packages if find_spec(name) is None]
        if lacking:
            return f"{self.name}: no {', '.join(lacking)} here: {INSTALL}"
        if self.browser and chromium.found() is None:
            named = ", ".join(chromium.NAMES)
            return f"{self.name}: no Chromium on the path ({named}): apt-get install chromium"
        if self.program and shutil.which(self.program) is None:
            package = _DEBIAN[self.program]
            return f"{self.name}: no {self.program} on the path: apt-get install {package}"
        return ""

    def draw(self, index: int) -> Drawn:
        """A picture, its question and its answer."""
        drawn: Drawn = getattr(self._imported, self.function)(index)
        return drawn

    @property
    def digest(self) -> str:
        """Of the code that draws, so that pictures of another version are never taken for these."""
        here = Path(__file__).parent
        names = (self.module, *_SHARED, *(_BROWSERS if self.browser else ()))
        code = [(here / f"{name}.py").read_bytes() for name in names]
        return sha256(b"\0".join(code)).hexdigest()[:8]

    @property
    def _imported(self) -> Any:
        return import_module(f"{__package__}.{self.module}")


_RESVG = ("resvg_py", *fonts.PACKAGES)
_PLOTLY = ("plotly", *fonts.PACKAGES)
_RENDERERS = (
    Renderer("clock", "clock_matplotlib", "matplotlib script", "clock_matplotlib"),
    Renderer(
        "clock",
        "clock_matplotlib_seconds",
        "matplotlib script, red second hand",
        "clock_matplotlib",
        function="draw_seconds",
    ),
    Renderer("clock", "clock_svg", "SVG by resvg", "clock_svg", _RESVG),
    Renderer(
        "clock", "clock_css", "HTML and CSS in Chromium", "clock_css", fonts.PACKAGES, browser=True
    ),
    Renderer(
        "clock",
        "clock_traced",
        "ray-traced by Mitsuba",
        "clock_traced",
        ("mitsuba", *fonts.PACKAGES),
    ),
    Renderer(
        "chart",
        "chart_seaborn",
        "pandas, seaborn, style sheets",
        "chart_seaborn",
        ("pandas", "seaborn"),
    ),
    Renderer("chart", "chart_vega", "Vega-Lite", "chart_vega", ("vl_convert",)),
    Renderer("chart", "chart_plotly", "Plotly in Chromium", "chart_plotly", _PLOTLY, browser=True),
    Renderer(
        "chart", "chart_gnuplot", "gnuplot", "chart_gnuplot", fonts.PACKAGES, program="gnuplot"
    ),
    Renderer("chart", "chart_pygal", "pygal", "chart_pygal", ("pygal", *_RESVG)),
    Renderer("chart", "chart_ggplot", "ggplot2 in R", "chart_ggplot", fonts.PACKAGES, program="R"),
    Renderer("gauge", "gauge_svg", "SVG by resvg", "gauge_svg", _RESVG),
    Renderer(
        "gauge",
        "gauge_plotly",
        "Plotly's indicators in Chromium",
        "gauge_plotly",
        _PLOTLY,
        browser=True,
    ),
)
RENDERERS = {renderer.name: renderer for renderer in _RENDERERS}
KINDS = tuple(dict.fromkeys(renderer.kind for renderer in _RENDERERS))


def of(kind: str) -> tuple[Renderer, ...]:
    """Those of a kind, in the order of the table."""
    return tuple(renderer for renderer in _RENDERERS if renderer.kind == kind)
