"""The clocks of a picture: times, looks, and the camera that sees them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from PIL.Image import Image

from gnomon.generators.clock.face import ARABIC_24, ClockFace
from gnomon.generators.clock.options import ClockOptions
from gnomon.generators.drawing.canvas import bounding_box
from gnomon.generators.drawing.degrade import max_turn
from gnomon.generators.drawing.pose import Lens, Pose, place, upright_corners
from gnomon.generators.drawing.shapes import polar
from gnomon.generators.faces.description import DrawnFace, FaceDescription, descriptions
from gnomon.generators.faces.draw import FaceLook, FaceScene
from gnomon.generators.faces.in_front import COVER_COLOURS, InFront, cover_outline, random_cover
from gnomon.generators.faces.varying import EndChooser
from gnomon.generators.registry import description_files
from gnomon.generators.rng import Rng
from gnomon.generators.user_files import UserFile
from gnomon.sample import Form, Size

# Turn in degrees beyond which a dial marks its twelve.
UPRIGHT = 10.0
# Smallest height in pixels at which digits show their hour.
LEGIBLE = 6.0
# Questions that need two hands.
BOTH_HANDS = ("move", "angle", "valid")
# Pixels to the picture's edge. A lens or wear repeats the colours at the edge beyond it, so a
# case that touches the edge would continue past its box.
_FREE = 2
# Range of the longer side of a clock whose box is asked for, as a share of the picture's side.
_ANY_SIZE = (0.2, 0.7)
_HANDS = ("alarm", "hour", "minute", "second")


class ClockScene(NamedTuple):
    """Clock ready for drawing."""

    meaning: ClockFace
    picture: FaceScene
    parts: Mapping[str, Any]
    """The parts of the face by their names."""
    rotation: float
    tilt: float
    is_mirrored: bool

    def with_look(self, **changes: Any) -> ClockScene:
        """Return the same clock with another look of its picture."""
        picture = self.picture
        return self._replace(picture=picture._replace(look=picture.look._replace(**changes)))

    @property
    def angles(self) -> dict[str, float]:
        """Degrees from the dial's twelve to each hand, alarm included, from bottom to top."""
        hands = {name: self.parts[name] for name in _HANDS if name in self.parts}
        # Rounded, so that half past one is 45 degrees and not a little less.
        return {n: round(h.track.path.direction(h.share), 9) % 360 for n, h in hands.items()}


@cache
def clock_description() -> FaceDescription:
    """Return the description of clocks."""
    file = description_files()["clock"]
    return descriptions(file.read_text("utf-8"), file.stem)[0]


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
    clock: ClockOptions, index: int, clocks: Sequence[tuple[ClockFace, Rng]], question: str, *,
    is_mirrored: bool,
) -> list[ClockScene]:  # fmt: skip
    """Draw the looks of all clocks in a row."""
    scenes: list[ClockScene] = []
    # Each clock draws a size, so that the looks of later clocks do not depend on the first.
    sizes = [rng.within(clock.sizes) for _, rng in clocks]
    size = sizes[0]
    for column, (meaning, rng) in enumerate(clocks):
        scene = random_scene(
            clock, meaning, rng, size, question, f"{index}/{column}", is_mirrored=is_mirrored
        )
        if column:
            scene = scene.with_look(pose=scene.picture.look.pose.moved(column * size, 0))
        if clock.settings.glare or clock.settings.occlusion:
            # An object must not hide the neighbours, but it may extend over the picture's edge.
            ends = (column * size if column else -math.inf,
                    (column + 1) * size if column + 1 < len(clocks) else math.inf)  # fmt: skip
            stream = Rng(clock.name, "front", index, column)
            front = _random_front(clock, scene, stream, question, ends)
            scene = scene.with_look(front=front)
        scenes.append(scene)
    return scenes


def random_scene(
    clock: ClockOptions, meaning: ClockFace, rng: Rng, size: int, question: str = "read",
    name: str = "", *, is_mirrored: bool = False,
) -> ClockScene:  # fmt: skip
    """Draw the look of one clock, and its face from the stream of this name.

    If its box is asked for, it may be small and far from the middle, unless the options forbid it.
    """
    ranges = clock.settings
    if question == "where" and clock.wide is None:
        ranges = ranges._replace(
            dial_size=clock.dial_size or _ANY_SIZE,
            offset=1.0 if clock.offset is None else clock.offset,
        )
    lean = rng.uniform(-1, 1)
    rotation = ranges.rotation * lean * abs(lean)  # most clocks hang nearly straight
    tilt = rng.uniform(0, ranges.perspective)
    constants = _constants(clock, meaning, question)
    is_turned = is_mirrored or abs(rotation) + max_turn(clock.degrade) > UPRIGHT
    if is_turned and meaning.style.numerals in ("dots", "none"):
        constants["twelve_mark"] = 1.0
    face = _draw(clock, meaning, constants, name)
    edge = free_edge(clock)
    room = size - 2 * edge
    pose = place(
        face.body.outline(face.body.rim), turn=rotation, tilt=tilt, towards=rng.uniform(0, 360),
        length=min(size * rng.uniform(*ranges.dial_size), room), room=room,
        shift=(rng.uniform(-1, 1) * ranges.offset, rng.uniform(-1, 1) * ranges.offset),
    )  # fmt: skip
    pose = pose.moved(edge, edge) if edge else pose
    pose = pose.mirrored() if is_mirrored else pose
    if is_turned and meaning.hours == 12 and _numeral_pixels(clock, face, pose) < LEGIBLE:
        # From the same draws, so that only the mark is added.
        face = _draw(clock, meaning, constants | {"twelve_mark": 1.0}, name)
    look = FaceLook(
        size=size,
        palette=meaning.style.palette,
        background=rng.choice(clock.materials.names("backgrounds")),
        font=_font(clock, meaning, rng) or face.body.font,
        pose=pose,
        is_photo=clock.look == "photo",
        shadow=rng.uniform(0.15, 0.35) if rng.chance(ranges.shadow) else 0.0,
    )
    parts = {mount.name: mount for mount in face.parts}
    return ClockScene(meaning, FaceScene(face, look), parts, rotation, tilt, is_mirrored)


def _constants(clock: ClockOptions, meaning: ClockFace, question: str) -> dict[str, Any]:
    """Return what the time and the options determine of the description's draws."""
    ranges, style = clock.settings, meaning.style
    is_dated = question == "date"
    return {
        "dial": style.dial,
        "hands": style.hands,
        "numerals": style.numerals,
        "minute_track": ranges.minute_track,
        "second_hand": meaning.second_hand,
        "one_hand": meaning.one_hand,
        "wrong": meaning.off_by * meaning.hours / 360,
        "variety": ranges.variety,
        # A small dial or a window cuts into taller numerals, and into numerals further in.
        "crowded": bool(ranges.date or ranges.subdials or "date" in clock.questions),
        "brand": ranges.brand,
        "date": 1.0 if is_dated else ranges.date,
        "subdials": ranges.subdials,
        # Three hands leave one of four places free for the date.
        "alarm": 0.0 if is_dated or meaning.one_hand else ranges.alarm,
    }


def _draw(
    clock: ClockOptions, meaning: ClockFace, constants: dict[str, Any], name: str
) -> DrawnFace:
    rng = Rng(clock.name, "face", name)
    return clock_description().draw(Fraction(meaning.seconds), rng, constants)


def _numeral_pixels(clock: ClockOptions, face: DrawnFace, pose: Pose) -> float:
    """Return the height of a digit in the picture. A lens makes it smaller by its strength."""
    pixels: float = face.quantities["height"] * pose.scale / (1 + clock.settings.warp)
    return pixels


def free_edge(clock: ClockOptions) -> int:
    """Pixels between a clock and the edges of its part of the picture."""
    return _FREE if clock.settings.warp or clock.degrade != "off" else 0


def _font(clock: ClockOptions, meaning: ClockFace, rng: Rng) -> str | None:
    """Draw a font of the option. A built-in font must suit the numerals. None without the option
    or a suitable font."""
    if clock.fonts is None:
        return None
    suited = _suited_fonts(meaning.style.numerals)
    names = [n for n in clock.materials.names("fonts") if isinstance(n, UserFile) or n in suited]
    return rng.choice(names) if names else None


@cache
def _suited_fonts(numerals: str) -> set[str]:
    description = clock_description()
    return {
        description.draw(Fraction(0), EndChooser(0, index), {"numerals": numerals}).body.font
        for index in range(description.body_fonts)
    }


def _random_front(
    clock: ClockOptions, scene: ClockScene, rng: Rng, question: str, ends: tuple[float, float]
) -> InFront:
    """Draw a reflection in the glass, and an object that hides neither hands nor date."""
    ranges, picture, cover = clock.settings, scene.picture, None
    glare = rng.uniform(0, 360) if rng.chance(ranges.glare) else None
    # If the box of a clock is asked for, objects never hide the clock.
    if rng.chance(ranges.occlusion) and question != "where":
        visible = list(scene.angles.values())
        if date := scene.parts.get("date.window"):
            _, x, y = date.frame
            visible.append(math.degrees(math.atan2(x, -y)))
        if picture.face.quantities["twelve"]:
            visible.append(0.0)
        cover = random_cover(picture.edge, picture.look.pose, visible, ends, rng)
    return InFront(glare, cover, COVER_COLOURS[0] if cover is None else rng.choice(COVER_COLOURS))


def through_camera(
    clock: ClockOptions, index: int, image: Image, clocks: list[ClockScene]
) -> tuple[Image, list[ClockScene]]:
    """Put the picture through a lens and degrade it. Return it with the clocks at their places."""
    if clock.settings.warp:
        lens = Lens(Rng(clock.name, "lens", index).uniform(0, clock.settings.warp), image.size)
        clocks = [s.with_look(pose=replace(s.picture.look.pose, lens=lens)) for s in clocks]
        image = lens.distort(image)
    if clock.wide is None and clock.degrade == "off":
        return image, clocks
    cases = np.concatenate([scene.picture.case for scene in clocks])
    image, moved = clock.take_picture(index, image, cases, clocks[0].picture.look.background)
    return image, [scene.with_look(pose=moved.after(scene.picture.look.pose)) for scene in clocks]


def face_in_picture(scene: ClockScene, form: Form, size: Size, question: str) -> ClockFace:
    """Return the face as questions use it: with its date, form of answer, and box if needed."""
    meaning, day = scene.meaning, scene.parts.get("date.day")
    # Times of a 24-hour day do not have usual words.
    form = "digits" if form == "words" and meaning.hours == 24 else form
    return meaning._replace(
        with_seconds=meaning.with_seconds and form != "words",
        form=form,
        box=bounding_box(np.clip(scene.picture.case, 0, size)) if question == "where" else (),
        day=day and int(day.part.text),
    )


def clock_facts(clock: ClockOptions, scene: ClockScene) -> dict[str, Any]:
    """Return places, look and time of one clock."""
    (face, look), parts, angles = scene.picture, scene.parts, scene.angles
    pose, alarm = look.pose, angles.pop("alarm", None)
    lens = pose.lens if isinstance(pose.lens, Lens) else None
    ends = [polar(degrees, parts[name].part.length) for name, degrees in angles.items()]
    # In one call, because a lens takes most of its time for each call.
    places = pose(np.concatenate([np.array([(0.0, 0.0), *ends]), face.body.outline()]))
    centre, *tips = places[: len(ends) + 1].tolist()
    date = parts.get("date.window")
    cover = look.front.cover
    return {
        "seconds": scene.meaning.seconds,
        "fields": list(angles),
        "angles": angles,
        "style": scene.meaning.style._asdict(),
        "background": look.background,
        "marks": {
            "hour_ticks": bool(face.quantities["ticked"]),
            "minute_track": "minutes" in parts,
            "twelve": parts["twelve"].part.shape if "twelve" in parts else None,
            "numeral_pixels": _numeral_pixels(clock, face, pose),
        },
        "rotation": scene.rotation,
        "perspective": scene.tilt,
        "centre": centre,
        "tips": dict(zip(angles, tips, strict=True)),
        "dial_box": bounding_box(places[len(ends) + 1 :]),
        "mirrored": scene.is_mirrored,
        "corners": upright_corners(scene.picture.edge, pose),
        "homography": pose.matrix.tolist(),
        "lens": lens
        and {
            "strength": lens.strength,
            "size": list(lens.size),
            "beyond": None if pose.beyond is None else pose.beyond.tolist(),
        },
        "brand": parts["brand"].part.text if "brand" in parts else None,
        "subdials": [
            list(pose.at(*mount.frame[1:])) for name, mount in parts.items() if ".floor" in name
        ],
        "alarm": alarm,
        "glare": look.front.glare is not None,
        "date": date
        and {
            "day": int(parts["date.day"].part.text),
            "box": bounding_box(pose(date.part.contours()[0] + date.frame[1:])),
        },
        "cover": None
        if cover is None
        else {
            "at": cover,
            "box": bounding_box(cover_outline(scene.picture.edge, pose, cover)),
        },
    }
