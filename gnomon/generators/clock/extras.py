"""Extras of a dial: brand, date, subdials, alarm, glare and objects in front of it.

Each extra stands in one of four places around the axis, or in a place without hands.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gnomon.generators.clock.look import ClockLook
from gnomon.generators.drawing.canvas import Canvas, Points, bounding_box
from gnomon.generators.drawing.colours import Colour, Palette
from gnomon.generators.drawing.lettering import Lettering, draw_texts
from gnomon.generators.drawing.shapes import disc, needle, polar, radius_at, rotate, rotation_matrix
from gnomon.generators.rng import Rng

BRANDS = ("Meridian", "Aster", "Halden", "Orlo", "Kestrel", "Vireo", "Tamsin", "Quill", "Nordlys")
# Height of the digits in the date window, in the dial's unit.
DAY_HEIGHT = 0.13
_PLACES = (0, 90, 180, 270)
# Distance of a place from the axis, in the dial's unit.
_OUT = 0.36
# Smallest angle in degrees between a hand and an extra. At _OUT it is 0.21 of the dial's unit.
_CLEAR = 36.0
# Half sizes of the date's window, around its middle.
_WINDOW = np.array([(-0.12, -0.09), (0.12, -0.09), (0.12, 0.09), (-0.12, 0.09)])
# Radius of a small dial.
_SUBDIAL = 0.15
# Length, width and tail of the alarm's hand.
_ALARM = (0.42, 0.02, 0.1)
# Radius of an object that hides the edge.
_COVER = 0.4
# Colours of leaves, wood, a post, a finger.
_COVERS: tuple[Colour, ...] = ((96, 124, 70), (150, 104, 78), (58, 62, 70), (186, 148, 118))


class Extras(NamedTuple):
    """Extras of one dial. Places are degrees from twelve."""

    brand: str = ""
    brand_at: int = 0
    day: int | None = None
    """Day of the month, in a window."""
    day_at: int = 90
    subdials: tuple[tuple[int, float], ...] = ()
    """Place of each small dial, and direction of its hand."""
    alarm: float | None = None
    """Direction of the alarm's hand."""
    glare: float | None = None
    """Side from which light is reflected."""
    cover: float | None = None
    """Place at which an object in front of the clock hides the dial's edge."""
    cover_colour: Colour = _COVERS[0]


def random_extras(
    ranges: Any, look: ClockLook, angles: Sequence[float], rng: Rng, question: str,
    ends: tuple[float, float],
) -> Extras:  # fmt: skip
    """Draw the extras of a dial whose hands stand at `angles`.

    Three hands leave one of four places free. So if the date is asked for, or the clock has only an
    hour hand, there is no alarm hand. If the box of a clock is asked for, objects never hide the
    clock. `ends`: range of the picture in which an object may lie without hiding neighbouring
    clocks.
    """
    dated, whole = question == "date", question == "where"
    alarm = rng.uniform(0, 360) if rng.chance(ranges.alarm) and not dated else None
    alarm = None if len(angles) == 1 else alarm
    hands = [*angles, *([] if alarm is None else [alarm])]
    free = [place for place in _PLACES if _distance(place, hands) >= _CLEAR]
    day = rng.integer(1, 31) if (rng.chance(ranges.date) or dated) and free else None
    day_at = rng.choice(free or _PLACES)
    free_places = [place for place in _PLACES if day is None or place != day_at]
    brand_at = 0 if 0 in free_places else 180
    brand = rng.choice(BRANDS) if rng.chance(ranges.brand) else ""
    free_places = [place for place in free_places if not (brand and place == brand_at)]
    subdials = tuple(
        (place, rng.uniform(0, 360)) for place in free_places if rng.chance(ranges.subdials)
    )
    visible_at = [*hands, *([day_at] if day else []), *([0.0] if look.marks.twelve else [])]
    turn, covered = rng.uniform(0, 15), rng.chance(ranges.occlusion) and not whole
    # Every 15 degrees from a random start, which is fine enough to find a free place.
    edges = [turn + 15 * step for step in range(24 * covered)]
    edges = [edge for edge in edges if _distance(edge, visible_at) >= _CLEAR]
    edges = [edge for edge in edges if _lies_within(ends, cover_outline(look, edge))]
    return Extras(
        brand, brand_at, day, day_at, subdials, alarm,
        glare=rng.uniform(0, 360) if rng.chance(ranges.glare) else None,
        cover=rng.choice(edges) if edges else None,
        cover_colour=rng.choice(_COVERS),
    )  # fmt: skip


def draw_below_hands(canvas: Canvas, look: ClockLook, palette: Palette, extras: Extras) -> None:
    """Draw the extras below the hands."""
    pose, texts = look.pose, []
    for place, pointing in extras.subdials:
        middle = polar(place, _OUT)
        canvas.fill_fine([pose(disc(_SUBDIAL) + middle)], palette.ink)
        canvas.fill_fine([pose(disc(0.9 * _SUBDIAL) + middle)], palette.floor)
        hand = rotate(needle(0.7 * _SUBDIAL, 0.018, 0.15 * _SUBDIAL), pointing)
        canvas.fill_fine([pose(hand[0] + middle)], palette.ink)
    if extras.day is not None:
        middle = polar(extras.day_at, _OUT)
        canvas.fill_fine([pose(np.add(1.12 * _WINDOW, middle))], palette.ink)
        canvas.fill_fine([pose(np.add(_WINDOW, middle))], palette.floor)
        texts.append(Lettering(str(extras.day), *middle, DAY_HEIGHT))
    if extras.brand:
        texts.append(Lettering(extras.brand, *polar(extras.brand_at, _OUT), 0.075))
    if texts:
        draw_texts(canvas, texts, look.font, pose, palette.ink)
    if extras.alarm is not None:
        hand = rotate(needle(*_ALARM), extras.alarm)
        canvas.fill_fine([pose(contour) for contour in hand], palette.second)


def draw_above_hands(canvas: Canvas, look: ClockLook, extras: Extras) -> None:
    """Draw the objects between the clock and the eye."""
    pose = look.pose
    if extras.glare is not None:
        # An ellipse of light across the glass.
        lens = disc(1.0) * (0.5, 0.16) @ rotation_matrix(extras.glare) + polar(extras.glare, 0.42)
        canvas.fill_fine_shapes([[pose(lens)]], (255, 255, 255), 0.4)
    if extras.cover is not None:
        thing = cover_outline(look, extras.cover)
        # Its shadow, slightly below and to the right.
        canvas.fill_fine_shapes([[thing + 0.03 * pose.scale]], (0, 0, 0), 0.3)
        canvas.fill_fine([thing], extras.cover_colour)


def cover_outline(look: ClockLook, at: float) -> Points:
    """Return the outline of the object that hides the dial's edge, in the picture."""
    middle = polar(at, radius_at(look.style.dial, at) + 0.05)
    return look.pose(_COVER * disc(1.0) * (1.0, 1.15) @ rotation_matrix(at) + middle)


def extras_facts(look: ClockLook, extras: Extras) -> dict[str, Any]:
    """Return the facts of the extras. The date's box is the box of its window."""
    window = look.pose(np.add(_WINDOW, polar(extras.day_at, _OUT)))
    date = {"day": extras.day, "box": bounding_box(window)}
    hidden = None
    if extras.cover is not None:
        hidden = {"at": extras.cover, "box": bounding_box(cover_outline(look, extras.cover))}
    return {
        "brand": extras.brand or None,
        "subdials": [list(look.pose.at(*polar(at, _OUT))) for at, _ in extras.subdials],
        "alarm": extras.alarm,
        "glare": extras.glare is not None,
        "date": date if extras.day else None,
        "cover": hidden,
    }


def _lies_within(ends: tuple[float, float], thing: Points) -> bool:
    return bool(ends[0] <= thing[:, 0].min() and thing[:, 0].max() <= ends[1])


def _distance(at: float, others: Sequence[float]) -> float:
    """Return the degrees to the nearest of the others."""
    return min((abs((at - other + 180) % 360 - 180) for other in others), default=360.0)
