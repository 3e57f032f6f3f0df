"""Round gauges: pressure, temperature, speed."""

from gnomon.generators.instruments.base import Arc, Layout, NeedleInstrument, Phrases
from gnomon.generators.instruments.scale import Scale, linear, logarithmic


class RoundGauge(NeedleInstrument):
    """A dial of three quarters of a turn, open below."""

    name = "gauge"
    layout = Layout(
        track=Arc((0, 0), 0.84, start=-135, sweep=270),
        tick=0.11,
        label=0.265,
        digit=0.1,
        zone=(-0.09, -0.02),
        target=(-0.01, -0.11),
        unit=(0, 0.5),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Ranges as they are sold."""
        return (
            *linear(
                "bar 0 10 1", "bar 0 16 2", "bar 0 4 0.5", "bar 0 6 1", "bar -1 5 1",
                "psi 0 100 10", "psi 0 160 20", "kPa 0 400 50", "°C 0 120 20", "°C -20 60 10",
                "km/h 0 180 20",
            ),
            *logarithmic("Pa 1 1000", "mbar 0.1 100", "mbar 1 1000"),
        )  # fmt: skip

    def phrases(self) -> Phrases:
        """A gauge and its pointer."""
        return Phrases("gauge", "the gauge's pointer")
