"""Instruments with a scale: gauges, meters, thermometers, rulers, scales, measuring cylinders."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP
from fractions import Fraction
from functools import cache, cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from gnomon.generators.base import LATER, among, read_levels, within
from gnomon.generators.drawing import pose as poses
from gnomon.generators.drawing.backgrounds import BACKGROUNDS, CLUTTER
from gnomon.generators.drawing.colours import (
    FAMILIES,
    PALETTES,
    VISIBLE,
    difference,
    palette,
    palette_names,
)
from gnomon.generators.drawing.lettering import FONTS, text_tile
from gnomon.generators.faces import scale_marks
from gnomon.generators.faces.description import DrawnFace, value_at
from gnomon.generators.faces.draw import PANEL, FaceLook, FaceScene, draw_face
from gnomon.generators.faces.generator import (
    MIN_TICK_GAP,
    OOD_PALETTES,
    narrowest_ticks,
)
from gnomon.generators.faces.paints import colour_of
from gnomon.generators.faces.pointer import SLIDING, Pointer
from gnomon.generators.faces.scale import Scale, ScaleReading, parse_scale, plain
from gnomon.generators.faces.scale_questions import (
    SCALE_QUESTIONS,
    ZONES,
    ScaleQuestion,
    random_zones,
)
from gnomon.generators.faces.track import Track
from gnomon.generators.faces.varying import EndChooser
from gnomon.generators.gauge import steps as gauge_steps
from gnomon.generators.gauge.facts import GaugeDrawing, gauge_facts
from gnomon.generators.gauge.instruments import (
    DEFAULT_INSTRUMENTS,
    INSTRUMENTS,
    QUESTIONS,
    Instrument,
    places_of_split,
)
from gnomon.generators.looks import photo
from gnomon.generators.looks.instrument_generator import InstrumentGenerator
from gnomon.generators.rng import Rng
from gnomon.sample import Box, Number, Sample, Target, Text


class GaugeLevel(NamedTuple):
    """Values of a level. The option of the same name overrides each."""

    parts: int
    """Possible reading positions from tick to tick."""
    rotation: float
    perspective: float
    decoys: float
    """Share of instruments with zones. Half as many have a mark. Questions do not ask about
    them."""


LEVELS = read_levels(__file__, GaugeLevel)
CASES = ("round", "ring", "cushion", "octagon")
HANDS = ("baton", "sword", "taper", "arrow", "dauphine")
UNSEEN_HANDS = ("leaf", "breguet")
# Positions for each readable value of a user's scale. Splits divide these positions, so training
# has every value. For the many usual scales, splits divide the values.
_FINER = 10
# Height at which labels are measured, in pixels.
_MEASURED = 40
_FONTS = ("sans", "sans-bold", "serif-bold")


class Framing(NamedTuple):
    """Range of sizes of an instrument in its picture, as shares of the picture's side."""

    shortest: float
    """Smallest length of the instrument's longer side."""
    longest: float
    """Largest length. Beyond 1 the rim is cut off."""
    off_centre: float = 0.0
    """Largest shift of the middle to each side."""
    fills_picture: bool = True
    """False if the surroundings are visible and the instrument must be found."""


_WHOLE = Framing(0.86, 0.97)
# People crop photographs to the dial, but not exactly around its middle.
_CROP = Framing(0.85, 1.3, off_centre=0.1)
# A constant box would overlap few of these by half.
_ANYWHERE = Framing(0.2, 0.7, fills_picture=False)

# Facts with the boxes that are asked for.
_BOXES = {"where": "pointer_box", "find": "case_box"}
# Five of eight photographed instruments are round.
_PHOTOGRAPHED_CASES = (*CASES, *4 * ("round",))


def check_scales(option: str, scales: Sequence[str] | None) -> None:
    """Refuse a text instead of a list, an empty list, and a scale that cannot be graduated."""
    if scales is not None and (isinstance(scales, str) or not scales):
        raise ValueError(f"{option}={scales!r}: give a list, such as [km/h 0 220 20 5]")
    for scale in scales or ():
        parse_scale(scale)


@dataclass(frozen=True, kw_only=True, repr=False)
class Gauge(InstrumentGenerator):
    """Instruments with a scale, and questions about their readings."""

    kind: ClassVar[str] = "gauge"
    version: ClassVar[int] = 9
    targets: ClassVar[tuple[type[Target], ...]] = (Number, Text, Box)
    every_question: ClassVar[dict[str, Any]] = {"questions": QUESTIONS}
    asks_for_steps: ClassVar[tuple[str, ...]] = ("read", *SCALE_QUESTIONS)
    levels: ClassVar[dict[str, GaugeLevel]] = LEVELS

    size: Annotated[int, within(160, 1024)] = 224
    """Side of the square picture in pixels (160 to 1024)."""
    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: upright, readings on ticks; medium: halves of ticks, askew; hard: fifths, decoys."""
    instruments: Annotated[tuple[str, ...], among(INSTRUMENTS)] = DEFAULT_INSTRUMENTS
    """gauge, meter, thermometer, ruler, scale, cylinder. By name only: dial, speedometer, compass,
    kitchen_scale, bathroom_scale."""
    questions: Annotated[tuple[str, ...], among(QUESTIONS)] = ("read",)
    """read, difference (to a marked target), percent (of full scale), zone (coloured), in_range
    (yes or no), where (the pointer's box), find (the box of an instrument that is a small part of
    the picture)."""
    parts: Annotated[int | None, within(1, 10)] = None
    """Readable positions from one tick to the next (1 to 10). Default: from the level."""
    rotation: Annotated[float | None, within(0, 30)] = None
    """Largest turn of the instrument to either side, in degrees (0 to 30)."""
    perspective: Annotated[float | None, within(0, poses.STEEPEST)] = None
    """Strongest tilt: how much closer the near edge is, as a share (0 to 0.15)."""
    scales: Annotated[tuple[str, ...] | None, check_scales] = field(default=None, metadata=LATER)
    """Your own scales in place of the instruments': unit if any, first, last, label distance and
    tick distance, such as km/h 0 220 20 5. Pointers then stand anywhere, and answers are the
    nearest part of a tick. None: the usual scales of each instrument."""
    log: Annotated[float, within(0, 1)] = 0.0
    """Share of gauges and meters with a logarithmic scale (0 to 1)."""
    backgrounds: tuple[str, ...] = BACKGROUNDS
    """plain, gradient, blotches, stripes. By name only: clutter, which hides the instrument among
    other things. Or photographs, by file or folder."""
    look: Literal["flat", "photo"] = field(default="flat", metadata=LATER)
    """flat, or photo: as a small camera sees it, with light, shadows, glass, dirt, noise and real
    colours."""
    ood: bool = False
    """Draw the palettes and pointers that are held out otherwise."""
    palettes: tuple[str, ...] | None = field(default=None, metadata=LATER)
    """Palettes, by name or by family (plain, light, dark, colour), or by file or folder. None: all
    palettes except the held-out palettes, or only the held-out palettes with `ood`."""
    fonts: tuple[str, ...] = field(default=_FONTS, metadata=LATER)
    """sans, sans-bold, serif, serif-bold, times-bold; or font files, by file or folder."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scales is not None:
            self._check_scales()
        if alone := [question for question, scales in self._scales.items() if not scales]:
            raise ValueError(
                f"questions: {alone[0]!r} cannot be asked of {', '.join(self.instruments)}"
                f" at size={self.size}, log={self.log}: allow more instruments"
            )
        if not self._zone_palettes and ("zone" in self.questions or self.settings.decoys):
            raise ValueError(
                f"palettes={self.palettes}: zones of green, yellow and red stand out on none of"
                " their floors: add another palette, or leave the question `zone` out and give"
                " level='easy'"
            )
        letters = [each.letters for name in self.instruments for each in INSTRUMENTS[name].variants]
        self.materials.check_fonts("".join([*letters, *(self.scales or ())]))

    def _check_scales(self) -> None:
        """Refuse a user's scale that an instrument cannot carry, before anything is drawn."""
        for name in self.instruments:
            instrument = INSTRUMENTS[name]
            if instrument.has_window or any(scale.cycle for scale in instrument.scales):
                raise ValueError(
                    f"scales={list(self.scales or ())}: the {name} has its own scale:"
                    " choose other instruments"
                )
            for text, scale in zip(self.scales or (), self._scales_of(instrument), strict=True):
                if not _legible(instrument, scale):
                    raise ValueError(
                        f"scales={text!r}: the labels of the {name} touch each other or the rim:"
                        " let them stand farther apart"
                    )
                if not _countable(instrument, scale, self.size):
                    raise ValueError(
                        f"scales={text!r}: the ticks of the {name} stand too close at"
                        f" size={self.size}: give a larger size, or fewer ticks"
                    )

    @property
    def built_in(self) -> dict[str, tuple[str, ...]]:
        """Names of the options `backgrounds`, `palettes` and `fonts`."""
        built_in = [name for name in PALETTES if (name in OOD_PALETTES) == self.ood]
        return {
            "backgrounds": (*BACKGROUNDS, CLUTTER),
            "palettes": (*FAMILIES, *built_in),
            "fonts": FONTS,
        }

    @property
    def general_question(self) -> str | None:
        """Question for the reading if there is only one instrument, whose scales share a unit."""
        if {*self.questions} - {"find"} != {"read"} or len(self._scales["read"]) > 1:
            return None
        ((name, scales),) = self._scales["read"].items()
        if len({scale.unit for scale in scales}) > 1:
            return None
        return INSTRUMENTS[name].wordings("read", scales[0].unit)[0]

    @property
    def box_questions(self) -> tuple[str, ...]:
        """Questions for the boxes of the instruments, by their names."""
        if "find" not in self.questions:
            return ()
        instruments = [INSTRUMENTS[name] for name in self.instruments]
        texts = (text for each in instruments for text in each.wordings("find", ""))
        return tuple(dict.fromkeys(texts))

    def key(self, index: int) -> str:
        """Return instrument, scale, reading and question, such as gauge|bar|0..10|6.5|read."""
        question, instrument, scale, place = self._plan(self.rng(index))
        return f"{instrument.meaning(scale, place, self._parts)}|{question}"

    def draw(self, index: int) -> Sample:
        """Draw an instrument and ask a question about it."""
        rng = self.rng(index)
        name, instrument, scale, place = self._plan(rng)
        reading = instrument.place_reading(scale, place, self._parts)
        question = instrument.ask(name, scale, self._nearest(scale, reading), rng)
        is_small = name == "find" and self.wide is None
        drawing = self._drawing(instrument, scale, reading, question, is_small, rng)
        scene = drawing.scene
        picture, background = draw_face(scene, rng), scene.look.background
        image, moved = self.take_picture(index, picture, scene.case, background)
        look = scene.look._replace(pose=moved.after(scene.look.pose))
        drawing = drawing._replace(scene=scene._replace(look=look))
        facts = {"question": name, **gauge_facts(drawing)}
        target = question.target or Box(*facts[_BOXES[name]])
        sample = Sample(self.id(index), image, question.text, target, facts)
        nearest = self._nearest(scale, reading)
        return self.with_steps(index, sample, lambda: gauge_steps.steps(facts, scale, nearest))

    def _plan(self, rng: Rng) -> tuple[str, Instrument, Scale, int]:
        """Draw the question, and a position of the split."""
        question = rng.choice(self.questions)
        choices = self._scales[question]
        instrument = INSTRUMENTS[rng.choice(tuple(choices))]
        linear, log = (
            [s for s in choices[instrument.name] if s.log == log] for log in (False, True)
        )
        scale = rng.choice(log if log and (not linear or rng.chance(self.log)) else linear)
        place = rng.choice(places_of_split(instrument, scale, self._parts, self.split))
        return question, instrument, scale, place

    @cached_property
    def _scales(self) -> dict[str, dict[str, list[Scale]]]:
        """Scales that allow each question, by the instrument's name."""
        choices = {}
        for question in self.questions:
            fit = {name: self._fit(question, INSTRUMENTS[name]) for name in self.instruments}
            choices[question] = {name: scales for name, scales in fit.items() if scales}
        return choices

    def _fit(self, question: str, instrument: Instrument) -> list[Scale]:
        scales = self._scales_of(instrument)
        has_log = any(scale.log for scale in scales)
        kinds = {False: self.log < 1 or not has_log, True: self.log > 0}
        return [
            scale for scale in scales
            if kinds[scale.log] and instrument.has_answer(question, scale)
            and _countable(instrument, scale, self.size)
            and places_of_split(instrument, scale, self._parts, self.split)
        ]  # fmt: skip

    @property
    def _parts(self) -> int:
        """Return the positions from tick to tick at which a pointer may stand."""
        parts: int = self.settings.parts
        return parts if self.scales is None else parts * _FINER

    def _nearest(self, scale: Scale, reading: ScaleReading) -> ScaleReading:
        """Return the reading itself, or on a user's scale the nearest part of a tick."""
        if self.scales is None:
            return reading
        part = reading.tick / self.settings.parts
        steps = ((reading.value - scale.low) / part).to_integral(ROUND_HALF_UP)
        return reading._replace(value=plain(scale.low + steps * part))

    def _scales_of(self, instrument: Instrument) -> tuple[Scale, ...]:
        """Return the user's scales, or the usual scales of the instrument."""
        return instrument.scales if self.scales is None else tuple(map(parse_scale, self.scales))

    def _drawing(
        self, instrument: Instrument, scale: Scale, reading: ScaleReading, question: ScaleQuestion,
        is_small: bool, rng: Rng,
    ) -> GaugeDrawing:  # fmt: skip
        """Plan the instrument with its look. Zones and a mark that questions do not mention are
        decoys."""
        zones, mark = question.zones, question.mark
        is_whole = scale.cycle is None and not instrument.has_window
        if is_whole and not zones and rng.chance(self.settings.decoys):
            zones = random_zones(scale, reading.value, rng)
        # Half as many marks as zones.
        if is_whole and mark is None and rng.chance(self.settings.decoys / 2):
            mark = rng.choice(scale.labels)
        case = rng.choice(CASES if self.look == "flat" else _PHOTOGRAPHED_CASES)
        is_close = not is_small and self.wide is None
        if self.look == "photo" and instrument.lies_in_face and is_close and rng.chance(0.6):
            case = PANEL
        hand = rng.choice(UNSEEN_HANDS if self.ood else HANDS)
        palette_name = self._palette(rng, has_zones=bool(zones))
        description = instrument.description(scale, rng)
        face = description.draw(
            Fraction(reading.value), rng, {"case": case, "hands": hand}, ood=self.ood
        )
        face = _visible(face, palette_name)
        if zones:
            face = scale_marks.with_zones(face, face.part("pointer"), zones)
        if mark is not None:
            face = scale_marks.with_target(face, face.part("pointer"), mark)
        pointer = face.part("pointer").part
        assert isinstance(pointer, Pointer)
        # A rim that has a mark, or the case of an instrument that is not round, is never cut off.
        can_crop = face.body.shape != "box" and pointer.shape not in SLIDING
        framing = _CROP if self.look == "photo" and can_crop and self.wide is None else _WHOLE
        look = self._look(face, palette_name, _ANYWHERE if is_small else framing, rng)
        return GaugeDrawing(
            FaceScene(face, look), instrument, scale, reading, question, zones, mark, hand
        )

    def _look(self, face: DrawnFace, palette_name: str, framing: Framing, rng: Rng) -> FaceLook:
        settings = self.settings
        pose = poses.place(
            face.body.outline(face.body.rim),
            turn=rng.uniform(-settings.rotation, settings.rotation),
            tilt=rng.uniform(0, settings.perspective), towards=rng.uniform(0, 360),
            length=self.size * rng.uniform(framing.shortest, framing.longest),
            room=self.size,
            shift=(rng.uniform(-1, 1), rng.uniform(-1, 1)),
        )  # fmt: skip
        # A draw of 0 would change the random draws of all other pictures.
        if framing.off_centre:
            most = framing.off_centre * self.size
            pose = pose.moved(rng.uniform(-most, most), rng.uniform(-most, most))
        return FaceLook(
            size=self.size, palette=palette_name,
            background=rng.choice(self.materials.names("backgrounds")),
            font=rng.choice(self.materials.names("fonts")),
            pose=pose, is_photo=self.look == "photo",
        )  # fmt: skip

    def _palette(self, rng: Rng, *, has_zones: bool) -> str:
        """Draw a palette. In photographs it has the colours of a real instrument."""
        if self.look == "photo" and self.palettes is None and not has_zones:
            return photo.photo_palette(rng)
        return rng.choice(self._zone_palettes if has_zones else self._palettes)

    @cached_property
    def _palettes(self) -> tuple[str, ...]:
        every = palette_names(self.materials.names("palettes"))
        return tuple(n for n in every if n not in PALETTES or (n in OOD_PALETTES) == self.ood)

    @cached_property
    def _zone_palettes(self) -> tuple[str, ...]:
        """Return the palettes from whose floor each zone stands out."""
        return tuple(
            name for name in self._palettes
            if all(difference(c, palette(name).floor) >= VISIBLE for c in ZONES.values())
        )  # fmt: skip


def _visible(face: DrawnFace, palette_name: str) -> DrawnFace:
    """Return the face with the palette's colour for pointers that the floor would hide."""
    colours = palette(palette_name)
    for mount in face.parts:
        part = mount.part
        if not isinstance(part, Pointer) or part.colour in ("pointer", "tint"):
            continue
        if difference(colour_of(part.colour, colours), colours.floor) < VISIBLE:
            face = face.with_changed(mount.name, colour="pointer")
    return face


@cache
def _countable(instrument: Instrument, scale: Scale, size: int) -> bool:
    """Return True if the ticks stand apart in the smallest picture of the instrument."""
    _, gap = narrowest_ticks(instrument.description(scale))
    return gap * _WHOLE.shortest * size >= MIN_TICK_GAP


@cache
def _legible(instrument: Instrument, scale: Scale) -> bool:
    """Return True if the labels, in the broadest font, keep clear of each other and of the rim."""
    description = instrument.description(scale)
    # With the largest numbers.
    face = description.draw(value_at(description.head.value, 0), EndChooser(1.0))
    rim = face.body.outline()[:, 0]
    boxes: list[tuple[float, float, float, float]] = []
    track = face.part("scale").part
    assert isinstance(track, Track)
    for label in track.texts:
        # With a smaller gap, 90 beside 100 would read 90100.
        air = 0.2 * label.height
        rows, columns = text_tile(label.text, "sans-bold", _MEASURED, 0).shape
        half_width = columns * label.height / _MEASURED / 2
        half_height = rows * label.height / _MEASURED / 2
        x1, x2 = label.x - half_width, label.x + half_width
        y1, y2 = label.y - half_height, label.y + half_height
        if x1 < rim.min() or x2 > rim.max():
            return False
        for u1, v1, u2, v2 in boxes:
            if x1 < u2 + air and u1 < x2 + air and y1 <= v2 and v1 <= y2:
                return False
        boxes.append((x1, y1, x2, y2))
    return True
