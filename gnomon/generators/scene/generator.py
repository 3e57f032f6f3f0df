"""Pictures of things on a ground, with questions about their places."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from gnomon.generators.base import LATER, among, read_levels, within
from gnomon.generators.drawing import colours
from gnomon.generators.drawing.backgrounds import BACKGROUNDS, draw_background
from gnomon.generators.drawing.canvas import SCALE, Canvas, Pixels, bounding_box
from gnomon.generators.drawing.degrade import max_shear
from gnomon.generators.drawing.picture_generator import PictureGenerator
from gnomon.generators.drawing.pose import Slot, cell, slots
from gnomon.generators.drawing.shapes import oblong
from gnomon.generators.rng import Rng
from gnomon.generators.scene import framed_pictures
from gnomon.generators.scene import scene_questions as phrasing
from gnomon.generators.scene import steps as scene_steps
from gnomon.generators.scene.things import REACH, SEEN, SIZES, UNSEEN, PlacedThing, Thing
from gnomon.generators.user_files import UserFile
from gnomon.sample import Box, Boxes, LabelledBox, Number, Sample, Target, Text


class SceneLevel(NamedTuple):
    objects: tuple[int, int]
    alike: int


LEVELS = read_levels(__file__, SceneLevel)
_LARGEST = 1024
_MARGIN = 0.03
# Smallest distance in pixels from the middle of a small thing to its tip.
_LEAST = 7.0
THINGS = ("icons", *framed_pictures.MIN_SIDE)


class ScenePlan(NamedTuple):
    """Scene and its question, before it is drawn."""

    ground: tuple[int, int, int]
    backdrop: str
    things: phrasing.Things
    question: phrasing.SceneQuestion


@dataclass(frozen=True, kw_only=True, repr=False)
class Scene(PictureGenerator):
    """Shapes and icons that never overlap. A box ends at the ink of its thing."""

    kind: ClassVar[str] = "scene"
    version: ClassVar[int] = 6
    targets: ClassVar[tuple[type[Target], ...]] = (Box, Boxes, Number, Text)
    every_question: ClassVar[dict[str, Any]] = {"questions": phrasing.QUESTIONS}
    asks_for_steps: ClassVar[tuple[str, ...]] = scene_steps.QUESTIONS
    levels: ClassVar[dict[str, SceneLevel]] = LEVELS

    size: Annotated[int, within(112, _LARGEST)] = 336
    """Side of the square picture in pixels (112 to 1024)."""
    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: 2 to 4 things, mostly different; medium: 4 to 7; hard: 7 to 12 that have much in
    common."""
    objects: Annotated[tuple[int, int] | None, within(2, 16)] = None
    """Smallest and largest number of things (2 to 16). It overrides the level."""
    alike: Annotated[int | None, within(2, 10)] = None
    """Largest number of different names, and of different colours (2 to 10)."""
    questions: Annotated[tuple[str, ...], among(phrasing.QUESTIONS)] = ("where",)
    """where (box of a thing), count, colour, relation (yes or no), which (of two is further), find
    (boxes of all things of a kind, possibly none)."""
    backgrounds: tuple[str, ...] = BACKGROUNDS
    """plain, gradient, blotches, stripes; or photographs, by file or folder."""
    ood: bool = False
    """Draw the shapes, icons and picture styles that are held out otherwise."""
    things: Annotated[tuple[str, ...], among(THINGS)] = field(default=("icons",), metadata=LATER)
    """Sorts of things, equally frequent: icons (with shapes), or framed pictures: clocks, gauges,
    charts. A framed picture is named by what it shows. Its questions are where, relation and
    which."""

    def __post_init__(self) -> None:
        super().__post_init__()
        high, alike = self.settings.objects[1], self.settings.alike
        for sort in set(self.things) - {"icons"}:
            self._check_pictures(sort, high)
        if high > len(SIZES) * alike**2:
            raise ValueError(
                f"objects={self.settings.objects}, alike={alike}: no more than"
                f" {len(SIZES) * alike**2} things can be told apart"
            )
        if REACH * cell(high, self._inner) * min(SIZES.values()) < _LEAST:
            raise ValueError(f"size={self.size}: too small to show {high} things")

    @property
    def built_in(self) -> dict[str, tuple[str, ...]]:
        """Questions name colours, so the scene has no palettes."""
        return {"backgrounds": BACKGROUNDS}

    def key(self, index: int) -> str:
        """Return the question and the things, with places in hundredths of the side."""
        return self._meaning(self._plan(index))

    def draw(self, index: int) -> Sample:
        """Draw a scene and ask a question about it."""
        plan = self._plan(index)
        rng = self.rng(index)
        behind = draw_background(
            plan.backdrop, self.size * SCALE, plan.ground, rng, partial(_are_visible, plan)
        )
        canvas = Canvas(self.size, behind)
        inks = [item.draw(canvas) for item in plan.things if isinstance(item, PlacedThing)]
        things = [{**item.thing._asdict(), "turn": item.turn}
                  for item in plan.things if isinstance(item, PlacedThing)]  # fmt: skip
        image, stroke = canvas.picture(), None
        for item in plan.things:
            if isinstance(item, framed_pictures.FramedPicture):
                sample = framed_pictures.draw_framed(image, item, _stands_out(plan.ground))
                inks.append(oblong(*item.outer_box))
                things.append({"name": item.thing.name, "shows": sample.facts})
                # Two pixels at a width of 224, as for a single picture.
                stroke = max(1, round(item.side / 112))
        image, moved = self.degrade_picture(index, image, np.concatenate(inks), stroke=stroke)
        boxes = [bounding_box(moved(ink)) for ink in inks]
        question = plan.question
        target = _target(question, boxes)
        facts = {
            "things": [{**item, "box": box} for item, box in zip(things, boxes, strict=True)],
            "ground": list(plan.ground),
            **question.facts,
        }
        sample = Sample(self.id(index), image, question.question, target, facts)
        return self.with_steps(index, sample, lambda: scene_steps.steps(facts, self.size))

    def _check_pictures(self, sort: str, most: int) -> None:
        least = (
            framed_pictures.MIN_SIDE_DEGRADED
            if self.degrade == "heavy"
            else framed_pictures.MIN_SIDE
        )[sort]
        side, limit = int(cell(most, self._inner)), framed_pictures.MAX_COUNT[sort]
        if side < least or most > limit:
            raise ValueError(
                f"things={sort}: {most} of them in size={self.size} have {side} pixels each; at"
                f" most {limit} can be told apart, and each needs {least} pixels: give fewer"
                f" objects, or a larger size, up to {_LARGEST}"
            )
        if not set(self.questions) & set(phrasing.OF_PICTURES):
            choices = ", ".join(phrasing.OF_PICTURES)
            raise ValueError(f"questions={list(self.questions)}: {sort} allow only {choices}")

    @property
    def _inner(self) -> float:
        """Side of the square that holds the things."""
        return self.size * (1 - 2 * _MARGIN)

    def _plan(self, index: int) -> ScenePlan:
        """Plan a scene: things, places and a question.

        The first drawn set of things that belongs to the split is used. So two splits never share a
        set of things, whatever their layout.
        """
        rng = self.rng(index)
        photo = self.background_photograph(index)
        rng.bits()  # the backdrop's own
        sort = self.things[0] if len(self.things) == 1 else rng.choice(self.things)
        ground, contents = self.of_its_split(
            lambda: self._contents(sort, photo, rng),
            lambda things: sorted(item.meaning for item in things[1]),
        )
        edge, side = self.size * _MARGIN, cell(len(contents), self._inner)
        room = Slot(edge, edge, self.size - edge, self.size - edge)
        places = slots(len(contents), room, rng)
        things = tuple(
            item.place(slot, side, rng) for item, slot in zip(contents, places, strict=True)
        )
        # After a turn or a tilt, a thing must not change sides with another.
        clear = (phrasing.CLEAR + max_shear(self.degrade)) * self.size
        question = phrasing.ask_question(things, self.questions, clear, rng)
        backdrop = photo or rng.choice(self.materials.procedural_backgrounds)
        return ScenePlan(ground, backdrop, things, question)

    def _contents(
        self, sort: str, photo: UserFile | None, rng: Rng
    ) -> tuple[colours.Colour, Sequence[Thing | framed_pictures.Subject]]:
        """Draw the ground with shapes and icons, or with framed pictures, on it."""
        # Colours for the things must stand out from the ground. There are at most five.
        least = min(self.settings.alike, 5) if sort == "icons" else 5
        ground = self.ground(colours.grounds(colours.COLOURS, least), photo, rng)
        if sort == "icons":
            return ground, self._things(ground, rng)
        count = rng.within(self.settings.objects)
        side = int(cell(count, self._inner))
        return ground, framed_pictures.random_subjects(
            sort, count, side, rng, split=self.split, seed=self.seed, ood=self.ood
        )

    def _meaning(self, plan: ScenePlan) -> str:
        to = 100 / self.size
        where = [
            f"{item.thing.meaning} {round(to * item.x)} {round(to * item.y)}"
            for item in plan.things
        ]
        return f"{plan.question.question} | {'; '.join(sorted(where))}"

    def _things(self, ground: tuple[int, int, int], rng: Rng) -> tuple[Thing, ...]:
        """Draw different things that all stand out from the ground."""
        tints = rng.sample(colours.colours_visible_on(ground), self.settings.alike)
        names = rng.sample(UNSEEN if self.ood else SEEN, self.settings.alike)
        every = len(SIZES) * len(tints) * len(names)
        most = min(self.settings.objects[1], every)
        # Each combination of size, colour and name has an index, so two things always differ.
        picked = rng.sample(range(every), rng.integer(min(self.settings.objects[0], most), most))
        sizes, wide = tuple(SIZES), len(names)
        return tuple(
            Thing(sizes[i % 2], tints[i // 2 // wide], names[i // 2 % wide]) for i in picked
        )


def _target(question: phrasing.SceneQuestion, boxes: Sequence[Sequence[float]]) -> Target:
    """Return the answer to a question from the drawn places."""
    if question.target is not None:
        return question.target
    if question.labels is None:
        return Box(*boxes[question.means])
    return Boxes(tuple(LabelledBox(label, Box(*boxes[i])) for i, label in question.labels.items()))


def _are_visible(plan: ScenePlan, pixels: Pixels) -> bool:
    """Return True if each thing or frame stands out from the canvas at its place."""
    for item in plan.things:
        x1, y1, x2, y2 = (max(0, round(SCALE * side)) for side in item.outer_box)
        colour = item.colour if isinstance(item, PlacedThing) else _stands_out(plan.ground)
        # Of a photograph, every fourth pixel in each direction is enough.
        if not colours.stand_out(pixels[y1:y2:4, x1:x2:4], [colour], colours.VISIBLE):
            return False
    return True


def _stands_out(ground: tuple[int, int, int]) -> tuple[int, int, int]:
    """Choose a dark or a light frame, whichever has more contrast."""
    dark, light = (34, 34, 38), (240, 238, 232)
    return max(dark, light, key=lambda colour: colours.contrast(colour, ground))
