"""Descriptions of instruments: YAML, checked as recipes are, from which faces are drawn.

A number may be a range, or a formula of drawn quantities. A word may be a list of words.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import MISSING, field, fields, replace
from dataclasses import dataclass as plain_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import chain, product, repeat
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import Field
from pydantic.dataclasses import dataclass

from gnomon import recipe
from gnomon.generators.drawing.canvas import Points
from gnomon.generators.drawing.colours import FAMILIES, PALETTES
from gnomon.generators.drawing.shapes import oblong, outline
from gnomon.generators.faces.card import Card
from gnomon.generators.faces.expressions import check_formula, evaluate, formula_names
from gnomon.generators.faces.mark import Mark
from gnomon.generators.faces.paints import BodyColours, Paint
from gnomon.generators.faces.part import (
    FacePart,
    FontName,
    Length,
    MountedPart,
    Place,
    T,
    unchecked,
    with_keys,
)
from gnomon.generators.faces.pointer import Pointer
from gnomon.generators.faces.printed import Caption, Plate
from gnomon.generators.faces.scale import Scale, parse_scales
from gnomon.generators.faces.track import Positive, Track
from gnomon.generators.faces.varying import (
    Chooser,
    EndChooser,
    FieldsOf,
    FixedValue,
    FormulaOf,
    QuantitiesOf,
    StepOf,
    Varied,
    as_fraction,
    plan,
)  # fmt: skip
from gnomon.generators.faces.window import Window
from gnomon.names import hint
from gnomon.recipe import STRICT, RecipeError

PARTS: dict[str, type[FacePart]] = {
    "track": Track,
    "pointer": Pointer,
    "window": Window,
    "card": Card,
    "plate": Plate,
    "mark": Mark,
    "text": Caption,
}
_SUB_FACE = "face"
_MOST_VARIANTS = 200
Constants = Mapping[str, Fraction | float | str]
"""Known quantities, options and words of choices, by name."""
NO_CONSTANTS: Constants = MappingProxyType({})
# Palettes of all families, or in photographs colours of real dials.
ANY = "any"
_PART_KEYS = ("part", "like", "chance", "spots")
_START = "name, value, body and parts; `gnomon cp face my-gauge.yaml` writes one to begin with"


@dataclass(frozen=True, config=STRICT)
class Body:
    """The plate and rim that carry the parts. The origin is the middle of the outline."""

    shape: Literal[
        "round", "ring", "bare", "square", "cushion", "oval", "tall", "octagon", "barrel",
        "hexagon", "box", "panel",
    ] = "round"  # fmt: skip
    """panel: a dial without a case, printed on a face that continues beyond the picture."""
    size: tuple[Length, Length] = (1.0, 0.7)
    """Half the width and half the height of a box."""
    corner: Annotated[float, Field(ge=0, le=1)] = 0.08
    """Radius of a box's corners."""
    around: str | None = None
    """Name of a window around which the body is fitted, instead of `size`."""
    margin: tuple[Length, Length] = (0.2, 0.2)
    """Breadth of the body beside this window, and above and below it."""
    rim: Annotated[float, Field(ge=0, le=0.5)] = 0.06
    """Breadth of the rim. 0 draws no rim."""
    cut: bool = False
    """True for a window: the rim covers what is printed beyond the floor."""
    palette: str = ANY
    """A family (plain, light, dark, colour) or a name. any: all, or colours of real dials."""
    font: FontName = "sans"
    floor: Paint | None = None
    ink: Paint | None = None
    hands: Paint | None = None
    pointer: Paint | None = None
    case: Paint | None = None
    ground: Paint | None = None
    """Colour behind the instrument."""
    shade: tuple[int, int, int] = (0, 0, 0)
    """Change of the red, green and blue of floor and ground, as in [[-9, 9], [-9, 9], [-9, 9]]."""

    def __post_init__(self) -> None:
        names = (ANY, *FAMILIES, *PALETTES)
        if self.palette not in names:
            raise ValueError(f"palette: {self.palette!r}: {hint(self.palette, names)}")

    @cached_property
    def colours(self) -> BodyColours:
        """The colours that replace colours of the palette."""
        return BodyColours(
            self.floor, self.hands, self.ink, self.pointer, self.case, self.ground, self.shade
        )

    def fitted(self, half_size: tuple[float, float]) -> Body:
        """Return the body around a window with this half-width and half-height."""
        body = copy(self)
        sizes = tuple(half + margin for half, margin in zip(half_size, self.margin, strict=True))
        object.__setattr__(body, "size", sizes)
        return body

    def outline(self, grow: float = 0.0) -> Points:
        """Return the outline of the floor, grown by `grow` on all sides."""
        if self.shape == "box":
            (wide, high), corner = self.size, self.corner + grow
            corner = min(corner, wide, high)
            return oblong(-wide - grow, -high - grow, wide + grow, high + grow, corner, step=15)
        return outline("round" if self.shape == "panel" else self.shape, 1 + grow)


@dataclass(frozen=True, config=STRICT)
class FaceReading:
    """A number that questions ask for, from the whole face or from a part."""

    drive: str | None = None
    """Formula of the number. Default: the drive of the part."""
    part: str | None = None
    """Name of the part that shows the number."""
    words: str | None = None
    """Name of the reading in questions. Default: the instrument's name, or the reading's key."""
    unit: str | None = None
    """Unit of the answer. Default: the instrument's unit."""
    answer: Literal["number", "time"] = "number"
    """time: the number counts seconds since twelve, and the answer is a time, for example 10:08."""
    hours: Literal[12, 24] = 12
    """Number of hours after which a clock repeats."""
    step: Positive | None = None
    """The answer is a multiple of it. For a time, give 60 for minutes or 1 for seconds. Default:
    the last figure of a window, otherwise 1."""
    parts: Annotated[int, Field(ge=1, le=10)] | None = None
    """Number of parts into which a reader divides the gap between ticks. It replaces `step` on
    scales with uneven ticks. A correct answer is then at most half a gap away."""
    within: Annotated[float, Field(ge=0)] | None = None
    """Largest error of a correct answer. Default: one step."""
    round: Literal["nearest", "down"] = "nearest"
    """down: figures and dials are read as the last figure that they have passed."""
    cycle: Annotated[float, Field(ge=0)] = 0.0
    """Number at which the scale wraps to 0, for example 10 on a dial. 0: it does not wrap."""
    digits: Annotated[int, Field(ge=0, le=12)] = 0
    """Digits before the point, padded with zeros. Default: as few as needed."""


@dataclass(frozen=True, config=STRICT)
class FaceHead:
    """The keys of a description beside body and parts, which are the same in every picture."""

    name: Annotated[str, Field(min_length=1)]
    """Name of the instrument in questions, for example pressure gauge."""
    value: tuple[float, float, float]
    """First value, last value, and the step between the values that are drawn. Default with
    `scales`: [low, high, tick / 10]."""
    unit: str = ""
    """Unit of the answers."""
    scales: tuple[str, ...] = ()
    """Scales, for example [bar 0 10 1 0.5, Pa 1 1000 log]. Each has a unit, its first and last
    value, the distance of labels and the distance of ticks. Several distances of ticks, as in
    0.5,0.2, are several scales. Each picture has one scale. Formulas use its numbers as low, high,
    label and tick. log is 1 for a logarithmic scale and 0 otherwise."""
    options: dict[str, float] = field(default_factory=dict)
    """Numbers for formulas and chances by name, which a kind may set to other values."""
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Words, one for each picture, for values such as {by: hands, leaf: 0.1, else: 0.2}."""
    held_out: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Further words of these choices. They are not drawn without `ood`."""
    draws: dict[str, Any] = field(default_factory=dict)
    """Further quantities by name: first, last and step, a range, a formula, or {chance: 0.3} for 1
    in a share of the pictures and 0 in the others."""
    readings: dict[str, FaceReading] = field(default_factory=dict)
    """The numbers to ask for. The first is the reading of the whole. Default: the value itself."""
    questions: dict[
        Literal["read", "part", "difference", "percent", "zone", "in_range", "where", "find"],
        tuple[str, ...],
    ] = field(default_factory=dict)
    """Wordings with {name}, {unit} and {part}, in place of the standard ones. The wording of
    in_range also has {low} and {high}."""
    small: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of pictures whose values have 1, 2, 3 or more digits equally often, as on meters."""
    readable: Annotated[int, Field(ge=24, le=1000)] = 130
    """Smallest length of the shorter side, in pixels, at which a photo can be read."""

    def __post_init__(self) -> None:
        for name, steps in {"value": self.value, **self.draws}.items():
            if _is_stepped(steps) and not (steps[0] < steps[1] and steps[2] > 0):
                raise ValueError(
                    f"{name}: {list(steps)}: give first, last and step, such as [0, 10, 0.1]"
                )
        for name in self.held_out:
            if name not in self.choices:
                raise ValueError(f"held_out: {name!r}; {hint(name, list(self.choices))}")
        for name, words in self.choices.items():
            if not words:
                raise ValueError(f"choices: {name}: [] gives nothing to draw from")

        for question, texts in self.questions.items():
            limits = {"low": "", "high": ""} if question == "in_range" else {}
            for text in texts:
                try:
                    text.format(name="", part="", unit="", **limits)
                except (KeyError, IndexError, ValueError, AttributeError):
                    raise ValueError(
                        f"questions.{question}: {text!r}: only {{name}}, {{part}} and {{unit}}"
                        " are filled in"
                    ) from None

    @property
    def count(self) -> int:
        """Number of values from first to last."""
        return _count(self.value)

    def words(self, name: str) -> tuple[str, ...]:
        """Return all words of a choice, those that are held out last."""
        return (*self.choices[name], *self.held_out.get(name, ()))


class DrawnFace(NamedTuple):
    """A face as one picture has it."""

    head: FaceHead
    body: Body
    value: Fraction
    quantities: Mapping[str, Fraction]
    parts: tuple[MountedPart, ...]

    def part(self, name: str) -> MountedPart:
        """Return the part with this name."""
        return next(mount for mount in self.parts if mount.name == name)

    def pointer_of(self, reading: FaceReading) -> MountedPart | None:
        """Return the pointer that shows a reading. None if another part shows it."""
        for mount in self.parts:
            if isinstance(mount.part, Pointer) and mount.part.drive == reading.drive:
                return mount
        return None

    def with_changed(self, name: str, **changes: Any) -> DrawnFace:
        """Return the face with other values for keys of a part. They are not checked."""
        part = self.part(name).part
        other = with_keys(part, changes)
        parts = [
            mount._replace(
                part=other if mount.name == name else mount.part,
                track=other if mount.track is part else mount.track,
            )
            for mount in self.parts
        ]
        return self._replace(parts=tuple(parts))


@dataclass(frozen=True, config=STRICT)
class PartSpots:
    """Places for a part. It is drawn at a free one, or left out if all are taken."""

    at: tuple[Place, ...]
    clear: Annotated[float, Field(ge=0, le=4)] = 0.0
    """Smallest distance of the part from each pointer on the same face."""


class PartPlan(NamedTuple):
    """A part with the values or ranges of its keys, from which each picture's part is drawn."""

    name: str
    kind: type[FacePart]
    values: Varied
    like: str | None
    """Name of the part that it copies, draws included, except for keys that it sets itself."""
    face: str
    """Name of the sub-face, followed by a dot. Empty for the face itself."""
    path: str
    chance: Varied | None
    """Share of the pictures that show the part. None if all pictures show it."""
    spots: PartSpots | None


class SubFacePlan(NamedTuple):
    """A sub-face with the values or ranges of its place and scale."""

    name: str
    values: Varied
    like: str | None
    face: str
    path: str
    chance: Varied | None
    spots: PartSpots | None


class _DrawStep(NamedTuple):
    """A plan with the properties that decide whether it is drawn, which are worked out once."""

    plan: PartPlan | SubFacePlan
    face: str
    chance: Callable[[Chooser, Any], Any] | None
    inner: str
    """Name of its parts' sub-face. Empty for a part."""
    is_late: bool


class _BodyPlan(NamedTuple):
    values: Varied
    like: None = None
    path: str = "body"


_KeyPlan: TypeAlias = PartPlan | SubFacePlan | _BodyPlan


@dataclass(frozen=True, config=STRICT)
class SubFace:
    """A small face on the body, written as `part: face` with `parts`.

    Its parts have their own unit of length.
    """

    at: Place = (0.0, 0.0)
    """Middle of the sub-face."""
    scale: Length = 0.3
    """Half the width of the sub-face, in the unit of the face that it is on."""


@plain_dataclass(frozen=True, eq=False)
class FaceDescription:
    """A checked description of an instrument's face: its quantities, body and parts."""

    source: str
    """File or name, for messages."""
    text: str
    raw: Mapping[str, Any]
    variant: tuple[tuple[str, ...], ...] = ()
    """Paths of the keys in the text that change the description to this variant."""
    scale: Scale | None = None
    """The scale that it has, if it has `scales`."""

    def __getstate__(self) -> dict[str, Any]:
        # Without what is worked out from the fields, such as compiled functions.
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def _models(self) -> dict[str, Any]:
        """A checked body and checked parts, by their paths."""
        return {}

    @property
    def variant_name(self) -> str:
        """The name of the variant, if the variants have names."""
        return self.variant[0][-1] if self.variant else ""

    @cached_property
    def content(self) -> str:
        """The description as JSON without comments. Equal JSON means equal pictures."""
        return json.dumps(self.raw, sort_keys=True)

    @cached_property
    def letters(self) -> str:
        """All characters that its texts and numbers use, sorted."""
        return "".join(sorted({*"0123456789.−", *self._texts_in(self.raw, "")}))

    def _texts_in(self, values: Any, key: str) -> Iterator[str]:
        if isinstance(values, dict):
            for name, inner in values.items():
                yield from self._texts_in(inner, name)
        elif isinstance(values, list):
            for inner in values:
                yield from self._texts_in(inner, key)
        elif isinstance(values, str) and key in ("text", "texts", "unit", "scales"):
            yield from values

    @cached_property
    def head(self) -> FaceHead:
        """The keys that are the same in every picture."""
        keys = {k: v for k, v in self.raw.items() if k not in ("body", "parts", "variants")}
        if self.scale is not None:
            numbers = self.scale.numbers
            steps = keys.get("value", ("low", "high", "tick / 10"))
            keys["value"] = [float(evaluate(str(step), numbers)) for step in steps]
            keys["options"] = keys.get("options", {}) | {k: float(v) for k, v in numbers.items()}
            keys["unit"] = self.scale.unit
        return recipe.validate(FaceHead, keys, name=self._line)

    @cached_property
    def scales(self) -> tuple[Scale, ...]:
        """The scales that its pictures may have. Empty without the key `scales`."""
        texts, readings = self.raw.get("scales", ()), self.raw.get("readings") or {}
        is_cyclic = any(reading.get("cycle") for reading in readings.values())
        try:
            return tuple(s for text in texts for s in parse_scales(text, is_cyclic=is_cyclic))
        except (AttributeError, ValueError) as error:
            raise self.fault("scales", str(error)) from None

    def with_scale(self, scale: Scale) -> FaceDescription:
        """Return this description for another of its scales, or for a scale of the user."""
        if self.scale is not None:  # plans are the same for all scales
            _ = self._quantities_plan, self._body_plan, self._plans
        other = copy(self)
        vars(other).pop("head", None)
        object.__setattr__(other, "scale", scale)
        return other

    @cached_property
    def _names(self) -> dict[str, object]:
        """Names that formulas may use, and the words of each choice."""
        head = self.head
        names: dict[str, object] = dict.fromkeys(("value", *head.options, *head.draws))
        return names | {name: head.words(name) for name in head.choices}

    @cached_property
    def _quantities_plan(self) -> QuantitiesOf:
        """Plan of the quantities, each from those before it."""
        plans: dict[str, Varied] = {}
        names = {name: words for name, words in self._names.items() if name not in self.head.draws}
        exact = {"value"}  # fractions, so that wheels carry; drawn ranges are floats
        for name, raw in self.head.draws.items():
            if _is_stepped(raw):
                first, _, step = map(as_fraction, raw)
                plans[name] = StepOf(first, step, _count(raw))
                exact.add(name)
            else:
                is_share = isinstance(raw, dict) and raw.keys() == {"chance"}
                value = {**raw, "then": 1, "else": 0} if is_share else raw
                planned = plan(float, value, names, self.fault, f"draws.{name}")
                if isinstance(planned, FixedValue) and not isinstance(raw, int | float):
                    fault = f"{raw!r}: give [first, last, step], a range or a formula"
                    raise self.fault(f"draws.{name}", fault)
                if isinstance(planned, FormulaOf) and exact.issuperset(formula_names(planned.text)):
                    planned = replace(planned, is_exact=True)
                    exact.add(name)
                plans[name] = planned
            names[name] = None
        return QuantitiesOf(plans)

    @cached_property
    def _body_plan(self) -> Varied:
        return plan(Body, self.raw.get("body", {}), self._names, self.fault, "body")

    @property
    def body_fonts(self) -> int:
        """Number of draws of the body that suffice to draw each of its fonts at least once."""
        return self._body_plan.most_choices

    @cached_property
    def _plans(self) -> list[PartPlan | SubFacePlan]:
        return list(self._planned(self.raw.get("parts"), "", "parts", {}))

    def _planned(
        self, parts: Any, face: str, path: str, originals: dict[str, Any]
    ) -> Iterator[PartPlan | SubFacePlan]:
        if not isinstance(parts, dict) or not parts:
            raise self.fault(path, "give parts by name, such as `scale: {part: track, ...}`")
        for name, raw in parts.items():
            here, full = f"{path}.{name}", f"{face}{name}"
            if not isinstance(raw, dict):
                raise self.fault(here, f"{raw!r}: give the keys of a part, such as part: track")
            like = raw.get("like")
            original = originals.get(f"{face}{like}", originals.get(str(like)))
            if like is not None and original is None:
                names = list(originals)
                raise self.fault(
                    here, f"like: {like!r} is not an earlier part; {hint(str(like), names)}"
                )
            kind = raw.get("part", (original or {}).get("part"))
            originals[full] = {**raw, "part": kind}
            names = [*PARTS, _SUB_FACE]
            if kind not in names:
                complaint = "it must be given" if kind is None else f"{kind!r}"
                raise self.fault(f"{here}.part", f"{complaint}; {hint(str(kind), names)}")
            base = f"{face}{like}" if f"{face}{like}" in originals else like
            keys = {k: v for k, v in raw.items() if k not in _PART_KEYS}
            chance, spots = self._chance(raw.get("chance", 1.0), here), None
            if raw.get("spots") is not None:
                spots = self._checked(PartSpots, raw["spots"], f"{here}.spots")
            if kind != _SUB_FACE:
                values = plan(PARTS[kind], keys, self._names, self.fault, here)
                yield PartPlan(full, PARTS[kind], values, base, face, here, chance, spots)
                continue
            inner = keys.pop("parts", {})
            if original is not None and isinstance(inner, dict):
                inner = _parts_like(str(like), original.get("parts", {}), inner)
                originals[full]["parts"] = inner
            values = plan(SubFace, keys, self._names, self.fault, here)
            yield SubFacePlan(full, values, base, face, here, chance, spots)
            yield from self._planned(inner, f"{full}.", f"{here}.parts", originals)

    def _chance(self, raw: Any, path: str) -> Varied | None:
        if isinstance(raw, str | dict):
            return plan(float, raw, self._names, self.fault, f"{path}.chance")
        if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 < raw <= 1:
            raise self.fault(f"{path}.chance", f"{raw!r}: give a share above 0, up to 1")
        return FixedValue(raw) if raw < 1 else None

    def path_of(self, name: str) -> str:
        """Return the path of a part's keys, for example parts.scale."""
        return self._by_name[name].path

    @cached_property
    def _by_name(self) -> dict[str, PartPlan | SubFacePlan]:
        return {each.name: each for each in self._plans}

    @cached_property
    def _late(self) -> frozenset[str]:
        """Names of parts that are drawn at a free place, or on a sub-face that is."""
        late: set[str] = set()
        for each in self._plans:
            if each.spots is not None or each.face.removesuffix(".") in late:
                late.add(each.name)
        return frozenset(late)

    @cached_property
    def _steps(self) -> list[_DrawStep]:
        return [
            _DrawStep(
                each,
                each.face,
                None if each.chance is None else each.chance.draw,
                f"{each.name}." if isinstance(each, SubFacePlan) else "",
                each.name in self._late,
            )
            for each in self._plans
        ]

    def draw(
        self, value: Fraction, chooser: Chooser, constants: Constants = NO_CONSTANTS,
        *, ood: bool = False,
    ) -> DrawnFace:  # fmt: skip
        """Draw a face that shows a value.

        What a chooser draws does not depend on the value, but for the place of a part that keeps
        clear of pointers.
        """
        quantities = self._quantities(value, chooser, constants, ood=ood)
        body = self.draw_body(chooser, quantities)
        mounting = _Mounting(quantities, {"": (1.0, 0.0, 0.0)}, {}, {}, set())
        late, faces = [], {""}
        for each, face, chance_of, inner, is_late in self._steps:
            if face not in faces:
                continue
            if chance_of is not None:
                chance = chance_of(chooser, quantities)
                if chance <= 0 or (chance < 1 and not chooser.chance(chance)):
                    continue
            if inner:
                faces.add(inner)
            if is_late:
                late.append(each)
            else:
                self._add(each, mounting, body, chooser)
        for each in late:
            if each.face in mounting.frames:
                self._add(each, mounting, body, chooser)
        mounts = mounting.mounts
        if body.around is not None:
            body = body.fitted(self._window(body.around, mounts).half_size)
        names = [each.name for each in self._plans if each.name in mounts] if late else mounts
        return DrawnFace(self.head, body, value, quantities, tuple(mounts[name] for name in names))

    def draw_body(self, chooser: Chooser, quantities: Mapping[str, Fraction]) -> Body:
        """Draw the body of a face with these quantities."""
        values = _drawn(self._body_plan, chooser, quantities)
        return self._build(Body, _BodyPlan(self._body_plan), values, chooser, quantities)

    @cached_property
    def _places(self) -> dict[str, dict[str, int]]:
        """The place of each word among the words of its choice."""
        head = self.head
        return {
            name: {word: place for place, word in enumerate(head.words(name))}
            for name in head.choices
        }

    def _quantities(
        self, value: Fraction, chooser: Chooser, constants: Constants, *, ood: bool
    ) -> dict[str, Any]:
        head = self.head
        quantities: dict[str, Any] = {"value": value, **head.options, **constants}
        for name, words in head.choices.items():
            word = constants.get(name)
            if word is None:
                word = chooser.choice(head.held_out.get(name, words) if ood else words)
            quantities[name] = self._places[name][str(word)]
        self._quantities_plan.draw(chooser, quantities)
        return quantities

    def _add(
        self, each: PartPlan | SubFacePlan, mounting: _Mounting, body: Body, chooser: Chooser
    ) -> None:
        """Draw a part and put it in its place."""
        frames = mounting.frames
        if isinstance(each, PartPlan) and each.spots is None and each.name in self._fixed:
            self._mount(each, self._fixed[each.name], body, mounting)
            return
        values = self._values(each, mounting, chooser)
        if each.spots is not None:
            free = mounting.free_places(each.face, each.spots)
            if not free:
                return
            values = {**values, "at": chooser.choice(free)}
            mounting.occupied.add((each.face, values["at"]))
        if isinstance(each, SubFacePlan):
            sub = self._build(SubFace, each, values, chooser, mounting.quantities)
            scale, x, y = frames[each.face]
            place = (x + scale * sub.at[0], y + scale * sub.at[1])
            frames[f"{each.name}."] = (scale * sub.scale, *place)
            return
        part = self._build(each.kind, each, values, chooser, mounting.quantities)
        self._mount(each, part, body, mounting)

    def _values(
        self, each: PartPlan | SubFacePlan, mounting: _Mounting, chooser: Chooser
    ) -> dict[str, Any]:
        """Return the drawn values of a part. Missing keys come from the part named by `like`."""
        values = mounting.values.get(each.name)
        if values is None:
            if each.like is None:
                values = _drawn(each.values, chooser, mounting.quantities)
            else:
                values = each.values.draw(chooser, mounting.quantities)
                base = self._values(self._by_name[each.like], mounting, chooser)
                values = _merged(base, values)
            mounting.values[each.name] = values
        return values

    def _window(self, name: str, mounts: Mapping[str, MountedPart]) -> Window:
        part = mounts[name].part if name in mounts else None
        if not isinstance(part, Window):
            windows = [name for name, mount in mounts.items() if isinstance(mount.part, Window)]
            raise self.fault("body.around", f"{name!r} is not a window; {hint(name, windows)}")
        return part

    def _mount(self, each: PartPlan, part: FacePart, body: Body, mounting: _Mounting) -> None:
        """Put a part in its place, unless its track is left out of this picture."""
        mounts, frame, track = mounting.mounts, mounting.frames[each.face], None
        if type(part) is Track and part.follows == "body":
            part = part.along(body.shape)
        elif type(part) is Pointer or type(part) is Mark:
            on = mounts.get(f"{each.face}{part.track}") or mounts.get(part.track)
            if on is None and {f"{each.face}{part.track}", part.track} & self._by_name.keys():
                return
            if on is None or type(on.part) is not Track:
                tracks = [name for name, mount in mounts.items() if isinstance(mount.part, Track)]
                raise self.fault(
                    f"{each.path}.track",
                    f"{part.track!r} is not an earlier track; {hint(part.track, tracks)}",
                )
            frame, track = on.frame, on.part
        drive, scale = part.drive_text, track or part
        number = None if drive is None else evaluate(drive, mounting.quantities)
        if number is None or not isinstance(scale, Track):
            mounts[each.name] = MountedPart(each.name, part, frame, number, track)
            return
        scale_number = scale.scale_number(number)
        share = scale.graduation.share(scale_number)
        mounts[each.name] = MountedPart(each.name, part, frame, number, track, scale_number, share)

    @cached_property
    def _fixed(self) -> dict[str, FacePart]:
        """Parts that are the same in every picture."""
        fixed: dict[str, FacePart] = {}
        raws: dict[str, dict[str, Any]] = {}
        for each in self._plans:
            if isinstance(each, PartPlan) and each.values.is_fixed:
                if each.like is not None and each.like not in raws:
                    continue
                values = each.values.draw(EndChooser(0), {})
                raws[each.name] = _merged(raws[each.like], values) if each.like else values
                fixed[each.name] = self._checked(each.kind, raws[each.name], each.path)
        return fixed

    def _build(
        self, kind: type[T], each: _KeyPlan, values: dict[str, Any], chooser: Chooser,
        quantities: Mapping[str, Fraction],
    ) -> T:  # fmt: skip
        """Build a part or body. The ends of all ranges are checked, and values between them not."""
        if isinstance(chooser, EndChooser) or not isinstance(each.values, FieldsOf | FixedValue):
            return self._checked(kind, values, each.path)
        model = self._models.get(each.path)
        if model is None:
            model = self._checked(kind, self._end_values(each, quantities), each.path)
            self._models[each.path] = model
        keys = vars(model).copy()
        try:
            for key, value in values.items():
                keys[key] = value if type(value) is float else _as_in(keys[key], value)
            return unchecked(kind, keys)
        except TypeError:  # the model has no such mapping
            return self._checked(kind, self._end_values(each, quantities) | values, each.path)

    def _end_values(self, each: _KeyPlan, quantities: Mapping[str, Fraction]) -> dict[str, Any]:
        """Return the values of all keys of a part, with the lower end of each range."""
        values: dict[str, Any] = each.values.draw(EndChooser(0), quantities)
        if each.like is None:
            return values
        return _merged(self._end_values(self._by_name[each.like], quantities), values)

    def _checked(self, kind: type[T], values: dict[str, Any], path: str) -> T:
        def name(below: str) -> str:
            return f"{self._line(f'{path}.{below}')}: {path}"

        return recipe.validate(kind, values, name=name)

    def check(self) -> None:
        """Refuse what cannot be drawn: both ends of ranges and each item of lists are tried."""
        names = self._names
        _ = self._quantities_plan
        for each in self._plans:
            if isinstance(each, PartPlan) and (drive := self._raw_drive(each)) is not None:
                self._check_formula(f"{each.path}.drive", drive, names)
        for name, reading in self.head.readings.items():
            self._check_formula(f"readings.{name}.drive", reading.drive or "value", names)
        for face in self.extremes():
            self._check_drawn(face)

    def extremes(self) -> Iterator[DrawnFace]:
        """Draw both ends of all ranges and each item of all lists, at the first and last value."""
        most = max(
            self._body_plan.most_choices,
            *(each.values.most_choices for each in self._plans),
            *(len(self.head.words(name)) for name in self.head.choices),
        )
        for share in (0.0, 1.0):
            for index in range(most):
                for end in (0, self.head.count - 1):
                    value = value_at(self.head.value, end)
                    for ood in (False, True) if self.head.held_out else (False,):
                        yield self.draw(value, EndChooser(share, index), ood=ood)

    def _raw_drive(self, each: PartPlan) -> str | None:
        """Return the drive in the description of a part."""
        # The first word of each choice, and 1 for all others: a drive may divide by them.
        ones = {name: Fraction(words is None) for name, words in self._names.items()}
        drive = each.values.draw(EndChooser(0), ones).get("drive")
        return None if drive is None else str(drive)

    def _check_formula(self, path: str, text: str, names: Mapping[str, object]) -> None:
        try:
            check_formula(text, names)
        except ValueError as error:
            raise self.fault(path, str(error)) from None

    def _check_drawn(self, face: DrawnFace) -> None:
        for mount in face.parts:
            try:
                mount.part.check(mount)
            except ValueError as error:
                key, _, message = str(error).partition(": ")
                raise self.fault(f"{self.path_of(mount.name)}.{key}", message) from None
        for name, reading in self.readings.items():
            number = evaluate(reading.drive or "value", face.quantities)
            if number < 0 and (reading.digits or reading.cycle):
                raise self.fault(f"readings.{name}", "digits and cycle are for numbers from 0 on")
            pointer = face.pointer_of(reading)
            track = pointer.track if pointer else None
            if reading.parts and not (isinstance(track, Track) and track.graduation.ticks):
                raise self.fault(
                    f"readings.{name}.parts", "no pointer on a track with ticks has this drive"
                )

    @cached_property
    def readings(self) -> dict[str, FaceReading]:
        """The readings with their formulas and words. The first is the reading of the whole."""
        head = self.head
        if not head.readings:
            return {"value": FaceReading("value", step=head.value[2], words=head.name)}
        face = self.draw(value_at(head.value, 0), EndChooser(0))
        drives = {mount.name: mount.part.drive_text for mount in face.parts}
        complete: dict[str, FaceReading] = {}
        for name, reading in head.readings.items():
            if reading.part is not None and drives.get(reading.part) is None:
                names = [part for part, drive in drives.items() if drive is not None]
                hint_ = hint(reading.part, names)
                fault = f"{reading.part!r} is not a part that shows a number; {hint_}"
                raise self.fault(f"readings.{name}.part", fault)
            part_drive = None if reading.part is None else drives[reading.part]
            words = head.name if not complete else name.replace("_", " ")
            complete[name] = replace(
                reading, drive=reading.drive or part_drive or "value", words=reading.words or words
            )
        return complete

    def fault(self, path: str, message: str) -> ValueError:
        """Return the error for a key, with its file and line."""
        return RecipeError(f"{self._line(path)}: {path}: {message}")

    def _line(self, path: str) -> str:
        """Name the file and the line of a key, or of the nearest key around it."""
        keys = [key for key in path.split(".") if key]
        variants = [[*place, *keys] for place in reversed(self.variant)]
        for way in (*variants, *(keys[:count] for count in range(len(keys), 0, -1))):
            line = recipe.line_of(self.text, way)
            if line is not None:
                return f"{self.source}, line {line}"
        return self.source


class _Mounting(NamedTuple):
    """The parts of one picture that have been drawn so far."""

    quantities: Mapping[str, Fraction]
    frames: dict[str, tuple[float, float, float]]
    values: dict[str, dict[str, Any]]
    mounts: dict[str, MountedPart]
    occupied: set[tuple[str, tuple[float, float]]]
    """Pairs of a sub-face and a place on it that is taken."""

    def free_places(self, face: str, spots: PartSpots) -> list[tuple[float, float]]:
        """List the places that are not taken and not near a pointer on this face."""
        free = [place for place in spots.at if (face, place) not in self.occupied]
        if spots.clear:
            for mount in self.mounts.values():
                if isinstance(mount.part, Pointer) and mount.frame == self.frames[face]:
                    free = [p for p in free if mount.part.distance(mount, p) >= spots.clear]
        return free


def _drawn(plan: Varied, chooser: Chooser, quantities: Mapping[str, Fraction]) -> dict[str, Any]:
    """Return the drawn values of keys, and fixed values only for the checks."""
    if isinstance(plan, FieldsOf) and not isinstance(chooser, EndChooser):
        plan = plan.varying
    values: dict[str, Any] = plan.draw(chooser, quantities)
    return values


def _as_in(model: Any, value: Any) -> Any:
    """Convert a value as the checks converted `model`, which takes less time than the checks."""
    kind = type(value)
    if kind is float:
        return value
    if kind is list:
        return tuple(map(_as_in, chain(model, repeat(model[-1] if model else None)), value))
    if kind is dict:
        model_kind: Any = type(model)
        keys = vars(model)
        converted = {name: _as_in(keys[name], each) for name, each in value.items()}
        return unchecked(model_kind, {**_defaults(model_kind), **converted})
    return type(model)(value) if kind is int and isinstance(model, str | float) else value


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    """Return the keys that a description may leave out, with their values."""
    return {
        each.name: each.default if each.default_factory is MISSING else each.default_factory()
        for each in fields(kind)
        if not (each.default is MISSING and each.default_factory is MISSING)
    }


def _is_stepped(raw: Any) -> bool:
    """Return True if the value is a list of first, last and step."""
    is_list = isinstance(raw, list | tuple) and len(raw) == 3
    return is_list and all(isinstance(n, int | float) and not isinstance(n, bool) for n in raw)


def _parts_like(face: str, parts: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a sub-face that copies another sub-face, with the changes applied."""
    parts_of_face: dict[str, Any] = {}
    for name in parts:
        change = changes.get(name, {})
        parts_of_face[name] = (
            {"like": f"{face}.{name}", **change} if isinstance(change, dict) else change
        )
    return parts_of_face | {name: part for name, part in changes.items() if name not in parts}


def _merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with `changes`. Mappings in both are merged key by key."""
    merged = dict(base)
    for key, value in changes.items():
        inner = merged.get(key)
        both = isinstance(inner, dict) and isinstance(value, dict)
        merged[key] = _merged(inner, value) if both and inner else value
    return merged


def _count(steps: tuple[float, float, float]) -> int:
    low, high, step = map(as_fraction, steps)
    return int((high - low) / step) + 1


def value_at(steps: tuple[float, float, float], index: int) -> Fraction:
    """Return the value with this index in the list of first, last and step."""
    return as_fraction(steps[0]) + index * as_fraction(steps[2])


def decimal_of(value: Fraction) -> Decimal:
    """Convert a fraction to a decimal. Its decimals must terminate."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def _variants(
    raw: dict[str, Any], variants: Any, source: str
) -> Iterator[tuple[dict[str, Any], tuple[tuple[str, ...], ...]]]:
    """Iterate over the variants: their keys, and the places of their changes.

    Several lists are combined.
    """
    names: dict[int, str] = {}
    if isinstance(variants, dict):
        names, variants = dict(enumerate(variants)), list(variants.values())
    is_lists = isinstance(variants, list) and all(isinstance(v, list) and v for v in variants)
    groups = variants if is_lists else [variants]
    changes = [change for group in groups if isinstance(group, list) for change in group]
    if not changes or not all(isinstance(change, dict) for change in changes):
        raise RecipeError(
            f"{source}: variants: give a list of changes, several such lists, or a"
            " mapping from names to changes"
        )
    if math.prod(map(len, groups)) > _MOST_VARIANTS:
        raise RecipeError(f"{source}: variants: at most {_MOST_VARIANTS} combinations are drawn")
    for numbers in product(*(range(len(group)) for group in groups)):
        merged, ways = raw, []
        for group, number in enumerate(numbers):
            merged = _merged(merged, groups[group][number])
            place = (str(group), str(number)) if is_lists else (names.get(number, str(number)),)
            ways.append(("variants", *place))
        yield merged, tuple(ways)


@lru_cache(maxsize=64)
def descriptions(text: str, source: str) -> tuple[FaceDescription, ...]:
    """Check a description's text. There is one for each of its variants and scales."""
    every: list[FaceDescription] = []
    for variant in variants_of(text, source):
        models = [variant.with_scale(scale) for scale in variant.scales] or [variant]
        # The numbers of each scale are checked when its text is parsed, so two are enough here.
        for model in (models[0], models[-1])[: len(models)]:
            model.check()
        every += models
    return tuple(every)


def variants_of(text: str, source: str) -> tuple[FaceDescription, ...]:
    """Return the variants of a description without a check. Each has the first of its scales."""
    raw = recipe.parse(text, name=source, of=f"a description is a mapping with {_START}")
    if "variants" not in raw:
        every = [FaceDescription(source, text, raw)]
    else:
        every = [
            FaceDescription(source, text, merged, ways)
            for merged, ways in _variants(raw, raw.pop("variants"), source)
        ]
    return tuple(each.with_scale(each.scales[0]) if each.scales else each for each in every)
