"""Worlds of stories (domains.toml) and moves (moves.toml), drawn backwards from the end."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import add, floordiv, mul, sub
from typing import NamedTuple

from gnomon.files import read_toml
from gnomon.generators.rng import Rng


@dataclass(frozen=True)
class Domain:
    """A world: what is counted, what can happen to it, what is asked in the end."""

    things: list[str]
    start: list[str]
    moves: dict[str, list[str]]
    endings: dict[str, list[str]]
    distractors: dict[str, tuple[int, int]]
    """Sentences with a number that changes nothing, and the numbers that are likely there."""
    unit: str = ""
    """Unit of the quantity; empty where it is counted in things."""
    worth: str = "dollars"
    """The unit of the ending `worth`."""
    held_out: bool = False


_WORLDS = read_toml(__file__, "domains.toml")
NAMES: list[str] = _WORLDS["names"]
DOMAINS = {name: Domain(**fields) for name, fields in _WORLDS["domains"].items()}


PARTS = {2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 6: "a sixth", 10: "a tenth"}
_PERCENTS = (10, 20, 25, 30, 40, 50, 60, 75, 80)


class Step(NamedTuple):
    """A move with its numbers, and the quantity before and after it."""

    move: str
    numbers: tuple[int, ...]
    before: int
    after: int


class Move(NamedTuple):
    """A move or an ending: its working and its expression."""

    work: list[str]
    """The lines of working."""
    written: str
    """The expression that it makes of the quantity."""

    def worked(self, quantity: int, numbers: tuple[int, ...]) -> tuple[list[str], int]:
        """Work the lines out; return them with their results, and the last result."""
        lines, result = [], quantity
        for line in self.work:
            text = line.format(*numbers, q=quantity, a=result)
            result = _result(text)
            lines.append(f"{text} = {result}")
        return lines, result


def _result(text: str) -> int:
    """Work a line out from left to right."""
    # Lines of working have no brackets and no precedence.
    first, *rest = text.split(" ")
    value = int(first)
    for sign, number in zip(rest[::2], rest[1::2], strict=True):
        value = _SIGNS[sign](value, int(number))
    return value


_SIGNS = {"+": add, "-": sub, "×": mul, "÷": floordiv}
_TABLE = read_toml(__file__, "moves.toml")
MOVES, ENDINGS = (
    {name: Move(**fields) for name, fields in _TABLE[what].items()} for what in ("moves", "endings")
)


def gain(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:
    if after < 4:
        return None
    # Two at least were there before.
    n = rng.integer(2, min(most, after - 2))
    return after - n, (n,)


def lose(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]]:
    n = rng.integer(2, most)
    return after + n, (n,)


def grow(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:  # noqa: ARG001 - factors are small
    factors = [k for k in range(2, 8) if after % k == 0 and after > k]
    if not factors:
        return None
    k = rng.choice(factors)
    return after // k, (k,)


def part(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]]:  # noqa: ARG001 - parts are small
    """Half can always be lost."""
    # After a kth is lost, (k − 1)/k of the quantity remain.
    k = rng.choice([k for k in PARTS if after % (k - 1) == 0])
    return after // (k - 1) * k, (k,)


def percent(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:  # noqa: ARG001 - percents are what they are
    # Only percents that leave whole quantities.
    fitting = [p for p in _PERCENTS if after * 100 % (100 - p) == 0]
    if not fitting:
        return None
    p = rng.choice(fitting)
    return after * 100 // (100 - p), (p,)


def groups(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:
    if after < 6:
        return None
    k = rng.integer(2, min(9, after // 3))
    n = rng.integer(2, max(2, min(most, (after - 1) // k)))
    return (after - k * n, (k, n)) if after > k * n + 1 else None


def repeated(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]]:
    k, n = rng.integer(2, 7), rng.integer(2, max(2, most // 4))
    return after + k * n, (k, n)


# Undoes a move: quantity after it and largest number to quantity before it and the move's numbers.
_UNDO: dict[str, Callable[[Rng, int, int], tuple[int, tuple[int, ...]] | None]] = {
    undo.__name__: undo for undo in (gain, lose, grow, part, percent, groups, repeated)
}


def random_ending(rng: Rng, ending: str, most: int) -> tuple[int, tuple[int, ...]]:
    """Draw the last quantity and the ending's numbers."""
    last = rng.integer(2, most)
    if ending == "each":
        k = rng.integer(2, 9)
        return last * k, (k,)
    if ending == "worth":
        return last, (rng.integer(2, 12),)
    return last, (rng.integer(2, most),) if ending == "both" else ()


def undo_move(rng: Rng, after: int, move: str, most: int) -> Step:
    """Undo a move that led to the quantity, or another of as many steps if that cannot be."""
    steps = len(MOVES[move].work)
    others = [m for m in MOVES if m != move and len(MOVES[m].work) == steps]
    # Quantities beyond a thousand times the largest number are no story's.
    while not (before := _UNDO[move](rng, after, most)) or before[0] > 1000 * most:
        move = others.pop(rng.integer(0, len(others) - 1))  # `lose` and `repeated` always can
    return Step(move, before[1], before[0], after)
