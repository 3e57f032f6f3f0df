"""Facts about a drawn gauge: its scale, its value, and places in the picture."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from gnomon.generators.drawing.canvas import Points, bounding_box
from gnomon.generators.faces.draw import FaceScene
from gnomon.generators.faces.graduation import LABELLED
from gnomon.generators.faces.pointer import Pointer
from gnomon.generators.faces.scale import Scale, ScaleReading
from gnomon.generators.faces.scale_questions import ScaleQuestion, Zone
from gnomon.generators.faces.track import Track
from gnomon.generators.gauge.instruments import Instrument


class GaugeDrawing(NamedTuple):
    """An instrument with the value that it shows, before it is drawn."""

    scene: FaceScene
    instrument: Instrument
    scale: Scale
    reading: ScaleReading
    question: ScaleQuestion
    zones: tuple[Zone, ...]
    mark: Decimal | None
    """Value that a triangle marks."""
    hand: str

    @property
    def track(self) -> Track:
        """The scale as it is drawn, which may be a card that is turned to the value."""
        track = self.scene.face.part("scale").part
        assert isinstance(track, Track)
        return track


def gauge_facts(drawing: GaugeDrawing) -> dict[str, Any]:
    """Return scale, value and places: decimals as text, places in pixels."""
    scene, scale, reading, track = drawing.scene, drawing.scale, drawing.reading, drawing.track
    look, mount = scene.look, scene.face.part("pointer")
    pointer = mount.part
    assert isinstance(pointer, Pointer)
    # Cyclic scales are not read to half a tick, so the fact is twice the tolerance.
    tick = reading.tick if scale.cycle is None else 2 * reading.tolerance
    values, ends = _visible_ticks(drawing)
    labels = [(v, text) for v, text in track.written.items() if v in values]
    middles = [(text.x, text.y) for _, text in labels]
    tip, *places = look.pose(np.array([track.path.point(mount.share), *middles])).tolist()
    return {
        "instrument": drawing.instrument.name,
        "unit": scale.unit,
        "log": scale.log,
        "low": f"{scale.low:f}",
        "high": f"{scale.high:f}",
        "value": f"{reading.value:f}",
        "tick": f"{tick:f}",
        "share": scale.share(reading.value),
        "tip": tip,
        "ticks": [
            {"value": f"{value:f}", "at": at}
            for value, at in zip(values, ends[:, 0].tolist(), strict=True)
        ],
        "labels": [
            {"text": f"{value:f}", "at": at}
            for (value, _), at in zip(labels, places, strict=True)
        ],
        "zones": [{"name": n, "from": f"{b:f}", "to": f"{e:f}"} for n, b, e in drawing.zones],
        "target": None if drawing.mark is None else f"{drawing.mark:f}",
        "limits": drawing.question.limits and [f"{v:f}" for v in drawing.question.limits],
        "style": {"case": scene.face.body.shape, "hand": drawing.hand, "palette": look.palette,
                  "background": look.background, "font": look.font},
        "scale_box": bounding_box(ends.reshape(-1, 2)),
        "pointer_box": bounding_box(look.pose(np.concatenate(pointer.contours(mount)))),
        "case_box": bounding_box(scene.case),
        "corners": scene.corners,
        "homography": look.pose.matrix.tolist(),
    }  # fmt: skip


def _visible_ticks(drawing: GaugeDrawing) -> tuple[dict[Decimal, None], Points]:
    """Return the values of visible ticks, and both ends of each in the picture, [n, 2, 2].

    The end on the track comes first. Behind a window, some ticks are hidden.
    """
    track, body = drawing.track, drawing.scene.face.body
    ticks = track.graduation.ticks
    lengths = [track.tick * (1 if t.rank == LABELLED else track.small_tick) for t in ticks]
    shares = np.array([tick.share for tick in ticks])
    begins, ends = track.path.points(shares), track.path.points(shares, np.array(lengths))
    if body.cut:
        # A tick in a round corner of the window may be cut off.
        wide, high = np.array(body.size) - 0.02 - 0.4 * body.corner
        is_in = np.flatnonzero((np.abs([begins, ends]) < (wide, high)).all(axis=(0, 2)))
        ticks = tuple(ticks[place] for place in is_in)
        begins, ends = begins[is_in], ends[is_in]
    points = drawing.scene.look.pose(np.concatenate([begins, ends]))
    return {tick.value: None for tick in ticks}, points.reshape(2, -1, 2).swapaxes(0, 1)
