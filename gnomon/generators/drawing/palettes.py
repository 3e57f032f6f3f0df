"""Colours of a clock, chosen so that the hands stand out from the floor under them.

The user's own are read from files. Their names are their colours, such as ffffff-101010-…: so a
picture needs no file to be drawn again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
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


#  name         floor    hands    ink      second   case     ground
_TABLE = {
    "plain": """
        white       ffffff  101010  101010  c01818  202020  e6e6e6
        paper       fafaf5  141414  202020  b02020  3a3a3a  d9dde0
        ivory       fbf6e6  1a1612  2a231c  a82a1c  4a4036  e9e2d2
        chalk       f4f6f7  0c1014  1c2226  b8242c  5a6268  cfd6da
        linen       f8f1e8  17120e  2b241e  a33a1a  6b5a4a  ded3c4
        snow        f7fbff  0a0e14  14202c  c2203a  2c3c50  dbe6f0
        pearl       f2f0ec  181818  242424  9c2a2a  8a8680  c8c4bc
        milk        fdfdf8  121212  1a1a1a  b4301e  9a9a96  eef0ea
        frost       eef4f6  0e1618  162428  b02434  46606a  c4d2d8
        shell       fbf2ee  1a1010  2c1c1a  b02a3a  7a5a54  ecdcd6
        fog         e9ecee  0e1012  1c2024  a41c28  34383c  b8c0c6
        oat         f3ecdc  16120a  28200f  9c3414  584a30  d2c6ac
    """,
    "light": """
        cream       f6ecc9  3a1f12  5a3420  b0321e  7a4a28  8fa3a0
        mint        d8f0e2  0f3b2c  14503c  b0244a  2f6f58  f2e8d8
        sky         d6eaf8  102a4c  18406e  b82828  27507c  f4ead6
        rose        f8dfe0  4a1024  6a1c36  2a4a7a  8c3a50  dfe6da
        sand        ead9b5  3b2a14  4e3a1e  8e2a14  6e5630  a9bcc4
        lilac       e6def4  2c1a4e  3e2a68  a8243a  5c4690  e6ecd0
        apricot     fbdcbc  472006  64300c  244a86  a0561e  c2d4d0
        lime        e8f2c4  263408  384a10  a42a2a  5a7418  d8cce0
        silver      d3d7da  15181b  23282c  9a1420  777d83  3c4248
        butter      fbefa6  33290a  4a3c10  ac281a  8a7018  6c86a0
        ice         d9f1f4  0b3038  12454f  a81e4e  3a7e8a  544a5c
        parchment   eddcb8  2e1c0c  4a2f16  8a1c1c  5c3a1c  3d4a3e
    """,
    "dark": """
        black       101010  f4f4f4  e2e2e2  ff5a4a  3c3c3c  c9c9c9
        midnight    101a34  f2f4fa  cdd8f0  ffb03a  2c3c68  dfe3ea
        forest      0f2a1e  f1ecd8  d6dcc0  ff9a5a  27503c  c9c3b0
        wine        3a0e18  f8ead8  ecc9b0  ffc24a  6a2434  d8cdc6
        slate       232c34  eef2f4  c4ced6  ff7a5a  4c5a66  9aa6ae
        coffee      2c1a10  f6e6c8  dcc09a  ff9440  5a3a26  e3d8c8
        plum        281434  f4e8fa  d8c0e8  8ae8c0  50306a  bcb0c4
        petrol      08303a  eaf6f4  b4dcd8  ffb454  1c5866  e8e0d0
        carbon      1a1c1e  ffd24a  e8c868  ff6a5a  50545a  44484e
        neon        0c0e18  5affc8  48d8b0  ff6ab0  24283c  1c1f30
        amber       1c1208  ffb43c  e09a30  fff0d0  4a3418  6a5640
        ruby        1a0a0e  ff8a8a  f0a0a0  ffe27a  5c1c28  b8a4a8
    """,
    "colour": """
        tomato      c23a24  ffffff  fff0e4  ffe070  7a1c10  e8e0cc
        cobalt      1f4fa8  ffffff  e4ecff  ffd23c  10306c  e4d8c0
        emerald     0f6b48  ffffff  e0f6e8  ffd860  084430  d8d0e4
        violet      5a34a0  ffffff  ece4ff  ffd46a  381e6c  d4e0cc
        teal        0d6a70  ffffff  dcf6f6  ffcf5a  08444a  ecd8cc
        brick       8e3a28  fff6e8  ffe6d0  ffd870  54201a  b9c8c4
        sunflower   fcc21c  1c1404  2c2008  8c1c14  7a5a08  3c5a78
        tangerine   f88a24  180c02  241404  4c0c3c  8a4408  d0e4ea
        turquoise   42cbc0  04201e  06302c  7c0c28  146a64  f4dcd0
        pink        f49ab8  2a0614  3c0c20  183c74  a83c68  d8ecdc
        sage        9cb88e  10200a  182c10  681414  4c6a3e  efe4d6
        denim       7fa6d0  06162a  0c223e  640c1c  30568a  f0ead8
    """,
}


def _palettes() -> dict[str, Palette]:
    rows = [(family, *line.split()) for family, table in _TABLE.items()
            for line in table.strip().splitlines()]  # fmt: skip
    return {name: Palette(name, family, *map(_rgb, colours)) for family, name, *colours in rows}


def _rgb(text: str) -> Colour:
    return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)


PALETTES = _palettes()
FAMILIES = tuple(_TABLE)
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
    return PALETTES.get(name) or Palette(name, "own", *map(_rgb, name.split("-")))


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
        if (found := contrast(_rgb(given[role]), _rgb(given["floor"]))) < least:
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
