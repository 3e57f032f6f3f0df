"""Questions about the scale of a face: which scale is read, and what must be drawn on it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from gnomon.generators.faces import scale_questions
from gnomon.generators.faces.description import DrawnFace, FaceReading
from gnomon.generators.faces.face_questions import number_of
from gnomon.generators.faces.graduation import LABELLED
from gnomon.generators.faces.mark import Mark
from gnomon.generators.faces.part import MountedPart
from gnomon.generators.faces.pointer import Pointer
from gnomon.generators.faces.scale import Scale, ScaleReading
from gnomon.generators.faces.scale_questions import ZONES, ScaleQuestion, Zone
from gnomon.generators.faces.track import ColourZone, Track
from gnomon.generators.rng import Rng

# Colours of zones as a description writes them.
ZONE_PAINTS = {name: "{:02x}{:02x}{:02x}".format(*colour) for name, colour in ZONES.items()}
# Distances from the track between which zones lie, on the side that has no ticks.
_ZONE = (0.02, 0.08)
# Distances of a target's tip and base from the track, and its breadth.
_TARGET, _WIDTH = (-0.005, -0.09), 0.09
TARGET = "target"
# Questions for which something is drawn, and the key that says where.
_PLACES = {"difference": "target_at", "zone": "zones_at"}
QUESTIONS = (*scale_questions.SCALE_QUESTIONS, "where")


def obstacle(question: str, face: DrawnFace, reading: FaceReading) -> str | None:
    """Say why a question about the scale cannot be asked of this face. None if it can be asked."""
    mount = face.pointer_of(reading)
    if mount is None:
        return "give it a pointer that shows the first reading"
    if reading.answer == "time":
        return "its answer is a time"
    track = _track(mount)
    if question == "where":
        pointers = sum(isinstance(each.part, Pointer) for each in face.parts)
        fault = "give it a pointer that shows the first reading, and no other"
        return None if pointers == 1 else fault
    name = _track_name(face, mount)
    if track.goes_round or not track.graduation.ticks:
        return f"give {name} two ends, and ticks"
    scale = _scale(track, "")
    if not scale_questions.is_asked_of(question, scale):
        if question == "percent":
            return f"give {name} a linear scale that starts at 0"
        return f"{name} has {len(scale.labels)} labels: give {scale_questions.LEAST_LABELS} or more"
    if question == "zone" and any(isinstance(p.part, Track) and p.part.zones for p in face.parts):
        return (
            "it has zones of its own, and the question draws others: ask it of a description"
            " without zones"
        )
    if question in _PLACES and not _has_room(question, face, mount):
        return f"give {name} {_PLACES[question]}, because no side of it is free"
    return None


def _has_room(question: str, face: DrawnFace, mount: MountedPart) -> bool:
    """True if zones or a triangle fit on the side of the track that has no ticks."""
    track, pointer = _track(mount), mount.part
    assert isinstance(pointer, Pointer)
    if (track.zones_at if question == "zone" else track.target_at) is not None:
        return True
    away = track.numerals.away if track.numerals else None
    if pointer.shape == "column" or (away is not None and away * track.tick < 0):
        return False
    if question == "zone":
        return True
    shapes = [each.part.shape for each in face.parts if isinstance(each.part, Pointer)]
    return track.tick > 0 and "triangle" not in shapes


def ask(
    question: str, face: DrawnFace, reading: FaceReading, rng: Rng
) -> tuple[ScaleQuestion, DrawnFace]:
    """Ask about a scale. Return the question, and the face with its zones or its target."""
    mount = face.pointer_of(reading)
    assert mount is not None
    if question == "where":
        return ScaleQuestion(None), face
    track, answer = _track(mount), number_of(reading, face)
    scale = _scale(track, answer.unit)
    before, after = track.graduation.around(mount.scale_number)
    gap = after - before
    result = scale_questions.ask(
        question, scale, ScaleReading(answer.value, gap, answer.within or Decimal(0)), rng
    )
    if result.zones:
        face = with_zones(face, mount, result.zones)
    if result.mark is not None:
        face = with_target(face, mount, result.mark)
    return result, face


def facts_of(question: ScaleQuestion) -> dict[str, Any]:
    """Return the zones, the target and the limits of a question as plain values."""
    facts: dict[str, Any] = {}
    if question.zones:
        facts["zones"] = [
            {"name": name, "from": f"{begin:f}", "to": f"{end:f}"}
            for name, begin, end in question.zones
        ]
    if question.mark is not None:
        facts["target"] = f"{question.mark:f}"
    if question.limits is not None:
        facts["limits"] = [f"{limit:f}" for limit in question.limits]
    return facts


def with_zones(face: DrawnFace, mount: MountedPart, zones: tuple[Zone, ...]) -> DrawnFace:
    """Draw these zones along the track of a face that has no zones."""
    assert isinstance(mount.part, Pointer)
    track, name = _track(mount), _track_name(face, mount)
    near, far = track.zones_at or (side if track.tick < 0 else -side for side in _ZONE)
    bands = tuple(
        ColourZone(ZONE_PAINTS[colour], (float(begin), float(end)), near, far)
        for colour, begin, end in zones
    )
    return face.with_changed(name, zones=bands)


def with_target(face: DrawnFace, mount: MountedPart, mark: Decimal) -> DrawnFace:
    """Print a triangle at the track."""
    assert isinstance(mount.part, Pointer)
    track = _track(mount)
    triangle = Mark(mount.part.track, f"{mark:f}", size=_WIDTH, span=track.target_at or _TARGET)
    share = track.graduation.share(float(mark))
    target = MountedPart(
        TARGET, triangle, mount.frame, Fraction(mark), track, float(mark), share
    )  # fmt: skip
    first = next(n for n, each in enumerate(face.parts) if isinstance(each.part, Pointer))
    # Below all pointers.
    return face._replace(parts=(*face.parts[:first], target, *face.parts[first:]))


def _track(mount: MountedPart) -> Track:
    assert isinstance(mount.track, Track)
    return mount.track


def _track_name(face: DrawnFace, mount: MountedPart) -> str:
    return next(each.name for each in face.parts if each.part is mount.track)


def _scale(track: Track, unit: str) -> Scale:
    ticks = track.graduation.ticks
    labels = tuple(tick.value for tick in ticks if tick.rank == LABELLED)
    return Scale(unit, track.spacing == "log", labels, track.ticks_and_ends)
