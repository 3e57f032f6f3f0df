"""Speedometers: a wide sweep, a label every ten or twenty, white on black in most."""

from gnomon.generators.instruments.base import Arc, Layout, NeedleInstrument, Phrases
from gnomon.generators.instruments.scale import Scale, linear


class Speedometer(NeedleInstrument):
    """A dial of two thirds of a turn, as on a dashboard."""

    name = "speedometer"
    layout = Layout(
        track=Arc((0, 0), 0.9, start=-120, sweep=240),
        tick=0.12,
        label=0.25,
        digit=0.075,
        zone=(-0.07, -0.01),
        target=(-0.01, -0.09),
        unit=(0, 0.45),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Ranges of cars, lorries and motorcycles."""
        return linear(
            "km/h 0 220 20", "km/h 0 240 20", "km/h 0 140 20", "km/h 0 120 10", "mph 0 120 10",
            "mph 0 160 20", divisions=(2, 4, 5, 10),
        )  # fmt: skip

    def most_labels(self, scale: Scale) -> int:  # noqa: ARG002 - three figures fit beside others
        """Thirteen, most of three figures, along a long track."""
        return 13

    def phrases(self) -> Phrases:
        """A speedometer and its needle."""
        return Phrases("speedometer", "the speedometer's needle")
