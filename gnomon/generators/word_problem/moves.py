"""What happens to a quantity in a story, drawn from the end backwards so that all comes out whole.

Each move knows how many steps of working it takes, which numbers it may have where the quantity
after it is known, and what it makes of the quantity before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from gnomon.generators.rng import Rng

PARTS = {2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 6: "a sixth", 10: "a tenth"}
_PERCENTS = (10, 20, 25, 30, 40, 50, 60, 75, 80)


class Step(NamedTuple):
    """A move with its numbers, and the quantity before and after it."""

    move: str
    numbers: tuple[int, ...]
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Move:
    """One kind of thing that can happen."""

    steps: int
    """Lines of working."""
    undo: Callable[[Rng, int, int], tuple[int, tuple[int, ...]] | None]
    """From the quantity after and the largest number: the one before and the move's numbers."""
    work: Callable[..., tuple[str, ...]]
    """The lines of working, from the quantity before and the numbers."""
    written: str
    """The expression that it makes of {q}, which is {p} in brackets."""


def _gain(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:
    if after < 4:
        return None
    n = rng.integer(2, min(most, after - 2))
    return after - n, (n,)


def _lose(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]]:
    n = rng.integer(2, most)
    return after + n, (n,)


def _grow(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:  # noqa: ARG001 - factors are small
    factors = [k for k in range(2, 8) if after % k == 0 and after > k]
    if not factors:
        return None
    k = rng.choice(factors)
    return after // k, (k,)


def _part(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]]:  # noqa: ARG001 - parts are small
    """Half can always be lost."""
    k = rng.choice([k for k in PARTS if after % (k - 1) == 0])
    return after // (k - 1) * k, (k,)


def _percent(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:  # noqa: ARG001 - percents are what they are
    fitting = [p for p in _PERCENTS if after * 100 % (100 - p) == 0]
    if not fitting:
        return None
    p = rng.choice(fitting)
    return after * 100 // (100 - p), (p,)


def _groups(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:
    if after < 6:
        return None
    k = rng.integer(2, min(9, after // 3))
    n = rng.integer(2, max(2, min(most, (after - 1) // k)))
    return (after - k * n, (k, n)) if after > k * n + 1 else None


def _repeated(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]]:
    k, n = rng.integer(2, 7), rng.integer(2, max(2, most // 4))
    return after + k * n, (k, n)


MOVES: dict[str, Move] = {
    "gain": Move(1, _gain, lambda q, n: (f"{q} + {n} = {q + n}",), "{q} + {0}"),
    "lose": Move(1, _lose, lambda q, n: (f"{q} - {n} = {q - n}",), "{q} - {0}"),
    "grow": Move(1, _grow, lambda q, k: (f"{q} × {k} = {q * k}",), "{p} × {0}"),
    "part": Move(
        2,
        _part,
        lambda q, k: (f"{q} ÷ {k} = {q // k}", f"{q} - {q // k} = {q - q // k}"),
        "{q} - {p} ÷ {0}",
    ),
    "percent": Move(
        2,
        _percent,
        lambda q, p: (
            f"{q} × {p} ÷ 100 = {q * p // 100}",
            f"{q} - {q * p // 100} = {q - q * p // 100}",
        ),
        "{q} - {p} × {0} ÷ 100",
    ),
    "groups": Move(
        2,
        _groups,
        lambda q, k, n: (f"{k} × {n} = {k * n}", f"{q} + {k * n} = {q + k * n}"),
        "{q} + {0} × {1}",
    ),
    "repeated": Move(
        2,
        _repeated,
        lambda q, k, n: (f"{k} × {n} = {k * n}", f"{q} - {k * n} = {q - k * n}"),
        "{q} - {0} × {1}",
    ),
}


class Ending(NamedTuple):
    """What is asked of the last quantity."""

    steps: int
    answer: Callable[..., int]
    """From the quantity and the ending's numbers."""
    work: Callable[..., tuple[str, ...]]
    written: str


ENDINGS: dict[str, Ending] = {
    "left": Ending(0, lambda q: q, lambda q: (), "{q}"),  # noqa: ARG005 - nothing to work out
    "each": Ending(1, lambda q, k: q // k, lambda q, k: (f"{q} ÷ {k} = {q // k}",), "{p} ÷ {0}"),
    "worth": Ending(1, lambda q, p: q * p, lambda q, p: (f"{q} × {p} = {q * p}",), "{p} × {0}"),
    "both": Ending(
        2,
        lambda q, n: 2 * q + n,
        lambda q, n: (f"{q} + {n} = {q + n}", f"{q} + {q + n} = {2 * q + n}"),
        "2 × {p} + {0}",
    ),
}


def ended(rng: Rng, ending: str, most: int) -> tuple[int, tuple[int, ...]]:
    """The last quantity and the ending's numbers."""
    last = rng.integer(2, most)
    if ending == "each":
        k = rng.integer(2, 9)
        return last * k, (k,)
    if ending == "worth":
        return last, (rng.integer(2, 12),)
    return last, (rng.integer(2, most),) if ending == "both" else ()


def undone(rng: Rng, after: int, move: str, most: int) -> Step:
    """The move as it led to the quantity, or another of as many steps where it cannot have."""
    steps = MOVES[move].steps
    others = [m for m in MOVES if m != move and MOVES[m].steps == steps]
    while not (before := MOVES[move].undo(rng, after, most)) or before[0] > 1000 * most:
        move = others.pop(rng.integer(0, len(others) - 1))  # `lose` and `repeated` always can
    return Step(move, before[1], before[0], after)
