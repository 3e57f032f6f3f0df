"""Instruments in whole photographs are found, cut out upright and asked about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.answers.base.target import AnswerForm
from gnomon.pipeline import families
from gnomon.recipe import Model, Source
from gnomon.runs.cuts import can_be_cut
from gnomon.sample import CUT, FINDING, Finding, Sample, Size

if TYPE_CHECKING:
    from PIL.Image import Image

    from gnomon.pipeline.finder import Detection, Finder

WEIGHTS = "finder.safetensors"
"""File of a finder in a model's folder."""
ADDITIONS = "found"
"""Folder in a model's folder with additions to its weights, named after kinds of instruments."""
SURE = 0.6
"""Confidence from which an instrument counts as found. Of drawn charts, 22 % pass it."""
FILLS, FILLS_SMALL = 0.85, 0.6
"""Shares of the picture's sides from which an instrument fills the picture, so it is read whole.
The second is for small pictures. 36 % of 221 photographed clocks are read if all are cut, and 33 %
if all pictures that are filled to 0.6 are read whole."""
SMALL = 256
"""Longer side in pixels up to which a picture is taken for a crop if nothing is surely found."""
_SURE_IN_SMALL = 0.85
_LEAST_CLOCK = 0.15
_LEAST = 24
"""Shorter side in pixels below which an instrument cannot be read."""
_NOTHING = "no instrument was found"
_UNSURE = "no instrument was surely found"
_TOO_SMALL = "the instrument is too small to be read"
# Words of a question, and the kinds of instruments that it may be about.
_KINDS = {
    "counter": ("counter",), "wheel": ("counter",), "dial": ("dial", "gauge"),
    "gauge": ("gauge", "dial"), "meter": ("gauge", "dial", "counter"),
    "clock": ("clock",), "time": ("clock",),
}  # fmt: skip
_CACHED = 4096
EMBEDDED_READERS = {
    "clock": "gnomon-tiny", "counter": "gnomon-tiny", "dial": "gnomon-tiny",
    "gauge": "gnomon-tiny-gauges",
}  # fmt: skip
"""The embedded model that was trained on each kind of instrument."""


def finder_of(model: Model) -> InstrumentFinder | None:
    """Return the finder in a model's folder, such as that of gnomon-tiny, or None."""
    if model.server is not None:  # its name is the server's, not that of a folder
        return None
    folder = Path(families.locate(model.name))
    # The gauge reader shares the finder of gnomon-tiny.
    weights = (families.TINY if folder == families.GAUGES else folder) / WEIGHTS
    return InstrumentFinder(weights, any_question=False) if weights.is_file() else None


def additions_of(model: Model) -> dict[str, Path]:
    """Return the additions in a model's folder, by the kind of instrument that each one reads."""
    if model.server is not None:
        return {}
    folder = Path(families.locate(model.name)) / ADDITIONS
    return {file.stem: file for file in sorted(folder.glob("*.safetensors"))}


def cut_kind(sample: Sample) -> str:
    """Return the kind of instrument that was cut out, or an empty text for a whole picture.

    If the question is about other kinds than the finder says, the question is right.
    """
    if CUT not in sample.facts or FINDING not in sample.facts:
        return ""
    kind: str = sample.facts[FINDING].kind
    kinds = kinds_asked(sample.question, sample.target.answer_form)
    return kind if not kinds or kind in kinds else kinds[0]


def has_photographs(sources: Iterable[Source]) -> bool:
    """Return True if all sources are pictures of the user, which may show small instruments."""
    return all(source.kind is None and (source.columns or source.benchmark) for source in sources)


def kinds_asked(question: str, form: AnswerForm) -> tuple[str, ...]:
    """Return the kinds of instruments that a question may be about, or nothing for any kind."""
    if form.type_name == "time":
        return ("clock",)
    words = question.lower()
    return next((kinds for word, kinds in _KINDS.items() if word in words), ())


class InstrumentFinder:
    """A finder, and the rules for what is cut, read whole or refused."""

    def __init__(self, weights: Path | None = None, *, any_question: bool = True) -> None:
        """Take the finder of these weights. The default is the finder of gnomon-tiny.

        Without `any_question`, it looks only if the question is about a kind that it knows.
        """
        self._any_question = any_question
        self._weights = weights or families.TINY / WEIGHTS
        self._detections: dict[tuple[str, Size, bytes], list[Detection]] = {}

    @cached_property
    def finder(self) -> Finder:
        from gnomon.pipeline.finder import Finder

        return Finder(self._weights)

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of stored answers that depend on the finder."""
        from gnomon.pipeline.finder import MARGIN

        limits = [SURE, FILLS, FILLS_SMALL, SMALL]
        return {"finder": self.finder.digest, "margin": MARGIN, "finder_limits": limits}

    def detections(self, image: Image) -> list[Detection]:
        """Return the instruments in a picture. A picture is looked at once."""
        # Blank pictures of several shapes have the same bytes.
        key = image.mode, image.size, sha256(image.tobytes()).digest()
        if key not in self._detections:
            if len(self._detections) >= _CACHED:
                self._detections.clear()
            self._detections[key] = self.finder.find(image)
        return self._detections[key]

    def kind(self, image: Image) -> str | None:
        """Return the kind of the surest instrument, or None."""
        best = best_detection(self.detections(image), ())
        if best is None:
            return None
        # Photographed clocks often pass for gauges, and gauges hardly ever for clocks.
        is_clock = max(image.size) > SMALL and best.shares["clock"] > _LEAST_CLOCK
        return "clock" if is_clock else best.kind

    def view(self, sample: Sample) -> Sample:
        """Return the sample with its picture cut to the instrument.

        The fact FINDING says what was found. If it has a refusal, there is nothing to ask about.
        """
        image = sample.image
        if image is None or not can_be_cut(sample) or min(image.size) < _LEAST:
            return sample
        from gnomon.pipeline.finder import cut

        kinds = kinds_asked(sample.question, sample.target.answer_form)
        if not kinds and not self._any_question:
            return sample
        best = best_detection(self.detections(image), kinds)
        is_small = max(image.size) <= SMALL
        if best is None:
            finding = Finding(refusal="" if is_small else _NOTHING)
            return replace(sample, facts={**sample.facts, FINDING: finding})
        corners = tuple((round(x, 1), round(y, 1)) for x, y in best.corners.tolist())
        finding = Finding(best.kind, round(best.score, 3), corners)
        box = best.box(image.size)
        sides = box[2] - box[0], box[3] - box[1]
        facts = {**sample.facts, FINDING: finding}
        fills = FILLS_SMALL if is_small else FILLS
        is_filling = all(part >= fills * side for part, side in zip(sides, image.size, strict=True))
        if is_filling or (is_small and best.score < _SURE_IN_SMALL):
            return replace(sample, facts=facts)
        if best.score < SURE or min(sides) < _LEAST:
            reason = _UNSURE if best.score < SURE else _TOO_SMALL
            return replace(sample, facts={**facts, FINDING: replace(finding, refusal=reason)})
        return replace(sample, image=cut(image, best.corners), facts={**facts, CUT: list(box)})


def best_detection(detections: Iterable[Detection], kinds: tuple[str, ...]) -> Detection | None:
    """Return the surest detection of these kinds, or of any kind if there are none.

    Of two that are as sure, the larger counts.
    """

    def rank(detection: Detection) -> float:
        share = sum(detection.shares[kind] for kind in kinds) if kinds else 1.0
        low, high = detection.corners.min(0), detection.corners.max(0)
        return float(detection.score * (0.2 + 0.8 * share) * (high - low).max() ** 0.3)

    return max(detections, key=rank, default=None)
