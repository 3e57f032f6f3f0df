"""How fast samples are drawn, each line a ratio against another way, measured in turn in one run.

python benchmarks/generators.py --n 300
python benchmarks/generators.py --n 100 --augment   # a user's JPEGs, read as they are and augmented
python benchmarks/generators.py --n 100 --faces   # each instrument that is described, and a gauge
"""

from __future__ import annotations

import argparse
import io
import math
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import cv2
import matplotlib
import numpy as np
from PIL import Image, ImageDraw

from gnomon.generators import create
from gnomon.generators.drawing.lettering import font_face
from gnomon.generators.registry import description_files
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


def show_faces(n: int) -> None:
    """Described instruments beside a gauge, a dial and a counter of the same size, unencoded."""
    size = 320
    others = {
        "gauge": create("gauge", instruments=["gauge"], size=size),
        "dial": create("gauge", instruments=["dial"], size=size),
        "counter of wheels": create("counter", faces=["wheels"], size=size),
    }
    faces = {name: create("face", description=name, size=size) for name in description_files()}
    ways: Ways = {
        name: lambda index, samples=samples: samples[index]
        for name, samples in (others | faces).items()
    }
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


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200, help="samples a round")
    parser.add_argument("--augment", action="store_true", help="only a user's pictures")
    parser.add_argument("--faces", action="store_true", help="only described instruments")
    given = parser.parse_args()
    n: int = given.n
    cv2.setNumThreads(1)
    matplotlib.use("agg")
    if given.augment:
        show_augmented(n)
        return
    if given.faces:
        show_faces(n)
        return
    clock = create("clock", size=SIDE)
    show(
        rates(
            {
                "Pillow 4x, LANCZOS, PNG 6": lambda i: png6(pillow_clock(i)),
                "clock 224 px to PNG": lambda i: encode_png(clock[i].image),
                "clock 224 px to JPEG": lambda i: jpeg(clock[i].image),
            },
            n,
        )
    )
    bars = create("chart", charts=["bar"])
    show(
        rates(
            {
                "subplots + savefig": pyplot_chart,
                "chart, bars with boxes": lambda i: encode_png(bars[i].image),
            },
            max(1, n // 5),
        )
    )
    show_augmented(n)


def show(found: dict[str, float]) -> None:
    """Each rate, and how many times the first it is."""
    base = next(iter(found.values()))
    for name, rate in found.items():
        digits = 1 if rate >= base else 2
        print(f"{name:<28}{rate:>10.0f} /s{rate / base:>8.{digits}f}x")
    print()


if __name__ == "__main__":
    main()
