"""Styles of charts: grounds, lines, fonts and colours. Some of them are held out. styles.toml lists
them."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import atan2, cos, degrees, exp, hypot, pi, radians, remainder, sin, sqrt
from typing import NamedTuple

import numpy as np

from gnomon.files import read_toml
from gnomon.generators.chart.pen import RGB
from gnomon.generators.drawing.colours import Colour, contrast
from gnomon.generators.drawing.lettering import relative_size
from gnomon.generators.rng import Rng
from gnomon.generators.user_files import UserFile


class ChartStyle(NamedTuple):
    """Style of charts, like matplotlib's style sheets and the styles of other programs."""

    name: str
    page: RGB
    """Colour around the plot."""
    floor: RGB
    """Colour under the marks."""
    ink: RGB
    """Colour of texts, with a contrast of at least 4.5 to the page and to the floor."""
    frame: RGB
    """Colour of the lines around the plot."""
    grid: RGB
    sides: str
    """Sides of the plot with lines: l, b, r, t."""
    rules: str
    """Grid lines: v for the values, m for the values and between them, b for both axes, - for no
    lines."""
    dashed: str
    """Dashes in the grid: yes or no."""
    ticks: str
    """out, in, both for ticks inwards at opposite sides, or - for no ticks."""
    edge: str
    """Line around marks: a colour, or - for no line."""
    title: str
    """Place and weight of the title: left or centre; bold or plain."""
    extra: str = ""
    """sketch: drawn by hand. A colour: a tag of this colour in the upper left corner."""


def rgb(text: str) -> RGB:
    """Parse a colour of six hexadecimal digits."""
    red, green, blue = (int(text[i : i + 2], 16) / 255 for i in (0, 2, 4))
    return red, green, blue


def _style(name: str, *line: str) -> ChartStyle:
    page, floor, ink, frame, grid = map(rgb, line[:5])
    return ChartStyle(name, page, floor, ink, frame, grid, *line[5:])


# Smallest contrast of a mark to the floor.
LEAST_CONTRAST = 2.0
# Smallest contrast of a text to the page.
LEAST_OF_TEXT = 4.5
# Smallest CIEDE2000 distance between the colours of two series or parts.
APART = 12.0
_PARTS = 8


_TABLE = read_toml(__file__, "styles.toml")
STYLES, STYLES_HELD_OUT = (
    {name: _style(name, *line.split()) for name, line in _TABLE[part]["styles"].items()}
    for part in ("seen", "held_out")
)
PALETTES, PALETTES_HELD_OUT = (tuple(_TABLE[part]["palettes"]) for part in ("seen", "held_out"))
HOUSE = {name: _style(name, *line.split()) for name, line in _TABLE["house"]["styles"].items()}
NAMES = (*STYLES, *HOUSE)
FONTS, FONTS_HELD_OUT = (tuple(_TABLE[part]["fonts"]) for part in ("seen", "held_out"))
_COLOURS: dict[str, str] = _TABLE["seen"]["palettes"] | _TABLE["held_out"]["palettes"]
_FONTS = _TABLE["seen"]["fonts"] | _TABLE["held_out"]["fonts"]


class ChartLook(NamedTuple):
    """Style with its colours and its font."""

    style: ChartStyle
    palette: str
    colours: tuple[RGB, ...]
    """Colours of the series, in order. Each stands out from the floor."""
    font: str

    @property
    def files(self) -> tuple[str, str, float]:
        """The file of the font, its bold file, and the factor of its size."""
        if isinstance(self.font, UserFile):
            return self.font, self.font, 1 / relative_size(self.font)
        plain, bold, larger = _FONTS[self.font]
        return plain, bold, larger


def random_look(
    rng: Rng, palettes: Sequence[str], fonts: Sequence[str], names: Sequence[str]
) -> ChartLook:
    """Draw a look in one of the named styles."""
    style = (STYLES | STYLES_HELD_OUT | HOUSE)[rng.choice(names)]
    palette = rng.choice(palettes)
    font = rng.choice(fonts)
    colours = colours_on(palette, style.floor)
    # Charts of one series have any colour of their palette, not always the first.
    first = rng.integer(0, len(colours) - 1)
    return ChartLook(style, palette, colours[first:] + colours[:first], font)


@lru_cache
def colours_on(palette: str, floor: RGB) -> tuple[RGB, ...]:
    """Darken or lighten the colours of the palette until they stand out from the floor.

    A colour that is too similar to earlier colours is left out. If fewer remain than a pie has
    parts, deeper shades follow.
    """
    away = readable_on(floor)
    # A user's palette is the text of its colours, joined by hyphens.
    written = _COLOURS.get(palette) or palette.replace("-", " ")
    colours = [_visible_on(rgb(colour), floor) for colour in written.split()]
    shades = [mixed(colour, away, share) for share in (0.45, 0.25, 0.65) for colour in colours]
    if palette not in _COLOURS:  # a user's may be few, and far from one another
        shades += [mixed(colour, away, 0.8) for colour in colours]
        shades += [_visible_on(mixed(colour, floor, 0.5), floor) for colour in colours]
    chosen: list[RGB] = []
    for colour in colours + shades:
        if len(chosen) < max(_PARTS, len(colours)) and all(
            colour_distance(colour, k) >= APART for k in chosen
        ):
            chosen.append(colour)
    return tuple(chosen)


def check_palette(palette: str, path: str) -> None:
    """Refuse a palette if too few of its colours are distinguishable on any of the grounds."""
    for style in (*STYLES.values(), *STYLES_HELD_OUT.values(), *HOUSE.values()):
        if (many := len(colours_on(palette, style.floor))) < _PARTS:
            raise ValueError(
                f"palettes: {path}: with deeper shades of them, {many} of its colours can be told"
                f" apart in the style {style.name}, and charts need {_PARTS}: add colours"
            )


def colour_distance(first: RGB, second: RGB) -> float:
    """Return the CIEDE2000 distance of two colours. Black and white are 100 apart."""
    import cv2

    return ciede2000(*cv2.cvtColor(np.array([[first, second]], np.float32), cv2.COLOR_RGB2LAB)[0])


def ciede2000(first: Iterable[float], second: Iterable[float]) -> float:
    """Compute the CIEDE2000 difference (Sharma, Wu and Dalal, 2005, with its symbols)."""
    (l1, a1, b1), (l2, a2, b2) = map(float, first), map(float, second)
    # Colours that are nearly grey are spread along a*.
    c7 = ((hypot(a1, b1) + hypot(a2, b2)) / 2) ** 7
    g = 1.5 - sqrt(c7 / (c7 + 25**7)) / 2
    c1, c2 = hypot(g * a1, b1), hypot(g * a2, b2)
    h1, h2 = atan2(b1, g * a1), atan2(b2, g * a2)
    # The shorter way round the circle of hues. Grey does not have a hue.
    turn = remainder(h2 - h1, 2 * pi) if c1 and c2 else 0.0
    h = h1 + turn / 2 if c1 and c2 else h1 + h2
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    t = (1 - 0.17 * cos(h - pi / 6) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + radians(6))
         - 0.2 * cos(4 * h - radians(63)))  # fmt: skip
    # Blues, at hues around 275°, are turned towards purple before they are compared.
    around_blue = (degrees(h) % 360 - 275) / 25
    rotation = -2 * sqrt(mean_c**7 / (mean_c**7 + 25**7)) * sin(pi / 3 * exp(-(around_blue**2)))
    away = (mean_l - 50) ** 2
    lightness = (l2 - l1) / (1 + 0.015 * away / sqrt(20 + away))
    chroma = (c2 - c1) / (1 + 0.045 * mean_c)
    hue = 2 * sqrt(c1 * c2) * sin(turn / 2) / (1 + 0.015 * mean_c * t)
    return sqrt(lightness**2 + chroma**2 + hue**2 + rotation * chroma * hue)


def ratio(first: RGB, second: RGB) -> float:
    """Return the contrast of two colours, 1 to 21."""
    return contrast(levels(first), levels(second))


def levels(colour: RGB) -> Colour:
    """Convert a colour to 0..255."""
    red, green, blue = (round(255 * part) for part in colour)
    return red, green, blue


def readable_on(ground: RGB) -> RGB:
    """Return white if it is readable on the ground, otherwise black."""
    black, white = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    return white if ratio(white, ground) >= 3.5 else black


def mixed(first: RGB, second: RGB, share: float) -> RGB:
    """Mix a share of the second colour into the first."""
    red, green, blue = ((1 - share) * a + share * b for a, b in zip(first, second, strict=True))
    return red, green, blue


def _visible_on(colour: RGB, floor: RGB) -> RGB:
    away = readable_on(floor)
    # In twentieths towards white or black, only as far as necessary.
    shades = (mixed(colour, away, step / 20) for step in range(20))
    return next((shade for shade in shades if ratio(shade, floor) >= LEAST_CONTRAST), away)
