"""What is around drawn instruments in wide pictures: walls, shapes and print."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.looks.wide import Dice, colour
from gnomon.pipeline.finder import SIDE


def disc(x: float, y: float, radius: float, corners: int = 28) -> Points:
    angles = np.arange(corners) * math.tau / corners
    return np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], 1)


def fixed(points: Points) -> NDArray[np.int32]:
    """Return points with four binary places, as OpenCV draws them."""
    return np.round(np.asarray(points) * 16).astype(np.int32)


def make_textures(dice: Dice, count: int = 48) -> list[Pixels]:
    """Draw noise whose power falls with the frequency, in several slopes and directions."""
    fx, fy = np.meshgrid(np.fft.fftfreq(SIDE), np.fft.rfftfreq(SIDE), indexing="ij")
    made = []
    for _ in range(count):
        stretch = math.exp(dice.uniform(-1.5, 1.5)) if dice.random() < 0.4 else 1.0
        radius = np.hypot(fx * stretch, fy / stretch) + 1 / SIDE
        channels = []
        for _ in range(3):
            phase = np.exp(2j * math.pi * dice.random(radius.shape))
            channels.append(np.fft.irfft2(phase / radius ** dice.uniform(0.8, 2.0), (SIDE, SIDE)))
        noise = np.stack([c / c.std() for c in channels], 2)
        grey = noise[..., :1]
        mixed = grey + dice.uniform(0, 0.5) * noise
        tone = np.array(colour(dice))
        made.append(np.clip(tone + dice.uniform(8, 55) * mixed, 0, 255).astype(np.uint8))
    return made


def texture(dice: Dice, width: int, height: int, textures: list[Pixels]) -> Pixels:
    """Return a part of one of the textures, turned at random."""
    noise = textures[int(dice.integers(len(textures)))]
    if dice.random() < 0.5:
        noise = noise.transpose(1, 0, 2)
    if dice.random() < 0.5:
        noise = noise[:, ::-1]
    part = int(dice.integers(SIDE // 4, SIDE))
    x, y = (int(dice.integers(0, SIDE - part)) for _ in range(2))
    return cv2.resize(np.ascontiguousarray(noise[y : y + part, x : x + part]), (width, height))


def background(dice: Dice, width: int, height: int, textures: list[Pixels]) -> Pixels:
    """Draw what is behind: a plain wall, a crowd of shapes, or something that was built."""
    size = (width, height)
    way = dice.random()
    if way < 0.12:
        top, bottom = np.array(colour(dice), float), np.array(colour(dice), float)
        rise = np.linspace(0, 1, height)[:, None, None] ** dice.uniform(0.5, 2)
        canvas = np.broadcast_to(
            top + (bottom - top) * rise * dice.uniform(0, 1), (height, width, 3)
        ).astype(np.uint8)
    else:
        canvas = texture(dice, *size, textures)
    canvas = np.ascontiguousarray(canvas)
    if way > 0.3:
        for _ in range(int(dice.integers(1, 4))):
            number = int(dice.integers(len(_SCENES) + 2))
            if number < len(_SCENES):
                _SCENES[number](canvas, dice)
            else:
                _surfaces(canvas, dice, textures)
    for _ in range(int(dice.integers(0, 5)) if way > 0.12 else 0):
        _round_thing(canvas, dice)
    return canvas


def _leaves(canvas: Pixels, dice: Dice) -> None:
    """Lay shapes over each other, from large to small."""
    height, width = canvas.shape[:2]
    palette = [colour(dice) for _ in range(int(dice.integers(2, 8)))]
    low, high = dice.uniform(0.01, 0.04), dice.uniform(0.06, 0.4)
    for size in sorted(
        np.exp(dice.uniform(math.log(low), math.log(high), int(dice.integers(8, 110))))
    )[::-1]:
        x, y = dice.uniform(0, width), dice.uniform(0, height)
        paint = palette[int(dice.integers(len(palette)))]
        if dice.random() < 0.3:
            points = disc(0, 0, 1, 18) * (1, dice.uniform(0.3, 1))
        else:
            angles = np.sort(dice.uniform(0, math.tau, int(dice.integers(3, 7))))
            points = np.stack([np.cos(angles), np.sin(angles)], 1)
        turn = dice.uniform(0, math.tau)
        spin = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        cv2.fillPoly(canvas, [fixed(points @ spin * size * width + (x, y))], paint, cv2.LINE_AA, 4)


def _grid(canvas: Pixels, dice: Dice) -> None:
    """Draw rows of windows, bricks, books, tiles or keys in perspective."""
    height, width = canvas.shape[:2]
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    size = np.array([width, height])
    corners = unit * size + dice.normal(0, 0.25, (4, 2)) * size
    if dice.random() < 0.4:
        corners = (unit * dice.uniform(0.2, 0.8, 2) + dice.uniform(0, 0.5, 2)) * size + dice.normal(
            0, 0.06, (4, 2)
        ) * size
    plane = cv2.getPerspectiveTransform(unit, corners.astype(np.float32))
    columns, rows = int(dice.integers(1, 16)), int(dice.integers(1, 12))
    gap_x, gap_y = dice.uniform(0.05, 0.7), dice.uniform(0.05, 0.7)
    base, second = colour(dice), colour(dice)
    has_ground, shift = dice.random() < 0.6, 0.5 * (dice.random() < 0.4)
    vary = dice.random() < 0.3
    polygons, paints = [unit] * has_ground, [second] * has_ground
    for row in range(rows):
        for column in range(columns):
            x = (column + shift * (row % 2)) / columns
            y = row / rows
            rect = unit * ((1 - gap_x) / columns, (1 - gap_y) / rows) + (x, y)
            polygons.append(rect)
            paints.append(colour(dice) if vary else base)
    seen = cv2.perspectiveTransform(
        np.concatenate(polygons)[None].astype(np.float64), plane.astype(float)
    )[0]
    if not np.isfinite(seen).all() or np.abs(seen).max() > 4000:
        return
    for points, paint in zip(seen.reshape(-1, 4, 2), paints, strict=True):
        cv2.fillPoly(canvas, [fixed(points)], paint, cv2.LINE_AA, 4)


def _lines(canvas: Pixels, dice: Dice) -> None:
    """Draw pipes, wires, branches and edges of furniture."""
    height, width = canvas.shape[:2]
    for _ in range(int(dice.integers(2, 14))):
        begin, end = dice.uniform(-0.1, 1.1, (2, 2)) * (width, height)
        if dice.random() < 0.5:
            end[int(dice.integers(2))] = begin[int(dice.integers(2))]
        thick, paint = int(dice.integers(1, 14) ** dice.uniform(0.4, 1)), colour(dice)
        ends = [tuple(map(int, point)) for point in (begin, end)]
        cv2.line(canvas, *ends, paint, max(1, thick), cv2.LINE_AA)
        if thick > 3 and dice.random() < 0.5:
            lighter = tuple(min(255, c + 50) for c in paint)
            cv2.line(canvas, *ends, lighter, max(1, thick // 3), cv2.LINE_AA)


def _print(canvas: Pixels, dice: Dice) -> None:
    """Write letters and figures, on sheets or on the ground."""
    height, width = canvas.shape[:2]
    x, y = int(dice.uniform(-0.1, 0.8) * width), int(dice.uniform(0, 0.9) * height)
    scale, paint = dice.uniform(0.2, 1.4), colour(dice)
    step = max(4, int(26 * scale))
    rows, letters = int(dice.integers(1, 7)), int(dice.integers(3, 18))
    if dice.random() < 0.5:
        cv2.rectangle(
            canvas,
            (x - 5, y - step),
            (x + int(15 * scale * letters), y + step * rows),
            colour(dice),
            -1,
        )
    for row in range(rows):
        text = "".join(map(chr, dice.integers(48, 91, letters)))
        font = int(dice.integers(0, 5))
        cv2.putText(
            canvas, text, (x, y + row * step), font, scale, paint, 1 + (scale > 0.9), cv2.LINE_AA
        )


def _surfaces(canvas: Pixels, dice: Dice, textures: list[Pixels]) -> None:
    """Cover a half, a corner or a block with another material."""
    height, width = canvas.shape[:2]
    for _ in range(int(dice.integers(1, 4))):
        corners = dice.uniform(-0.3, 1.3, (4, 2)) * (width, height)
        hull = cv2.convexHull(corners.astype(np.float32))[:, 0]
        mask = np.zeros((height, width), np.uint8)
        cv2.fillPoly(mask, [fixed(hull)], 255, cv2.LINE_AA, 4)
        cv2.copyTo(texture(dice, width, height, textures), mask, canvas)


_SCENES = (_leaves, _grid, _grid, _lines, _print)


def _round_thing(canvas: Pixels, dice: Dice) -> None:
    """Draw a plate, wheel, lamp, sign, round window, button or medal: round, but no instrument."""
    height, width = canvas.shape[:2]
    centre = dice.uniform(0, 1, 2) * (width, height)
    radius = math.exp(dice.uniform(math.log(3), math.log(0.3 * SIDE)))
    squash, turn = dice.uniform(0.5, 1), dice.uniform(0, math.tau)
    spin = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])

    def place(points: Points) -> NDArray[np.int32]:
        return fixed(points * (radius, radius * squash) @ spin + centre)

    paints = [colour(dice) for _ in range(3)]
    way = int(dice.integers(0, 7))
    cv2.fillPoly(canvas, [place(disc(0, 0, 1))], paints[0], cv2.LINE_AA, 4)
    if way == 0:  # rings
        for size in sorted(dice.uniform(0.1, 0.95, int(dice.integers(1, 5))))[::-1]:
            cv2.fillPoly(canvas, [place(disc(0, 0, size))], colour(dice), cv2.LINE_AA, 4)
    elif way == 1:  # spokes and a rim
        cv2.fillPoly(canvas, [place(disc(0, 0, 0.8))], paints[1], cv2.LINE_AA, 4)
        spokes = int(dice.integers(3, 16))
        for number in range(spokes):
            a = math.tau * number / spokes
            across = np.array([-math.sin(a), math.cos(a)]) * dice.uniform(0.02, 0.08)
            end = np.array([math.cos(a), math.sin(a)]) * 0.85
            cv2.fillPoly(
                canvas,
                [place(np.array([across, end + across, end - across, -across]))],
                paints[0],
                cv2.LINE_AA,
                4,
            )
    elif way == 2:  # petals or holes around the middle
        petals, far, size = (
            int(dice.integers(4, 13)),
            dice.uniform(0.4, 0.75),
            dice.uniform(0.08, 0.3),
        )
        for number in range(petals):
            a = math.tau * number / petals
            cv2.fillPoly(
                canvas,
                [place(disc(far * math.cos(a), far * math.sin(a), size))],
                paints[1],
                cv2.LINE_AA,
                4,
            )
    elif way == 3:  # a sign with letters
        cv2.fillPoly(canvas, [place(disc(0, 0, 0.8))], paints[1], cv2.LINE_AA, 4)
        text = "".join(map(chr, dice.integers(48, 91, int(dice.integers(1, 4)))))
        scale = radius / 30
        x, y = centre - (10 * scale * len(text), -10 * scale)
        cv2.putText(
            canvas,
            text,
            (int(x), int(y)),
            0,
            scale,
            paints[2],
            max(1, int(radius / 12)),
            cv2.LINE_AA,
        )
    elif way == 4:  # a ball
        for size in np.linspace(0.9, 0.1, 8):
            lit = tuple(int(min(255, c + 110 * (1 - size))) for c in paints[0])
            cv2.fillPoly(
                canvas,
                [place(disc(-0.3 * (1 - size), -0.3 * (1 - size), size))],
                lit,
                cv2.LINE_AA,
                4,
            )
    elif way == 5:  # a window with bars
        cv2.fillPoly(canvas, [place(disc(0, 0, 0.85))], paints[1], cv2.LINE_AA, 4)
        for at in dice.uniform(-0.6, 0.6, int(dice.integers(1, 5))):
            bar = np.array(
                [(-0.85, at - 0.04), (0.85, at - 0.04), (0.85, at + 0.04), (-0.85, at + 0.04)]
            )
            cv2.fillPoly(
                canvas,
                [place(bar if dice.random() < 0.5 else bar[:, ::-1])],
                paints[0],
                cv2.LINE_AA,
                4,
            )
