"""How long a reader of answers takes on 10,000 characters, of prose and of the worst.

python benchmarks/readers.py
"""

from __future__ import annotations

import heapq
import random
import time
from typing import TYPE_CHECKING

from gnomon.answers.reading import cuts
from gnomon.answers.table.reader import read_table
from gnomon.answers.text.reader import read_text
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
MIXTURES = 3000
READERS: dict[str, Callable[[str], object]] = {
    "time": read_time,
    "number": read_number,
    "box": read_box,
    "choice": lambda text: read_text(text, choices=("left", "lower left", "right", "A", "B")),
    "text": read_text,
    "table": read_table,
}
_IN_PIECES = ("time", "number", "box")


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


def milliseconds(read: Callable[[str], object], text: str, repeats: int = 60) -> float:
    """The best of several, in the thread's own time: a busy machine takes none of it."""
    best = float("inf")
    for _ in range(repeats):
        start = time.thread_time()
        read(text)
        best = min(best, time.thread_time() - start)
    return 1000 * best


def main() -> None:
    print(f"milliseconds for {LENGTH} characters; in brackets where all of the text is read")
    print(f"{'':<28}" + "".join(f"{name:>{16 if name in _IN_PIECES else 8}}" for name in READERS))
    most = dict.fromkeys(READERS, 0.0)
    for name, text in texts().items():
        taken = {reader: milliseconds(read, text) for reader, read in READERS.items()}
        most = {reader: max(most[reader], taken[reader]) for reader in READERS}
        print(f"{name:<28}" + "".join(_column(reader, taken[reader], text) for reader in READERS))
    _print_most("the most", most)
    _print_most(
        f"the most of {MIXTURES} mixtures", {r: _worst(read) for r, read in READERS.items()}
    )


def _print_most(name: str, most: dict[str, float]) -> None:
    print(f"{name:<28}" + "".join(_column(reader, most[reader]) for reader in READERS))


def _worst(read: Callable[[str], object]) -> float:
    """Of mixtures; those that seem to be the worst are measured well."""
    slowest = heapq.nlargest(20, mixtures(), key=lambda text: milliseconds(read, text, repeats=2))
    return max(milliseconds(read, text) for text in slowest)


def _column(reader: str, taken: float, text: str = "") -> str:
    """As it is and, of readers in pieces, as it would be without them."""
    if reader not in _IN_PIECES:
        return f"{taken:8.2f}"
    return f"{taken:8.2f}" + (f" ({_whole(READERS[reader], text):5.2f})" if text else 8 * " ")


def _whole(read: Callable[[str], object], text: str) -> float:
    kept = cuts.CHUNK, cuts.PIECE, cuts.TRIED
    cuts.CHUNK = cuts.PIECE = cuts.TRIED = LENGTH
    try:
        return milliseconds(read, text, repeats=3)
    finally:
        cuts.CHUNK, cuts.PIECE, cuts.TRIED = kept


if __name__ == "__main__":
    main()
