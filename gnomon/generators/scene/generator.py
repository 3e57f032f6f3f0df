"""Things on a ground, and questions of where they are: every expression means one thing only."""

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
from gnomon.generators.scene.things import REACH, SEEN, SIZES, UNSEEN, PlacedThing, Thing
from gnomon.generators.user_files import UserFile
from gnomon.sample import Box, Boxes, LabelledBox, Number, Sample, Target, Text


class SceneLevel(NamedTuple):
    objects: tuple[int, int]
    alike: int


LEVELS = read_levels(__file__, SceneLevel)
_LARGEST = 1024
_MARGIN = 0.03
# Pixels from the middle of a small thing to its tip.
_LEAST = 7.0
THINGS = ("icons", *framed_pictures.MIN_SIDE)


class ScenePlan(NamedTuple):
    """A scene and its question before it is drawn."""

    ground: tuple[int, int, int]
    backdrop: str
    things: phrasing.Things
    question: phrasing.SceneQuestion


@dataclass(frozen=True, kw_only=True, repr=False)
class Scene(PictureGenerator):
    """Shapes and icons that never overlap; boxes end where the ink does."""

    kind: ClassVar[str] = "scene"
    version: ClassVar[int] = 6
    targets: ClassVar[tuple[type[Target], ...]] = (Box, Boxes, Number, Text)
    every_question: ClassVar[dict[str, Any]] = {"questions": phrasing.QUESTIONS}
    levels: ClassVar[dict[str, SceneLevel]] = LEVELS

    size: Annotated[int, within(112, _LARGEST)] = 336
    """Pixels of the square picture's side (112 to 1024)."""
    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: 2 to 4 things, mostly unlike; medium: 4 to 7; hard: 7 to 12 that share much."""
    objects: Annotated[tuple[int, int] | None, within(2, 16)] = None
    """Number of things, from and to (2 to 16), instead of the level's."""
    alike: Annotated[int | None, within(2, 10)] = None
    """Most names, and most colours, among them (2 to 10)."""
    questions: Annotated[tuple[str, ...], among(phrasing.QUESTIONS)] = ("where",)
    """where (its box), count, colour, relation (yes or no), which (of two is further), find (the
    boxes of all of a kind, or none)."""
    backgrounds: tuple[str, ...] = BACKGROUNDS
    """plain, gradient, blotches, stripes; or photographs, by file or folder."""
    ood: bool = False
    """Shapes, icons and looks of pictures that are not drawn without it."""
    things: Annotated[tuple[str, ...], among(THINGS)] = field(default=("icons",), metadata=LATER)
    """Sorts of things, each as often: icons (and shapes), or pictures in frames: clocks, gauges,
    charts. Those are called by what they show, and asked where, relation and which."""

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
            raise ValueError(f"size={self.size}: too small for {high} things that can be seen")

    @property
    def built_in(self) -> dict[str, tuple[str, ...]]:
        """Colours are asked for by name, so that there are no palettes."""
        return {"backgrounds": BACKGROUNDS}

    def key(self, index: int) -> str:
        """Return the question and its things, with places to a hundredth of the side."""
        return self._meaning(self._plan(index))

    def draw(self, index: int) -> Sample:
        """Draw one scene and ask one question about it."""
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
                # As for a picture alone: two pixels where it is 224 wide.
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
        return Sample(self.id(index), image, question.question, target, facts)

    def _check_pictures(self, sort: str, most: int) -> None:
        least = (
            framed_pictures.MIN_SIDE_DEGRADED
            if self.degrade == "heavy"
            else framed_pictures.MIN_SIDE
        )[sort]
        side, limit = int(cell(most, self._inner)), framed_pictures.MAX_COUNT[sort]
        if side < least or most > limit:
            raise ValueError(
                f"things={sort}: {most} of them in size={self.size} have {side} pixels each; no"
                f" more than {limit} are told apart, and {least} pixels can be read; give fewer"
                f" objects, or a larger size, up to {_LARGEST}"
            )
        if not set(self.questions) & set(phrasing.OF_PICTURES):
            choices = ", ".join(phrasing.OF_PICTURES)
            raise ValueError(f"questions={list(self.questions)}: {sort} allow only {choices}")

    @property
    def _inner(self) -> float:
        """The side of what things lie in."""
        return self.size * (1 - 2 * _MARGIN)

    def _plan(self, index: int) -> ScenePlan:
        """Plan a scene: the first things that belong to the split, their places, a question.

        So that no two splits share a set of things, however they are laid out.
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
        # A turn or a tilt must not bring what is left of another to its right.
        clear = (phrasing.CLEAR + max_shear(self.degrade)) * self.size
        question = phrasing.ask_question(things, self.questions, clear, rng)
        backdrop = photo or rng.choice(self.materials.procedural_backgrounds)
        return ScenePlan(ground, backdrop, things, question)

    def _contents(
        self, sort: str, photo: UserFile | None, rng: Rng
    ) -> tuple[colours.Colour, Sequence[Thing | framed_pictures.Subject]]:
        """Draw shapes and icons, or subjects of framed pictures, and the ground under them."""
        # As many colours stand out from the ground as things share, up to five.
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
        """Draw different things, all of which stand out from the ground."""
        tints = rng.sample(colours.colours_visible_on(ground), self.settings.alike)
        names = rng.sample(UNSEEN if self.ood else SEEN, self.settings.alike)
        every = len(SIZES) * len(tints) * len(names)
        most = min(self.settings.objects[1], every)
        # An index for each combination of size, colour and name: no two things are alike.
        picked = rng.sample(range(every), rng.integer(min(self.settings.objects[0], most), most))
        sizes, wide = tuple(SIZES), len(names)
        return tuple(
            Thing(sizes[i % 2], tints[i // 2 // wide], names[i // 2 % wide]) for i in picked
        )


def _target(question: phrasing.SceneQuestion, boxes: Sequence[Sequence[float]]) -> Target:
    """Answer to a question, once it is known where the things were drawn."""
    if question.target is not None:
        return question.target
    if question.labels is None:
        return Box(*boxes[question.means])
    return Boxes(tuple(LabelledBox(label, Box(*boxes[i])) for i, label in question.labels.items()))


def _are_visible(plan: ScenePlan, pixels: Pixels) -> bool:
    """True if each thing, or each frame, stands out from the canvas where it will be."""
    for item in plan.things:
        x1, y1, x2, y2 = (max(0, round(SCALE * side)) for side in item.outer_box)
        colour = item.colour if isinstance(item, PlacedThing) else _stands_out(plan.ground)
        # Every fourth pixel each way says enough of a photograph.
        if not colours.stand_out(pixels[y1:y2:4, x1:x2:4], [colour], colours.VISIBLE):
            return False
    return True


def _stands_out(ground: tuple[int, int, int]) -> tuple[int, int, int]:
    """Choose a frame's colour: dark or light, whichever is seen better."""
    dark, light = (34, 34, 38), (240, 238, 232)
    return max(dark, light, key=lambda colour: colours.contrast(colour, ground))
