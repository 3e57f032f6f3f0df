"""Facts of one drawn instrument, as plain values."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from gnomon.generators.drawing.canvas import bounding_box
from gnomon.generators.gauge import draw
from gnomon.generators.gauge.questions import GaugeQuestion
from gnomon.generators.gauge.scene import RIM, GaugeScene


def gauge_facts(scene: GaugeScene, gap: Decimal, question: GaugeQuestion) -> dict[str, Any]:
    """Scale, value and places: decimals as text, places in pixels.

    `gap` is the distance between the ticks around the value.
    """
    instrument, scale, look = scene.state, scene.scale, scene.look
    pose, share = look.pose, scale.share(scene.value)
    ticks = draw.ticks(scene)
    return {
        "instrument": instrument.name,
        "unit": scale.unit,
        "log": scale.log,
        "low": f"{scale.low:f}",
        "high": f"{scale.high:f}",
        "value": f"{scene.value:f}",
        "tick": f"{gap:f}",
        "share": share,
        "tip": list(pose.at(*instrument.layout.track.at(share))),
        "ticks": [
            {"value": f"{v:f}", "at": at.tolist()}
            for v, at in zip(instrument.ticks(scale), ticks[:, 0], strict=True)
        ],
        "labels": [
            {"text": f"{v:f}", "at": list(pose.at(*at))} for v, at in instrument.labels(scale)
        ],
        "zones": [{"name": n, "from": f"{b:f}", "to": f"{e:f}"} for n, b, e in scene.zones],
        "target": None if scene.target is None else f"{scene.target:f}",
        "limits": None if question.limits is None else [f"{v:f}" for v in question.limits],
        "style": {"case": look.case, "hand": look.hand, "palette": look.palette,
                  "background": look.background, "font": look.font},
        "scale_box": bounding_box(ticks.reshape(-1, 2)),
        "pointer_box": bounding_box(np.concatenate(draw.pointer(scene))),
        "case_box": bounding_box(pose(instrument.outline(look.case, RIM))),
        "homography": pose.matrix.tolist(),
    }  # fmt: skip
