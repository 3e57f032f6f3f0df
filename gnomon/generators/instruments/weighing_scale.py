"""Weighing scales with a dial."""

from gnomon.generators.instruments.base import Arc, Layout, NeedleInstrument, Phrases
from gnomon.generators.instruments.scale import Scale, linear


class WeighingScale(NeedleInstrument):
    """A dial of nearly a whole turn from the top; the gap tells its end from its beginning."""

    name = "scale"
    layout = Layout(
        track=Arc((0, 0), 0.84, start=0, sweep=330),
        tick=0.11,
        label=0.265,
        digit=0.1,
        zone=(-0.09, -0.02),
        target=(-0.01, -0.11),
        unit=(0, 0.32),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Ranges of kitchen and parcel scales."""
        return linear(
            "kg 0 10 1", "kg 0 5 0.5", "kg 0 2 0.2", "g 0 500 50", "g 0 1000 100", "lb 0 20 2"
        )

    def phrases(self) -> Phrases:
        """A scale and its pointer."""
        return Phrases("scale", "the scale's pointer")
