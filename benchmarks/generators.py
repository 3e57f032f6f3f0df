"""How fast samples are drawn, each line a ratio against another way, measured in turn in one run.

pip install reasoning-gym   # to lay sums beside its chain_sum; left out where it is not installed
python benchmarks/generators.py --n 300
python benchmarks/generators.py --n 300 --sums
python benchmarks/generators.py --n 100 --augment   # a user's JPEGs, read as they are and augmented
python benchmarks/generators.py --profile clock
"""

from __future__ import annotations

import argparse
import cProfile
import io
import math
import pstats
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import cv2
import matplotlib
import numpy as np
from PIL import Image, ImageDraw

from gnomon.generators import create
from gnomon.generators.drawing.lettering import font_face
from gnomon.recipe import Columns, Source
from gnomon.store import mixture
from gnomon.store.pictures import encode_png
from gnomon.store.reading.augmented import augmented

if TYPE_CHECKING:
    from collections.abc import Callable

    Ways: TypeAlias = dict[str, Callable[[int], object]]

SIDE = 224
BLOCK = 10
NUMERALS = ("XII", *["I", "II", "III", "IIII", "V", "VI", "VII", "VIII", "IX", "X", "XI"])


def pillow_clock(index: int) -> Image.Image:
    """What people write: four times the size by Pillow, brought down by LANCZOS."""
    big, minute = 4 * SIDE, index * 61 % 720
    image = Image.new("RGB", (big, big), "#c8d0d4")
    draw = ImageDraw.Draw(image)
    c, r = big / 2, 0.45 * big
    draw.ellipse((c - r, c - r, c + r, c + r), "#f6ecc9", "#7a4a28", 24)
    for tick in range(60):
        inner = (0.88 if tick % 5 else 0.82) * r
        draw.line((*_at(c, 6 * tick, inner), *_at(c, 6 * tick, 0.93 * r)), "#3a1f12", 8)
    for hour, text in enumerate(NUMERALS):
        draw.text(_at(c, 30 * hour, 0.68 * r), text, "#5a3420", font_face("serif", 80), anchor="mm")
    for degrees, length, width in ((minute / 2, 0.5, 44), (6 * minute, 0.8, 26)):
        draw.line((c, c, *_at(c, degrees, length * r)), "#3a1f12", width)
    return image.resize((SIDE, SIDE), Image.Resampling.LANCZOS)


def _at(centre: float, degrees: float, radius: float) -> tuple[float, float]:
    a = math.radians(degrees)
    return centre + radius * math.sin(a), centre - radius * math.cos(a)


def pyplot_chart(index: int) -> None:
    """What people write: a figure for each bar chart, saved; no mark's place is known."""
    from matplotlib import pyplot

    heights = [(index * 37 + 53 * bar) % 97 + 3 for bar in range(6)]
    figure, axes = pyplot.subplots(figsize=(4.48, 3.36), dpi=100)
    axes.bar(["Jan", "Feb", "Mar", "Apr", "May", "Jun"], heights)
    axes.set_title("Rainfall by month")
    axes.set_ylabel("rainfall (mm)")
    figure.savefig(io.BytesIO(), format="png")
    pyplot.close(figure)


def pyplot_clock(index: int, inches: float = 6, tight: bool = True) -> None:
    """The way of a published script (github.com/aMa2210/LLM_analog_clocks): a figure of six inches
    for each clock, a line for each tick, saved with a tight box."""
    from matplotlib import pyplot

    second = index * 3607 % 43200
    figure, axes = pyplot.subplots(figsize=(inches, inches))
    axes.set_aspect("equal")
    axes.add_patch(pyplot.Circle((0, 0), 1, facecolor="white", edgecolor="black", linewidth=3))
    for tick in range(60):
        inner, width = (0.95, 1) if tick % 5 else (0.9, 3)
        _line(axes, (_at(0, 6 * tick, inner), _at(0, 6 * tick, 1)), width)
    for hour in range(12):
        x, y = _at(0, 30 * hour, 0.8)
        axes.text(x, y, str(hour or 12), ha="center", va="center", fontsize=16, fontweight="bold")
    for degrees, length, width in (
        (second / 120, 0.5, 6),
        (second / 10, 0.75, 4),
        (6 * second, 0.85, 2),
    ):
        _line(axes, ((0, 0), _at(0, degrees, length)), width)
    axes.set(xlim=(-1.05, 1.05), ylim=(1.05, -1.05))
    axes.axis("off")
    box = {"bbox_inches": "tight", "pad_inches": 0.1} if tight else {}
    figure.savefig(io.BytesIO(), format="png", **box)
    pyplot.close(figure)


def _line(axes: Any, ends: tuple[tuple[float, float], tuple[float, float]], width: float) -> None:
    axes.plot(*zip(*ends, strict=True), color="black", linewidth=width)


def sums(tasks: list[str], terms: tuple[int, int], digits: tuple[int, int]) -> Ways:
    """Sums of as many numbers of as many digits by reasoning-gym's chain_sum and by gnomon.

    chain_sum draws the digits once for all numbers, and gives questions and answers as texts with
    their metadata. gnomon draws them for each number, and draws again what another split means.
    """
    gnomon = create("arithmetic", tasks=tasks, terms=terms, digits=digits)
    ours: Ways = {f"arithmetic, {' '.join(tasks)}": lambda index: gnomon[index]}
    try:
        from reasoning_gym import create_dataset
    except ModuleNotFoundError:
        return ours
    ends = {"min_terms": terms[0], "max_terms": terms[1]}
    ends |= {"min_digits": digits[0], "max_digits": digits[1]}
    theirs = create_dataset("chain_sum", size=1_000_000, seed=1, **ends)
    return {"reasoning-gym chain_sum": lambda index: theirs[index], **ours}


def show_augmented(n: int) -> None:
    """A user's photographs of 224 pixels, read from JPEG files as in a training."""
    clock = create("clock", size=SIDE, look="photo")
    with tempfile.TemporaryDirectory() as folder:
        lines = ["image,answer,part"]
        for index in range(n):
            clock[index].image.save(f"{folder}/{index}.jpg", quality=90)
            lines.append(f"{index}.jpg,{index},train")
        table = Path(folder) / "labels.csv"
        table.write_text("\n".join(lines), encoding="utf-8")
        columns = Columns(ask="What is it?", kind="number", split="part")
        source = Source(path=str(table), columns=columns)
        plain = mixture((source,), split="train", seed=0)
        ways: Ways = {"JPEG of 224 px, read": lambda index: plain[index]}
        for strength in ("light", "heavy"):
            sources = (replace(source, augment=strength),)
            samples = augmented(plain, sources, seed=0)
            ways[f"and augmented, {strength}"] = lambda index, samples=samples: samples[index]
        # By the processor's time: blocks that differ so much suffer unequally from other work.
        show(rates(ways, n, time.process_time))


def png6(image: Image.Image) -> None:
    """Pillow's PNG at its default level."""
    image.save(io.BytesIO(), "PNG", compress_level=6)


def jpeg(image: Image.Image) -> None:
    """OpenCV's JPEG."""
    cv2.imencode(".jpg", cv2.cvtColor(np.asarray(image), cv2.COLOR_RGB2BGR))


def rates(ways: Ways, n: int, clock: Callable[[], float] = time.perf_counter) -> dict[str, float]:
    """Samples a second of each way over `n` samples, each block's best of eight rounds.

    The ways take turns, block by block; what other work slows down in one round, another shows.
    """
    blocks = [range(begin, min(begin + BLOCK, n)) for begin in range(0, n, BLOCK)]
    best = {name: [math.inf] * len(blocks) for name in ways}
    for _ in range(8):
        for place, block in enumerate(blocks):
            for name, draw in ways.items():
                start = clock()
                for index in block:
                    draw(index)
                best[name][place] = min(best[name][place], clock() - start)
    return {name: n / sum(times) for name, times in best.items()}


def profile(kind: str, n: int) -> None:
    """Where the time of a kind goes, by function."""
    samples = create(kind)

    def draw(begin: int) -> None:
        for index in range(begin, begin + n):
            image = samples[index].image
            if image is not None:
                encode_png(image)

    draw(0)
    with cProfile.Profile() as measured:
        draw(n)
    pstats.Stats(measured).strip_dirs().sort_stats("tottime").print_stats(25)


def main() -> None:
    """Print the tables, or the profile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200, help="samples a round")
    parser.add_argument("--sums", action="store_true", help="only the sums")
    parser.add_argument("--augment", action="store_true", help="only a user's pictures")
    parser.add_argument("--profile", metavar="KIND", help="say where this kind's time goes")
    given = parser.parse_args()
    n: int = given.n
    cv2.setNumThreads(1)
    matplotlib.use("agg")
    if given.profile:
        profile(given.profile, n)
        return
    if given.augment:
        show_augmented(n)
        return
    if given.sums:
        show_sums(20 * n)
        return
    clock, small, large = (create("clock", size=side) for side in (SIDE, 84, 600))
    show(
        rates(
            {
                "Pillow 4x, LANCZOS, PNG 6": lambda i: png6(pillow_clock(i)),
                "clock 224 px to PNG": lambda i: encode_png(clock[i].image),
                "clock 224 px to JPEG": lambda i: jpeg(clock[i].image),
                "clock 84 px to PNG": lambda i: encode_png(small[i].image),
            },
            n,
        )
    )
    slow = max(1, n // 5)
    show(
        rates(
            {
                "pyplot clock, as published": pyplot_clock,
                "pyplot clock, 224 px": lambda i: pyplot_clock(i, SIDE / 100, tight=False),
                "clock 600 px to PNG": lambda i: encode_png(large[i].image),
                "clock 224 px to PNG": lambda i: encode_png(clock[i].image),
            },
            slow,
        )
    )
    bars, charts = create("chart", charts=["bar"]), create("chart", level="medium")
    show(
        rates(
            {
                "subplots + savefig": pyplot_chart,
                "chart, bars with boxes": lambda i: encode_png(bars[i].image),
                "chart, every type": lambda i: encode_png(charts[i].image),
            },
            slow,
        )
    )
    show_sums(20 * n)
    show_augmented(n)


def show_sums(n: int) -> None:
    """Two numbers as `easy` has them, then what chain_sum has unless told otherwise."""
    print("2 numbers of 1 to 2 digits")
    show(rates(sums(["add", "subtract"], (2, 2), (1, 2)), n))
    print("2 to 6 numbers of 1 to 4 digits")
    show(rates(sums(["chain"], (2, 6), (1, 4)), n))


def show(found: dict[str, float]) -> None:
    """Each rate, and how many times the first it is."""
    base = next(iter(found.values()))
    for name, rate in found.items():
        digits = 1 if rate >= base else 2
        print(f"{name:<28}{rate:>10.0f} /s{rate / base:>8.{digits}f}x")
    print()


if __name__ == "__main__":
    main()
