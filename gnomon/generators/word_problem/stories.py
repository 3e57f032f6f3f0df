"""Domains of stories (domains.toml) and moves (moves.toml), drawn backwards from the end."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import add, floordiv, mul, sub
from typing import NamedTuple

from gnomon.files import read_toml
from gnomon.generators.rng import Rng


@dataclass(frozen=True)
class Domain:
    """Domain of stories: the counted thing, the possible events, and the final question."""

    things: list[str]
    start: list[str]
    moves: dict[str, list[str]]
    endings: dict[str, list[str]]
    distractors: dict[str, tuple[int, int]]
    """Sentences with irrelevant numbers, and likely values for these numbers."""
    unit: str = ""
    """Unit of the quantity. Empty if the story counts things."""
    worth_unit: str = "dollars"
    """Unit of the ending `worth`."""
    held_out: bool = False


_DOMAIN_FILE = read_toml(__file__, "domains.toml")
NAMES: list[str] = _DOMAIN_FILE["names"]
DOMAINS = {name: Domain(**fields) for name, fields in _DOMAIN_FILE["domains"].items()}


PARTS = {2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 6: "a sixth", 10: "a tenth"}
_PERCENTS = (10, 20, 25, 30, 40, 50, 60, 75, 80)


class Step(NamedTuple):
    """Move with its numbers, and the quantity before and after it."""

    move: str
    numbers: tuple[int, ...]
    before: int
    after: int


class Move(NamedTuple):
    """Working and expression of a move or an ending."""

    lines: list[str]
    """Lines of the working."""
    expression: str
    """Expression that the move makes of the quantity."""

    def work_out(self, quantity: int, numbers: tuple[int, ...]) -> tuple[list[str], int]:
        """Compute the lines. Return the lines with their results, and the last result."""
        working, result = [], quantity
        for line in self.lines:
            text = line.format(*numbers, q=quantity, a=result)
            result = _result(text)
            working.append(f"{text} = {result}")
        return working, result


def _result(text: str) -> int:
    """Compute a line from left to right."""
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


def undo_gain(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:
    if after < 4:
        return None
    # There were at least two before.
    n = rng.integer(2, min(most, after - 2))
    return after - n, (n,)


def undo_lose(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]]:
    n = rng.integer(2, most)
    return after + n, (n,)


def undo_grow(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:  # noqa: ARG001 - factors are small
    factors = [k for k in range(2, 8) if after % k == 0 and after > k]
    if not factors:
        return None
    k = rng.choice(factors)
    return after // k, (k,)


def undo_part(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]]:  # noqa: ARG001 - parts are small
    """It is always possible to lose half."""
    # After losing a kth, (k − 1)/k of the quantity remain.
    k = rng.choice([k for k in PARTS if after % (k - 1) == 0])
    return after // (k - 1) * k, (k,)


def undo_percent(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:  # noqa: ARG001 - percents are what they are
    # Only percentages that give whole quantities.
    fitting = [p for p in _PERCENTS if after * 100 % (100 - p) == 0]
    if not fitting:
        return None
    p = rng.choice(fitting)
    return after * 100 // (100 - p), (p,)


def undo_groups(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]] | None:
    if after < 6:
        return None
    k = rng.integer(2, min(9, after // 3))
    n = rng.integer(2, max(2, min(most, (after - 1) // k)))
    return (after - k * n, (k, n)) if after > k * n + 1 else None


def undo_repeated(rng: Rng, after: int, most: int) -> tuple[int, tuple[int, ...]]:
    k, n = rng.integer(2, 7), rng.integer(2, max(2, most // 4))
    return after + k * n, (k, n)


# Functions that undo a move. They take the quantity after the move and the largest number. They
# return the quantity before the move and the numbers of the move.
_UNDO: dict[str, Callable[[Rng, int, int], tuple[int, tuple[int, ...]] | None]] = {
    "gain": undo_gain,
    "lose": undo_lose,
    "grow": undo_grow,
    "part": undo_part,
    "percent": undo_percent,
    "groups": undo_groups,
    "repeated": undo_repeated,
}


def random_ending(rng: Rng, ending: str, most: int) -> tuple[int, tuple[int, ...]]:
    """Draw the last quantity and the numbers of the ending."""
    number = rng.integer(2, most)
    if ending == "each":  # each of k gets the number
        k = rng.integer(2, 9)
        return number * k, (k,)
    if ending == "worth":
        return number, (rng.integer(2, 12),)
    return number, (rng.integer(2, most),) if ending == "both" else ()


def undo_move(rng: Rng, after: int, move: str, most: int) -> Step:
    """Undo a move that led to the quantity, or else another move with as many lines."""
    n_lines = len(MOVES[move].lines)
    others = [m for m in MOVES if m != move and len(MOVES[m].lines) == n_lines]
    # A story does not use quantities beyond a thousand times the largest number.
    while not (origin := _UNDO[move](rng, after, most)) or origin[0] > 1000 * most:
        move = others.pop(rng.integer(0, len(others) - 1))  # `lose` and `repeated` always can
    quantity, numbers = origin
    return Step(move, numbers, quantity, after)
