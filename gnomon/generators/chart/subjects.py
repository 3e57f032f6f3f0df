"""What charts are about: measures with their units, and what they are counted over."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class Topic(NamedTuple):
    """Something that has a value."""

    measure: str
    unit: str
    low: int
    high: int
    places: int = 0
    """Decimals that are shown; low and high count the last of them."""
    over: tuple[str, ...] = ("city", "country")
    """What it may be told of, besides times."""


class Rows(NamedTuple):
    """What the values belong to."""

    each: str
    """One of them, in a question."""
    names: tuple[str, ...]
    ordered: bool = False


_TEAMS = ("department",)
_FIRMS = ("city", "country", "department")
TOPICS = (
    Topic("rainfall", "mm", 5, 180),
    Topic("revenue", "million USD", 20, 950, 1, _FIRMS),
    Topic("turnover", "thousand EUR", 15, 900, 0, _FIRMS),
    Topic("average salary", "thousand USD", 22, 140, 0, (*_FIRMS, "language")),
    Topic("ticket price", "USD", 150, 9900, 2, ("sport", "city")),
    Topic("number of users", "million", 12, 480, 1, ("language", "country")),
    Topic("number of visitors", "thousand", 10, 400),
    Topic("electricity use", "GWh", 120, 980, 0, _FIRMS),
    Topic("number of members", "persons", 15, 240, 0, ("sport", "city", "country")),
    Topic("waiting time", "minutes", 20, 590, 1, _FIRMS),
    Topic("sunshine", "hours", 20, 320),
    Topic("harvest", "thousand tonnes", 8, 96, 0, ("country", "fruit")),
    Topic("rent", "EUR", 240, 1900),
    Topic("score", "points", 12, 100, 0, ("department", "city", "language")),
    Topic("book sales total", "copies", 40, 860, 0, ("city", "country", "language")),
    Topic("wind speed", "km/h", 40, 780, 1),
    Topic("training time", "hours", 20, 190, 1, ("sport", "department")),
    Topic("water level", "cm", 30, 520),
    Topic("number of employees", "persons", 20, 700, 0, _TEAMS),
    Topic("fuel use", "thousand litres", 35, 640, 1, _FIRMS),
    Topic("number of projects", "projects", 3, 90, 0, ("language", "department")),
    Topic("run time", "seconds", 12, 460, 1, ("language",)),
    Topic("number of sightings", "animals", 4, 160, 0, ("animal",)),
    Topic("distance walked in a day", "km", 10, 240, 1, ("animal",)),
    Topic("price per kilo", "EUR", 80, 950, 2, ("fruit",)),
    Topic("sugar", "grams", 10, 240, 1, ("fruit",)),
)
SHARES = (
    Topic("budget share", "%", 0, 100),
    Topic("market share", "%", 0, 100),
    Topic("share of votes", "%", 0, 100),
    Topic("share of trips", "%", 0, 100),
    Topic("share of time", "%", 0, 100),
)
AMOUNTS = (
    Topic("spending", "EUR", 120, 980),
    Topic("carbon output", "tonnes", 15, 240),
    Topic("number of answers", "persons", 20, 180),
    Topic("land use", "hectares", 40, 760, 1),
)
"""Of parts of a whole."""
NEGATIVE = (
    Topic("temperature", "°C", -240, 340, 1),
    Topic("profit", "million USD", -60, 90, 0, _FIRMS),
    Topic("change in sales", "%", -35, 40, 0, ("department", "fruit", "country")),
    Topic("population growth", "%", -28, 45, 1),
    Topic("trade balance", "billion EUR", -80, 110),
    Topic("price change", "%", -120, 160, 1, ("fruit", "country")),
)
WIDE = (
    Topic("number of downloads", "downloads", 20, 100_000, 0, ("language", "country")),
    Topic("bacteria count", "per ml", 200, 1_000_000, 0, ("fruit", "animal")),
    Topic("population", "persons", 200, 1_000_000),
    Topic("number of page views", "views", 20, 1_000_000),
    Topic("light level", "lux", 10, 100_000),
    Topic("insect count", "insects", 20, 100_000, 0, ("country", "city")),
)
COUNTED = (
    Topic("number of people", "people", 2, 60),
    Topic("number of days", "days", 1, 40),
    Topic("number of parcels", "parcels", 3, 90),
    Topic("number of runs", "runs", 2, 120),
)
BINNED = (
    (Topic("age", "years", 0, 100), (5, 10)),
    (Topic("height", "cm", 120, 215), (5, 10)),
    (Topic("weight", "kg", 40, 140), (2, 5)),
    (Topic("delay", "minutes", 0, 120), (2, 5, 10)),
    (Topic("speed", "km/h", 10, 250), (10, 20)),
    (Topic("price", "EUR", 0, 900), (10, 50)),
)
"""What is sorted into bins, within which limits, and how wide the bins may be."""
ACROSS = (
    Topic("height", "cm", 130, 200),
    Topic("age", "years", 1, 90),
    Topic("distance", "km", 1, 120),
    Topic("temperature", "°C", 1, 60),
    Topic("weight", "kg", 2, 150),
    Topic("price", "EUR", 5, 240),
    Topic("practice time", "hours", 1, 80),
)
"""Measures along the lower axis of a scatter."""
GROWN = (
    Topic("score", "points", 5, 100),
    Topic("pulse", "beats/min", 50, 180),
    Topic("output", "pieces", 10, 500),
    Topic("energy", "kJ", 20, 900),
    Topic("crop yield", "tonnes", 3, 90),
    Topic("time", "minutes", 5, 200),
)
"""Measures along the side axis of a scatter."""
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_TIMES = {
    "month": _MONTHS,
    "year": "2009 2010 2011 2012 2013 2014 2015 2016 2017 2018 2019 2020 2021 2022 2023 2024 2025",
    "day": "Mon Tue Wed Thu Fri Sat Sun",
    "quarter": "Q1_22 Q2_22 Q3_22 Q4_22 Q1_23 Q2_23 Q3_23 Q4_23 Q1_24 Q2_24 Q3_24 Q4_24",
    "date": " ".join(f"{day}_{month}" for month in _MONTHS.split() for day in (1, 8, 15, 22)),
    "week": "W1 W2 W3 W4 W5 W6 W7 W8 W9 W10 W11 W12 W13 W14 W15 W16 W17 W18 W19 W20",
}
_THINGS = {
    "city": "Oslo Lima Cairo Quito Paris Delhi Tokyo Lagos Perth Rome Kyiv Hanoi Turin Porto Seoul"
    " Mexico_City Buenos_Aires San_Francisco Kuala_Lumpur Addis_Ababa",
    "country": "Chile Kenya Japan Norway Spain Ghana Peru Italy India Egypt Nepal Brazil Canada"
    " United_Kingdom South_Africa New_Zealand Saudi_Arabia Czech_Republic",
    "fruit": "Apple Pear Plum Grape Lemon Mango Kiwi Cherry Melon Peach Fig Orange",
    "department": "Sales Legal Design IT Finance Support Store Lab Press Export Health Law"
    " Customer_support Human_resources Public_relations Research_and_design Data_protection",
    "sport": "Tennis Rowing Judo Golf Skiing Boxing Rugby Diving Chess Hockey Sailing Polo",
    "language": "Python Rust Java Go Swift Ruby Kotlin Perl Julia Scala Lua Dart",
    "animal": "Owl Fox Deer Hare Boar Lynx Otter Badger Heron Wolf Stork Mole",
}


def _rows(names: dict[str, str], *, ordered: bool) -> tuple[Rows, ...]:
    return tuple(
        Rows(each, tuple(name.replace("_", " ") for name in text.split()), ordered)
        for each, text in names.items()
    )


_DAYS = tuple(f"2024-{m:02}-{d:02}" for m in range(1, 13) for d in (5, 12, 19, 26))
ROWS = (
    *_rows(_TIMES, ordered=True), Rows("date", _DAYS, True), *_rows(_THINGS, ordered=False),
)  # fmt: skip
SERIES = (
    ("North", "South", "East", "West"),
    ("Group 1", "Group 2", "Group 3", "Group 4"),
    ("Plan A", "Plan B", "Plan C", "Plan D"),
    ("Coast", "Valley", "Hills", "Plain"),
    ("Site A", "Site B", "Site C", "Site D"),
    ("Owls", "Foxes", "Hares", "Otters"),
    ("Coastal region", "Inland region", "Mountain region", "Island region"),
    ("Northern district", "Southern district", "Eastern district", "Western district"),
    ("Region 1", "Region 2", "Region 3", "Region 4"),
    ("Alpha", "Beta", "Gamma", "Delta"),
)
PARTS = (
    ("Rent", "Food", "Travel", "Clothes", "Energy", "Savings", "Culture", "Other"),
    ("Walk", "Bus", "Train", "Car", "Bike", "Tram", "Ferry", "Taxi"),
    ("Wheat", "Rice", "Maize", "Oats", "Barley", "Rye", "Soy", "Millet"),
    ("Work", "Sleep", "Sport", "Study", "Meals", "Reading", "Music", "Chores"),
    (
        "Rent and heating",
        "Food and drink",
        "Public transport",
        "Clothes and shoes",
        "Insurance",
        "Savings plan",
        "Holidays",
        "Everything else",
    ),
    ("Acme", "Borea", "Cedar", "Delta", "Ember", "Fjord", "Grove", "Haven"),
)
"""What a whole is made of."""
AFFIXES = {
    "%": ("", "%"), "USD": ("$", ""), "EUR": ("€", ""), "thousand": ("", "k"),
    "million": ("", "M"), "thousand USD": ("$", "k"), "million USD": ("$", "M"),
    "thousand EUR": ("€", "k"), "million EUR": ("€", "M"), "billion EUR": ("€", "B"),
}  # fmt: skip
"""What charts write before and after a number in place of its unit."""
TRAITS = (
    ("Speed", "Power", "Range", "Price", "Style", "Safety", "Noise", "Space"),
    ("Taste", "Smell", "Colour", "Price", "Crunch", "Health", "Size", "Look"),
    ("Logic", "Memory", "Focus", "Speech", "Maths", "Art", "Music", "Sport"),
)
LETTERS = tuple("ABCDEFGHIJKLMNOPQRST")
FIVE = ("minimum", "lower quartile", "median", "upper quartile", "maximum")
"""What a box plot shows of each group."""


@cache
def letters() -> str:
    """All that a font must have for what charts are about."""
    return "".join(sorted(_letters([told for name, told in globals().items() if name.isupper()])))


def _letters(told: object) -> set[str]:
    if isinstance(told, str):
        return set(told)
    return {c for each in told for c in _letters(each)} if isinstance(told, list | tuple) else set()


@cache
def groups(topic: Topic, rows: int, longest: int, *, ordered: bool) -> tuple[Rows, ...]:
    """What a topic may be told of, with so many names at the least; only times where ordered."""
    short = (
        group._replace(names=tuple(name for name in group.names if len(name) <= longest))
        for group in ROWS
        if group.ordered or (not ordered and group.each in topic.over)
    )
    return tuple(group for group in short if len(group.names) >= rows)
