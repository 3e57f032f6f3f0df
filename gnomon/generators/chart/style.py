"""How a chart looks: its ground, lines, fonts and colours, some of them held out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import atan2, cos, degrees, exp, hypot, pi, radians, remainder, sin, sqrt
from typing import NamedTuple

import numpy as np

from gnomon.generators.chart.ink import RGB
from gnomon.generators.drawing.files import OwnFile
from gnomon.generators.drawing.fonts import largeness
from gnomon.generators.drawing.palettes import Colour, contrast
from gnomon.generators.rng import Rng


class Style(NamedTuple):
    """One way in which charts are set, as matplotlib's style sheets and other programs do it."""

    name: str
    page: str
    """The colour around the plot."""
    floor: str
    """The colour under the marks."""
    ink: str
    """Texts; a contrast of at least 4.5 to the page and to the floor."""
    frame: str
    """The lines around the plot."""
    grid: str
    sides: str
    """Where the plot has lines: l, b, r, t."""
    rules: str
    """Grid lines: v of the values, b of both, - of none."""
    dashed: str
    """Whether the grid is: yes or no."""
    ticks: str
    """out, in, or - for none."""
    edge: str
    """The line around marks: a colour, or - for none."""
    title: str
    """Its place: left or centre; bold or plain."""


#  name        page   floor  ink    frame  grid   sides rules dashed ticks edge title
_SEEN = """
    default    ffffff ffffff 000000 000000 b0b0b0 lbrt  -     no     out   -      centre-plain
    boxed      ffffff ffffff 101010 000000 b0b0b0 lbrt  b     yes    in    000000 centre-plain
    ggplot     ffffff e5e5e5 3a3a3a e5e5e5 ffffff -     b     no     out   eeeeee centre-plain
    bmh        ffffff eeeeee 262626 bcbcbc b2b2b2 lbrt  b     yes    in    eeeeee centre-plain
    article    f0f0f0 f0f0f0 2e2e2e f0f0f0 cbcbcb b     v     no     -     -      left-bold
    whitegrid  ffffff ffffff 262626 cccccc cccccc lbrt  v     no     -     ffffff centre-plain
    darkgrid   ffffff eaeaf2 262626 eaeaf2 ffffff -     b     no     -     ffffff centre-bold
    open       ffffff ffffff 262626 262626 e0e0e0 lb    -     no     out   -      centre-bold
    office     ffffff ffffff 404040 d0d0d0 d9d9d9 b     v     no     -     -      centre-plain
    dark       101014 101014 f0f0f0 d8d8d8 4a4a50 lbrt  -     no     out   -      centre-plain
    slate      1f2630 27303c e6ebf0 4a5666 3c4858 b     v     no     -     -      left-bold
    magazine   fbf7ef fbf7ef 2b2118 2b2118 d8ccb8 b     v     no     out   -      left-bold
    report     f7f9fb ffffff 1f2d3d 8795a5 dfe5eb lb    v     yes    out   -      left-plain
"""
_HELD_OUT = """
    solarized  fdf6e3 eee8d5 3f4f56 eee8d5 fdf6e3 -     b     no     out   eee8d5 centre-plain
    blueprint  12355b 12355b f2f6fa 9fb8d0 3a5f88 lbrt  b     yes    in    f2f6fa centre-bold
    newsprint  f4f1ea f4f1ea 000000 000000 bfb9ad b     -     no     out   000000 left-bold
    rose       fff5f6 fbe6e9 3c1a22 c9a5ad ffffff lb    b     no     -     ffffff centre-bold
"""
_COLOURS = {
    "tab10": "1f77b4 ff7f0e 2ca02c d62728 9467bd 8c564b e377c2 7f7f7f bcbd22 17becf",
    "ggplot": "e24a33 348abd 988ed5 777777 fbc15e 8eba42 ffb5b8",
    "bmh": "348abd a60628 7a68a6 467821 d55e00 cc79a7 56b4e9 009e73 f0e442 0072b2",
    "fivethirtyeight": "008fd5 fc4f30 e5ae38 6d904f 8b8b8b 810f7c",
    "colorblind": "0072b2 009e73 d55e00 cc79a7 f0e442 56b4e9 e69f00 4d4d4d",
    "deep": "4c72b0 dd8452 55a868 c44e52 8172b3 937860 da8bc3 8c8c8c ccb974 64b5cd",
    "muted": "4878d0 ee854a 6acc64 d65f5f 956cb4 8c613c dc7ec0 797979 d5bb67 82c6e2",
    "set1": "e41a1c 377eb8 4daf4a 984ea3 ff7f00 a65628 f781bf 999999",
    "dark2": "1b9e77 d95f02 7570b3 e7298a 66a61e e6ab02 a6761d 666666",
    "office": "4472c4 ed7d31 a5a5a5 ffc000 5b9bd5 70ad47 264478 9e480e",
    "petroff": "3f90da ffa90e bd1f01 94a4a2 832db6 a96b59 e76300 717581 92dadd",
    "viridis": "440154 3b528b 21918c 5ec962 d8c81c 31688e 35b779",
    "warm": "7f2704 d94801 fd8d3c 3f007d 807dba 08519c 4292c6",
    "earth": "6b4226 b5651d d9a441 5f7a30 2f5d72 a3b18a 84577c",
}
_COLOURS_HELD_OUT = {
    "retro": "0d3b66 f95738 ee964b 5f7a3c 7a306c 2a9d8f e9c46a",
    "berry": "6a0572 ab83a1 1f7a8c e05263 3d5a80 98c1d9 f29e4c",
    "garden": "386641 bc4749 6a994e 7f5539 1d3557 e76f51 a7c957",
}
_FONTS = {
    "sans": ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", 1.0),
    "serif": ("DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf", 1.0),
    "stix": ("STIXGeneral.ttf", "STIXGeneralBol.ttf", 1.2),
}
_FONTS_HELD_OUT = {
    "mono": ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf", 0.95),
    "oblique": ("DejaVuSans-Oblique.ttf", "DejaVuSans-BoldOblique.ttf", 1.0),
}
LEAST_CONTRAST = 2.0
"""Of a mark to the floor."""
LEAST_OF_TEXT = 4.5
"""Of a text to the page."""
APART = 12.0
"""The least CIEDE2000 between the colours of two series or parts."""
_PARTS = 8


def _styles(table: str) -> dict[str, Style]:
    return {
        style.name: style for style in (Style(*line.split()) for line in table.splitlines()[1:-1])
    }


STYLES = _styles(_SEEN)
STYLES_HELD_OUT = _styles(_HELD_OUT)
PALETTES = tuple(_COLOURS)
PALETTES_HELD_OUT = tuple(_COLOURS_HELD_OUT)
FONTS = tuple(_FONTS)
FONTS_HELD_OUT = tuple(_FONTS_HELD_OUT)
_ALL_COLOURS = _COLOURS | _COLOURS_HELD_OUT
_ALL_FONTS = _FONTS | _FONTS_HELD_OUT


class Look(NamedTuple):
    """A style with its colours and its font."""

    style: Style
    palette: str
    colours: tuple[RGB, ...]
    """Of the series, in order; each stands out from the floor."""
    font: str

    @property
    def page(self) -> RGB:
        """The colour around the plot."""
        return rgb(self.style.page)

    @property
    def floor(self) -> RGB:
        """The colour under the marks."""
        return rgb(self.style.floor)

    @property
    def ink(self) -> RGB:
        """The colour of texts."""
        return rgb(self.style.ink)

    @property
    def files(self) -> tuple[str, str, float]:
        """The font's file, its bold one, and by how much its size is raised."""
        if isinstance(self.font, OwnFile):
            return self.font, self.font, 1 / largeness(self.font)
        return _ALL_FONTS[self.font]


def look(rng: Rng, *, ood: bool, palettes: Sequence[str], fonts: Sequence[str]) -> Look:
    """A look by chance, its style of those that are held out or of the others."""
    style = rng.choice(tuple((STYLES_HELD_OUT if ood else STYLES).values()))
    palette = rng.choice(palettes)
    font = rng.choice(fonts)
    colours = coloured(palette, style.floor)
    first = rng.integer(0, len(colours) - 1)
    return Look(style, palette, colours[first:] + colours[:first], font)


@lru_cache
def coloured(palette: str, floor: str) -> tuple[RGB, ...]:
    """The palette's colours, darkened or lightened until they stand out from the floor.

    One too like those before it is left out; where the others are fewer than the parts of a pie,
    deeper shades of them follow.
    """
    ground = rgb(floor)
    away = readable_on(ground)
    own = [_seen_on(rgb(colour), ground) for colour in _written(palette).split()]
    shades = [mixed(colour, away, share) for share in (0.45, 0.25, 0.65) for colour in own]
    if palette not in _ALL_COLOURS:  # a user's may be few, and far from one another
        shades += [mixed(colour, away, 0.8) for colour in own]
        shades += [_seen_on(mixed(colour, ground, 0.5), ground) for colour in own]
    kept: list[RGB] = []
    for colour in own + shades:
        if len(kept) < max(_PARTS, len(own)) and all(apart(colour, k) >= APART for k in kept):
            kept.append(colour)
    return tuple(kept)


def check_palette(palette: str, path: str) -> None:
    """Refuse colours of which too few can be told apart on any of the grounds."""
    for style in (*STYLES.values(), *STYLES_HELD_OUT.values()):
        if (many := len(coloured(palette, style.floor))) < _PARTS:
            raise ValueError(
                f"palettes: {path}: with deeper shades of them, {many} of its colours can be told"
                f" apart on #{style.floor}, and charts need {_PARTS}: add colours"
            )


def _written(palette: str) -> str:
    return _ALL_COLOURS.get(palette) or palette.replace("-", " ")


def apart(one: RGB, other: RGB) -> float:
    """How far two colours lie from each other, by CIEDE2000: black and white are 100 apart."""
    import cv2

    return ciede2000(*cv2.cvtColor(np.array([[one, other]], np.float32), cv2.COLOR_RGB2LAB)[0])


def ciede2000(one: Iterable[float], other: Iterable[float]) -> float:
    """The difference of two colours in CIELAB (Sharma, Wu and Dalal, 2005, with its symbols)."""
    (l1, a1, b1), (l2, a2, b2) = map(float, one), map(float, other)
    c7 = ((hypot(a1, b1) + hypot(a2, b2)) / 2) ** 7
    g = 1.5 - sqrt(c7 / (c7 + 25**7)) / 2
    c1, c2 = hypot(g * a1, b1), hypot(g * a2, b2)
    h1, h2 = atan2(b1, g * a1), atan2(b2, g * a2)
    turn = remainder(h2 - h1, 2 * pi) if c1 and c2 else 0.0
    h = h1 + turn / 2 if c1 and c2 else h1 + h2
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    t = (1 - 0.17 * cos(h - pi / 6) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + radians(6))
         - 0.2 * cos(4 * h - radians(63)))  # fmt: skip
    around_blue = (degrees(h) % 360 - 275) / 25
    rotation = -2 * sqrt(mean_c**7 / (mean_c**7 + 25**7)) * sin(pi / 3 * exp(-(around_blue**2)))
    away = (mean_l - 50) ** 2
    lightness = (l2 - l1) / (1 + 0.015 * away / sqrt(20 + away))
    chroma = (c2 - c1) / (1 + 0.045 * mean_c)
    hue = 2 * sqrt(c1 * c2) * sin(turn / 2) / (1 + 0.015 * mean_c * t)
    return sqrt(lightness**2 + chroma**2 + hue**2 + rotation * chroma * hue)


@lru_cache(maxsize=512)
def rgb(text: str) -> RGB:
    """The colour written as six hexadecimal digits."""
    red, green, blue = (int(text[i : i + 2], 16) / 255 for i in (0, 2, 4))
    return red, green, blue


def ratio(one: RGB, other: RGB) -> float:
    """The contrast of two colours, 1 to 21."""
    return contrast(levels(one), levels(other))


def levels(colour: RGB) -> Colour:
    """The colour on 0..255."""
    red, green, blue = (round(255 * part) for part in colour)
    return red, green, blue


def readable_on(ground: RGB) -> RGB:
    """Black or white, whichever is read better there."""
    black, white = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    return max(black, white, key=lambda ink: ratio(ink, ground))


def mixed(one: RGB, other: RGB, share: float) -> RGB:
    """So much of the other colour in the one."""
    red, green, blue = ((1 - share) * a + share * b for a, b in zip(one, other, strict=True))
    return red, green, blue


def _seen_on(colour: RGB, floor: RGB) -> RGB:
    away = readable_on(floor)
    for step in range(20):
        found = mixed(colour, away, step / 20)
        if ratio(found, floor) >= LEAST_CONTRAST:
            return found
    return away
