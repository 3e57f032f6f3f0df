"""Needles over a round or flat arc: gauges, panel meters, speedometers, weighing scales."""

from gnomon.generators.instruments.base import Arc, Layout, NeedleInstrument, Phrases
from gnomon.generators.instruments.scale import Scale, linear, logarithmic


class RoundGauge(NeedleInstrument):
    """Dial of three quarters of a turn, open at the bottom."""

    name = "gauge"
    layout = Layout(
        track=Arc((0, 0), 0.84, start=-135, sweep=270),
        tick=0.11,
        label=0.265,
        digit=0.1,
        zone=(-0.09, -0.02),
        mark=(-0.01, -0.11),
        unit=(0, 0.5),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Ranges of common gauges."""
        return (
            *linear(
                "bar 0 10 1", "bar 0 16 2", "bar 0 4 0.5", "bar 0 6 1", "bar -1 5 1",
                "psi 0 100 10", "psi 0 160 20", "kPa 0 400 50", "°C 0 120 20", "°C -20 60 10",
                "km/h 0 180 20",
            ),
            *logarithmic("Pa 1 1000", "mbar 0.1 100", "mbar 1 1000"),
        )  # fmt: skip

    def phrases(self) -> Phrases:
        """Words for a gauge and its pointer."""
        return Phrases("gauge", "the gauge's pointer")


class PanelMeter(NeedleInstrument):
    """Needle that swings over a flat arc, with labels outside the track."""

    name = "meter"
    layout = Layout(
        track=Arc((0, 0.5), 1.0, start=-48, sweep=96),
        tick=0.1,
        label=-0.12,
        digit=0.1,
        zone=(0.12, 0.19),
        mark=(0.11, 0.21),
        unit=(0, 0.1),
        half_size=(1.0, 0.78),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Ranges of panel meters."""
        return (
            *linear(
                "V 0 30 5", "V 0 10 2", "V -10 10 5", "A 0 5 1", "A 0 3 0.5", "mA 0 100 20",
                "dB -20 20 10",
            ),
            *logarithmic("Hz 1 100", "lx 1 100", "kΩ 0.1 10"),
        )  # fmt: skip

    @property
    def needle_length(self) -> float:
        """Return a length just short of the track, because labels stand beyond it."""
        return self.arc.radius - 0.02

    def phrases(self) -> Phrases:
        """Words for a meter and its pointer."""
        return Phrases("meter", "the meter's pointer")


class Speedometer(NeedleInstrument):
    """Dial of two thirds of a turn, as on a dashboard."""

    name = "speedometer"
    layout = Layout(
        track=Arc((0, 0), 0.9, start=-120, sweep=240),
        tick=0.12,
        label=0.25,
        digit=0.075,
        zone=(-0.07, -0.01),
        mark=(-0.01, -0.09),
        unit=(0, 0.45),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Ranges of cars, lorries and motorcycles."""
        return linear(
            "km/h 0 220 20", "km/h 0 240 20", "km/h 0 140 20", "km/h 0 120 10", "mph 0 120 10",
            "mph 0 160 20", divisions=(2, 4, 5, 10),
        )  # fmt: skip

    def most_labels(self, scale: Scale) -> int:  # noqa: ARG002 - three figures fit beside others
        """Thirteen labels, most of three figures, along a long track."""
        return 13

    def phrases(self) -> Phrases:
        """Words for a speedometer and its needle."""
        return Phrases("speedometer", "the speedometer's needle")


class WeighingScale(NeedleInstrument):
    """Dial of nearly a whole turn from the top. The gap separates its end from its start."""

    name = "scale"
    layout = Layout(
        track=Arc((0, 0), 0.84, start=0, sweep=330),
        tick=0.11,
        label=0.265,
        digit=0.1,
        zone=(-0.09, -0.02),
        mark=(-0.01, -0.11),
        unit=(0, 0.32),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Ranges of kitchen and parcel scales."""
        return linear(
            "kg 0 10 1", "kg 0 5 0.5", "kg 0 2 0.2", "g 0 500 50", "g 0 1000 100", "lb 0 20 2"
        )

    def phrases(self) -> Phrases:
        """Words for a scale and its pointer."""
        return Phrases("scale", "the scale's pointer")
