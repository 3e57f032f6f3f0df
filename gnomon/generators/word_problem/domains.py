"""What stories are about, and the sentences that tell them.

In a sentence {A} and {B} are names, {things} the counted thing, {0} and {1} the move's numbers,
{part} the first number as a part.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Sentences: TypeAlias = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Domain:
    """One world: what is counted, what can happen to it, what is asked in the end."""

    things: tuple[str, ...]
    start: tuple[str, ...]
    moves: Sentences
    endings: Sentences
    unit: str = ""
    """Of the quantity; empty where it is counted in things."""
    worth: str = "dollars"
    """The unit of the ending `worth`."""
    distractors: tuple[str, ...] = field(default=())


COUNTED = Domain(
    things=(
        *("apples", "marbles", "stickers", "pencils", "stamps", "shells", "buttons", "beads"),
        *("postcards", "coins", "walnuts", "badges", "ribbons", "lemons", "crayons"),
    ),
    start=("{A} has {0} {things}.", "{A} starts the week with {0} {things}."),
    moves={
        "gain": ("{A} finds {0} more.", "{B} gives {A} {0} more.", "Then {A} gets {0} more."),
        "lose": ("{A} gives {0} of them to {B}.", "{A} loses {0} of them.", "{B} takes {0} away."),
        "grow": ("A month later {A} has {0} times as many.",),
        "part": ("{A} gives {part} of them to {B}.", "{A} leaves {part} of them at school."),
        "percent": ("{0} % of them get lost on the way.", "{A} hands out {0} % of them."),
        "groups": ("{A} gets {0} boxes with {1} {things} in each.",),
        "repeated": ("On each of {0} days {A} gives away {1} of them.",),
    },
    endings={
        "left": ("How many {things} does {A} have now?",),
        "each": ("{A} puts them into {0} bags, as many in each. How many are in one bag?",),
        "worth": ("{A} sells them all for {0} dollars each. How many dollars does {A} get?",),
        "both": ("{B} has {0} {things} more than {A} now. How many do they have together?",),
    },
    distractors=(
        "{B} is {0} years old.",
        "{A} lives at number {0}.",
        "It is {0} degrees outside.",
        "The bus to school takes {0} minutes.",
    ),
)
MONEY = Domain(
    things=("dollars",),
    unit="dollars",
    start=("{A} has saved {0} dollars.", "There are {0} dollars on {A}'s account."),
    moves={
        "gain": ("{A} earns {0} dollars.", "{B} pays {A} back {0} dollars."),
        "lose": ("{A} spends {0} dollars on a gift.", "{A} lends {B} {0} dollars."),
        "grow": ("After a good year it is {0} times as much.",),
        "part": ("{A} spends {part} of it on books.", "{A} gives {part} of it away."),
        "percent": ("{A} puts {0} % of it into a new account and does not touch that.",),
        "groups": ("{A} works {0} days for {1} dollars a day.",),
        "repeated": ("{A} buys {0} tickets at {1} dollars each.",),
    },
    endings={
        "left": ("How many dollars does {A} have left?",),
        "each": ("{A} shares it equally among {0} children. How many dollars does each get?",),
        "both": ("{B} has {0} dollars more than {A} now. How many do they have together?",),
    },
    distractors=(
        "The shop opens at {0} o'clock in the morning.",
        "{B} has {0} cousins.",
        "{A}'s street has {0} lamps.",
    ),
)
WATER = Domain(
    things=("litres",),
    unit="litres",
    start=("A tank holds {0} litres of water.",),
    moves={
        "gain": ("Rain adds {0} litres.", "{A} pours in {0} litres."),
        "lose": ("{A} takes {0} litres for the garden.", "{0} litres leak out."),
        "grow": ("After a storm there is {0} times as much in it.",),
        "part": ("{A} lets out {part} of the water.",),
        "percent": ("In the heat {0} % of the water dries up.",),
        "groups": ("{A} pours in {0} buckets of {1} litres each.",),
        "repeated": ("{B} fills {0} cans of {1} litres each from it.",),
    },
    endings={
        "left": ("How many litres are in the tank now?",),
        "each": ("{A} fills it all into {0} barrels, as much into each. How many litres is that?",),
    },
    distractors=("{B}'s house has {0} windows.", "{A} lives {0} kilometres away."),
)
LIBRARY = Domain(
    things=("books", "records", "maps", "games"),
    start=("A library has {0} {things}.",),
    moves={
        "gain": ("It buys {0} more.", "A reader gives it {0} more."),
        "lose": ("{A} borrows {0} of them.", "{0} of them are too worn and are thrown away."),
        "grow": ("Ten years later it has {0} times as many.",),
        "part": ("For a year, {part} of them go to another town.",),
        "percent": ("A flood ruins {0} % of them.",),
        "groups": ("It gets {0} crates with {1} {things} in each.",),
        "repeated": ("On each of {0} days, {1} are lent out and do not come back.",),
    },
    endings={
        "left": ("How many {things} does the library have now?",),
        "each": ("They stand on {0} shelves, as many on each. How many are on one shelf?",),
        "worth": ("It insures each for {0} dollars. For how many dollars are they all insured?",),
    },
    distractors=("{A} has worked there for {0} years.", "The reading room has {0} windows."),
)
ORCHARD = Domain(
    things=("pears", "plums", "cherries", "peaches", "figs"),
    start=("{A} picks {0} {things} in the morning.",),
    moves={
        "gain": ("Later {A} picks {0} more.", "{B} adds {0}."),
        "lose": ("Birds eat {0} of them.", "{A} throws {0} bad ones away."),
        "grow": ("By the evening there are {0} times as many.",),
        "part": ("{B} cooks {part} of them.",),
        "percent": ("{0} % of them are dried.",),
        "groups": ("{B} brings {0} baskets with {1} {things} in each.",),
        "repeated": ("{A} gives {0} neighbours {1} each.",),
    },
    endings={
        "left": ("How many {things} are left?",),
        "each": ("They go into {0} jars, as many into each. How many are in one jar?",),
        "worth": ("Each is sold for {0} cents. How many cents does that make?",),
    },
    worth="cents",
    distractors=("The orchard has {0} trees.", "{B} is {0} years old."),
)
SEEN: dict[str, Domain] = {"counted": COUNTED, "money": MONEY, "water": WATER}
HELD_OUT: dict[str, Domain] = {"library": LIBRARY, "orchard": ORCHARD}
DOMAINS = {**SEEN, **HELD_OUT}
NAMES = (
    *("Amara", "Ben", "Chloe", "Daichi", "Elif", "Farid", "Greta", "Hassan", "Ines", "Jonas"),
    *("Kavya", "Liam", "Mei", "Noor", "Omar", "Paula", "Quinn", "Rosa", "Samir", "Tala"),
    *("Uma", "Viktor", "Wen", "Ximena", "Yusuf", "Zoe", "Anton", "Bianca", "Chidi", "Dilnoza"),
)
