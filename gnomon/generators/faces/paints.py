"""The colours that a description may name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator

from gnomon.generators.drawing.colours import (
    SHADES,
    Colour,
    Palette,
    blend,
    is_legible,
    rgb,
)  # fmt: skip
from gnomon.names import hint

# Colours that a palette gives: the dial, its print, other pointers, its pointer, its rim, the wall.
# contrast: nearly black or nearly white, whichever stands out from the floor. glass: nearly the
# floor. tint: half the pointer's colour, such as a liquid.
ROLES = ("floor", "ink", "hands", "pointer", "case", "ground", "faint", "contrast", "glass", "tint")
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
    if name == "glass":
        return blend(palette.floor, palette.ink, 0.13)
    if name == "tint":
        return blend(palette.floor, palette.second, 0.45)
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
    shade: tuple[int, int, int] = (0, 0, 0)
    """Levels to add to the red, green and blue of floor and ground."""

    def dress(self, palette: Palette) -> Palette:
        """Return the palette with these colours."""
        return _dressed(self, palette)


@lru_cache(maxsize=4096)
def _dressed(colours: BodyColours, palette: Palette) -> Palette:
    *names, shade = colours
    overrides = {
        role: name for role, name in zip(colours._fields, names, strict=False) if name is not None
    }
    full = _override(palette, overrides, shade)
    if is_legible(full):
        return full
    # Roles may be too pale in each other's colours: then they keep their own.
    own = {role: name for role, name in overrides.items() if name not in ROLES}
    plain = _override(palette, own, (0, 0, 0))
    return plain if is_legible(plain) else full


def _override(
    palette: Palette, overrides: Mapping[str, str], shade: tuple[int, int, int]
) -> Palette:
    parts: dict[str, Any] = {role: colour_of(name, palette) for role, name in overrides.items()}
    if any(shade):
        for role in ("floor", "ground"):
            colour = parts.get(role) or getattr(palette, role)
            parts[role] = tuple(
                min(255, max(0, part + by)) for part, by in zip(colour, shade, strict=True)
            )
    return replace(palette, **parts)


def _is_hex(name: str) -> bool:
    return len(name) == 6 and all(digit in "0123456789abcdefABCDEF" for digit in name)


Paint = Annotated[str, AfterValidator(check_paint)]
"""A colour: a role of the palette, a name such as red, or six hexadecimal digits."""
