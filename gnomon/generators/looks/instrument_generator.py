"""Base of kinds that draw instruments: how a finished drawing becomes the picture of a sample."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from PIL.Image import Image

from gnomon.generators.base import LATER, within
from gnomon.generators.drawing.canvas import Points
from gnomon.generators.drawing.picture_generator import PictureGenerator
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.looks.wide import wide_picture
from gnomon.generators.rng import Rng


@dataclass(frozen=True, kw_only=True, repr=False)
class InstrumentGenerator(PictureGenerator):
    """Kind whose pictures show an instrument."""

    wide: Annotated[tuple[float, float] | None, within(0.05, 1)] = field(
        default=None, metadata=LATER
    )
    """Draw wide pictures, in which the instrument hangs anywhere, turned and seen from up to 50
    degrees, by day or night, behind glass or partly hidden. Range of its longer side, as a share of
    the picture's longer side, such as [0.2, 0.6] (0.05 to 1). None: it fills the picture."""

    def take_picture(
        self, index: int, drawing: Image, case: Points, background: str
    ) -> tuple[Image, Pose]:
        """Turn a drawing into picture `index`: wide, then degraded. The homography maps its points.

        `case` is the outline of the instrument, in pixels [n, 2], and `background` is behind it.
        """
        if self.wide is None:
            return self.degrade_picture(index, drawing, case)
        rng = Rng(self.name, "wide", index)
        picture, pose = wide_picture(drawing, case, background, self.wide, rng)
        picture, moved = self.degrade_picture(index, picture, pose(case))
        return picture, moved.after(pose)
