"""Instruments that a description describes: those that come with gnomon, and a user's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from gnomon.generators.base import among, quick_split, read_levels, within
from gnomon.generators.drawing import pose as poses
from gnomon.generators.drawing.backgrounds import BACKGROUNDS, CLUTTER
from gnomon.generators.drawing.colours import (
    FAMILIES,
    PALETTES,
    TABLE,
    VISIBLE,
    difference,
    palette,
    palette_names,
)  # fmt: skip
from gnomon.generators.drawing.lettering import FONTS, lacking_letters
from gnomon.generators.faces import draw, face_questions, scale_marks
from gnomon.generators.faces import steps as face_steps
from gnomon.generators.faces.description import (
    ANY,
    Body,
    DrawnFace,
    FaceDescription,
    FaceReading,
    descriptions,
    value_at,
)  # fmt: skip
from gnomon.generators.faces.draw import FaceLook, FaceScene
from gnomon.generators.faces.face_questions import QUESTIONS
from gnomon.generators.faces.paints import BodyColours, colour_of
from gnomon.generators.faces.scale_questions import SCALE_QUESTIONS, ScaleQuestion
from gnomon.generators.faces.track import Track
from gnomon.generators.faces.varying import EndChooser
from gnomon.generators.looks import photo
from gnomon.generators.looks.instrument_generator import InstrumentGenerator
from gnomon.generators.registry import description_files
from gnomon.generators.rng import Rng
from gnomon.generators.user_files import UserFile
from gnomon.names import hint
from gnomon.sample import Box, Number, Sample, Target, Text, Time


class FaceLevel(NamedTuple):
    """Values of a level; each is overridden by the option of its name."""

    rotation: float
    perspective: float


LEVELS = read_levels(__file__, FaceLevel)
# Palettes that `ood` holds back: the last three of each family.
OOD_PALETTES = tuple(name for family in TABLE["palettes"].values() for name in list(family)[-3:])
ALL = "all"
# Smallest distance of two ticks in pixels. Closer ticks cannot be counted.
MIN_TICK_GAP = 2.7
# Length of the body's longer side, as a share of the picture's: alone, and to be found.
_WHOLE, _ANYWHERE = (0.86, 0.97), (0.2, 0.7)
_IN_PHOTO = (0.7, 0.98)
ZONE_PAINTS = frozenset(scale_marks.ZONE_PAINTS.values())
# Largest number of draws of a photograph's colours, until a pointer is visible on them.
_TRIES = 30


class FacePlan(NamedTuple):
    """The question, instrument and value of a sample, drawn before its picture."""

    question: str
    description: FaceDescription
    reading: str
    value: Fraction

    @property
    def meaning(self) -> str:
        """Instrument, unit and value as a text. It decides the split of the sample."""
        head = self.description.head
        return f"{head.name}|{head.unit}|{self.value}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Face(InstrumentGenerator):
    """Instruments by their descriptions, shipped or your own, and what they read."""

    kind: ClassVar[str] = "face"
    version: ClassVar[int] = 5
    targets: ClassVar[tuple[type[Target], ...]] = (Number, Time, Text, Box)
    every_question: ClassVar[dict[str, Any]] = {"questions": QUESTIONS}
    asks_for_steps: ClassVar[tuple[str, ...]] = ("read", "part", *SCALE_QUESTIONS)
    levels: ClassVar[dict[str, FaceLevel]] = LEVELS
    assign_split: ClassVar[Any] = staticmethod(quick_split)

    description: str | tuple[str, ...] = ALL
    """Your description, for example my-gauge.yaml, or one that comes with gnomon: ammeter,
    barometer, bathroom_scale, clock, compass, counter, dial_indicator, display, electricity_meter,
    gauge, hygrometer, kitchen_scale, measuring_cylinder, meter_dial, ruler, sf6_gauge, speedometer,
    stopwatch, thermometer, voltmeter, water_meter. Also a list. Default: all that come with it."""
    size: Annotated[int, within(160, 1024)] = 320
    """Pixels of the square picture's side (160 to 1024)."""
    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: upright; medium and hard: turned and tilted."""
    questions: Annotated[tuple[str, ...], among(QUESTIONS)] = ("read",)
    """read (the whole), part (another of its readings), difference (to a marked target), percent
    (of full scale), zone (coloured), in_range (yes or no), where (the pointer's box), find (the box
    of a small instrument anywhere in the picture)."""
    rotation: Annotated[float | None, within(0, 30)] = None
    """Largest turn of the instrument to either side, in degrees (0 to 30)."""
    perspective: Annotated[float | None, within(0, poses.STEEPEST)] = None
    """Largest tilt: how much closer the near edge is to the camera, as a share (0 to 0.15)."""
    backgrounds: tuple[str, ...] = BACKGROUNDS
    """plain, gradient, blotches, stripes, clutter (distracting objects, not in the default); or
    photographs, by file or folder."""
    look: Literal["flat", "photo"] = "flat"
    """flat, or photo: light, shadows, glass, dirt and noise as in pictures of a small camera."""
    ood: bool = False
    """Draw the palettes that are held out otherwise."""
    palettes: tuple[str, ...] | None = None
    """Palettes, by name or by family (plain, light, dark, colour), or by file or folder. Default:
    from the description."""
    fonts: tuple[str, ...] | None = None
    """sans, sans-bold, serif, serif-bold, times-bold; or font files, by file or folder. Default:
    from the description."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for description in self._descriptions:
            self._check(description)
            self.materials.check_fonts(description.letters)
        for name, entry in self._entries.items():
            if isinstance(entry, UserFile):
                for description in self._sources[name]:
                    for face in description.extremes():
                        self._check_colours(description, face)
        for question in self.questions:
            if not self._choices[question]:
                reason = (
                    "give it two readings or more"
                    if question == "part"
                    else self._obstacle(question, self._descriptions[0])
                )
                raise ValueError(
                    f"questions: {question!r} cannot be asked of description={self.description!r}:"
                    f" {reason}"
                )

    def _check(self, description: FaceDescription) -> None:
        """Refuse ticks that stand too close in this size, and values that no split would have."""
        head = description.head
        name, gap = narrowest_ticks(description)
        pixels = gap * _WHOLE[0] * self.size
        if pixels < MIN_TICK_GAP:
            raise ValueError(
                f"size={self.size}: the ticks of {name} on the {head.name} stand {pixels:.1f}"
                f" pixels apart: give {math.ceil(self.size * MIN_TICK_GAP / pixels)} or more, or"
                " fewer ticks"
            )
        if self.fonts is None:
            for font in _fonts_of(description):
                if lacking := lacking_letters(font, description.letters):
                    raise ValueError(
                        f"description: {head.name}: the font {font} has no {lacking}: name another"
                        " in the body, or give a file that has it with fonts=[FILE]"
                    )
        if self.split not in _splits_of(description):
            raise ValueError(
                f"split={self.split!r}: none of the {head.count} values of the {head.name} is in"
                " it: give value a finer step"
            )

    def _check_colours(self, description: FaceDescription, face: DrawnFace) -> None:
        """Refuse pointers that no palette shows, as far as one face tells."""
        names = self._palette_names(face)
        body = face.body.colours._replace(shade=(0, 0, 0))
        if not _fitting_palettes(names, self.ood, _paints(face), body):
            raise self._no_palette(description, face)

    def _no_palette(self, description: FaceDescription, face: DrawnFace) -> ValueError:
        """Return the error for a face whose pointers no palette shows. It names a colour."""
        names = self._palette_names(face)
        key, fault = "body.palette", "none of the floors shows all pointers"
        for mount in face.parts:
            for name, paint in mount.part.colours().items():
                if not _fitting_palettes(names, self.ood, frozenset({paint}), face.body.colours):
                    key = f"{description.path_of(mount.name)}.{name}"
                    fault = f"{paint!r} is not visible on any floor"
        return description.fault(
            key, f"{fault} of palettes={list(names)}: give another colour, palette or body.floor"
        )

    def _palette_names(self, face: DrawnFace) -> tuple[str, ...]:
        return (face.body.palette,) if self.palettes is None else self.materials.names("palettes")

    @property
    def built_in(self) -> dict[str, tuple[str, ...]]:
        """Names of the options `backgrounds`, `palettes` and `fonts`."""
        return {
            "backgrounds": (*BACKGROUNDS, CLUTTER),
            "palettes": (*FAMILIES, *PALETTES),
            "fonts": FONTS,
        }

    @cached_property
    def _entries(self) -> dict[str, UserFile | Path]:
        """Files of the descriptions, by the names that the user gave."""
        names = self.description
        if names == ALL:
            return dict(description_files())
        entries: dict[str, UserFile | Path] = {}
        for name in (names,) if isinstance(names, str) else names:
            if name in description_files():
                entries[name] = description_files()[name]
            elif Path(name).suffix in (".yaml", ".yml") and Path(name).is_file():
                entries[name] = UserFile.of(Path(name))
            else:
                raise ValueError(
                    f"description={name!r}: no such file and no such name; give a .yaml file, or"
                    f" {hint(name, list(description_files()))}"
                )
        if not entries:
            raise ValueError("description=(): give a description, or a list of them")
        return entries

    @cached_property
    def _sources(self) -> dict[str, tuple[FaceDescription, ...]]:
        """The checked descriptions of each file, one for each of its variants."""
        sources = {}
        for name, file in self._entries.items():
            text = file.read() if isinstance(file, UserFile) else file.read_bytes()
            sources[name] = descriptions(text.decode("utf-8-sig"), name)
        return sources

    @cached_property
    def _descriptions(self) -> tuple[FaceDescription, ...]:
        return tuple(variant for variants in self._sources.values() for variant in variants)

    @cached_property
    def _choices(self) -> dict[str, list[tuple[FaceDescription, ...]]]:
        """Descriptions, grouped by their file, that each question can be asked of."""
        every = list(self._sources.values())
        several = [v for v in every if len(v[0].readings) > 1]
        choices = {"read": every, "part": several, "find": every}
        for question in {*self.questions} - {*choices}:
            fitting = [
                tuple(v for v in variants if self._obstacle(question, v) is None)
                for variants in every
            ]
            choices[question] = [variants for variants in fitting if variants]
        return choices

    def _obstacle(self, question: str, description: FaceDescription) -> str | None:
        """Say why a question about the scale cannot be asked of a description. None if it can."""
        if (reason := _obstacle_of(description, question)) is not None:
            return reason
        names = (ANY,) if self.palettes is None else self.materials.names("palettes")
        bodies = _bodies(description) if question == "zone" else ()
        if all(_fitting_palettes(names, self.ood, ZONE_PAINTS, each.colours) for each in bodies):
            return None
        return "give it a floor on which green, yellow and red are visible"

    @property
    def files(self) -> dict[str, UserFile]:
        user_files = {
            file.path: file for file in self._entries.values() if isinstance(file, UserFile)
        }
        return {**super().files, **user_files}

    @property
    def hashed_options(self) -> dict[str, Any]:
        """Identify a description by its content. Its path and its comments do not matter."""
        contents = [
            [variant.content for variant in variants] for variants in self._sources.values()
        ]
        return {**super().hashed_options, "description": contents}

    @property
    def general_question(self) -> str | None:
        """The question for the whole reading of the only instrument, which has one unit."""
        if {*self.questions} - {"find"} != {"read"} or len(self._descriptions) > 1:
            return None
        description = self._descriptions[0]
        reading = next(iter(description.readings.values()))
        return face_questions.wordings(description, "read", reading)[0]

    @property
    def box_questions(self) -> tuple[str, ...]:
        """The question for the box of each instrument."""
        if "find" not in self.questions:
            return ()
        texts = [
            text
            for description in self._descriptions
            for text in face_questions.wordings(description, "find", FaceReading())
        ]
        return tuple(dict.fromkeys(texts))

    def key(self, index: int) -> str:
        """Instrument, unit, value and question, such as pressure gauge|bar|13/2|read value."""
        plan = self._plan(self.rng(index))
        return f"{plan.meaning}|{plan.question} {plan.reading}"

    def draw(self, index: int) -> Sample:
        """Draw one instrument and ask one question about it."""
        rng = self.rng(index)
        plan = self._plan(rng)
        reading = plan.description.readings[plan.reading]
        face = plan.description.draw(plan.value, rng, ood=self.ood)
        scale_question: ScaleQuestion | None = None
        if plan.question in scale_marks.QUESTIONS:
            scale_question, face = scale_marks.ask(plan.question, face, reading, rng)
        scene = FaceScene(face, self._look(plan, face, rng))
        limits = None if scale_question is None else scale_question.limits
        texts = face_questions.wordings(plan.description, plan.question, reading, limits)
        text = rng.choice(texts)
        drawing, background = draw.draw_face(scene, rng), scene.look.background
        image, moved = self.take_picture(index, drawing, scene.case, background)
        scene = scene._replace(look=scene.look._replace(pose=moved.after(scene.look.pose)))
        facts = {"question": plan.question, "reading": plan.reading, **draw.face_facts(scene)}
        answers = {
            name: face_questions.answer_of(reading, face)
            for name, reading in plan.description.readings.items()
        }
        facts["readings"] = {name: answer.write() for name, answer in answers.items()}
        target: Target = answers[plan.reading]
        if plan.question == "find":
            target = Box(*facts["case_box"])
        elif scale_question is not None:
            pointer = face.pointer_of(reading)
            assert pointer is not None
            target = scale_question.target or Box(*facts["parts"][pointer.name]["box"])
            facts |= scale_marks.facts_of(scale_question)
        sample = Sample(self.id(index), image, text, target, facts)
        return self.with_steps(index, sample, lambda: face_steps.steps(face, reading, facts))

    def _plan(self, rng: Rng) -> FacePlan:
        question = rng.choice(self.questions)
        description = rng.choice(rng.choice(self._choices[question]))
        readings = list(description.readings)
        reading = rng.choice(readings[1:]) if question == "part" else readings[0]
        head = description.head

        def random_plan() -> FacePlan:
            count = head.count
            if head.small and rng.chance(head.small):
                count = max(1, count // 10 ** rng.integer(0, len(str(count)) - 1))
            value = value_at(head.value, rng.integer(0, count - 1))
            return FacePlan(question, description, reading, value)

        return self.of_its_split(random_plan, lambda plan: [plan.meaning])

    def _look(self, plan: FacePlan, face: DrawnFace, rng: Rng) -> FaceLook:
        settings, is_photo = self.settings, self.look == "photo"
        lengths = _IN_PHOTO if is_photo else _WHOLE
        if plan.question == "find" and self.wide is None:
            lengths = _ANYWHERE
        outline = face.body.outline(face.body.rim)
        # `poses.place` has its viewer four units away from what is two units wide.
        scale = 2 / float(np.ptp(outline, axis=0).max())
        upright = poses.place(
            scale * outline,
            turn=rng.uniform(-settings.rotation, settings.rotation),
            tilt=rng.uniform(0, settings.perspective), towards=rng.uniform(0, 360),
            length=self.size * rng.uniform(*lengths), room=self.size,
            shift=(rng.uniform(-1, 1), rng.uniform(-1, 1)),
        )  # fmt: skip
        font = face.body.font if self.fonts is None else rng.choice(self.materials.names("fonts"))
        return FaceLook(
            size=self.size,
            palette=self._palette(plan, face, rng),
            background=rng.choice(self.materials.names("backgrounds")),
            font=font,
            pose=poses.Pose(upright.matrix @ np.diag([scale, scale, 1.0])),
            is_photo=is_photo,
        )

    def _palette(self, plan: FacePlan, face: DrawnFace, rng: Rng) -> str:
        """Draw a palette on whose floor each pointer can be seen."""
        choice, body, paints = face.body.palette, face.body, _paints(face)
        if plan.question == "zone":
            paints |= ZONE_PAINTS
        if self.look == "photo" and self.palettes is None and choice == ANY:
            for _ in range(_TRIES):
                name = photo.photo_palette(rng)
                if _is_visible(paints, name, body.colours):
                    return name
        names = self._palette_names(face)
        # Nearly every picture has a shade of its own, which seldom hides a pointer.
        unshaded = body.colours._replace(shade=(0, 0, 0))
        for colours in (unshaded, body.colours):
            fitting = _fitting_palettes(names, self.ood, paints, colours)
            if not fitting and self.palettes is None and plan.question == "zone":
                fitting = _fitting_palettes((ANY,), self.ood, paints, colours)
            if fitting:
                name = rng.choice(fitting)
                if _is_visible(paints, name, body.colours):
                    return name
        raise self._no_palette(plan.description, face)


def _paints(face: DrawnFace) -> frozenset[str]:
    """Return the colours that must be visible on the floor."""
    return frozenset(paint for mount in face.parts for paint in mount.part.colours().values())


@lru_cache(maxsize=1024)
def _fitting_palettes(
    names: Sequence[str], ood: bool, paints: frozenset[str], body: BodyColours
) -> tuple[str, ...]:
    """Return the palettes on whose floor all these colours are visible."""
    return tuple(name for name in _palettes(names, ood) if _is_visible(paints, name, body))


@lru_cache(maxsize=256)
def _palettes(names: Sequence[str], ood: bool) -> tuple[str, ...]:
    """Palettes of names and families, those alone that `ood` holds back, or the others."""
    every = tuple(PALETTES) if ANY in names else palette_names(names)
    fitting = tuple(n for n in every if n not in PALETTES or (n in OOD_PALETTES) == ood)
    return fitting or every  # a description may name a single one


def _is_visible(paints: frozenset[str], name: str, body: BodyColours) -> bool:
    colours = body.dress(palette(name))
    return all(difference(colour_of(paint, colours), colours.floor) >= VISIBLE for paint in paints)


@lru_cache(maxsize=256)
def _fonts_of(description: FaceDescription) -> frozenset[str]:
    """Return the fonts that the body of a description may have."""
    return frozenset(body.font for body in _bodies(description))


@lru_cache(maxsize=256)
def _bodies(description: FaceDescription) -> tuple[Body, ...]:
    """Return bodies that together show every font and colour of a description."""
    value, count = value_at(description.head.value, 0), description.body_fonts
    return tuple(description.draw(value, EndChooser(0, index)).body for index in range(count))


@lru_cache(maxsize=1024)
def _obstacle_of(description: FaceDescription, question: str) -> str | None:
    """Say why a question cannot be asked about the scale of the first reading in all pictures."""
    reading = next(iter(description.readings.values()))
    for face in description.extremes():
        reason = scale_marks.obstacle(question, face, reading)
        if reason is not None:
            return reason
    return None


@lru_cache(maxsize=256)
def narrowest_ticks(description: FaceDescription) -> tuple[str, float]:
    """Return the track whose ticks stand closest, and their distance to the body's longer side."""
    face = description.draw(value_at(description.head.value, 0), EndChooser(0))
    outline = face.body.outline(face.body.rim)
    # A tilt takes up to a tenth of a length.
    unit = 0.9 / float(np.ptp(outline, axis=0).max())
    gaps = {"": 1.0}
    for mount in face.parts:
        if isinstance(mount.part, Track):
            track = mount.part
            gaps[mount.name] = (
                track.graduation.least_gap * track.path.length * mount.frame[0] * unit
            )
    name = min(gaps, key=lambda name: gaps[name])
    return name, gaps[name]


@lru_cache(maxsize=256)
def _splits_of(description: FaceDescription) -> frozenset[str]:
    """Return the splits that have some of the first values of a description."""
    steps, count = description.head.value, description.head.count
    plans = (FacePlan("", description, "", value_at(steps, n)) for n in range(min(200, count)))
    return frozenset(quick_split(Face.kind, plan.meaning) for plan in plans)
