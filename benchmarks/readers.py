"""How well and how fast answers are read: on the hand-judged corpus, and on 10,000 characters.

python benchmarks/readers.py
"""

from __future__ import annotations

import heapq
import importlib.util
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.answers.table.read import read_table
from gnomon.answers.text.read import read_text
from gnomon.eval import read_box, read_number, read_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LENGTH = 10_000
# fmt: off
_WORDS = ["the", "long", "hand", "of", "this", "clock", "stands", "near", "a", "mark", "so", "we",
          "count", "from", "there", "and", "go", "on"]
_COUNTED = ["one", "of", "the", "two", "hands", "is", "at", "six", "and", "twenty-five", "more",
            "minus", "three", "hundred", "a", "half"]
_NUMBERS = ["one", "two", "ten", "twenty", "hundred", "thousand", "and", "half"]
# Packed as close as they go: first what is an answer, then what nearly is.
_PACKED = ["10:08 ", "ten past ten ", "3.5, ", "7", "1,2,3,4,", '"hours": 1, "minutes": 2, ',
           "[1,2,3,4] ", "(1,2),(3,4) ", "x1=1, y1=2, x2=3, y2=4; ", "left ", "year | 7\n"]
_NEARLY = ["10:75 ", "ten past ", "to ", "12 hand ", "h=5 ", "1.2.3 ", "v1.2 ", "2nd ", "±5 ",
           "9^9999 ", "and a ", "hundred ", "⅛", "[1,2,3 ", "(1,2)", "x1=1 ", "<loc0001>", "((",
           "A4"]
# fmt: on
_SIGNS = [
    "|",
    "- |",
    "<0x0A>",
    '"',
    "A",
    "½",
    "é",
    "\u00a0",
    "’",
    "%",
    "s=",
    ":",
    "/",
    "hour",
    "1/2",
]
_GAPS = ["", " ", " ", ", ", "\n", "-", ". "]
MIXTURES = 1000
READERS: dict[str, Callable[[str], object]] = {
    "time": read_time,
    "number": read_number,
    "box": read_box,
    "choice": lambda text: read_text(text, choices=("left", "lower left", "right", "A", "B")),
    "text": read_text,
    "table": read_table,
}
_CORPUS = Path(__file__).parents[1] / "tests" / "answers" / "accuracy.py"
NAMES = ("time", "number", "text", "box")


def texts() -> dict[str, str]:
    """Prose, prose full of number words, and candidates packed as close as they go."""
    rng = random.Random(0)
    return {
        "prose": _of(rng, _WORDS),
        "prose and figures": _of(rng, [*_WORDS, "10", "3.5", "12:08", "7"]),
        "number words": _of(rng, [*_WORDS, *_COUNTED]),
        "only number words": _of(rng, _NUMBERS),
        **{repr(piece): _packed(piece) for piece in (*_PACKED, *_NEARLY)},
    }


def mixtures(number: int = MIXTURES) -> Iterator[str]:
    """Random rows of a few of all these, each row again and again."""
    rng = random.Random(1)
    parts = [*_WORDS, *_COUNTED, *_PACKED, *_NEARLY, *_SIGNS]
    for _ in range(number):
        row = [rng.choice(parts) + rng.choice(_GAPS) for _ in range(rng.randrange(1, 15))]
        yield _packed("".join(row))


def _of(rng: random.Random, words: list[str]) -> str:
    return " ".join(rng.choices(words, k=LENGTH))[:LENGTH]


def _packed(piece: str) -> str:
    return (piece * LENGTH)[:LENGTH]


def milliseconds(read: Callable[[str], object], text: str, repeats: int = 20) -> float:
    """The best of several, in the thread's own time: a busy machine takes none of it."""
    best = float("inf")
    for _ in range(repeats):
        start = time.thread_time()
        read(text)
        best = min(best, time.thread_time() - start)
    return 1000 * best


def main() -> None:
    _print_accuracy()
    print(f"\nmilliseconds for {LENGTH:,} characters")
    print(f"{'':<28}" + "".join(f"{name:>8}" for name in READERS))
    most = dict.fromkeys(READERS, 0.0)
    for name, text in texts().items():
        taken = {reader: milliseconds(read, text) for reader, read in READERS.items()}
        most = {reader: max(most[reader], taken[reader]) for reader in READERS}
        _print(name, taken)
    _print("the most", most)
    _print(f"the most of {MIXTURES} mixtures", {r: _worst(read) for r, read in READERS.items()})


def _print_accuracy() -> None:
    """Shares read as judged: all, set aside, blind, and by style and language."""
    corpus = _corpus()
    shares = {name: corpus.counted(name) for name in NAMES}
    aside, blind = (
        {name: corpus.counted(name, part=part) for name in NAMES} for part in ("set aside", "blind")
    )
    titled = {"read as judged, in percent": shares, "set aside": aside, "blind": blind}
    for title, found in titled.items():
        print(f"{title:<28}" + "".join(f"{name:>8}" for name in NAMES))
        groups = sorted({g for name in NAMES for g in found[name]}, key=lambda g: (len(g) == 2, g))
        for group in groups if found is shares else ("all", "unread read"):
            cells = (found[name].get(group) for name in NAMES)
            row = (f"{100 * s:8.1f}" if s is not None else f"{'–':>8}" for s in cells)
            print(f"{group:<28}" + "".join(row))


def _corpus() -> Any:
    """The module beside the corpus, which is no package."""
    spec = importlib.util.spec_from_file_location("accuracy", _CORPUS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _print(name: str, taken: dict[str, float]) -> None:
    print(f"{name:<28}" + "".join(f"{taken[reader]:8.2f}" for reader in READERS))


def _worst(read: Callable[[str], object]) -> float:
    """Of mixtures; those that seem to be the worst are measured well."""
    slowest = heapq.nlargest(20, mixtures(), key=lambda text: milliseconds(read, text, repeats=2))
    return max(milliseconds(read, text) for text in slowest)


if __name__ == "__main__":
    main()
