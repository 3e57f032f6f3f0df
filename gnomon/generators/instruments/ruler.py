"""Rulers with a bar above them to be measured."""

from gnomon.generators.drawing.shapes import oblong
from gnomon.generators.instruments.base import Instrument, Layout, Line, Phrases, Shapes
from gnomon.generators.instruments.scale import BINARY_DIVISIONS, Scale, linear


class Ruler(Instrument):
    """A bar from the first tick to the value."""

    name = "ruler"
    layout = Layout(
        track=Line((-0.9, -0.02), (0.9, -0.02)),
        tick=0.13,
        label=0.2,
        digit=0.075,
        zone=(0.3, 0.36),
        target=(-0.02, -0.12),
        unit=(0.8, -0.36),
        half_size=(1.0, 0.45),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Centimetres, inches in halves to eighths, millimetres."""
        return (
            *linear("cm 0 15 1", "cm 0 10 1", "cm 0 5 1"),
            *linear("in 0 6 1", "in 0 12 1", divisions=BINARY_DIVISIONS),
            *linear("mm 0 100 10"),
        )

    def pointer(self, hand: str, share: float, swell: float) -> Shapes:  # noqa: ARG002 - has no hand
        """The bar that is measured."""
        (x, y), (left, _) = self.layout.track.at(share), self.layout.track.at(0)
        return [oblong(left + swell, y - 0.26, x - swell, y - 0.04)]

    def most_labels(self, scale: Scale) -> int:
        """Ten where three digits stand side by side: 90 beside 100 read 90100."""
        return 10 if scale.high >= 100 else 11

    def first_reading(self, parts: int) -> int:
        """The second tick: a bar shorter than one distance of ticks is hardly a bar."""
        return parts

    def phrases(self) -> Phrases:
        """Questions are about the bar, not about the ruler."""
        share = "What percentage of the full scale is the bar's length?"
        return Phrases("ruler", "the bar above the ruler", {
            "read": ["How long is the bar above the ruler? Answer in {unit}.",
                     "Measure the bar with the ruler. Answer in {unit}."],
            "difference": "How far is the bar's end from the target marked by the triangle?"
                          " Answer in {unit}.",
            "percent": f"{share} Answer to one decimal, with %.",
            "zone": "In which zone does the bar end: green, yellow or red?",
            "in_range": "Is the bar's length between {low:f} and {high:f} {unit}?"
                        " Answer yes or no.",
        })  # fmt: skip
