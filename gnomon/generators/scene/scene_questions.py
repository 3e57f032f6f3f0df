"""Questions about a scene: unambiguous referring expressions, and answers from positions."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from gnomon.generators.drawing.colours import COLOURS
from gnomon.generators.rng import Rng
from gnomon.generators.scene.framed_pictures import FramedPicture
from gnomon.generators.scene.things import ICONS, SEEN, PlacedThing, Thing
from gnomon.generators.wording import alternatives, plural
from gnomon.sample import Number, Target, Text

# Axis, and sign of the direction along it.
SIDES = {"left of": (0, -1), "right of": (0, 1), "above": (1, -1), "below": (1, 1)}
ENDS = {"leftmost": "left of", "rightmost": "right of", "topmost": "above", "lowest": "below"}
# Gap from which a thing clearly lies on one side of another, as a share of the picture's side.
CLEAR = 0.04


class Expression(NamedTuple):
    """Referring expression with the properties that it names."""

    text: str
    size: str = ""
    colour: str = ""
    name: str = ""
    end: str = ""

    def fits(self, thing: Thing) -> bool:
        """Return True if a thing has the named properties. Its place is ignored."""
        return all(
            word in ("", has)
            for word, has in zip((self.size, self.colour, self.name), thing, strict=True)
        )

    def to_json(self) -> dict[str, str]:
        """Return the named properties as JSON."""
        return {name: value for name, value in self._asdict().items() if value and name != "text"}


def expressions(
    things: Sequence[PlacedThing | FramedPicture], index: int, clear: float
) -> list[Expression]:
    """List expressions that refer to this thing only, shortest first.

    The expression with all three words always does. A framed picture is named by what it shows. A
    thing counts as furthest if it leads by twice `clear` pixels.
    """
    meant, icons = things[index], [icon for icon in things if isinstance(icon, PlacedThing)]
    if isinstance(meant, FramedPicture):
        return [Expression(meant.thing.name, name=meant.thing.name)]
    thing = meant.thing
    plain = [
        Expression(thing.name, name=thing.name),
        Expression(f"{thing.colour} {thing.name}", colour=thing.colour, name=thing.name),
        Expression(f"{thing.size} {thing.name}", size=thing.size, name=thing.name),
        Expression(thing.meaning, *thing),
    ]
    alone = [
        expression
        for expression in plain
        if sum(expression.fits(icon.thing) for icon in icons) == 1
    ]
    for expression in plain[:2]:
        others = [icon for icon in icons if icon is not meant and expression.fits(icon.thing)]
        for end, side in ENDS.items():
            axis, sign = SIDES[side]
            # The lead must be twice the gap that decides on sides.
            gaps = [sign * (meant.middle[axis] - icon.middle[axis]) for icon in others]
            if gaps and min(gaps) > 2 * clear:
                alone.append(expression._replace(text=f"{end} {expression.text}", end=end))
    return alone


def sides_of(
    thing: PlacedThing | FramedPicture, other: PlacedThing | FramedPicture, clear: float
) -> list[str]:
    """Return the sides of the second thing on which the first lies, at least `clear` pixels
    away."""
    a, b = thing.outer_box, other.outer_box
    free = (b[0] - a[2], a[0] - b[2], b[1] - a[3], a[1] - b[3])
    return [side for side, gap in zip(SIDES, free, strict=True) if gap > clear]


QUESTIONS = ("where", "count", "colour", "relation", "which", "find")
# Questions that framed pictures allow.
OF_PICTURES = ("where", "relation", "which")


class SceneQuestion(NamedTuple):
    """Question with its answer."""

    question: str
    target: Target | None
    """None if the answer is a box, which is known only after drawing."""
    facts: dict[str, Any]
    means: int = 0
    labels: dict[int, str] | None = None
    """Label of each thing to find, by its index. None if the answer is a single box."""


Things: TypeAlias = tuple[PlacedThing | FramedPicture, ...]


def ask_question(
    things: Things, questions: tuple[str, ...], clear: float, rng: Rng
) -> SceneQuestion:
    """Ask a question that this scene allows. `where` is always possible."""
    # Framed pictures are not counted and have no single colour.
    names = [
        name for name in questions if name in OF_PICTURES or isinstance(things[0], PlacedThing)
    ]
    while names:
        ask = ASK[names.pop(rng.integer(0, len(names) - 1))]
        if question := ask(things, clear, rng):
            return question
    return where(things, clear, rng)


def where(things: Things, clear: float, rng: Rng) -> SceneQuestion:
    index = rng.integer(0, len(things) - 1)
    expression = _expression(things, index, clear, rng)
    facts = {"question": "where", "said": expression.to_json(), "means": index}
    return SceneQuestion(f"Where is the {expression.text}? Give its box.", None, facts, index)


def count(things: tuple[PlacedThing, ...], clear: float, rng: Rng) -> SceneQuestion:  # noqa: ARG001 - as all questions
    """Ask for a number of things. Each number, 0 included, is equally frequent, so the wording does
    not reveal it."""
    expression = _kind_of_things(things, rng)
    many = sum(expression.fits(item.thing) for item in things)
    facts = {"question": "count", "said": expression.to_json()}
    return SceneQuestion(f"How many {expression.text} are there?", Number(Decimal(many)), facts)


def find(things: tuple[PlacedThing, ...], clear: float, rng: Rng) -> SceneQuestion:  # noqa: ARG001
    """Ask for the boxes of all things of a kind, possibly none.

    The label of a box is the colour and the name that the question gives, or else the name of the
    thing.
    """
    expression = _kind_of_things(things, rng)
    labels = {
        index: f"{expression.colour} {item.thing.name}".lstrip()
        for index, item in enumerate(things)
        if expression.fits(item.thing)
    }
    facts = {"question": "find", "said": expression.to_json(), "number": len(labels)}
    text = f"Find all {expression.text}. Give the box of each, or say that there is none."
    return SceneQuestion(text, None, facts, labels=labels)


def _kind_of_things(things: tuple[PlacedThing, ...], rng: Rng) -> Expression:
    """Choose a plural expression so that each number of things, 0 included, is equally frequent."""
    plain = [item.thing for item in things]
    names = {thing.name for thing in plain}
    colours = {thing.colour for thing in plain}
    absent = [name for name in ICONS if name in SEEN and name not in names]
    missing = [colour for colour in COLOURS if colour not in colours]
    forms = (
        [Expression("things")],
        [Expression(plural(n), name=n) for n in (*sorted(names), rng.choice(absent))],
        [Expression(f"{c} things", colour=c) for c in (*sorted(colours), rng.choice(missing))],
        [
            Expression(f"{c} {plural(n)}", colour=c, name=n)
            for c, n in product(sorted(colours), sorted(names))
        ],
    )
    by_number: dict[int, list[Expression]] = {}
    for expression in rng.choice(forms):
        by_number.setdefault(sum(map(expression.fits, plain)), []).append(expression)
    return rng.choice(by_number[rng.choice(sorted(by_number))])


def colour(things: tuple[PlacedThing, ...], clear: float, rng: Rng) -> SceneQuestion | None:
    """Ask for the colour of a thing that is the only one of its name, or the furthest."""
    index = rng.integer(0, len(things) - 1)
    fitting = [s for s in expressions(things, index, clear) if not s.colour]
    choices = tuple(sorted({thing.thing.colour for thing in things}))
    if not fitting or len(choices) < 2:
        return None
    expression = rng.choice(fitting)
    text = f"What colour is the {expression.text}: {alternatives(choices)}?"
    facts = {"question": "colour", "said": expression.to_json(), "means": index}
    return SceneQuestion(text, Text(things[index].thing.colour, choices), facts)


def relation(things: Things, clear: float, rng: Rng) -> SceneQuestion | None:
    """Ask whether one thing lies on a side of another. Unclear cases are not asked."""
    first_index, second_index = _pair(things, rng)
    yes = rng.chance(0.5)
    first, second = (first_index, second_index) if yes else (second_index, first_index)
    if not (lies := sides_of(things[first], things[second], clear)):
        return None
    relation = rng.choice(lies)
    left, right = (
        _expression(things, i, clear, rng, relation).text for i in (first_index, second_index)
    )
    text = f"Is the {left} {relation} the {right}? Answer yes or no."
    facts = {
        "question": "relation",
        "relation": relation,
        "one": first_index,
        "other": second_index,
    }
    return SceneQuestion(text, Text("yes" if yes else "no", ("yes", "no")), facts)


def which(things: Things, clear: float, rng: Rng) -> SceneQuestion | None:
    """Ask which of two things is further left, right, up or down."""
    first_index, second_index = _pair(things, rng)
    if not (lies := sides_of(things[first_index], things[second_index], clear)):
        return None
    relation = rng.choice(lies)
    ways = ("further left", "further right", "higher up", "lower down")
    way = dict(zip(SIDES, ways, strict=True))[relation]
    first, second = (
        f"the {_expression(things, i, clear, rng, relation).text}"
        for i in (first_index, second_index)
    )
    choices = (first, second) if rng.chance(0.5) else (second, first)
    facts = {"question": "which", "relation": relation, "one": first_index, "other": second_index}
    return SceneQuestion(
        f"Which is {way}, {choices[0]} or {choices[1]}?", Text(first, choices), facts
    )


ASK: dict[str, Callable[[Any, float, Rng], SceneQuestion | None]] = dict(
    zip(QUESTIONS, (where, count, colour, relation, which, find), strict=True)
)


def _pair(things: Things, rng: Rng) -> tuple[int, int]:
    """Indices of two different things."""
    first = rng.integer(0, len(things) - 1)
    return first, (first + rng.integer(1, len(things) - 1)) % len(things)


def _expression(
    things: Things, index: int, clear: float, rng: Rng, relation: str = ""
) -> Expression:
    """Choose an expression that does not reveal the answer, as "the leftmost star" does in a
    question about left and right."""
    expression = expressions(things, index, clear)
    # Expressions with ends on the axis of the relation are left out.
    along = SIDES[relation][0] if relation else None
    return rng.choice([s for s in expression if not s.end or SIDES[ENDS[s.end]][0] != along])
