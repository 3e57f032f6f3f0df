"""A face before it is drawn, its pixels from the background to the pointers, and its facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from PIL.Image import Image

from gnomon.generators.drawing import colours
from gnomon.generators.drawing.backgrounds import SPREADS, background_behind
from gnomon.generators.drawing.canvas import SCALE, Canvas, Points, bounding_box
from gnomon.generators.drawing.colours import Palette, ground_clear_of
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.faces.description import DrawnFace, decimal_of
from gnomon.generators.faces.painter import FacePainter
from gnomon.generators.faces.part import MountedPart
from gnomon.generators.faces.pointer import Pointer
from gnomon.generators.faces.printed import Plate
from gnomon.generators.faces.track import Track
from gnomon.generators.looks import photo
from gnomon.generators.rng import Rng


class FaceLook(NamedTuple):
    """Everything about a picture of a face that its description leaves open."""

    size: int
    """Pixels of the picture's height, and of its width if none is given."""
    palette: str
    background: str
    font: str
    pose: Pose
    is_photo: bool = False
    width: int | None = None
    readable: int | None = None
    """Pixels of the shorter side at which it can still be read. Default: the description's."""


class FaceScene(NamedTuple):
    """A face that shows a value, and how it is seen."""

    face: DrawnFace
    look: FaceLook

    @property
    def case(self) -> Points:
        """The edge of the body in the picture."""
        return self.look.pose(self.face.body.outline(self.face.body.rim))


def draw_face(scene: FaceScene, rng: Rng) -> Image:
    """Draw a face with its background, flat or photographed."""
    face, look = scene.face, scene.look
    palette = face.body.colours.dress(colours.palette(look.palette))
    if face.body.shape == "bare":
        palette = replace(palette, case=palette.floor)
    painter = _painter(scene, palette, rng)
    above = [mount for mount in face.parts if _stands_above(mount)]
    for mount in _floor_parts(face):
        painter.frame = mount.frame
        mount.part.paint(painter, mount)
    painter.finish_floor()
    if not look.is_photo:
        _draw_above(painter, above)
        return painter.canvas.picture()
    return _photograph(painter, above, scene, rng)


def _painter(scene: FaceScene, palette: Palette, rng: Rng) -> FacePainter:
    """Draw the background with the body before it, and what stands out behind the body."""
    face, look = scene.face, scene.look
    body = face.body
    edge = look.pose(body.outline(body.rim + 0.03))
    ground = ground_clear_of((palette.case,), palette.ground, SPREADS.get(look.background, 0))
    behind = background_behind(
        look.background, SCALE * look.size, ground, rng, [(edge, palette.case)], SCALE
    )
    if look.width is not None:
        behind = np.ascontiguousarray(behind[:, : SCALE * look.width])
    canvas = Canvas((look.width or look.size, look.size), behind)
    painter = FacePainter(canvas, look.pose, palette, look.font, face.head.unit, rng)
    for mount in face.parts:
        if _is_behind(mount):
            painter.frame = mount.frame
            mount.part.paint(painter, mount)
    painter.frame = (1.0, 0.0, 0.0)
    if body.rim:
        painter.fill([body.outline(body.rim)], "case")
    if body.shape == "ring":  # a groove in the rim
        painter.fill([body.outline(0.57 * body.rim)], "floor")
        painter.fill([body.outline(0.21 * body.rim)], "case")
    floor = body.outline()
    painter.fill([floor], "floor")
    painter.right_edge = float(floor[:, 0].max())
    return painter


def _floor_parts(face: DrawnFace) -> Iterator[MountedPart]:
    """Iterate over the parts in the floor; what lies beneath a track comes before it."""
    beneath = [m for m in face.parts if isinstance(m.part, Pointer) and m.part.beneath]
    for mount in face.parts:
        if isinstance(mount.part, Track):
            yield from (liquid for liquid in beneath if liquid.track is mount.part)
        if not (mount in beneath or _stands_above(mount) or _is_behind(mount)):
            yield mount


def _stands_above(mount: MountedPart) -> bool:
    return isinstance(mount.part, Pointer) and mount.part.stands_above


def _is_behind(mount: MountedPart) -> bool:
    return isinstance(mount.part, Plate) and mount.part.behind


def _draw_above(painter: FacePainter, above: list[MountedPart]) -> None:
    for mount in above:
        painter.frame = mount.frame
        mount.part.paint(painter, mount)


def _photograph(
    painter: FacePainter, above: list[MountedPart], scene: FaceScene, rng: Rng
) -> Image:
    """Take a picture of the face, the pointers a little above it."""
    face, look = scene.face, scene.look
    without_pointers, shapes = painter.canvas.pixels.copy(), []
    shift = np.array(photo.parallax(rng, look.pose.scale))
    for mount in above:
        pointer = mount.part
        assert isinstance(pointer, Pointer)
        # The pointer of a small dial stands less high.
        x, y = shift * min(1.0, mount.frame[0] * pointer.reach(mount))
        painter.pose, painter.frame = look.pose.moved(x, y), mount.frame
        pointer.paint(painter, mount)
        shapes += [painter.place(contour) for contour in pointer.contours(mount)]
    case, floor = scene.case, look.pose(face.body.outline())
    masks = (photo.mask_of(part, painter.canvas.size) for part in (shapes, [case], [floor]))
    layers = photo.Layers(without_pointers, painter.canvas.pixels, *masks)
    readable = min(look.readable or face.head.readable, look.size)
    return photo.photograph(layers, rng, min_readable_side=readable)


def face_facts(scene: FaceScene) -> dict[str, Any]:
    """Return the place of each part in pixels, and the look of the face."""
    face, look = scene.face, scene.look
    parts = {}
    for mount in face.parts:
        scale, x, y = mount.frame
        frame = Pose(np.array([[scale, 0, x], [0, scale, y], [0, 0, 1]]))
        facts = mount.part.facts(look.pose.after(frame), mount)
        if facts:
            parts[mount.name] = facts
    return {
        "name": face.head.name,
        "unit": face.head.unit,
        "value": f"{decimal_of(face.value):f}",
        "parts": parts,
        "style": {"shape": face.body.shape, "palette": look.palette,
                  "background": look.background, "font": look.font},
        "case_box": bounding_box(scene.case),
        "homography": look.pose.matrix.tolist(),
    }  # fmt: skip
