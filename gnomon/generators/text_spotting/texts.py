"""What signs, labels and receipts say: words, numbers, prices, dates, codes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gnomon.generators.rng import Rng

WORDS = tuple(Path(__file__).with_name("words.txt").read_text(encoding="utf-8").split())
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


def _word(rng: Rng) -> str:
    word = rng.choice(WORDS)
    return rng.choice((word, word.capitalize(), word.upper()))


def _words(rng: Rng) -> str:
    """Two or three, all written alike."""
    chosen = " ".join(rng.choice(WORDS) for _ in range(rng.integer(2, 3)))
    return rng.choice((chosen, chosen.capitalize(), chosen.upper()))


def _number(rng: Rng) -> str:
    return str(rng.integer(10, 99_999))


def _price(rng: Rng) -> str:
    amount = f"{rng.integer(1, 99)}.{rng.integer(0, 99):02}"
    return rng.choice((f"${amount}", f"£{amount}", f"€{amount}"))


def _date(rng: Rng) -> str:
    day, month, year = rng.integer(1, 28), rng.integer(1, 12), rng.integer(1950, 2049)
    return rng.choice((f"{day} {_MONTHS[month - 1]} {year}", f"{year}-{month:02}-{day:02}"))


def _code(rng: Rng) -> str:
    letters = "".join(rng.choice(_LETTERS) for _ in range(rng.integer(2, 3)))
    return f"{letters}-{rng.integer(100, 9999)}"


TEXTS: dict[str, Callable[[Rng], str]] = {
    "word": _word,
    "words": _words,
    "number": _number,
    "price": _price,
    "date": _date,
    "code": _code,
}


def texts(rng: Rng, kinds: tuple[str, ...], count: int) -> tuple[str, ...]:
    """So many, none of which stands inside another; a code where two would, or one is too long.

    Beyond four they stand in two columns, and what is longer than half a row could not be read.
    """
    longest = 24 if count <= 4 else 11
    found: list[str] = []
    while len(found) < count:
        text = TEXTS[rng.choice(kinds)](rng)
        if len(text) > longest or any(_clash(text, other) for other in found):
            text = f"{_code(rng)}{len(found)}"
        if not any(_clash(text, other) for other in found):
            found.append(text)
    return tuple(found)


def _clash(one: str, other: str) -> bool:
    a, b = one.casefold(), other.casefold()
    return a in b or b in a
