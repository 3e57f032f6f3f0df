"""Panel meters: volts, amperes, decibels, on an arc in an upright case."""

from gnomon.generators.instruments.base import Arc, Layout, NeedleInstrument, Phrases
from gnomon.generators.instruments.scale import Scale, linear, logarithmic


class PanelMeter(NeedleInstrument):
    """A needle that swings over a flat arc, its labels outside of the track."""

    name = "meter"
    layout = Layout(
        track=Arc((0, 0.5), 1.0, start=-48, sweep=96),
        tick=0.1,
        label=-0.12,
        digit=0.1,
        zone=(0.12, 0.19),
        target=(0.11, 0.21),
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
        """Just short of the track: labels stand beyond it, where a tip would touch them."""
        return self.arc.radius - 0.02

    def phrases(self) -> Phrases:
        """A meter and its pointer."""
        return Phrases("meter", "the meter's pointer")
