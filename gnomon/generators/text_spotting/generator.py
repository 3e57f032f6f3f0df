"""Pictures of texts: find a text, read a text, or list all texts with their boxes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_letters, digits, punctuation
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from gnomon.generators.base import LATER, among, read_levels, within
from gnomon.generators.drawing import colours
from gnomon.generators.drawing.backgrounds import BACKGROUNDS, draw_background
from gnomon.generators.drawing.canvas import SCALE, Canvas, Pixels, bounding_box
from gnomon.generators.drawing.lettering import TEXT_FONTS, UNSEEN_FONTS
from gnomon.generators.drawing.picture_generator import PictureGenerator
from gnomon.generators.drawing.pose import Pose, Slot, strips
from gnomon.generators.rng import Rng
from gnomon.generators.text_spotting import draw as drawing
from gnomon.generators.user_files import UserFile
from gnomon.sample import Box, Boxes, LabelledBox, Sample, Spot, Spots, Target, Text


class TextLevel(NamedTuple):
    count: tuple[int, int]  # type: ignore[assignment] # tuple.count is not needed
    rotation: float
    perspective: float


LEVELS = read_levels(__file__, TextLevel)
QUESTIONS = ("find", "read", "both", "boxes")
# Smallest height of letters in pixels at a width of 224. It grows with the picture.
_LEAST = 9.0
WORDS = tuple(Path(__file__).with_name("words.txt").read_text(encoding="utf-8").split())
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# I, O and Q are left out because they look like 1 and 0.
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


def word(rng: Rng) -> str:
    """Draw a word in lower case, with a capital, or in capitals."""
    chosen = rng.choice(WORDS)
    return rng.choice((chosen, chosen.capitalize(), chosen.upper()))


def words(rng: Rng) -> str:
    """Draw two or three words with the same capitalisation."""
    chosen = " ".join(rng.choice(WORDS) for _ in range(rng.integer(2, 3)))
    return rng.choice((chosen, chosen.capitalize(), chosen.upper()))


def number(rng: Rng) -> str:
    """Draw a number of two to five digits."""
    return str(rng.integer(10, 99_999))


def price(rng: Rng) -> str:
    """Draw a price in dollars, pounds or euros."""
    amount = f"{rng.integer(1, 99)}.{rng.integer(0, 99):02}"
    return rng.choice((f"${amount}", f"£{amount}", f"€{amount}"))


def date(rng: Rng) -> str:
    """Draw a date in words or in ISO 8601."""
    day, month, year = rng.integer(1, 28), rng.integer(1, 12), rng.integer(1950, 2049)
    return rng.choice((f"{day} {_MONTHS[month - 1]} {year}", f"{year}-{month:02}-{day:02}"))


def code(rng: Rng) -> str:
    """Draw a code of letters and digits, such as AB-123."""
    letters = "".join(rng.choice(_LETTERS) for _ in range(rng.integer(2, 3)))
    return f"{letters}-{rng.integer(100, 9999)}"


TEXTS: dict[str, Callable[[Rng], str]] = {
    draw.__name__: draw for draw in (word, words, number, price, date, code)
}


def texts(
    rng: Rng, kinds: tuple[str, ...], count: int, *, beside: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Draw texts that do not contain each other. A code replaces a text that clashes or is too
    long.

    More than four texts stand in two columns, where longer texts could not be read. The texts also
    do not contain, and are not contained in, the texts of `beside`.
    """
    # Longest text in letters. More than four texts stand in two columns.
    longest = 24 if count <= 4 else 11
    chosen = [*beside]
    while len(chosen) < count + len(beside):
        text = TEXTS[rng.choice(kinds)](rng)
        if len(text) > longest or any(_clash(text, other) for other in chosen):
            text = f"{code(rng)}{len(chosen)}"
        if not any(_clash(text, other) for other in chosen):
            chosen.append(text)
    return tuple(chosen[len(beside) :])


def repeat_some(rng: Rng, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Replace some texts by copies of the first in half of the cases, and shuffle them."""
    copies = rng.integer(1, len(texts)) if rng.chance(0.5) else 1
    return tuple(rng.sample((*texts[:1] * copies, *texts[copies:]), len(texts)))


def _clash(first: str, second: str) -> bool:
    a, b = first.casefold(), second.casefold()
    return a in b or b in a


class SignPlan(NamedTuple):
    """Texts, colours and question of a sign, before it is drawn."""

    texts: tuple[str, ...]
    inks: tuple[tuple[str, colours.Colour], ...]
    """Colour of each text, as name and shade."""
    ground: colours.Colour
    question: str
    means: int
    expression: tuple[str, str] = ("", "")
    """Selection of a question for boxes: ("text", text), ("colour", colour), or ("", "") for all
    texts."""

    def fits(self, index: int) -> bool:
        """Return True if the expression selects the text."""
        what, word = self.expression
        return word == {"": "", "text": self.texts[index], "colour": self.inks[index][0]}[what]


@dataclass(frozen=True, kw_only=True, repr=False)
class TextSpotting(PictureGenerator):
    """Words, numbers, prices, dates and codes; straight, turned or in perspective."""

    kind: ClassVar[str] = "text_spotting"
    version: ClassVar[int] = 4
    targets: ClassVar[tuple[type[Target], ...]] = (Box, Boxes, Text, Spots)
    every_question: ClassVar[dict[str, Any]] = {"questions": QUESTIONS}
    asks_for_steps: ClassVar[tuple[str, ...]] = ("read",)
    levels: ClassVar[dict[str, TextLevel]] = LEVELS

    size: Annotated[int, within(224, 1024)] = 448
    """Side of the square picture in pixels (224 to 1024)."""
    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: 1 to 2 straight texts; medium: 2 to 4, slightly turned; hard: 4 to 7, also tilted."""
    count: Annotated[tuple[int, int] | None, within(1, 8)] = None
    """Smallest and largest number of texts (1 to 8)."""
    rotation: Annotated[float | None, within(0, 60)] = None
    """Largest turn in degrees (0 to 60)."""
    perspective: Annotated[float | None, within(0, 0.4)] = None
    """Largest share by which the far side is shorter (0 to 0.4)."""
    kinds: Annotated[tuple[str, ...], among(TEXTS)] = tuple(TEXTS)
    """word, words, number, price, date, code."""
    questions: Annotated[tuple[str, ...], among(QUESTIONS)] = ("find",)
    """find (where does it say ..., its box), read (what it says), both (all texts with boxes),
    boxes (of all texts, of a colour, or of all places of one text; possibly none)."""
    backgrounds: tuple[str, ...] = BACKGROUNDS
    """plain, gradient, blotches, stripes; or photographs, by file or folder."""
    ood: bool = False
    """Use the fonts that are held out otherwise."""
    fonts: tuple[str, ...] | None = field(default=None, metadata=LATER)
    """sans, serif, mono, times and their styles, such as sans-bold; or font files, by file or
    folder. None: all fonts except the held-out fonts, or only the held-out fonts with `ood`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        # string.punctuation has the dollar sign, but no other currency sign.
        prices = "£€" if "price" in self.kinds else ""
        self.materials.check_fonts(ascii_letters + digits + punctuation + prices)

    @property
    def built_in(self) -> dict[str, tuple[str, ...]]:
        """Questions name colours, so there are no palettes."""
        names = tuple(name for name in TEXT_FONTS if name not in UNSEEN_FONTS)
        return {"backgrounds": BACKGROUNDS, "fonts": UNSEEN_FONTS if self.ood else names}

    def key(self, index: int) -> str:
        """Return the texts and the question."""
        plan = self._plan(self.rng(index), self.background_photograph(index))
        asks = " ".join(plan.expression) if plan.question == "boxes" else plan.means
        return f"{plan.question} {asks} | {' | '.join(plan.texts)}"

    def draw(self, index: int) -> Sample:
        """Draw a picture and ask a question about it."""
        rng = self.rng(index)
        photo = self.background_photograph(index)
        plan = self._plan(rng, photo)
        style = photo or rng.choice(self.materials.procedural_backgrounds)

        # A sixteenth of the pixels is enough to check the contrast.
        def clear(pixels: Pixels) -> bool:
            return colours.is_readable_on(pixels[::4, ::4], [shade for _, shade in plan.inks])

        canvas = Canvas(
            self.size, draw_background(style, self.size * SCALE, plan.ground, rng, clear)
        )
        texts_drawn = self._write(canvas, plan, rng)
        inks = np.concatenate([text.ink for text, _ in texts_drawn])
        # Boxes are measured on the ink after turning, tilting and cropping.
        image, moved = self.degrade_picture(index, canvas.picture(), inks)
        written = [{**facts, **_places(text, moved)} for text, facts in texts_drawn]
        facts = {
            "question": plan.question,
            "means": plan.means,
            "ground": list(plan.ground),
            "texts": written,
        }
        if plan.question == "boxes":
            facts["said"] = dict([plan.expression]) if plan.expression[0] else {}
        question, target = _ask(plan, written)
        sample = Sample(self.id(index), image, question, target, facts)
        return self.with_steps(index, sample, lambda: _steps(facts))

    def _plan(self, rng: Rng, photo: UserFile | None) -> SignPlan:
        """Draw texts until the set belongs to the split. So two splits never share a set of
        texts."""
        single_forms = tuple(name for name in self.questions if name != "boxes")
        # Without questions for lists, the samples stay as they were.
        is_list = "boxes" in self.questions and (
            not single_forms or rng.chance(1 / len(self.questions))
        )

        def draw_texts() -> tuple[str, ...]:
            sign = texts(rng, self.kinds, rng.within(self.settings.count))
            return repeat_some(rng, sign) if is_list else sign

        chosen = self.of_its_split(draw_texts, sorted)
        ground = self.ground(colours.text_grounds(), photo, rng)
        free, inks = list(colours.colours_readable_on(ground)), []
        for _ in chosen:  # as many different ones as there are, and never one twice running
            inks.append(free.pop(rng.integer(0, len(free) - 1)))
            free = free or [ink for ink in colours.colours_readable_on(ground) if ink != inks[-1]]
        if is_list:
            plan = SignPlan(chosen, tuple(inks), ground, "boxes", 0)
            return plan._replace(expression=self._expression(plan, rng))
        # A question names a colour only if exactly one text has it.
        single = [i for i, ink in enumerate(inks) if inks.count(ink) == 1]
        possible = [q for q in single_forms if q != "read" or single] or ["find"]
        question = rng.choice(possible)
        means = rng.choice(single if question == "read" else range(len(chosen)))
        return SignPlan(chosen, tuple(inks), ground, question, means)

    def _expression(self, plan: SignPlan, rng: Rng) -> tuple[str, str]:
        """Choose a target so that each number of texts, 0 included, is equally frequent."""
        names = {name for name, _ in plan.inks}
        shades = [name for name, _ in colours.colours_readable_on(plan.ground)]
        absent = [name for name in shades if name not in names]
        forms = (
            [("", "")],
            [("text", text) for text in
             (*sorted(set(plan.texts)), *texts(rng, self.kinds, 1, beside=plan.texts))],
            [("colour", name) for name in (*sorted(names), *absent)],
        )  # fmt: skip
        by_number: dict[int, list[tuple[str, str]]] = {}
        for expression in rng.choice(forms):
            candidate = plan._replace(expression=expression)
            number = sum(map(candidate.fits, range(len(plan.texts))))
            by_number.setdefault(number, []).append(expression)
        return rng.choice(by_number[rng.choice(sorted(by_number))])

    def _write(
        self, canvas: Canvas, plan: SignPlan, rng: Rng
    ) -> list[tuple[drawing.PlacedText, dict[str, Any]]]:
        """Draw the texts and return their places and facts."""
        edge = 0.04 * self.size
        room = Slot(edge, edge, self.size - edge, self.size - edge)
        # Reading order, so two texts in one row differ in colour.
        places = sorted(strips(len(plan.texts), room, rng), key=lambda slot: (slot.y1, slot.x1))
        written = []
        most, steepest = self.settings.rotation, self.settings.perspective
        for text, (colour, ink), slot in zip(plan.texts, plan.inks, places, strict=True):
            turn = rng.uniform(-most, most)
            tilt = (rng.uniform(0, steepest), rng.uniform(0, steepest))
            look = drawing.TextLook(rng.choice(self.materials.names("fonts")), ink, turn, tilt)
            flat = drawing.flat_text(text, look.font)
            look = self._legible(look, flat, slot)
            fits = drawing.scale_to_fit(slot, flat.mask.shape, look)
            # From half of the slot to nearly all of it, but never smaller than can be read.
            scale = min(fits, rng.uniform(0.5, 0.95) * fits + _LEAST * self.size / 224 / 96)
            placed_text = drawing.draw_text(
                canvas, flat, look, slot, scale, (rng.unit(), rng.unit())
            )
            facts = {
                "text": text,
                "colour": colour,
                "font": look.font,
                "turn": look.turn,
                "height": scale * flat.mask.shape[0],
            }
            written.append((placed_text, facts))
        return written

    def _legible(
        self, look: drawing.TextLook, flat: drawing.FlatText, slot: Slot
    ) -> drawing.TextLook:
        """Reduce the look's turn and tilt until the text fits its slot in a readable size."""
        tall, (left, upper) = flat.mask.shape[0], look.tilt
        # A long turned text needs more room, so the look is straightened in steps.
        for part in (1.0, 0.6, 0.3):
            bent = look._replace(turn=part * look.turn, tilt=(part * left, part * upper))
            if drawing.scale_to_fit(slot, flat.mask.shape, bent) * tall >= _LEAST * self.size / 224:
                return bent
        return look._replace(turn=0.0, tilt=(0.0, 0.0))


def _places(text: drawing.PlacedText, moved: Pose) -> dict[str, Any]:
    """Return the places of a text after its picture was moved."""
    return {
        "box": bounding_box(moved(text.ink)),
        "quad": moved(text.quad).tolist(),
        "words": [{"text": w, "quad": moved(q).tolist()} for w, q in text.words],
    }


def _steps(facts: dict[str, Any]) -> str:
    """Count the words of a text that is to be read, and the characters of each."""
    words = facts["texts"][facts["means"]]["text"].split()
    return f"words {len(words)}, characters {' '.join(str(len(word)) for word in words)}"


def _ask(plan: SignPlan, written: list[dict[str, Any]]) -> tuple[str, Target]:
    meant = written[plan.means]
    if plan.question == "find":
        return f'Where does it say "{meant["text"]}"? Give its box.', Box(*meant["box"])
    if plan.question == "read":
        which = f"the {meant['colour']} text" if len(written) > 1 else "the text"
        return f"What does {which} say?", Text(meant["text"])
    if plan.question == "boxes":
        what, word = plan.expression
        which = {"": "all texts", "text": f'every place that says "{word}"',
                 "colour": f"all {word} texts"}[what]  # fmt: skip
        matches = [text for index, text in enumerate(written) if plan.fits(index)]
        boxes = Boxes(tuple(LabelledBox(t["text"], Box(*t["box"])) for t in matches))
        return f"Find {which}. Give the box of each, or say that there is none.", boxes
    spots = Spots(tuple(Spot(text["text"], Box(*text["box"])) for text in written))
    return "List every text in the picture with its box.", spots
