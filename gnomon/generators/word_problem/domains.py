"""What stories are about, and the sentences that tell them: domains.toml has them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Domain:
    """One world: what is counted, what can happen to it, what is asked in the end."""

    things: list[str]
    start: list[str]
    moves: dict[str, list[str]]
    endings: dict[str, list[str]]
    distractors: dict[str, tuple[int, int]]
    """Sentences with a number that changes nothing, and the numbers that are likely there."""
    unit: str = ""
    """Of the quantity; empty where it is counted in things."""
    worth: str = "dollars"
    """The unit of the ending `worth`."""
    held_out: bool = False


_TABLE = tomllib.loads(Path(__file__).with_name("domains.toml").read_text(encoding="utf-8"))
NAMES: list[str] = _TABLE["names"]
DOMAINS = {name: Domain(**told) for name, told in _TABLE["domains"].items()}
