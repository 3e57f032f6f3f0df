"""The colours that a description may name."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator

from gnomon.generators.drawing.colours import SHADES, Colour, Palette, blend, rgb
from gnomon.names import hint

# Colours that a palette gives: the dial, its print, its pointer, other pointers, its rim. contrast:
# nearly black or nearly white, whichever stands out from the floor.
ROLES = ("floor", "ink", "hands", "pointer", "case", "faint", "contrast")
_DARK, _BRIGHT = (20, 20, 20), (240, 240, 236)


def check_paint(name: str) -> str:
    """Refuse any text but a palette's role, a colour's name or six hexadecimal digits."""
    if name in ROLES or name in SHADES or _is_hex(name):
        return name
    raise ValueError(
        f"{name!r}: {hint(name, [*ROLES, *SHADES])}; or give six hexadecimal digits in quotes"
    )


def colour_of(name: str, palette: Palette) -> Colour:
    """Return the colour of a role, of a name, or of six hexadecimal digits."""
    if name == "pointer":
        return palette.second
    if name == "faint":
        return blend(palette.floor, palette.ink, 0.35)
    if name == "contrast":
        return _DARK if sum(palette.floor) > 384 else _BRIGHT
    if name in ROLES:
        colour: Colour = getattr(palette, name)
        return colour
    return SHADES[name][0] if name in SHADES else rgb(name)


class BodyColours(NamedTuple):
    """Colours of a body that replace colours of its palette. None keeps the palette's colour."""

    floor: str | None = None
    hands: str | None = None
    ink: str | None = None
    second: str | None = None
    case: str | None = None
    ground: str | None = None

    def dress(self, palette: Palette) -> Palette:
        """Return the palette with these colours."""
        return _dressed(self, palette)


@lru_cache(maxsize=4096)
def _dressed(colours: BodyColours, palette: Palette) -> Palette:
    overrides: dict[str, Any] = {
        role: colour_of(name, palette)
        for role, name in colours._asdict().items()
        if name is not None
    }
    return replace(palette, **overrides)


def _is_hex(name: str) -> bool:
    return len(name) == 6 and all(digit in "0123456789abcdefABCDEF" for digit in name)


Paint = Annotated[str, AfterValidator(check_paint)]
"""A colour: a role of the palette, a name such as red, or six hexadecimal digits."""
