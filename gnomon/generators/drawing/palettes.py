"""Colours of a clock, chosen so that the hands stand out from the floor under them.

colours.toml has those that come with gnomon. The user's own are read from files, and their names
are their colours, such as ffffff-101010-…: so a picture needs no file to be drawn again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from gnomon.generators.drawing.files import OwnFile

Colour: TypeAlias = tuple[int, int, int]
"""Red, green, blue on 0..255."""


@dataclass(frozen=True, slots=True)
class Palette:
    """One set of colours; the tests hold each to the contrasts below."""

    name: str
    family: str
    floor: Colour
    """The dial under the hands."""
    hands: Colour
    """Hour and minute hand: a contrast of at least 4.5 to the floor."""
    ink: Colour
    """Numerals and hour ticks: at least 4.5 to the floor."""
    second: Colour
    """The second hand: at least 3 to the floor."""
    case: Colour
    """The rim around the floor."""
    ground: Colour
    """What the clock hangs on."""


def contrast(one: Colour, other: Colour) -> float:
    """The ratio of relative luminances, 1 (same) to 21 (black on white), as WCAG 2 defines it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Colour) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
              for c in (part / 255 for part in colour)]  # fmt: skip
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def rgb(text: str) -> Colour:
    """The colour written as six hexadecimal digits."""
    return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)


TABLE = tomllib.loads(Path(__file__).with_name("colours.toml").read_text(encoding="utf-8"))
PALETTES = {
    name: Palette(name, family, *map(rgb, colours.split()))
    for family, palettes in TABLE["palettes"].items()
    for name, colours in palettes.items()
}
FAMILIES = tuple(TABLE["palettes"])
_ROLES = ("floor", "hands", "ink", "second", "case", "ground")
_LEAST = {"hands": 4.5, "ink": 4.5, "second": 3.0}
"""The contrast to the floor."""


def names(wanted: Sequence[str]) -> tuple[str, ...]:
    """Palettes by name, and by family: "dark" stands for all its palettes."""
    found = [
        name
        for one in wanted
        for name in ([p.name for p in PALETTES.values() if one in (p.name, p.family)] or [one])
    ]
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1024)
def palette(name: str) -> Palette:
    """The palette of that name, or of these colours."""
    return PALETTES.get(name) or Palette(name, "own", *map(rgb, name.split("-")))


def dial_colours(file: OwnFile) -> str:
    """The name of a dial's palette in a file; refused where what must be read would not be."""
    given = dict(_colours(file))
    if unknown := [role for role in given if role not in _ROLES]:
        raise ValueError(
            f"palettes: {file.path}: {unknown[0] or 'a colour without a name'}: a dial's colours"
            f" are named {', '.join(_ROLES)}, such as `floor #ffffff`"
        )
    if lacking := [role for role in ("floor", "hands") if role not in given]:
        raise ValueError(f"palettes: {file.path} has no {lacking[0]}: add `{lacking[0]} #101010`")
    given |= {role: given.get(role, given["hands"]) for role in ("ink", "second", "case")}
    given.setdefault("ground", given["floor"])
    for role, least in _LEAST.items():
        if (found := contrast(rgb(given[role]), rgb(given["floor"]))) < least:
            raise ValueError(
                f"palettes: {file.path}: {role} #{given[role]} has a contrast of {found:.1f} to the"
                f" floor #{given['floor']}: give one of {least} or more"
            )
    return "-".join(given[role] for role in _ROLES)


def series_colours(file: OwnFile) -> str:
    """The name of a chart's palette in a file: its colours in order."""
    given = _colours(file)
    if roles := [role for role, _ in given if role]:
        raise ValueError(
            f"palettes: {file.path}: {roles[0]}: a chart takes a plain list of colours"
        )
    return "-".join(colour for _, colour in given)


def _colours(file: OwnFile) -> list[tuple[str, str]]:
    """Colours of six hexadecimal digits, each with the word before it: a list, JSON or YAML."""
    found, role = [], ""
    for word in re.split(r"[\s,:;=\"'\[\]{}-]+", file.read().decode("utf-8-sig", "replace")):
        if re.fullmatch(r"#?[0-9a-fA-F]{6}", word):
            found.append((role, word.removeprefix("#").lower()))
            role = ""
        elif role or (word and not word.isidentifier()):
            raise ValueError(
                f"palettes: {file.path}: {word[:20]!r} is no colour: write six hexadecimal digits,"
                " such as #1f77b4"
            )
        else:
            role = word
    if role or not found:
        raise ValueError(
            f"palettes: {file.path}: {f'{role} has no colour' if role else 'no colours in it'}:"
            " write six hexadecimal digits, such as #1f77b4"
        )
    return found
