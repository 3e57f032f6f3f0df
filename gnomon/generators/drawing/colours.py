"""Palettes, named colours, and the distances between colours.

colours.toml has the shipped palettes. The user's palettes are read from files. Their names are
their colours, such as ffffff-101010-…, so a picture can be drawn again without the file.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from gnomon.files import read_toml
from gnomon.generators.user_files import UserFile

# Red, green, blue on 0..255.
Colour: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a clock or instrument. Tests check each against the contrasts in LEAST."""

    name: str
    floor: Colour
    """Dial under the hands."""
    hands: Colour
    """Hour and minute hand, with a contrast of at least 4.5 to the floor."""
    ink: Colour
    """Numerals and hour ticks, with a contrast of at least 4.5 to the floor."""
    second: Colour
    """Second hand, with a contrast of at least 3 to the floor."""
    case: Colour
    """Rim around the floor."""
    ground: Colour
    """Wall behind the clock."""


def contrast(first: Colour, second: Colour) -> float:
    """Compute the ratio of luminances, 1 (same) to 21 (black on white), as WCAG 2 defines it."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Colour) -> float:
    # From sRGB to linear light by IEC 61966-2-1, with the weights of Rec. 709.
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
              for c in (part / 255 for part in colour)]  # fmt: skip
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def is_legible(palette: Palette) -> bool:
    """Return True if everything that must be readable stands out from the floor."""
    floor = palette.floor
    return all(contrast(floor, getattr(palette, role)) >= least for role, least in LEAST.items())


def rgb(text: str) -> Colour:
    """Parse a colour of six hexadecimal digits."""
    return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)


TABLE = read_toml(__file__, "colours.toml")
PALETTES = {
    name: Palette(name, *map(rgb, colours.split()))
    for palettes in TABLE["palettes"].values()
    for name, colours in palettes.items()
}
FAMILIES = tuple(TABLE["palettes"])
_ROLES = ("floor", "hands", "ink", "second", "case", "ground")
# With the word before it, unless that is a colour.
_COLOUR = re.compile(r"(?:(?![0-9a-fA-F]{6}\b)\b([A-Za-z]+)[^\w#]+)?#?\b([0-9a-fA-F]{6})\b")
# Smallest contrast to the floor.
LEAST = {"hands": 4.5, "ink": 4.5, "second": 3.0}


def palette_names(entries: Sequence[str]) -> tuple[str, ...]:
    """Return the names of palettes, with families replaced by all their palettes."""
    families = TABLE["palettes"]
    return tuple(dict.fromkeys(name for entry in entries for name in families.get(entry, [entry])))


@lru_cache(maxsize=1024)
def palette(name: str) -> Palette:
    """Return the palette of this name, or of these colours."""
    return PALETTES.get(name) or Palette(name, *map(rgb, name.split("-")))


def dial_palette_name(file: UserFile) -> str:
    """Name the palette of a dial in a file. Refuse a palette whose dial would be unreadable."""
    colours = dict(_colours(file))
    if not {"floor", "hands"} <= colours.keys() <= {*_ROLES}:
        raise ValueError(
            f"palettes: {file.path}: a dial's colours are named {', '.join(_ROLES)}, such as"
            " `floor #ffffff`; floor and hands are needed"
        )
    colours |= {role: colours.get(role, colours["hands"]) for role in ("ink", "second", "case")}
    colours.setdefault("ground", colours["floor"])
    name = "-".join(colours[role] for role in _ROLES)
    if not is_legible(palette(name)):
        raise ValueError(
            f"palettes: {file.path}: hands and ink need a contrast of 4.5 or more to the"
            f" floor, #{colours['floor']}, and the second hand needs 3"
        )
    return name


def series_palette_name(file: UserFile) -> str:
    """Return the name of a chart's palette in a file: its colours in order."""
    colours = _colours(file)
    if roles := [role for role, _ in colours if role]:
        raise ValueError(
            f"palettes: {file.path}: {roles[0]}: a chart takes a plain list of colours"
        )
    return "-".join(colour for _, colour in colours)


def _colours(file: UserFile) -> list[tuple[str, str]]:
    """Return the colours of six hexadecimal digits, each with the word before it, from a list, JSON
    or YAML."""
    # utf-8-sig: files saved on Windows may begin with a byte order mark.
    text = file.read().decode("utf-8-sig", "replace")
    colours = [(role, colour.lower()) for role, colour in _COLOUR.findall(text)]
    # Anything that is neither a colour nor its role is a typo, such as five digits.
    rest = " ".join(re.findall(r"\w+", _COLOUR.sub("", text)))
    if rest or not colours:
        raise ValueError(
            f"palettes: {file.path}: {rest[:40]!r}: write colours of six hexadecimal digits, such"
            " as #1f77b4"
        )
    return colours


# Shades in which a named colour is drawn.
SHADES = {name: tuple(map(rgb, shades.split())) for name, shades in TABLE["shades"].items()}
COLOURS = tuple(SHADES)

_DEEP = tuple(map(rgb, TABLE["grounds"]["deep"].split()))
_GROUNDS = dict.fromkeys((*(palette.ground for palette in PALETTES.values()), *_DEEP))
# Distance in CIELAB from which a thing stands out from its ground.
VISIBLE = 26.0
# Distance in CIELAB between both sides of a visible outline: 25 levels of grey.
EDGE = 10.0
# Contrast of a text to its ground, as WCAG 2 asks for large letters.
READABLE = 3.0
# Largest change of a ground's brightness by its light (see _backdrop).
UNEVEN = 40


def difference(first: Colour, second: Colour) -> float:
    """Return the distance in CIELAB: 2 is just visible, black and white are 100 apart."""
    return float(np.linalg.norm(_lab(first) - _lab(second)))


# Cached like everything that follows from a ground. There are about sixty grounds.
@cache
def colours_visible_on(ground: Colour) -> tuple[str, ...]:
    """Return the colours that stand out from a ground under all of its light."""
    lit = _lit(ground)
    return tuple(
        name
        for name, shades in SHADES.items()
        if all(difference(shade, part) >= VISIBLE for shade in shades for part in lit)
    )


@cache
def grounds(colours: tuple[str, ...], least: int) -> tuple[Colour, ...]:
    """Return the grounds from which at least `least` of the colours stand out."""
    return tuple(g for g in _GROUNDS if len(set(colours_visible_on(g)) & set(colours)) >= least)


@cache
def colours_readable_on(ground: Colour) -> tuple[tuple[str, Colour], ...]:
    """Return the colours, each in its first shade, that are readable under all of the ground's
    light."""
    return tuple(
        (name, shades[0])
        for name, shades in SHADES.items()
        if all(contrast(shades[0], part) >= READABLE for part in _lit(ground))
    )


def _lit(ground: Colour) -> list[Colour]:
    return [lighten(ground, by) for by in range(-UNEVEN, UNEVEN + 1, 10)]


@cache
def text_grounds() -> tuple[Colour, ...]:
    """Return the grounds on which at least two colours are readable."""
    return tuple(g for g in _GROUNDS if len(colours_readable_on(g)) >= 2)


@lru_cache(maxsize=4096)
def ground_clear_of(edges: tuple[Colour, ...], ground: Colour, spread: int) -> Colour:
    """Shade the ground as little as possible so that each edge is visible under all of its light.

    With three clocks, such a ground may not exist. Then the least visible edge stands out as much
    as possible.
    """
    # Most grounds need no change.
    if _distances(np.array([ground]), edges, spread)[0] >= EDGE:
        return ground
    # Smallest changes first, so argmax takes the smallest sufficient change.
    by = np.array(sorted(range(-255, 256, 5), key=abs))
    every = np.clip(by[:, None] + ground, 0, 255)  # [shifts, 3]
    away = _distances(every, edges, spread)
    red, green, blue = every[np.minimum(away, EDGE).argmax()].tolist()
    return red, green, blue


def _distances(
    grounds: NDArray[Any], edges: tuple[Colour, ...], spread: int
) -> NDArray[np.float64]:
    """Return how far each ground, [grounds, 3], under all of its light is from the nearest edge."""
    lit = _labs((grounds + _light(spread)).clip(0, 255))  # [light, grounds, 3]
    away = lit[..., None, :] - _labs(np.array([edges]))
    distances: NDArray[np.float64] = np.sqrt((away * away).sum(-1).min((0, 2)))
    return distances


@cache
def _light(spread: int) -> NDArray[np.float64]:
    """Return levels from -spread to spread, [levels, 1, 1]."""
    # Every fourth level is accurate enough.
    return np.linspace(-spread, spread, 1 + spread // 4)[:, None, None]


def stand_out(pixels: NDArray[np.uint8], colours: Sequence[Colour], least: float) -> bool:
    """Return True if nearly all pixels, [..., 3], differ from each colour by `least` in CIELAB."""
    if not pixels.size:  # the edge lies beyond the picture
        return True
    labs = _labs(pixels.reshape(1, -1, 3))
    return all(
        _nearly_all(np.linalg.norm(labs - _lab(colour), axis=-1) >= least) for colour in colours
    )


def is_readable_on(
    pixels: NDArray[np.uint8], colours: Sequence[Colour], least: float = READABLE
) -> bool:
    """Return True if each colour has a contrast of `least` to nearly all pixels, [..., 3]."""
    part = pixels.reshape(-1, 3) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    light = linear @ (0.2126, 0.7152, 0.0722) + 0.05
    for colour in colours:
        # The contrast to white is 1.05 / (L + 0.05), so this is L + 0.05 of the colour.
        luminance = 21 * 0.05 / contrast(colour, (255, 255, 255))
        if not _nearly_all(np.maximum(light / luminance, luminance / light) >= least):
            return False
    return True


def _nearly_all(is_clear: NDArray[np.bool_]) -> bool:
    """Return True if 95 % are true. A dark leaf in a photograph does not hide anything."""
    return bool(is_clear.mean() >= 0.95)


def blend(first: Colour, second: Colour, share: float) -> Colour:
    """Mix a share of the other colour into the first."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def lighten(colour: Colour, by: int) -> Colour:
    """Make a colour lighter, or darker by a negative number."""
    red, green, blue = (min(255, max(0, part + by)) for part in colour)
    return red, green, blue


@cache
def _lab(colour: Colour) -> NDArray[np.float64]:
    lab: NDArray[np.float64] = _labs(np.array([[colour]]))[0, 0]
    return lab


def _labs(colours: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return the CIELAB values of a grid of colours, [rows, columns, 3]."""
    return np.asarray(cv2.cvtColor(colours.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float64)
