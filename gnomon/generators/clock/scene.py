"""The clocks of a picture: times, looks, and the camera that sees them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from PIL.Image import Image

from gnomon.generators.clock import extras as clock_extras
from gnomon.generators.clock.extras import Extras
from gnomon.generators.clock.face import ARABIC_24, ClockFace
from gnomon.generators.clock.look import ClockLook, random_look
from gnomon.generators.clock.options import ClockOptions
from gnomon.generators.drawing.canvas import Points, bounding_box
from gnomon.generators.drawing.pose import Lens, Pose, upright_corners
from gnomon.generators.drawing.shapes import outline, polar
from gnomon.generators.rng import Rng
from gnomon.sample import Form, Size


class ClockScene(NamedTuple):
    """Clock ready for drawing."""

    look: ClockLook
    angles: dict[str, float]
    """Angles of the hands, in degrees from the dial's twelve."""
    extras: Extras = Extras()

    def with_pose(self, pose: Pose) -> ClockScene:
        """Return the same clock in another pose."""
        return self._replace(look=self.look._replace(pose=pose))


# Questions that need two hands.
BOTH_HANDS = ("move", "angle", "valid")


def random_faces(clock: ClockOptions, index: int, question: str) -> list[tuple[ClockFace, Rng]]:
    """Draw the content of each clock of a picture, with the random draws for its look.

    They show different minutes, and all have 12 hours or all have 24.
    """
    rng = clock.rng(index)
    alone = clock.settings.one_hand * (question not in BOTH_HANDS)
    faces = [(random_face(clock, rng, alone), rng)]
    low, high = clock.counts
    more = Rng(clock.name, "clocks", index).integer(low, high) - 1 if high > 1 else 0
    for column in range(1, more + 1):
        stream = Rng(clock.name, "beside", index, column)
        # Minutes of twelve hours, because 10:08 and 22:08 look the same on most dials.
        minutes = {meaning.seconds // 60 % 720 for meaning, _ in faces}
        times = [minute for minute in clock.times if minute not in minutes]
        faces.append((random_face(clock, stream, alone, times, faces[0][0].hours), stream))
    return faces


def random_face(
    clock: ClockOptions, rng: Rng, alone: float, times: Sequence[int] | None = None,
    hours: int | None = None,
) -> ClockFace:  # fmt: skip
    """Draw a time and a style. `alone` is the chance of a lone hour hand, `times` the possible
    times."""
    minute = rng.choice(times or clock.times)
    styles = clock.styles
    if hours is not None:
        styles = tuple(s for s in styles if (s.numerals == ARABIC_24) == (hours == 24))
    style = rng.choice(styles)
    half = 720 * (style.numerals == ARABIC_24 and rng.chance(0.5))
    # Also drawn for clocks without a second hand, so its share does not change later draws.
    second = rng.integer(0, 59)
    has_second = rng.chance(clock.settings.second_hand)
    with_seconds = rng.chance(clock.ask_seconds) and has_second
    if rng.chance(alone):
        lone = ClockFace(0, False, False, style, one_hand=True)
        steps = [minute for minute in times or clock.times if minute % lone.step == 0]
        if steps:
            return lone._replace(seconds=60 * (rng.choice(steps) + half))
    return ClockFace(60 * (minute + half) + second * has_second, has_second, with_seconds, style)


def random_clocks(
    clock: ClockOptions, index: int, clocks: list[tuple[ClockFace, Rng]], wrong: list[float],
    question: str, *, mirrored: bool,
) -> list[ClockScene]:  # fmt: skip
    """Draw the looks of all clocks in a row. `wrong` has the error of each hour hand in degrees."""
    scenes: list[ClockScene] = []
    for column, ((meaning, stream), off_by) in enumerate(zip(clocks, wrong, strict=True)):
        size = scenes[0].look.size if scenes else 0
        look = random_look(clock, meaning.style, stream, size, mirrored=mirrored,
                                 anywhere=question == "where" and clock.wide is None)  # fmt: skip
        look = look._replace(pose=look.pose.moved(column * look.size, 0))
        if meaning.one_hand:
            # A lone hour hand is as long as a minute hand, because it must reach the ticks.
            look = look._replace(hour=(look.minute[0], look.hour[1]))
        angles = meaning.angles
        angles["hour"] = (angles["hour"] + off_by) % 360
        # An object must not hide the neighbours, but it may extend over the picture's edge.
        ends = (column * look.size if column else -math.inf,
                (column + 1) * look.size if column + 1 < len(clocks) else math.inf)  # fmt: skip
        rng = Rng(clock.name, "extras", f"{index}/{column}")
        hands = list(angles.values())
        extras = clock_extras.random_extras(clock.settings, look, hands, rng, question, ends)
        scenes.append(ClockScene(look, angles, extras))
    return scenes


def through_camera(
    clock: ClockOptions, index: int, image: Image, clocks: list[ClockScene]
) -> tuple[Image, list[ClockScene]]:
    """Put the picture through a lens and degrade it. Return it with the clocks at their places."""
    if clock.settings.warp:
        lens = Lens(Rng(clock.name, "lens", index).uniform(0, clock.settings.warp), image.size)
        clocks = [scene.with_pose(replace(scene.look.pose, lens=lens)) for scene in clocks]
        image = lens.distort(image)
    cases = np.concatenate([_case(scene) for scene in clocks])
    image, moved = clock.take_picture(index, image, cases, clocks[0].look.background)
    return image, [scene.with_pose(moved.after(scene.look.pose)) for scene in clocks]


def face_in_picture(
    meaning: ClockFace, scene: ClockScene, form: Form, off_by: float, size: Size, question: str
) -> ClockFace:
    """Return the face as questions use it: with its date, form of answer, and box if needed."""
    box = bounding_box(np.clip(_case(scene), 0, size)) if question == "where" else ()
    # Times of a 24-hour day do not have usual words.
    form = "digits" if form == "words" and meaning.hours == 24 else form
    with_seconds, day = meaning.with_seconds and form != "words", scene.extras.day
    return meaning._replace(with_seconds=with_seconds, form=form, off_by=off_by, box=box, day=day)


def _case(scene: ClockScene) -> Points:
    return scene.look.pose(outline(scene.look.style.dial, scene.look.design.rim))


def clock_facts(scene: ClockScene, seconds: int) -> dict[str, Any]:
    """Return places, look and time of one clock."""
    look, angles, extras = scene
    pose = look.pose
    lens = pose.lens if isinstance(pose.lens, Lens) else None
    lengths = {"hour": look.hour[0], "minute": look.minute[0], "second": look.design.second[0]}
    ends = [polar(degrees, lengths[name]) for name, degrees in angles.items()]
    centre, *tips = pose(np.array([(0.0, 0.0), *ends])).tolist()
    edge = pose(outline(look.style.dial))
    return {
        "seconds": seconds,
        "fields": list(angles),
        "angles": angles,
        "style": look.style._asdict(),
        "background": look.background,
        "marks": look.marks._asdict(),
        "rotation": look.rotation,
        "perspective": look.tilt,
        "centre": centre,
        "tips": dict(zip(angles, tips, strict=True)),
        "dial_box": bounding_box(edge),
        "mirrored": look.mirrored,
        "corners": upright_corners(outline(look.style.dial, look.design.rim), pose),
        "homography": pose.matrix.tolist(),
        "lens": lens
        and {
            "strength": lens.strength,
            "size": list(lens.size),
            "beyond": None if pose.beyond is None else pose.beyond.tolist(),
        },
        **clock_extras.extras_facts(look, extras),
    }
