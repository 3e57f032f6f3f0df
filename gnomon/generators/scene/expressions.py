"""What can be asked of a scene: expressions that mean one thing, relations that can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gnomon.generators.rng import Rng
from gnomon.generators.scene.things import Thing

SIDES = {
    "left of": (0, -1),
    "right of": (0, 1),
    "above": (1, -1),
    "below": (1, 1),
}
"""Axis, and the sign of the way along it."""
ENDS = {"leftmost": "left of", "rightmost": "right of", "topmost": "above", "lowest": "below"}
CLEAR = 0.04
"""Of the picture's side: what lies on one side of another is free of it by so much."""


class Said(NamedTuple):
    """An expression, and which of the things it means."""

    text: str
    size: str = ""
    colour: str = ""
    name: str = ""
    end: str = ""

    def fits(self, thing: Thing) -> bool:
        """Whether a thing has what is said of it; where it stands is not asked."""
        return all(
            said in ("", has)
            for said, has in zip((self.size, self.colour, self.name), thing, strict=True)
        )

    def to_json(self) -> dict[str, str]:
        """What is said, by name."""
        return {name: said for name, said in self._asdict().items() if said and name != "text"}


def expressions(
    things: Sequence[Thing],
    index: int,
    centres: Sequence[tuple[float, float]],
    clear: float = CLEAR,
) -> list[Said]:
    """All that is true of one thing alone, shortest first; all three words always are."""
    thing = things[index]
    plain = [
        Said(thing.name, name=thing.name),
        Said(f"{thing.colour} {thing.name}", colour=thing.colour, name=thing.name),
        Said(f"{thing.size} {thing.name}", size=thing.size, name=thing.name),
        Said(str(thing), *thing),
    ]
    found = [said for said in plain if sum(map(said.fits, things)) == 1]
    return found + [
        said._replace(text=f"{end} {said.text}", end=end)
        for said in plain[:2]
        for end in ENDS
        if sum(map(said.fits, things)) > 1 and _is_end(said, end, things, index, centres, clear)
    ]


def _is_end(
    said: Said,
    end: str,
    things: Sequence[Thing],
    index: int,
    centres: Sequence[tuple[float, float]],
    clear: float,
) -> bool:
    """Whether no other that fits is as far that way, or nearly so."""
    axis, sign = SIDES[ENDS[end]]
    others = [i for i, thing in enumerate(things) if i != index and said.fits(thing)]
    return all(sign * (centres[index][axis] - centres[i][axis]) > 2 * clear for i in others)


def beside(one: tuple[float, ...], other: tuple[float, ...], clear: float) -> list[str]:
    """The sides of `other` on which `one` lies, `clear` pixels from it; both are boxes."""
    found = {
        "left of": one[2] + clear < other[0],
        "right of": other[2] + clear < one[0],
        "above": one[3] + clear < other[1],
        "below": other[3] + clear < one[1],
    }
    return [name for name, lies in found.items() if lies]


def pair(rng: Rng, count: int) -> tuple[int, int]:
    """Two different ones."""
    first = rng.integer(0, count - 1)
    return first, (first + rng.integer(1, count - 1)) % count


def facts_of(said: Said, index: int) -> dict[str, Any]:
    """An expression and what it means."""
    return {"said": said.to_json(), "means": index}
