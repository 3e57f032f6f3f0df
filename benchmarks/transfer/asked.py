"""What foreign pictures show and are asked: labels, in the words that gnomon's own kinds use.

The wording stands here as text, so that only the picture is foreign.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gnomon.sample import Target, Time

if TYPE_CHECKING:
    from PIL import Image

    Drawn: TypeAlias = tuple[Image.Image, str, Target]
    """What a renderer's `draw` gives: a picture, its question, the answer."""

_CLOCK = (
    "What time does the clock show? Answer HH:MM.",
    "Read the clock. Answer HH:MM.",
    "What is the time on this clock? Answer as HH:MM.",
    "Which time do the hands show? Write it as HH:MM.",
)


class Hands(NamedTuple):
    """Where the hands of a clock stand, in degrees clockwise from twelve."""

    hour: float
    minute: float
    second: float | None


def rng_of(name: str, index: int) -> Random:
    """The draws of one picture, which no other renderer or index shares."""
    return Random(f"{name} {index}")  # a text is hashed by SHA-512, the same everywhere


def clock(rng: Random, *, seconds: bool) -> tuple[Hands, str, Time]:
    """Any minute of twelve hours; with a second hand the minute that has begun is asked for."""
    shown = 60 * rng.randrange(720) + (rng.randrange(60) if seconds else 0)
    second = 6.0 * (shown % 60) if seconds else None
    hands = Hands(shown / 120, shown / 10 % 360, second)
    return hands, rng.choice(_CLOCK), Time(shown // 60 * 60)
