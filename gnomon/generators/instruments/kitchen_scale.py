"""Kitchen and hanging scales: a needle over a round face, or a disc that turns past a mark.

Kitchen scales weigh 500 g to 10 kg, with a tick of 5 to 50 g, hanging scales 10 to 100 kg. Zero is
at the top, and a gap separates it from the last label. Many have pounds in an inner ring. Hanging
scales whose needle turns more than once are left out, because a picture does not show the turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gnomon.generators.drawing.canvas import Canvas
from gnomon.generators.drawing.colours import Palette
from gnomon.generators.drawing.lettering import Lettering
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import disc, ellipse, mirrored, polar, polygon, rotate
from gnomon.generators.instruments.base import Arc, Layout, NeedleInstrument, Phrases, Shapes
from gnomon.generators.instruments.scale import Scale, linear
from gnomon.generators.rng import Rng

_CENTRE = (0.0, 0.0)
_BRANDS = ("", "", "KITCHEN", "HANSON", "DOMUS", "ALPIN", "CUCINA", "WAAGE", "MAX")
_KG_PER_POUND, _KG_PER_UNIT = 0.4536, {"kg": 1.0, "g": 0.001}


@dataclass(frozen=True, slots=True, kw_only=True)
class KitchenScaleDesign:
    """Construction of a weighing scale. Lengths are in units of half its face."""

    style: str = "needle"
    """needle, or disc: a face that turns under a fixed mark."""
    radius: float = 0.86
    sweep: float = 330.0
    tick_length: float = 0.1
    digit_height: float = 0.072
    radial: bool = False
    """True if the labels' feet point to the middle, as on each disc that turns."""
    half_breadth: float = 0.05
    """Half the breadth of the needle at its base."""
    tail: float = 0.2
    hub: float = 0.08
    has_ring: bool = False
    """True if a circle is printed along the track."""
    has_pounds: bool = False
    """True if pounds stand in an inner ring, if the scale is in kg or g and reaches 4 lb."""
    brand: str = ""


class KitchenScale(NeedleInstrument):
    """Kitchen or hanging scale with a round face."""

    name: ClassVar[str] = "kitchen_scale"
    min_readable_side: ClassVar[int] = 120

    def __init__(self, design: KitchenScaleDesign | None = None, card_share: float = 0.0) -> None:
        """`card_share` is the share of the track to which a turning face is turned."""
        self._design = design or KitchenScaleDesign()
        self._card_share = card_share
        design = self._design
        self.layout = Layout(
            track=Arc(_CENTRE, design.radius, start=-design.sweep * card_share, sweep=design.sweep),
            tick=design.tick_length,
            label=design.tick_length
            + (0.75 if design.radial else 1.3) * design.digit_height
            + 0.05,
            digit=design.digit_height,
            zone=(-0.09, -0.02),
            mark=(-0.01, -0.11),
            unit=(0.0, 0.3),
        )

    def with_random_design(self, rng: Rng, scale: Scale) -> KitchenScale:
        """Draw proportions, needle or disc, and the print on the face."""
        style = rng.choice(("needle", "needle", "needle", "disc"))
        # Labels of four characters, such as 1000, must be smaller.
        wide = max(len(f"{label:f}") for label in scale.labels) > 3
        return KitchenScale(KitchenScaleDesign(
            style=style,
            radius=rng.uniform(0.78, 0.92),
            sweep=rng.uniform(315, 330),
            tick_length=rng.uniform(0.07, 0.13),
            digit_height=rng.uniform(0.06, 0.072) if wide else rng.uniform(0.08, 0.11),
            radial=style == "disc" or rng.chance(0.3),
            half_breadth=rng.uniform(0.02, 0.07),
            tail=rng.uniform(0.0, 0.35),
            hub=rng.uniform(0.04, 0.16),
            has_ring=rng.chance(0.4),
            has_pounds=style == "needle" and rng.chance(0.35),
            brand=rng.choice(_BRANDS),
        ))  # fmt: skip

    def scales(self) -> tuple[Scale, ...]:
        """Ranges of kitchen scales, then of hanging scales."""
        return (
            *linear(
                "g 0 500 50", "g 0 1000 100", "g 0 2000 200", "kg 0 2.2 0.2", "kg 0 3 0.5",
                "kg 0 5 0.5", "kg 0 10 1", divisions=(5, 10, 20),
            ),
            *linear("kg 0 12 1", "kg 0 25 5", "kg 0 50 5", "kg 0 100 10", divisions=(5, 10)),
        )  # fmt: skip

    def turn_card(self, share: float) -> KitchenScale:
        """Turn the value of a disc to the mark above. A face under a needle is fixed."""
        return KitchenScale(self._design, share) if self._design.style == "disc" else self

    def pointer(self, hand: str, share: float, swell: float) -> Shapes:  # noqa: ARG002 - has its own
        """Return the design's needle at the value, or the fixed mark above a disc."""
        design = self._design
        if design.style == "disc":
            return [polygon((0.0, 0.03 - design.radius), (-0.05, -0.98), (0.05, -0.98))]
        # The growth by anti-aliasing is subtracted, as long as enough of a needle remains.
        half = max(design.half_breadth - swell, 0.02)
        blade = [(0.0, self.needle_length), (half, 0.0), (0.8 * half, -design.tail)]
        return rotate([mirrored(blade)], self.arc.angle(share))

    def draw_pointer(self, canvas: Canvas, pose: Pose, contours: Shapes, palette: Palette) -> None:
        """Draw the needle under its hub. A disc has a screw in the middle."""
        canvas.fill_fine(contours, palette.second)
        canvas.fill_fine([pose(disc(self._design.hub))], palette.hands)

    @property
    def can_crop(self) -> bool:
        """Return False for a disc, whose mark stands at the rim."""
        return self._design.style == "needle"

    def printed(self) -> list[Shapes]:
        """Return the circle along the track."""
        radius = self._design.radius
        return [
            [ellipse(0, 0, radius + 0.012), ellipse(0, 0, radius)[::-1]]
        ] * self._design.has_ring

    def most_labels(self, scale: Scale) -> int:  # noqa: ARG002 - a face has room for each
        """Thirteen labels, round nearly the whole face."""
        return 13

    def numerals(self, scale: Scale) -> list[Lettering]:
        """Return labels upright, or with their feet to the middle."""
        return [
            Lettering(f"{v:f}", x, y, self.layout.digit, self._turn(scale.share(v)))
            for v, (x, y) in self.labels(scale)
        ]

    def captions(self, scale: Scale) -> list[Lettering]:
        """Return the unit, a name, and pounds within the labels."""
        design, texts = self._design, []
        x, y = self.layout.unit
        for text, place, height in ((scale.unit, y, 0.1), (design.brand, -y, 0.06)):
            if text and design.style == "disc":  # turned with it
                texts.append(
                    self._text(text, self._card_share + 0.5 + 0.5 * (place < 0), 0.3, height)
                )
            elif text:
                texts.append(Lettering(text, x, place, height))
        # Pounds at the end of the track.
        pounds_at_end = float(scale.high) * _KG_PER_UNIT.get(scale.unit, 0.0) / _KG_PER_POUND
        if design.has_pounds and pounds_at_end >= 4:
            # At most twelve numbers in the ring.
            step = next(step for step in (1, 2, 5, 10, 20, 50) if pounds_at_end / step <= 12)
            radius = design.radius - self.layout.label - 1.9 * design.digit_height
            texts += [self._text(str(n), n / pounds_at_end, radius, 0.06)
                      for n in range(step, int(pounds_at_end) + 1, step)]  # fmt: skip
            texts.append(Lettering("lb", x, y + 0.15, 0.06))
        return texts

    def letters(self, scale: Scale) -> str:
        """Add the letters of names and pounds."""
        return super().letters(scale) + "0123456789lb" + "".join(_BRANDS)

    def phrases(self) -> Phrases:
        """Words for a weighing scale, which is read at a needle or a mark."""
        return Phrases("scale", "the scale's pointer")

    def _turn(self, share: float) -> int:
        return round(self.arc.angle(share)) % 360 if self._design.radial else 0

    def _text(self, text: str, share: float, radius: float, height: float) -> Lettering:
        """Return a text at a share of the track, nearer to the middle than the labels."""
        x, y = polar(self.arc.angle(share), radius)
        return Lettering(text, x, y, height, self._turn(share))
