"""Random texts of signs, labels and receipts: words, numbers, prices, dates, codes."""

from collections.abc import Callable
from pathlib import Path

from gnomon.generators.rng import Rng

WORDS = tuple(Path(__file__).with_name("words.txt").read_text(encoding="utf-8").split())
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Without I, O and Q, which look like 1 and 0.
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


def word(rng: Rng) -> str:
    """Draw a word, in lower case, with a capital, or in capitals."""
    chosen = rng.choice(WORDS)
    return rng.choice((chosen, chosen.capitalize(), chosen.upper()))


def words(rng: Rng) -> str:
    """Draw two or three words, capitalised in one way."""
    chosen = " ".join(rng.choice(WORDS) for _ in range(rng.integer(2, 3)))
    return rng.choice((chosen, chosen.capitalize(), chosen.upper()))


def number(rng: Rng) -> str:
    """Draw a number of two to five digits."""
    return str(rng.integer(10, 99_999))


def price(rng: Rng) -> str:
    """Draw a price in dollars, pounds or euros."""
    amount = f"{rng.integer(1, 99)}.{rng.integer(0, 99):02}"
    return rng.choice((f"${amount}", f"£{amount}", f"€{amount}"))


def date(rng: Rng) -> str:
    """Draw a date in words or as ISO 8601 has it."""
    day, month, year = rng.integer(1, 28), rng.integer(1, 12), rng.integer(1950, 2049)
    return rng.choice((f"{day} {_MONTHS[month - 1]} {year}", f"{year}-{month:02}-{day:02}"))


def code(rng: Rng) -> str:
    """Draw a code of letters and digits, such as AB-123."""
    letters = "".join(rng.choice(_LETTERS) for _ in range(rng.integer(2, 3)))
    return f"{letters}-{rng.integer(100, 9999)}"


TEXTS: dict[str, Callable[[Rng], str]] = {
    draw.__name__: draw for draw in (word, words, number, price, date, code)
}


def texts(
    rng: Rng, kinds: tuple[str, ...], count: int, *, beside: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Draw texts of which none stands inside another; a code replaces what clashes or is long.

    Beyond four they stand in two columns, and what is longer than half a row could not be read.
    None stands inside those `beside` them, either.
    """
    # Letters; beyond four texts the rows have two columns.
    longest = 24 if count <= 4 else 11
    chosen = [*beside]
    while len(chosen) < count + len(beside):
        text = TEXTS[rng.choice(kinds)](rng)
        if len(text) > longest or any(_clash(text, other) for other in chosen):
            text = f"{code(rng)}{len(chosen)}"
        if not any(_clash(text, other) for other in chosen):
            chosen.append(text)
    return tuple(chosen[len(beside) :])


def repeat_some(rng: Rng, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Put one of the texts in the place of some others, in half of the cases of none."""
    copies = rng.integer(1, len(texts)) if rng.chance(0.5) else 1
    return tuple(rng.sample((*texts[:1] * copies, *texts[copies:]), len(texts)))


def _clash(first: str, second: str) -> bool:
    a, b = first.casefold(), second.casefold()
    return a in b or b in a
