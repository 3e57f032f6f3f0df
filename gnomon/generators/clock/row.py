"""The clocks of a picture side by side: how each looks, and how a camera sees them all."""

from __future__ import annotations

import math

import numpy as np
from PIL.Image import Image

from gnomon.generators.clock import extras as _clock_extras
from gnomon.generators.clock import look as _clock_look
from gnomon.generators.clock.draw import Shown
from gnomon.generators.clock.extras import Extras
from gnomon.generators.clock.look import Look
from gnomon.generators.clock.meaning import Meaning
from gnomon.generators.clock.options import ClockOptions
from gnomon.generators.clock.questions import Face
from gnomon.generators.drawing.canvas import Points, around
from gnomon.generators.drawing.dials import outline
from gnomon.generators.drawing.lens import Lens
from gnomon.generators.rng import Rng
from gnomon.sample import Form, Size


def row(
    clock: ClockOptions, index: int, clocks: list[tuple[Meaning, Rng]], wrong: list[float],
    question: str, *, mirrored: bool,
) -> list[Shown]:  # fmt: skip
    """As they will be drawn, their hour hands wrong by so many degrees each."""
    shown: list[Shown] = []
    for place, ((meaning, own), off_by) in enumerate(zip(clocks, wrong, strict=True)):
        size = shown[0].look.size if shown else 0
        look = _clock_look.drawn(clock, meaning.style, own, size, mirrored=mirrored,
                                 anywhere=question == "where")  # fmt: skip
        look = look._replace(pose=look.pose.moved(place * look.size, 0))
        if meaning.one_hand:
            look = look._replace(hour=(look.minute[0], look.hour[1]))
        angles = meaning.angles
        angles["hour"] = (angles["hour"] + off_by) % 360
        ends = _ends(place, len(clocks), look.size)
        extras = _extras(clock, f"{index}/{place}", look, list(angles.values()), question, ends)
        shown.append(Shown(look, angles, extras))
    return shown


def photographed(
    clock: ClockOptions, index: int, image: Image, shown: list[Shown]
) -> tuple[Image, list[Shown]]:
    """The picture through a lens, then worn, and where its clocks stand in it."""
    if clock.settled.warp:
        lens = Lens(Rng(clock.name, "lens", index).uniform(0, clock.settled.warp), image.size)
        shown = [one.posed(one.look.pose.through(lens)) for one in shown]
        image = lens.seen(image)
    image, moved = clock.degraded(index, image, np.concatenate([_case(one) for one in shown]))
    return image, [one.posed(moved.after(one.look.pose)) for one in shown]


def face(meaning: Meaning, shown: Shown, form: Form, off_by: float, size: Size) -> Face:
    """What can be asked of one of them in a picture of that size."""
    box = around(np.clip(_case(shown), 0, size))
    form = "digits" if form == "words" and meaning.hours == 24 else form
    asked, day = meaning.asked and form != "words", shown.extras.day
    return Face(meaning.seconds, meaning.hours, asked, form, off_by, box, day, meaning.step)


def _extras(
    clock: ClockOptions, which: str, look: Look, angles: list[float], question: str,
    ends: tuple[float, float] | None,
) -> Extras:  # fmt: skip
    dated, whole = question == "date", question == "where"
    if clock.settled.bare and not dated:
        return _clock_extras.NONE
    rng = Rng(clock.name, "extras", which)
    return _clock_extras.drawn(
        clock.settled, look, angles, rng, dated=dated, whole=whole, ends=ends
    )


def _case(shown: Shown) -> Points:
    return shown.look.pose(outline(shown.look.style.dial, shown.look.make.rim))


def _ends(place: int, many: int, size: int) -> tuple[float, float] | None:
    """From where to where nothing stands but the clock at that place; None where it is alone."""
    if many == 1:
        return None
    left, right = place * size, (place + 1) * size
    return (left if place else -math.inf, right if place + 1 < many else math.inf)
