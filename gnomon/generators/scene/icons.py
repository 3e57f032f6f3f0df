"""Small pictures of things, of a few flat parts each, within 1 of the origin, y downwards."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from gnomon.generators.drawing.canvas import Points
from gnomon.generators.drawing.shapes import (  # fmt: skip
    arc,
    ellipse,
    heart,
    joined,
    mirrored,
    oblong,
    polygon,
    regular,
    star,
)

Tone: TypeAlias = Literal["main", "dark", "light"]
Part: TypeAlias = "tuple[Tone, list[Points]]"
"""What is filled with the thing's colour, a darker or a lighter one; inner contours are holes."""


def _house() -> list[Part]:
    return [
        ("main", [oblong(-0.72, -0.1, 0.72, 0.95)]),
        ("dark", [polygon((0, -0.95), (1, -0.02), (-1, -0.02))]),
        ("dark", [oblong(-0.18, 0.35, 0.18, 0.95)]),
        ("light", [oblong(-0.56, 0.25, -0.3, 0.52)]),
        ("light", [oblong(0.3, 0.25, 0.56, 0.52)]),
    ]


def _tree() -> list[Part]:
    crown = [(0.0, -1.0), (0.5, -0.36), (0.28, -0.36), (0.66, 0.14), (0.36, 0.14), (0.82, 0.66)]
    return [("dark", [oblong(-0.14, 0.6, 0.14, 1)]), ("main", [mirrored(crown)])]


def _car() -> list[Part]:
    body = joined([(-1, 0.3), (-0.96, 0.02), (-0.62, -0.06), (-0.36, -0.46), (0.34, -0.46)],
                  [(0.64, -0.06), (0.94, 0.02), (1, 0.3)])  # fmt: skip
    return [
        ("main", [body]),
        ("light", [polygon((-0.44, -0.08), (-0.27, -0.35), (-0.03, -0.35), (-0.03, -0.08))]),
        ("light", [polygon((0.07, -0.08), (0.07, -0.35), (0.28, -0.35), (0.46, -0.08))]),
        ("dark", [ellipse(-0.54, 0.3, 0.23)]),
        ("dark", [ellipse(0.54, 0.3, 0.23)]),
    ]


def _fish() -> list[Part]:
    body = joined(arc(0.15, 0, 0.85, 270, 450, 0.5), arc(0.15, 0, 0.85, 90, 270, 0.5))
    return [
        ("dark", [polygon((-0.5, 0), (-1, -0.48), (-0.9, 0), (-1, 0.48))]),
        ("main", [body]),
        ("light", [ellipse(0.6, -0.12, 0.11)]),
    ]


def _key() -> list[Part]:
    bit = polygon((-0.1, -0.13), (1, -0.13), (1, 0.42), (0.8, 0.42), (0.8, 0.13), (0.62, 0.13),
                  (0.62, 0.34), (0.42, 0.34), (0.42, 0.13), (-0.1, 0.13))  # fmt: skip
    return [("main", [bit]), ("main", [ellipse(-0.52, 0, 0.48), ellipse(-0.52, 0, 0.24)])]


def _mug() -> list[Part]:
    return [
        ("main", [ellipse(0.52, 0.04, 0.44, 0.46), ellipse(0.52, 0.04, 0.26, 0.28)]),
        ("main", [oblong(-0.9, -0.72, 0.52, 0.8, 0.12)]),
        ("dark", [oblong(-0.9, -0.72, 0.52, -0.5, 0.1)]),
    ]


def _umbrella() -> list[Part]:
    hem = joined(*(arc(x, 0.05, 0.25, 90, -90, 0.16) for x in (0.75, 0.25, -0.25, -0.75)))
    hook = joined(arc(0.21, 0.72, 0.28, 270, 90), arc(0.21, 0.72, 0.13, 90, 270))
    return [
        ("dark", [joined(hook, [(0.08, -0.9), (-0.07, -0.9)])]),
        ("main", [joined(arc(0, 0.05, 1, 270, 450, 0.95), hem)]),
    ]


def _boat() -> list[Part]:
    return [
        ("dark", [oblong(-0.06, -0.98, 0.06, 0.5)]),
        ("light", [polygon((0.12, -0.9), (0.86, 0.3), (0.12, 0.3))]),
        ("main", [polygon((-0.12, -0.7), (-0.12, 0.3), (-0.74, 0.3))]),
        ("main", [polygon((-1, 0.44), (1, 0.44), (0.66, 0.9), (-0.66, 0.9))]),
    ]


def _flower() -> list[Part]:
    flower: list[Part] = [("main", [ellipse(0.62 * x, 0.62 * y, 0.36)]) for x, y in regular(6)]
    return [*flower, ("dark", [ellipse(0, 0, 0.34)])]


def _cloud() -> list[Part]:
    puffs = [ellipse(-0.52, 0.16, 0.46), ellipse(-0.02, -0.18, 0.56), ellipse(0.54, 0.12, 0.45)]
    return [("main", [puff]) for puff in (*puffs, oblong(-0.6, 0.0, 0.6, 0.62, 0.1))]


def _bulb() -> list[Part]:
    glass = joined(arc(0, -0.32, 0.68, 220, 500), [(0.3, 0.4), (-0.3, 0.4)])
    return [
        ("main", [glass]),
        ("dark", [oblong(-0.28, 0.46, 0.28, 0.64, 0.06)]),
        ("dark", [oblong(-0.28, 0.7, 0.28, 0.88, 0.06)]),
        ("dark", [oblong(-0.12, 0.86, 0.12, 1.0)]),
    ]


def _envelope() -> list[Part]:
    return [
        ("main", [oblong(-1, -0.66, 1, 0.66, 0.06)]),
        ("dark", [polygon((-0.96, -0.66), (0.96, -0.66), (0, 0.16))]),
        ("light", [polygon((-0.86, -0.66), (0.86, -0.66), (0, 0.02))]),
    ]


def _flag() -> list[Part]:
    cloth = [(-0.62, -0.9), (0.0, -0.78), (0.4, -0.96), (0.95, -0.86), (0.95, 0.06), (0.4, -0.04),
             (0.0, 0.14), (-0.62, 0.02)]  # fmt: skip
    return [("main", [polygon(*cloth)]), ("dark", [oblong(-0.76, -1, -0.6, 1)])]


def _bell() -> list[Part]:
    side = [(0.0, -0.84), (0.3, -0.74), (0.5, -0.44), (0.56, 0.1), (0.86, 0.52), (0.86, 0.62)]
    return [
        ("dark", [ellipse(0, 0.66, 0.22)]),
        ("main", [ellipse(0, -0.84, 0.14)]),
        ("main", [mirrored(side)]),
        ("dark", [oblong(-0.86, 0.5, 0.86, 0.62)]),
    ]


def _leaf() -> list[Part]:
    blade = joined(arc(-0.62, 0.2, 1.2, 35, 89), arc(0.62, 0.2, 1.2, 271, 325))
    blade = joined([(0, -0.95)], *(np.array([(0.24, -0.66), (0.46, -0.3), (0.52, 0.06),
                                             (0.38, 0.4), (0.06, 0.66)]),))  # fmt: skip
    half = [(float(x), float(y)) for x, y in blade]
    return [("main", [mirrored(half)]), ("dark", [oblong(-0.04, -0.5, 0.04, 1)])]


def _apple() -> list[Part]:
    side = [(0.0, -0.5), (0.2, -0.58), (0.48, -0.56), (0.72, -0.38), (0.82, -0.06), (0.76, 0.32),
            (0.56, 0.7), (0.32, 0.9), (0.14, 0.92), (0.0, 0.86)]  # fmt: skip
    leaf = joined(arc(0.02, -0.98, 0.46, 90, 180, 0.4), arc(0.48, -0.58, 0.46, 270, 360, 0.4))
    return [
        ("dark", [polygon((-0.05, -0.48), (-0.02, -0.92), (0.1, -0.94), (0.06, -0.48))]),
        ("dark", [leaf]),
        ("main", [mirrored(side)]),
        ("light", [ellipse(-0.44, -0.14, 0.1, 0.18)]),
    ]


def _mushroom() -> list[Part]:
    return [
        ("light", [joined([(-0.3, 0.0), (0.3, 0.0)], arc(0, 0.72, 0.42, 90, 270, 0.24))]),
        ("main", [joined(arc(0, 0.1, 1, 270, 450, 0.98), arc(0, 0.1, 1, 90, -90 + 0, -0.14))]),
        ("light", [ellipse(-0.4, -0.3, 0.16)]),
        ("light", [ellipse(0.14, -0.56, 0.14)]),
        ("light", [ellipse(0.5, -0.2, 0.13)]),
    ]


def _rocket() -> list[Part]:
    side = [(0.0, -1.0), (0.24, -0.66), (0.36, -0.2), (0.32, 0.5)]
    return [
        ("dark", [polygon((0.28, 0.1), (0.72, 0.56), (0.7, 0.8), (0.24, 0.5))]),
        ("dark", [polygon((-0.28, 0.1), (-0.72, 0.56), (-0.7, 0.8), (-0.24, 0.5))]),
        ("light", [polygon((-0.18, 0.5), (0.18, 0.5), (0, 0.98))]),
        ("main", [mirrored(side)]),
        ("light", [ellipse(0, -0.2, 0.17)]),
    ]


def _hat() -> list[Part]:
    return [
        ("main", [ellipse(0, 0.42, 1, 0.26)]),
        ("main", [polygon((-0.56, 0.42), (-0.5, -0.68), (0.5, -0.68), (0.56, 0.42))]),
        ("dark", [polygon((-0.56, 0.36), (-0.54, 0.08), (0.54, 0.08), (0.56, 0.36))]),
    ]


def _bottle() -> list[Part]:
    side = [(0.16, -0.86), (0.16, -0.44), (0.4, -0.14), (0.42, 0.9), (0.34, 0.98)]
    return [
        ("main", [mirrored(side)]),
        ("dark", [oblong(-0.2, -1, 0.2, -0.84)]),
        ("light", [oblong(-0.42, 0.12, 0.42, 0.62)]),
    ]


def _lock() -> list[Part]:
    shackle = [
        joined(arc(0, -0.34, out, 270, 450, down), [(out, 0.1), (-out, 0.1)])
        for out, down in ((0.56, 0.6), (0.34, 0.38))
    ]
    return [
        ("dark", shackle),
        ("main", [oblong(-0.8, -0.12, 0.8, 0.96, 0.1)]),
        ("light", [ellipse(0, 0.34, 0.16)]),
        ("light", [polygon((-0.07, 0.4), (0.07, 0.4), (0.12, 0.7), (-0.12, 0.7))]),
    ]


def _gift() -> list[Part]:
    return [
        ("dark", [0.36 * heart() + np.array([0.0, -0.62])]),
        ("main", [oblong(-0.8, -0.1, 0.8, 0.95)]),
        ("main", [oblong(-0.94, -0.42, 0.94, -0.06)]),
        ("dark", [oblong(-0.15, -0.42, 0.15, 0.95)]),
    ]


def _medal() -> list[Part]:
    return [
        ("dark", [polygon((-0.6, -1), (-0.14, -1), (0.14, -0.1), (-0.3, -0.1))]),
        ("dark", [polygon((0.6, -1), (0.14, -1), (-0.14, -0.1), (0.3, -0.1))]),
        ("main", [ellipse(0, 0.36, 0.62)]),
        ("light", [0.36 * star() + np.array([0.0, 0.36])]),
    ]


def _butterfly() -> list[Part]:
    wings: list[Part] = []
    for side in (-1, 1):
        wings.append(("main", [ellipse(0.5 * side, -0.34, 0.46, 0.5)]))
        wings.append(("dark", [ellipse(0.42 * side, 0.44, 0.36, 0.38)]))
        wings.append(("light", [ellipse(0.54 * side, -0.38, 0.17, 0.19)]))
    return [*wings, ("dark", [ellipse(0, 0, 0.1, 0.76)])]


ICONS: dict[str, list[Part]] = {
    "apple": _apple(), "bell": _bell(), "boat": _boat(), "bottle": _bottle(), "bulb": _bulb(),
    "butterfly": _butterfly(), "car": _car(), "cloud": _cloud(), "envelope": _envelope(),
    "fish": _fish(), "flag": _flag(), "flower": _flower(), "gift": _gift(), "hat": _hat(),
    "house": _house(), "key": _key(), "leaf": _leaf(), "lock": _lock(), "medal": _medal(),
    "mug": _mug(), "mushroom": _mushroom(), "rocket": _rocket(), "tree": _tree(),
    "umbrella": _umbrella(),
}  # fmt: skip
"""Parts, the lowest first."""
