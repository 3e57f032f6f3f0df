"""What a level settles of a clock."""

from __future__ import annotations

from typing import NamedTuple


class Ranges(NamedTuple):
    """Each is overridden by the option of its name."""

    rotation: float
    perspective: float
    warp: float
    dial_size: tuple[float, float]
    offset: float
    second_hand: float
    one_hand: float
    minute_track: float
    shadow: float
    variety: float
    brand: float
    date: float
    subdials: float
    alarm: float
    glare: float
    occlusion: float

    @property
    def bare(self) -> bool:
        """Whether dials carry nothing beside the time, and nothing lies over them."""
        return not any(self[self._fields.index("brand") :])


LEVELS = {
    "easy": Ranges(0.0, 0.0, 0.0, (0.85, 0.96), 0.3, 0.0, 0.0, 1.0, 0.0, 0.3, *[0.0] * 6),
    "medium": Ranges(12.0, 0.06, 0.0, (0.65, 0.96), 1.0, 0.3, 0.0, 0.6, 0.3, 1.0, *[0.0] * 6),
    "hard": Ranges(
        rotation=30.0,
        perspective=0.1,
        warp=0.06,
        dial_size=(0.6, 0.96),
        offset=1.0,
        second_hand=0.5,
        one_hand=0.1,
        minute_track=0.4,
        shadow=0.5,
        variety=1.0,
        brand=0.4,
        date=0.3,
        subdials=0.15,
        alarm=0.2,
        glare=0.25,
        occlusion=0.3,
    ),
}
