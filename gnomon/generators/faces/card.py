"""Cards: scales that move behind a fixed mark, as of a compass or of a bathroom scale."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

import numpy as np
from pydantic.dataclasses import dataclass

from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import ellipse, oblong
from gnomon.generators.faces.painter import FacePainter
from gnomon.generators.faces.paints import Paint
from gnomon.generators.faces.part import Distance, Length, MountedPart, PlainText
from gnomon.generators.faces.track import Track
from gnomon.generators.faces.varying import DRIVE
from gnomon.recipe import STRICT


@dataclass(frozen=True, config=STRICT)
class Card(Track):
    """A track that moves until the value is at a mark."""

    drive: PlainText = field(default="value", metadata={DRIVE: True})
    """Formula of the number that stands at the mark."""
    mark: float = 0.0
    """Place of the mark: degrees from up on an arc, or 0 to 1 along a line."""
    mark_colour: Paint = "pointer"
    mark_size: Distance = 0.12
    """Length of the mark. Negative: on the other side of the track."""
    mark_width: Length = 0.03
    ground: Paint = "floor"
    """Colour of the card."""
    window: tuple[Distance, Distance, Distance, Distance] | None = None
    """Left, upper, right and lower edge of the window. Default: the whole card is visible."""

    def check(self, mount: MountedPart) -> None:
        super().check(mount)
        number, (low, high) = mount.scale_number, self.values
        if not self.goes_round and not low <= number <= high:
            raise ValueError(
                f"drive: {self.drive!r} gives {number:g}, which is not on the card from {low:g} to"
                f" {high:g}"
            )

    def colours(self) -> dict[str, str]:
        return {"mark_colour": self.mark_colour}

    def paint(self, painter: FacePainter, mount: MountedPart) -> None:
        painter.later(lambda: self._paint_late(painter, mount))

    def _paint_late(self, painter: FacePainter, mount: MountedPart) -> None:
        moved = self.moved(mount)
        outline = oblong(*self.window) if self.window else ellipse(*self.at, self.radius or 1.0)

        def paint() -> None:
            painter.fill([outline], self.ground)
            Track.paint(moved, painter, mount)

        painter.clipped(outline, paint)
        share = mount.share  # it is at the mark now
        corners = [(share, 0.0), (share, self.mark_size)]
        begin, end = (np.array(moved.path.point(*corner)) for corner in corners)
        across = (end - begin)[::-1] * (1, -1) / np.linalg.norm(end - begin) * self.mark_width / 2
        bar = np.array([begin - across, begin + across, end + across, end - across])
        painter.fill_fine([bar], painter.colour(self.mark_colour))

    def moved(self, mount: MountedPart) -> Card:
        """Return the card, moved until its number is at the mark."""
        share = mount.share
        if self.line is None:
            return replace(self, start=self.mark - self.sweep * share)
        begin, end = (np.array(place) for place in self.line)
        shift = (self.mark - share) * (end - begin)
        ends = [tuple((place + shift).tolist()) for place in (begin, end)]
        return replace(self, line=(ends[0], ends[1]))

    def facts(self, pose: Pose, mount: MountedPart) -> dict[str, Any]:
        moved = self.moved(mount)
        return {
            **Track.facts(moved, pose, mount),
            "number": mount.scale_number,
            "tip": [round(v, 3) for v in pose.at(*moved.path.point(mount.share))],
            "neighbours": moved.neighbours(pose, mount.scale_number),
        }
