"""The kind `clock`: checks its options and draws its samples."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from gnomon.generators.base import check_names
from gnomon.generators.clock import clock_questions, scene
from gnomon.generators.clock import steps as clock_steps
from gnomon.generators.clock.face import ARABIC_24
from gnomon.generators.clock.options import ClockOptions
from gnomon.generators.clock.scene import LEGIBLE
from gnomon.generators.drawing.pose import DISTANCE
from gnomon.generators.drawing.shapes import DIALS, HANDS, UNSEEN_DIALS, UNSEEN_HANDS, outline
from gnomon.generators.faces.draw import draw_faces
from gnomon.generators.rng import Rng
from gnomon.sample import Box, Form, Number, Sample, Target, Text, Time

# Smallest distance in pixels between the tips of a second hand at one second and the next.
_APART = 1.5
# Lengths in clock.yaml, in units of the dial: from the axis to the edge of the plain case, of the
# plain second hand, and of the digits of dates and of dials of 24 hours.
RIM, _SECOND_HAND, _DATE_DIGITS, _DAY_DIGITS = 1.07, 0.9, 0.13, 0.12


def check_options(clock: ClockOptions) -> None:
    """Refuse options that cannot be drawn, by name and value."""
    check_names("dials", clock.dials, UNSEEN_DIALS if clock.ood else DIALS)
    check_names("hands", clock.hands, UNSEEN_HANDS if clock.ood else HANDS)
    level = clock.settings
    _check_legible(clock, level)
    romans = any(name.startswith("roman") for name in clock.numerals)
    brands = "".join(scene.clock_description().raw["parts"]["brand"]["text"]) if level.brand else ""
    clock.materials.check_fonts("0123456789" + ("IVX" if romans else "") + brands)
    alone = [name for name in clock.questions if name in clock_questions.TOGETHER]
    if alone and clock.counts[0] < 2:
        raise ValueError(f"questions={alone[0]!r}: one clock is not enough; give clocks=[2, 3]")


def _check_legible(clock: ClockOptions, level: Any) -> None:
    """Refuse sizes at which the smallest dial would be unreadable."""
    seconds = (clock.ask_seconds and level.second_hand and {*clock.forms} - {"words"}
               and {*clock.questions} & {"read", "shift", "zone", "move", "which"})  # fmt: skip
    # Smallest dial unit in pixels at which each is readable. A second is 6° of its hand's tip.
    needed = {
        "the date": LEGIBLE / _DATE_DIGITS if "date" in clock.questions else 0,
        "numerals of 24 hours": LEGIBLE / _DAY_DIGITS if ARABIC_24 in clock.numerals else 0,
        "the second": _APART / (_SECOND_HAND * math.radians(6)) if seconds else 0,
    }
    widest = 2 * RIM * max(float(abs(outline(dial)).max()) for dial in clock.dial_shapes)
    share = clock.wide[0] if clock.wide else level.dial_size[0]
    # A tilt shortens one direction by its cosine, letters by the square root of it. A lens
    # shrinks the middle.
    tilted = math.sqrt(math.cos(math.asin(level.perspective * DISTANCE))) / (1 + level.warp)
    for what, unit in needed.items():
        length = unit * widest / tilted
        side = math.ceil(max(length / share, length + 2 * scene.free_edge(clock)))
        if clock.sizes[0] < side:
            raise ValueError(
                f"size={clock.size}: {what} cannot be read at that size; give {side} or more,"
                f" or larger dials (dial_size){', or ask_seconds=0' * (what == 'the second')}"
            )


@dataclass(frozen=True, kw_only=True, repr=False)
class Clock(ClockOptions):
    """Clocks with one, two or three hands, and questions about them."""

    kind: ClassVar[str] = "clock"
    version: ClassVar[int] = 9
    targets: ClassVar[tuple[type[Target], ...]] = (Time, Number, Text, Box)
    every_question: ClassVar[dict[str, Any]] = {"questions": tuple(clock_questions.ASK)}
    asks_for_steps: ClassVar[tuple[str, ...]] = clock_steps.QUESTIONS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self)
        if not self.styles or not self.times:
            raise ValueError(
                f"split={self.split!r}: no style of these dials, hands, numerals and palettes"
                " belongs to it; allow more of them, or set split_by='time'"
            )

    def key(self, index: int) -> str:
        """Return time and style, such as 10:08|round|baton|roman|ivory, with the question unless it
        is the first."""
        question = self._question(index)[0]
        if question == clock_questions.BETWEEN:
            return f"{self._single.key(2 * index)}&{self._single.key(2 * index + 1)}|{question}"
        clocks = [meaning for meaning, _ in scene.random_faces(self, index, question)]
        text = "&".join("|".join((meaning.time().write(), *meaning.style)) for meaning in clocks)
        return text if question == "read" else f"{text}|{question}"

    def draw(self, index: int) -> Sample:
        """Draw one clock, or several, with one question."""
        question, form, off_by = self._question(index)
        if question == clock_questions.BETWEEN:
            return self._pair(index)
        # Drawn as for the key, from the same stream.
        clocks = scene.random_faces(self, index, question)
        off_by *= 12 / clocks[0][0].hours  # a day's hours are half as wide
        rng = Rng(self.name, "asked", index)
        mirrored, about = rng.chance(self.mirror), rng.integer(0, len(clocks) - 1)
        # Only the clock of the question may be impossible.
        meaning, stream = clocks[about]
        clocks[about] = (meaning._replace(off_by=off_by), stream)
        scenes = scene.random_clocks(self, index, clocks, question, is_mirrored=mirrored)
        image = draw_faces([clock.picture for clock in scenes], clocks[0][1])
        image, scenes = scene.through_camera(self, index, image, scenes)
        faces = [scene.face_in_picture(clock, form, image.size, question) for clock in scenes]
        answer = clock_questions.ask(question, faces, about, rng, mirrored=mirrored)
        facts_by_clock = [scene.clock_facts(self, clock) for clock in scenes]
        facts = (
            facts_by_clock[0]
            if len(facts_by_clock) == 1
            else {"about": about, "clocks": facts_by_clock}
        )
        facts = {"question": question, **facts, **answer.facts}
        sample = Sample(self.id(index), image, answer.question, answer.target, facts)
        return self.with_steps(index, sample, lambda: clock_steps.steps(facts))

    @property
    def has_several_pictures(self) -> bool:
        return clock_questions.BETWEEN in self.questions

    @property
    def general_question(self) -> str | None:
        """Question for the time if there is a single clock without a mirror. None otherwise."""
        if {*self.questions} - {"where"} != {"read"} or self.counts[0] > 1 or self.mirror == 1:
            return None
        form = self.forms[0]
        to_seconds = self.settings.second_hand == self.ask_seconds == 1 and form != "words"
        return clock_questions.read_question(form, to_seconds=to_seconds)

    @property
    def box_questions(self) -> tuple[str, ...]:
        """Question for the box of a single clock."""
        is_single = "where" in self.questions and self.counts == (1, 1) and not self.mirror
        return (clock_questions.WHERE,) if is_single else ()

    @cached_property
    def _single(self) -> Clock:
        """Generator of the clocks that `between` compares: 12 hours or 24, to the minute."""
        return replace(
            self,
            questions=("read",),
            forms=("digits",),
            clocks=1,
            second_hand=0.0,
            one_hand=0.0,
            mirror=0.0,
            numerals=tuple(name for name in self.numerals if name != ARABIC_24) or self.numerals,
        )

    def _pair(self, index: int) -> Sample:
        """Draw two clocks in separate pictures."""
        # Samples 2i and 2i + 1 of the single clocks, so a clock is never in two pairs.
        first, second = self._single.draw(2 * index), self._single.draw(2 * index + 1)
        hours = 24 if set(self._single.numerals) == {ARABIC_24} else 12
        answer = clock_questions.minutes_between(
            first.facts["seconds"], second.facts["seconds"], hours
        )
        facts = {"question": clock_questions.BETWEEN, "clocks": [first.facts, second.facts]}
        sample = Sample(self.id(index), first.image, answer.question, answer.target, facts,
                        more_images=second.images)  # fmt: skip
        return self.with_steps(index, sample, lambda: clock_steps.steps(facts))

    def _question(self, index: int) -> tuple[str, Form, float]:
        """Draw the question, the form of its answer, and the degrees by which the hour hand is
        wrong.

        The draws are separate, so a clock looks the same under another question, except for
        `where`.
        """
        rng = Rng(self.name, "question", index)
        question, form = rng.choice(self.questions), rng.choice(self.forms)
        wrong = question == "valid" and rng.chance(self.invalid)
        off_by = rng.choice((-1, 1)) * rng.uniform(*self.off_by) if wrong else 0.0
        return question, form, off_by
