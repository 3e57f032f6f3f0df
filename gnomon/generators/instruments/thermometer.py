"""Thermometers: a column above a bulb, in a glass tube."""

import numpy as np

from gnomon.generators.drawing.shapes import disc, oblong
from gnomon.generators.instruments.base import Instrument, Layout, Line, Phrases, Shapes
from gnomon.generators.instruments.scale import Scale, linear

_BULB = (0.0, 0.78)


class Thermometer(Instrument):
    """A column that ends at the value."""

    name = "thermometer"
    layout = Layout(
        track=Line((0.08, 0.6), (0.08, -0.85)),
        tick=0.13,
        label=0.28,
        digit=0.085,
        zone=(-0.32, -0.24),
        target=(-0.19, -0.29),
        unit=(0.3, 0.83),
        half_size=(0.52, 1.0),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Air, water and body temperatures."""
        return linear(
            "°C -20 50 10", "°C -30 50 10", "°C 0 100 10", "°C 35 42 1", "°F 0 120 20",
            "°F -40 120 20",
        )  # fmt: skip

    def pointer(self, hand: str, share: float, swell: float) -> Shapes:  # noqa: ARG002 - has no hand
        """The column from the bulb up, and the bulb."""
        _, y = self.layout.track.at(share)
        column = oblong(-0.035, y + swell, 0.035, _BULB[1])
        return [column, np.array(_BULB) + disc(0.1)]

    def body(self) -> Shapes:
        """The tube and the bulb's glass."""
        tube = oblong(-0.075, -0.93, 0.075, _BULB[1], 0.07, step=15)
        return [tube, np.array(_BULB) + disc(0.14)]

    def first_reading(self, parts: int) -> int:  # noqa: ARG002 - none is left out
        """The first tick: the column reaches it from the bulb."""
        return 0

    def phrases(self) -> Phrases:
        """A thermometer has a column and no pointer."""
        return Phrases("thermometer", "the thermometer's column")
