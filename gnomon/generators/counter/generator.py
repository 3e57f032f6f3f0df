"""Counters, and questions about what they read."""

from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from gnomon.generators.base import LATER, among, read_levels, within
from gnomon.generators.counter import steps as counter_steps
from gnomon.generators.drawing import pose as poses
from gnomon.generators.drawing.backgrounds import BACKGROUNDS, CLUTTER
from gnomon.generators.drawing.canvas import bounding_box
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.faces import draw
from gnomon.generators.faces.description import DrawnFace, FaceDescription, descriptions
from gnomon.generators.faces.draw import FaceLook, FaceScene
from gnomon.generators.faces.engraving import ENGRAVED
from gnomon.generators.faces.segments import SEGMENTS, UNSEEN_SEGMENTS, spare_segments
from gnomon.generators.faces.window import Window
from gnomon.generators.looks.instrument_generator import InstrumentGenerator
from gnomon.generators.registry import description_files
from gnomon.generators.rng import Rng
from gnomon.sample import Box, Boxes, LabelledBox, Number, Sample, Target


class CounterLevel(NamedTuple):
    """Values of a level. The option of the same name overrides each."""

    digits: tuple[int, int]
    rolling: float
    rotation: float
    perspective: float


LEVELS = read_levels(__file__, CounterLevel)
QUESTIONS = ("read", "wheel", "where", "boxes")
FACES = ("wheels", "lcd", "led", "dials")
# Largest number of dials of a register. More would be too small to read.
MOST_DIALS = 5
# Part of the description that shows the figures.
_FIGURES_PART = "figures"
# Width in pixels at which a figure is still distinguishable, in the photo look.
_READABLE = {"wheels": 18, "lcd": 18, "led": 18, "dials": 36}
# In pixels. A window of nine figures is then 20 high, and its figures 12.
_LEAST_SIZE = 160
FONTS = ("sans", "sans-bold", "serif-bold", ENGRAVED)
UNSEEN_FONTS = ("mono-bold", "times-bold")
# Range of the plate's length as a share of the picture's. If the question asks for its box, sizes
# vary more, so a constant box overlaps few plates by half.
_USUAL_LENGTH, _ANY_LENGTH = (0.8, 0.98), (0.35, 0.98)
_TENTH = Decimal("0.1")
# A wheel starts again after 9.
_FIGURES = Decimal(10)
_ALL_FIGURES = "What does the counter read? Answer with all of its figures, such as 00512."
_TEXTS = {
    "read": ("What does the counter read? Answer with a number.",
             "Which number does the counter show? Answer with a number."),
    "wheel": ("How far has the wheel turned? Answer in figures and tenths, such as 3.7.",),
    "where": ("Where is the counter? Give its box.",),
    "boxes": ("Find all figures of the counter. Give the box of each.",
              "Find every {figure} of the counter. Give the box of each, or say that there is"
              " none."),
}  # fmt: skip


class CounterPlan(NamedTuple):
    """Figures and question of a counter, before it is drawn."""

    question: str
    face: str
    digits: str
    turn: Decimal
    """Turn of the last wheel beyond its figure, in hundredths of a figure."""
    decimals: int
    figure: str = ""
    """Figure to find at all its places. Empty for all figures."""
    dark: int = 0
    """Number of dark places of a display before its first figure. Their digits are zeros."""

    @property
    def visible(self) -> str:
        """Return the digits that are visible."""
        return self.digits[self.dark :]


@dataclass(frozen=True, kw_only=True, repr=False)
class Counter(InstrumentGenerator):
    """Counters of meters and cars: rolling wheels, LCD and LED displays, registers of dials."""

    kind: ClassVar[str] = "counter"
    version: ClassVar[int] = 4
    targets: ClassVar[tuple[type[Target], ...]] = (Number, Box, Boxes)
    every_question: ClassVar[dict[str, Any]] = {"questions": QUESTIONS}
    asks_for_steps: ClassVar[tuple[str, ...]] = ("read", "wheel")
    levels: ClassVar[dict[str, CounterLevel]] = LEVELS

    size: Annotated[int, within(_LEAST_SIZE, 1024)] = 224
    """Pixels of the picture's longer side (160 to 1024). The picture of a single wheel is
    upright."""
    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: wheels at rest; medium: some between figures, askew; hard: all, tilted, and longer."""
    faces: Annotated[tuple[str, ...], among(FACES)] = FACES
    """wheels, lcd, led, dials (a register: pointers that turn in opposite directions)."""
    questions: Annotated[tuple[str, ...], among(QUESTIONS)] = ("read",)
    """read (the whole number), wheel (the last figure, which fills the picture, in tenths), where
    (the counter's box), boxes (of all its figures, or of all places of one figure)."""
    digits: Annotated[tuple[int, int] | None, within(1, 9)] = None
    """Smallest and largest number of figures (1 to 9)."""
    decimals: Annotated[tuple[int, int], within(0, 3)] = (0, 3)
    """Smallest and largest number of figures after the point (0 to 3)."""
    rolling: Annotated[float | None, within(0, 1)] = None
    """Share of wheel counters whose last wheel stands between two figures (0 to 1)."""
    leading_zeros: bool = field(default=False, metadata=LATER)
    """Answers have all figures, as 05098, and are measured figure by figure. The question says
    so."""
    blank_zeros: Annotated[float, within(0, 1)] = field(default=0.0, metadata=LATER)
    """Share of displays that are dark before their first figure, as on petrol pumps: 62.00 for
    0062.00 (0 to 1)."""
    dead_segments: Annotated[float, within(0, 1)] = field(default=0.0, metadata=LATER)
    """Share of displays with a segment that never lights. The figure is still distinguishable from
    all others (0 to 1)."""
    rotation: Annotated[float | None, within(0, 30)] = None
    """Largest turn of the counter to either side, in degrees (0 to 30)."""
    perspective: Annotated[float | None, within(0, poses.STEEPEST)] = None
    """Strongest tilt, as the share by which the near edge is closer (0 to 0.15)."""
    backgrounds: tuple[str, ...] = BACKGROUNDS
    """plain, gradient, blotches, stripes. By name only: clutter, which hides the counter among
    other things. Or photographs, by file or folder."""
    look: Literal["flat", "photo"] = "flat"
    """flat, or photo: as a small camera sees it, with light, shadows, glass, dirt and noise."""
    ood: bool = False
    """Draw only the held-out fonts and styles of segments."""
    fonts: tuple[str, ...] | None = None
    """Fonts of the wheels' figures: sans, sans-bold, serif-bold, engraved; or font files, by file
    or folder. None: all fonts except the held-out fonts, half of them engraved, or only the
    held-out fonts with `ood`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.materials.check_fonts("0123456789")
        if self.wide and "wheel" in self.questions:
            raise ValueError(f"wide={self.wide}: a wheel fills the picture: leave 'wheel' out")
        for question in ("wheel", "boxes"):
            if self.faces == ("dials",) and question in self.questions:
                raise ValueError(
                    f"questions: {question!r} is asked of wheels, lcd and led: add one of them to"
                    " faces=('dials',)"
                )

    @property
    def built_in(self) -> dict[str, tuple[str, ...]]:
        """Counters have fixed colours and no palettes."""
        return {
            "backgrounds": (*BACKGROUNDS, CLUTTER),
            "fonts": UNSEEN_FONTS if self.ood else FONTS,
        }

    @property
    def general_question(self) -> str | None:
        """Question for the number, which suits every counter."""
        return self._texts("read")[0] if "read" in self.questions else None

    @property
    def box_questions(self) -> tuple[str, ...]:
        """Question for the box of a counter."""
        return _TEXTS["where"] if "where" in self.questions else ()

    def key(self, index: int) -> str:
        """Return face, figures, turn of the last wheel and question, such as
        wheels|00437.2|0.25|read."""
        return "|".join(map(str, _split_key(self._plan(self.rng(index)))))

    def draw(self, index: int) -> Sample:
        """Draw a counter and ask a question about it."""
        rng = self.rng(index)
        plan = self._plan(rng)
        scene = self._scene(plan, rng)
        keep = np.clip(scene.case, 0, (scene.look.width or self.size, self.size))
        drawing, background = draw.draw_face(scene, rng), scene.look.background
        image, moved = self.take_picture(index, drawing, keep, background)
        scene = scene._replace(look=scene.look._replace(pose=moved.after(scene.look.pose)))
        facts = _facts(plan, scene)
        target = _target(plan, facts, all_figures=self.leading_zeros)
        sample = Sample(self.id(index), image, self._text(plan, rng), target, facts)
        return self.with_steps(index, sample, lambda: counter_steps.steps(facts))

    def _texts(self, question: str) -> tuple[str, ...]:
        return (_ALL_FIGURES,) if self.leading_zeros and question == "read" else _TEXTS[question]

    def _text(self, plan: CounterPlan, rng: Rng) -> str:
        if plan.question == "boxes":
            return _TEXTS["boxes"][bool(plan.figure)].format(figure=plan.figure)
        return rng.choice(self._texts(plan.question))

    def _plan(self, rng: Rng) -> CounterPlan:
        question = rng.choice(self.questions)
        return self.of_its_split(lambda: self._random_plan(question, rng), _split_key)

    def _random_plan(self, question: str, rng: Rng) -> CounterPlan:
        faces = self.faces
        if question == "boxes":  # of figures that can be seen, each by itself
            faces = tuple(face for face in faces if face != "dials")
        face = self._wheel_face(rng) if question == "wheel" else rng.choice(faces)
        count = rng.within(self.settings.digits)
        count = min(count, MOST_DIALS) if face == "dials" else count
        # A register does not have a point.
        decimals = 0 if face == "dials" else min(rng.within(self.decimals), count - 1)
        # Most meters are not full, so half of the counters start with zeros.
        zeros = rng.integer(0, count - 1) if rng.chance(0.5) else 0
        digits = f"{rng.integer(0, 10 ** (count - zeros) - 1):0{count}}"
        turn = Decimal(0)
        rolls = face == "wheels" and (question == "wheel" or rng.chance(self.settings.rolling))
        if (rolls or face == "dials") and question != "boxes":
            turn = Decimal(rng.integer(0, 99)) / 100
        dark = 0
        if face in ("lcd", "led") and self.blank_zeros and rng.chance(self.blank_zeros):
            whole = digits[: count - decimals]
            dark = len(whole) - max(1, len(whole.lstrip("0")))
        figure = _random_figure(digits[dark:], rng) if question == "boxes" else ""
        return CounterPlan(question, face, digits, turn, decimals, figure, dark)

    def _dead_segment(self, plan: CounterPlan, rng: Rng) -> tuple[int, int] | None:
        """Draw the place and the segment that never lights. None if the display is whole."""
        is_display = plan.face in ("lcd", "led")
        if not (is_display and self.dead_segments and rng.chance(self.dead_segments)):
            return None
        spare = [(index, segment) for index, figure in enumerate(plan.visible, plan.dark)
                 for segment in spare_segments(int(figure))]  # fmt: skip
        return rng.choice(spare) if spare else None

    def _scene(self, plan: CounterPlan, rng: Rng) -> FaceScene:
        quantities = {"digits": Fraction(len(plan.digits)), "decimals": Fraction(plan.decimals)}
        value = Fraction(int(plan.digits) + plan.turn) / 10**plan.decimals
        face = _description(plan.face).draw(value, rng, quantities)
        # gnomon-tiny learned from wheels that turn upwards, as nearly all wheels do.
        changes: dict[str, Any] = {
            "dead": self._dead_segment(plan, rng), "blank": plan.dark > 0, "roll": "up",
        }  # fmt: skip
        if self.fonts is not None or self.ood:
            changes["figures"] = self._font(plan.face, rng)
        face = face.with_changed(_FIGURES_PART, **changes)
        pose, across = self._pose(plan, face, rng)
        width = self.size
        if plan.question == "wheel":
            width = round(self.size * rng.uniform(0.5, 0.8))
            pose = _close_up(_window(face), (width, self.size), pose, rng)
            across = 1
        look = FaceLook(
            size=self.size,
            width=width,
            palette=face.body.palette,
            background=rng.choice(self.materials.names("backgrounds")),
            font="sans",
            pose=pose,
            is_photo=self.look == "photo",
            readable=round(max(30, _READABLE[plan.face] * across)),
        )
        return FaceScene(face, look)

    def _pose(self, plan: CounterPlan, face: DrawnFace, rng: Rng) -> tuple[Pose, float]:
        """Place the counter. Also return the figures that stand side by side in the picture."""
        settings, outline = self.settings, face.body.outline()
        # The viewer of `poses.place` is four units away, so the plate must be two units wide.
        scale = 2 / float(np.ptp(outline[:, 0]))
        is_small = plan.question == "where" and self.wide is None
        length = self.size * rng.uniform(*(_ANY_LENGTH if is_small else _USUAL_LENGTH))
        upright = poses.place(
            scale * outline,
            turn=rng.uniform(-settings.rotation, settings.rotation),
            tilt=rng.uniform(0, settings.perspective), towards=rng.uniform(0, 360),
            length=length, room=self.size, shift=(rng.uniform(-1, 1), rng.uniform(-1, 1)),
        )  # fmt: skip
        pose = Pose(upright.matrix @ np.diag([scale, scale, 1.0]))
        return pose, min(len(plan.digits), len(plan.digits) * self.size / length)

    def _wheel_face(self, rng: Rng) -> str:
        """Draw the face of a single figure: a wheel in three of four cases, otherwise a display's
        place."""
        displays = [face for face in self.faces if face in ("lcd", "led")]
        if displays and ("wheels" not in self.faces or rng.chance(0.25)):
            return rng.choice(displays)
        return "wheels"

    def _font(self, face: str, rng: Rng) -> str:
        """Draw a font, or a style of segments, as the options allow."""
        if face in ("lcd", "led"):
            return rng.choice(UNSEEN_SEGMENTS if self.ood else SEGMENTS)
        names = self.materials.names("fonts")
        printed = [name for name in names if name != ENGRAVED] or ["sans"]
        return rng.choice(printed if face == "dials" else names)


@lru_cache(maxsize=len(FACES))
def _description(face: str) -> FaceDescription:
    """Return the variant of the description that has this face."""
    file = description_files()["counter"]
    every = descriptions(file.read_text("utf-8"), file.stem)
    return next(variant for variant in every if variant.variant_name == face)


def _window(face: DrawnFace) -> Window:
    window = face.part(_FIGURES_PART).part
    assert isinstance(window, Window)
    return window


def _close_up(window: Window, size: tuple[int, int], pose: Pose, rng: Rng) -> Pose:
    """Return a near pose in which the last wheel fills the picture, slightly off the middle."""
    width, height = size
    half, (x, _) = window.breadth / 2, window.middle(window.digits - 1)
    x1, y1, x2, y2 = bounding_box(pose(np.array([(x - half, -0.5), (x + half, 0.5)])))
    scale = rng.uniform(0.75, 1.0) * min(height / (y2 - y1), 1.25 * width / (x2 - x1))
    move = [
        (side - scale * (low + high)) / 2 + rng.uniform(-0.05, 0.05) * side
        for side, low, high in ((width, x1, x2), (height, y1, y2))
    ]
    near = np.array([[scale, 0, move[0]], [0, scale, move[1]], [0, 0, 1]])
    return Pose(near @ pose.matrix)


def _random_figure(digits: str, rng: Rng) -> str:
    """Choose the figure to find. Each number of boxes is equally likely, 0 included.

    In one of four pictures, all figures are to be found and the text is empty.
    """
    if rng.chance(0.25):
        return ""
    by_number: dict[int, list[str]] = {}
    for figure in "0123456789":
        by_number.setdefault(digits.count(figure), []).append(figure)
    return rng.choice(by_number[rng.choice(sorted(by_number))])


def _split_key(plan: CounterPlan) -> tuple[str, ...]:
    """Return the key by which plans are assigned to splits: a wheel's position, or face, number and
    turn."""
    if plan.question == "wheel":
        return ("wheel", str(int(plan.digits[-1]) + plan.turn))
    whole = len(plan.digits) - plan.decimals
    text = plan.digits[:whole] + "." * bool(plan.decimals) + plan.digits[whole:]
    return plan.face, text, str(plan.turn), f"{plan.question} {plan.figure}".rstrip()


def _target(plan: CounterPlan, facts: dict[str, Any], *, all_figures: bool) -> Target:
    """Return the answer. Partly turned wheels read as the lower figure, a single wheel to a
    tenth."""
    if plan.question == "where":
        return Box(*facts["case_box"])
    if plan.question == "boxes":
        figures = zip(plan.visible, facts["figure_boxes"], strict=True)
        return Boxes(
            tuple(LabelledBox(f, Box(*box)) for f, box in figures if plan.figure in ("", f))
        )
    if plan.question == "wheel":
        position = int(plan.digits[-1]) + plan.turn
        return Number(position.quantize(_TENTH, ROUND_HALF_UP) % 10, "", _TENTH, _FIGURES)
    step = Decimal(1).scaleb(-plan.decimals)
    value = Decimal(int(plan.digits)).scaleb(-plan.decimals).quantize(step)
    # Between two figures, either may be read. The pointers of a register decide which.
    tolerance = step if plan.turn and plan.face == "wheels" else Decimal(0)
    digits = len(plan.visible) - plan.decimals if all_figures else 0
    return Number(value, "", tolerance, digits=digits)


def _facts(plan: CounterPlan, scene: FaceScene) -> dict[str, Any]:
    """Return figures, turns and places as plain values: decimals as text, places in pixels."""
    pose, mount = scene.look.pose, scene.face.part(_FIGURES_PART)
    window = _window(scene.face)
    assert mount.number is not None
    positions, places = window.positions(mount.number), range(plan.dark, window.digits)
    more: dict[str, Any] = {"dark": plan.dark} if plan.dark else {}
    if window.dead is not None:
        more["dead_segment"] = list(window.dead)
    if plan.question == "boxes":
        more["figure_boxes"] = [bounding_box(pose(window.figure_ink(mount, n))) for n in places]
    return more | {
        "question": plan.question,
        "face": plan.face,
        "digits": plan.visible,
        "turn": str(plan.turn),
        "decimals": plan.decimals,
        "unit": window.label,
        "cells": [
            {"position": round(positions[n], 2), "at": list(pose.at(*window.middle(n)))}
            for n in places
        ],
        "style": {"font": window.figures, "background": scene.look.background},
        "case_box": bounding_box(scene.case),
        "corners": scene.corners,
        "homography": pose.matrix.tolist(),
    }
