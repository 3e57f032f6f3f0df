"""Instruments written by hand in SVG, drawn by resvg: five designs."""

from __future__ import annotations

from decimal import Decimal
from io import BytesIO
from math import cos, radians, sin
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from PIL import Image

from benchmarks.transfer.asked import gauge, number, plain, rng_of
from benchmarks.transfer.fonts import FONTS, font_file

if TYPE_CHECKING:
    from benchmarks.transfer.asked import Drawn


class Scale(NamedTuple):
    """A graduation, in whole numbers of its smallest ticks."""

    unit: str
    low: Decimal
    tick: Decimal
    labels: int
    """Ticks from label to label."""
    ticks: int
    """From one end to the other."""

    def at(self, place: float) -> Decimal:
        """The value so many ticks from the lower end."""
        return self.low + self.tick * Decimal(str(place))


def _scale(text: str) -> Scale:
    unit, low, high, tick, labels = text.split()
    ticks = (Decimal(high) - Decimal(low)) / Decimal(tick)
    return Scale(unit, Decimal(low), Decimal(tick), int(labels), int(ticks))


#                 unit low high tick ticks-a-label
_PRESSURE = [
    _scale(t)
    for t in (
        "bar 0 10 0.2 5",
        "bar 0 2.5 0.1 5",
        "psi 0 60 2 5",
        "kPa 0 200 5 4",
        "MPa 0 1.6 0.1 2",
    )
]
_SPEED = [
    _scale(t) for t in ("km/h 0 220 10 2", "km/h 0 160 5 4", "mph 0 120 5 2", "rpm 0 8000 500 2")
]
_PANEL = [_scale(t) for t in ("V 0 15 0.5 6", "A 0 10 0.5 4", "mA 0 50 2 5", "V 0 300 10 5")]
_THERMO = [_scale(t) for t in ("°C -20 40 2 5", "°C 0 50 1 10", "°F 0 110 5 2", "°C 34 42 0.2 5")]
_LEVEL = [_scale(t) for t in ("% 0 100 5 4", "litres 0 60 2 5", "m 0 5 0.25 4")]


def draw(index: int) -> Drawn:
    """Design after design; readings on ticks and half-way between two."""
    import resvg_py

    rng = rng_of("gauge_svg", index)
    design = DESIGNS[index % len(DESIGNS)]
    drawn, scales, name = _DESIGNS[design]
    scale = rng.choice(scales)
    place = rng.randint(1, 2 * scale.ticks) / 2
    svg = drawn(rng, scale, place)
    png = resvg_py.svg_to_bytes(
        svg_string=f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-120 -120 240 240">{svg}</svg>',
        width=rng.choice((160, 224, 320, 448)),
        skip_system_fonts=True,
        font_files=[str(font_file(name)) for name in FONTS],
    )
    image = Image.open(BytesIO(bytes(png))).convert("RGB")
    return (
        image,
        gauge(rng, name, scale.unit),
        number(scale.at(place), (scale.at(0), scale.at(scale.ticks))),
    )


def _round(rng: Random, scale: Scale, place: float) -> str:
    """A pressure gauge of a boiler: 270 degrees, a black needle with a tail, a brass or steel case."""
    case = rng.choice(("#b08d3c", "#8b929a", "#25282c", "#b3261e"))
    start, sweep, ink = -135.0, 270.0, rng.choice(("#111", "#1d2a44"))
    parts = [
        _ground(rng.choice(("#e9e6e0", "#c5cbd0", "#5b6770"))),
        f'<circle r="113" fill="{case}"/><circle r="101" fill="#fdfdfa"/>',
    ]
    red = rng.random() < 0.4
    if red:
        parts.append(_arc(start + sweep * 0.8, start + sweep, 92, "#d33", 6))
    parts += _dial(
        scale, start, sweep, 96, ink, rng.choice(("Roboto", "Hanken Grotesk")), size=15, inward=True
    )
    parts.append(
        f'<text y="52" font-family="Roboto" font-size="15" text-anchor="middle" fill="{ink}">{scale.unit}</text>'
    )
    turn = start + sweep * place / scale.ticks
    needle = rng.choice(("#111", "#c1121f"))
    parts.append(
        _turned(turn, f'<polygon points="-3.5,28 3.5,28 1.2,-84 -1.2,-84" fill="{needle}"/>')
    )
    return "".join((*parts, '<circle r="9" fill="#444"/><circle r="3" fill="#aaa"/>'))


def _speedometer(rng: Random, scale: Scale, place: float) -> str:
    """A car's: dark, an arc of light strokes, a red needle that begins away from the middle."""
    accent = rng.choice(("#ff3b30", "#ff9f0a", "#32d1ff"))
    start, sweep = -120.0, 240.0
    parts = [
        _ground("#0c0d10"),
        '<circle r="114" fill="#16181d" stroke="#3a3f47" stroke-width="4"/>',
    ]
    parts.append(_arc(start, start + sweep, 100, rng.choice(("#2f3640", "#e8eaed")), 2))
    parts += _dial(
        scale,
        start,
        sweep,
        100,
        "#f1f3f5",
        rng.choice(("Roboto", "Hanken Grotesk")),
        size=15 if scale.at(scale.ticks) < 1000 else 12,
        inward=True,
    )
    parts.append(
        f'<text y="48" font-family="Roboto" font-size="14" text-anchor="middle" fill="#aab">{scale.unit}</text>'
    )
    parts.append(
        _turned(
            start + sweep * place / scale.ticks,
            f'<polygon points="-3.2,0 3.2,0 1,-92 -1,-92" fill="{accent}"/>',
        )
    )
    return "".join((*parts, '<circle r="16" fill="#22252b" stroke="#4a4f57" stroke-width="2"/>'))


def _panel(rng: Random, scale: Scale, place: float) -> str:
    """A panel meter: a square box, an arc of 90 degrees over a pivot below."""
    box, paper = rng.choice((("#222", "#f8f5ea"), ("#555b61", "#ffffff"), ("#14213d", "#eef2f6")))
    start, sweep = -45.0, 90.0
    parts = [_ground("#cdd2d6"), f'<rect x="-112" y="-100" width="224" height="200" rx="8" fill="{box}"/>',
             f'<rect x="-100" y="-88" width="200" height="134" fill="{paper}"/>']  # fmt: skip
    dial = _arc(start, start + sweep, 104, "#222", 1.4) + "".join(
        _dial(scale, start, sweep, 104, "#222", "Roboto", size=13, inward=False)
    )
    turn = start + sweep * place / scale.ticks
    hand = _turned(
        turn,
        f'<line y1="-24" y2="-112" stroke="{rng.choice(("#111", "#b00020"))}" stroke-width="1.8"/>',
    )
    parts.append(f'<g transform="translate(0 66)">{dial}{hand}</g>')
    parts.append(f'<rect x="-100" y="46" width="200" height="42" fill="{box}"/>')
    return "".join(
        (
            *parts,
            f'<text y="22" font-family="Source Serif Pro" font-size="22" font-weight="bold" text-anchor="middle" fill="#222">{scale.unit}</text>',
        )
    )


def _thermometer(rng: Random, scale: Scale, place: float) -> str:
    """A column in a glass tube with the scale at one side."""
    board, ink = rng.choice((("#ffffff", "#222"), ("#f3e3c3", "#3b2a1a"), ("#e3f0f7", "#16324a")))
    liquid = rng.choice(("#d62828", "#1d6fd1"))
    low, high, side = 78.0, -98.0, rng.choice((1, -1))
    y = low + (high - low) * place / scale.ticks
    parts = [_ground("#d9d9d4"), f'<rect x="-52" y="-116" width="104" height="232" rx="14" fill="{board}"/>',
             '<rect x="-7" y="-106" width="14" height="200" rx="7" fill="#fff" stroke="#999"/>',
             f'<circle cy="96" r="14" fill="{liquid}"/>',
             f'<rect x="-4" y="{y:.2f}" width="8" height="{96 - y:.2f}" fill="{liquid}"/>']  # fmt: skip
    for tick in range(scale.ticks + 1):
        at, long = low + (high - low) * tick / scale.ticks, tick % scale.labels == 0
        parts.append(
            f'<line x1="{9 * side}" x2="{(22 if long else 15) * side}" y1="{at:.2f}" y2="{at:.2f}" stroke="{ink}" stroke-width="1"/>'
        )
        if long:
            anchor = "start" if side > 0 else "end"
            parts.append(
                f'<text x="{25 * side}" y="{at + 4.3:.2f}" font-family="Hanken Grotesk" font-size="12" text-anchor="{anchor}" fill="{ink}">{_written(scale.at(tick))}</text>'
            )
    parts.append(
        f'<text x="{-30 * side}" y="-96" font-family="Hanken Grotesk" font-size="14" text-anchor="middle" fill="{ink}">{scale.unit}</text>'
    )
    return "".join(parts)


def _slider(rng: Random, scale: Scale, place: float) -> str:
    """A flat level gauge of a control room's screen: a filled bar, or a triangle at a rule."""
    dark = rng.random() < 0.5
    ground, ink, bar = (
        ("#1b222b", "#dfe6ee", "#39d98a") if dark else ("#ffffff", "#30363d", "#2f81f7")
    )
    left, right = -96.0, 96.0
    x = left + (right - left) * place / scale.ticks
    parts = [_ground(ground), f'<text y="-52" font-family="Roboto" font-size="18" text-anchor="middle" fill="{ink}">Level, {scale.unit}</text>',
             f'<rect x="{left}" y="-30" width="{right - left}" height="34" fill="{"#2c3641" if dark else "#e6ebf1"}"/>']  # fmt: skip
    if rng.random() < 0.5:
        parts.append(f'<rect x="{left}" y="-30" width="{x - left:.2f}" height="34" fill="{bar}"/>')
    else:
        parts.append(
            f'<polygon points="{x:.2f},4 {x - 8:.2f},-12 {x + 8:.2f},-12" fill="{bar}"/><line x1="{x:.2f}" x2="{x:.2f}" y1="-30" y2="4" stroke="{bar}" stroke-width="2"/>'
        )
    for tick in range(scale.ticks + 1):
        at, long = left + (right - left) * tick / scale.ticks, tick % scale.labels == 0
        parts.append(
            f'<line x1="{at:.2f}" x2="{at:.2f}" y1="8" y2="{20 if long else 14}" stroke="{ink}" stroke-width="1"/>'
        )
        if long:
            parts.append(
                f'<text x="{at:.2f}" y="35" font-family="Roboto" font-size="13" text-anchor="middle" fill="{ink}">{_written(scale.at(tick))}</text>'
            )
    return "".join(parts)


_DESIGNS = {
    "pressure": (_round, _PRESSURE, "gauge"),
    "speedometer": (_speedometer, _SPEED, "gauge"),
    "panel meter": (_panel, _PANEL, "meter"),
    "thermometer": (_thermometer, _THERMO, "thermometer"),
    "level": (_slider, _LEVEL, "gauge"),
}
DESIGNS = tuple(_DESIGNS)


def _dial(
    scale: Scale,
    start: float,
    sweep: float,
    radius: float,
    ink: str,
    font: str,
    *,
    size: float,
    inward: bool,
) -> list[str]:
    """Ticks and labels round the axis, to its side or away from it."""
    way, parts = -1 if inward else 1, []
    for tick in range(scale.ticks + 1):
        turn, long = start + sweep * tick / scale.ticks, tick % scale.labels == 0
        end = radius + way * (13 if long else 7)
        parts.append(
            _turned(
                turn,
                f'<line y1="{-radius}" y2="{-end}" stroke="{ink}" stroke-width="{2.2 if long else 1}"/>',
            )
        )
        if long:
            place = end + way * (13 if inward else 9)
            x, y = place * sin(radians(turn)), -place * cos(radians(turn)) + 0.36 * size
            parts.append(
                f'<text x="{x:.2f}" y="{y:.2f}" font-family="{font}" font-size="{size}" text-anchor="middle" fill="{ink}">{_written(scale.at(tick))}</text>'
            )
    return parts


def _arc(begin: float, end: float, radius: float, colour: str, width: float) -> str:
    (x0, y0), (x1, y1) = (
        (radius * sin(radians(a)), -radius * cos(radians(a))) for a in (begin, end)
    )
    large = int(end - begin > 180)
    return f'<path d="M{x0:.2f} {y0:.2f} A{radius} {radius} 0 {large} 1 {x1:.2f} {y1:.2f}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _turned(angle: float, what: str) -> str:
    return f'<g transform="rotate({angle:.4f})">{what}</g>'


def _ground(colour: str) -> str:
    return f'<rect x="-120" y="-120" width="240" height="240" fill="{colour}"/>'


def _written(value: Decimal) -> str:
    return str(plain(Decimal(str(value))))
