"""Drawing of a face from the background to the pointers, and the facts about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from PIL.Image import Image

from gnomon.generators.drawing import colours
from gnomon.generators.drawing.backgrounds import SPREADS, background_behind
from gnomon.generators.drawing.canvas import Canvas, Points, bounding_box
from gnomon.generators.drawing.colours import Palette, ground_clear_of
from gnomon.generators.drawing.pose import Pose, upright_corners
from gnomon.generators.drawing.shapes import ellipse, polar
from gnomon.generators.faces.description import DrawnFace, decimal_of
from gnomon.generators.faces.in_front import CLEAR, InFront, draw_in_front
from gnomon.generators.faces.painter import WHOLE, FacePainter
from gnomon.generators.faces.part import MountedPart
from gnomon.generators.faces.pointer import Pointer
from gnomon.generators.looks import photo
from gnomon.generators.rng import Rng

# Shape of a body that continues beyond the picture.
PANEL = "panel"


class FaceLook(NamedTuple):
    """Properties of a picture that the face's description leaves open."""

    size: int
    """Height of the picture in pixels, and its width if `width` is None."""
    palette: str
    background: str
    font: str
    pose: Pose
    is_photo: bool = False
    width: int | None = None
    readable: int | None = None
    """Smallest readable length of the shorter side, in pixels. Default: the description's."""
    shadow: float = 0.0
    """Darkness of the pointers' shadow in a flat picture: 0 for no shadow, 1 for black."""
    front: InFront = CLEAR


class FaceScene(NamedTuple):
    """A face that shows a value, and the look of its picture."""

    face: DrawnFace
    look: FaceLook

    @property
    def edge(self) -> Points:
        """Outline of the body with its rim, in the face's unit."""
        return self.face.body.outline(self.face.body.rim)

    @property
    def case(self) -> Points:
        """Outline of the body with its rim, in pixels."""
        return self.look.pose(self.edge)

    @property
    def corners(self) -> list[list[float]]:
        """Corners of the upright rectangle around the case, in pixels."""
        return upright_corners(self.edge, self.look.pose)

    @property
    def palette(self) -> Palette:
        """The colours of its body and parts."""
        palette = self.face.body.colours.dress(colours.palette(self.look.palette))
        bare = self.face.body.shape in ("bare", PANEL)
        return replace(palette, case=palette.floor) if bare else palette


def draw_face(scene: FaceScene, rng: Rng) -> Image:
    """Draw a face with its background, flat or photographed."""
    return draw_faces([scene], rng)


def draw_faces(scenes: Sequence[FaceScene], rng: Rng) -> Image:
    """Draw faces in the places of their poses, on the background of the first."""
    look, palettes = scenes[0].look, [scene.palette for scene in scenes]
    if scenes[0].face.body.shape == PANEL:
        size = (look.width or look.size, look.size)
        canvas = Canvas(size, np.full((*size[::-1], 3), palettes[0].floor, np.uint8))
        _print_neighbours(canvas, scenes[0], palettes[0], rng)
    else:
        canvas = _with_background(scenes, palettes, rng)
    painters = [
        _print_face(canvas, scene, palette, rng)
        for scene, palette in zip(scenes, palettes, strict=True)
    ]
    if look.is_photo:
        return _photograph(canvas, scenes, painters, rng)
    for scene, painter in zip(scenes, painters, strict=True):
        for mount in scene.face.parts:
            if mount.part.layer == "above":
                painter.frame = mount.frame
                mount.part.paint(painter, mount)
        painter.finish_fine(scene.look.shadow)
        _draw_in_front(canvas, scene)
    return canvas.picture()


def _with_background(scenes: Sequence[FaceScene], palettes: Sequence[Palette], rng: Rng) -> Canvas:
    look, cases = scenes[0].look, tuple(palette.case for palette in palettes)
    ground = ground_clear_of(cases, palettes[0].ground, SPREADS.get(look.background, 0))
    edges = []
    if look.background not in SPREADS:
        # Just outside of the rims, where body and ground meet.
        edges = [
            (scene.look.pose(scene.face.body.outline(scene.face.body.rim + 0.03)), case)
            for scene, case in zip(scenes, cases, strict=True)
        ]
    width = (look.width or look.size) * len(scenes)
    behind = background_behind(look.background, max(width, look.size), ground, rng, edges)
    return Canvas((width, look.size), np.ascontiguousarray(behind[: look.size, :width]))


def _print_neighbours(canvas: Canvas, scene: FaceScene, palette: Palette, rng: Rng) -> None:
    """Draw parts of neighbouring prints on a panel."""
    for _ in range(rng.integer(0, 3)):
        # Neighbours start outside the dial, and most of each lies beyond the picture.
        radius = rng.uniform(0.2, 1.0)
        x, y = polar(rng.uniform(0, 360), radius + rng.uniform(1.05, 1.5))
        breadth = rng.uniform(0.01, 0.05)
        colour = rng.choice((palette.ink, palette.ink, palette.second))
        outer, inner = ellipse(x, y, radius), ellipse(x, y, radius - breadth)[::-1]
        is_solid = radius < 0.4 and rng.chance(0.5)
        contours = [outer] if is_solid else [outer, inner]
        canvas.fill_fine([scene.look.pose(contour) for contour in contours], colour)


def _print_face(canvas: Canvas, scene: FaceScene, palette: Palette, rng: Rng) -> FacePainter:
    """Draw a body with its print and windows, and the plates behind it."""
    face, look = scene.face, scene.look
    body = face.body
    painter = FacePainter(canvas, look.pose, palette, look.font, face.head.unit, rng)
    for mount in face.parts:
        if mount.part.layer == "behind":
            painter.frame = mount.frame
            mount.part.paint(painter, mount)
    painter.frame = WHOLE
    floor = body.outline()
    if body.shape == PANEL:
        _print_parts(painter, face)
        return painter
    if body.rim:
        painter.fill([scene.edge], "case")
    if body.shape == "ring":  # a groove in the rim
        painter.fill([body.outline(0.57 * body.rim)], "floor")
        painter.fill([body.outline(0.21 * body.rim)], "case")
    painter.fill([floor], "floor")
    painter.right_edge = float(floor[:, 0].max())
    if body.cut:
        painter.finish_floor()
        wide, high = np.abs(floor).max(0).tolist()
        painter.room = wide, high
        painter.clipped(floor, lambda: _print_parts(painter, face))
    else:
        _print_parts(painter, face)
    return painter


def _print_parts(painter: FacePainter, face: DrawnFace) -> None:
    for mount in _floor_parts(face):
        painter.frame = mount.frame
        mount.part.paint(painter, mount)
    painter.finish_floor()


def _floor_parts(face: DrawnFace) -> Iterator[MountedPart]:
    """Iterate over the parts in the floor. Parts beneath a track come before it."""
    beneath = [mount for mount in face.parts if mount.part.layer == "beneath"]
    for mount in face.parts:
        if beneath:
            yield from (liquid for liquid in beneath if liquid.track is mount.part)
        if mount.part.layer == "floor":
            yield mount


def _draw_in_front(canvas: Canvas, scene: FaceScene) -> None:
    if scene.look.front != CLEAR:
        draw_in_front(canvas, scene.look.pose, scene.edge, scene.look.front)


def _photograph(
    canvas: Canvas, scenes: Sequence[FaceScene], painters: Sequence[FacePainter], rng: Rng
) -> Image:
    """Take a picture of the faces, the pointers a little above them."""
    without_pointers = Canvas(canvas.size, canvas.pixels.copy())
    contours: list[Points] = []
    for scene, painter in zip(scenes, painters, strict=True):
        pose = scene.look.pose
        shift = np.array(photo.parallax(rng, pose.scale))
        for mount in scene.face.parts:
            if mount.part.layer == "above":
                pointer = mount.part
                assert isinstance(pointer, Pointer)
                # The pointer of a small dial stands less high.
                x, y = shift * min(1.0, mount.frame[0] * pointer.reach(mount))
                painter.pose, painter.frame = pose.moved(x, y), mount.frame
                pointer.paint(painter, mount)
                above = (*pointer.contours(mount), *pointer.hub_discs(mount))
                contours += [painter.place(contour) for contour in above]
        painter.finish_fine()
    for layer in (without_pointers, canvas):
        for scene in scenes:
            _draw_in_front(layer, scene)
    # A panel continues beyond the picture.
    grow = 4.0 if scenes[0].face.body.shape == PANEL else 1.0
    cases = [scene.look.pose(grow * scene.edge) for scene in scenes]
    floors = [scene.look.pose(grow * scene.face.body.outline()) for scene in scenes]
    masks = (photo.mask_of(part, canvas.size) for part in (contours, cases, floors))
    layers = photo.Layers(without_pointers.pixels, canvas.pixels, *masks)
    look = scenes[0].look
    readable = min(look.readable or scenes[0].face.head.readable, look.size)
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
        "corners": scene.corners,
        "homography": look.pose.matrix.tolist(),
    }  # fmt: skip
