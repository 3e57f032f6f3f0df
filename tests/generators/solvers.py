"""Each kind's questions answered from a sample's facts and its question alone, by other means.

Nothing of the generators is used but their names; what is said in `facts` and in the question
must be enough.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import sympy
from chart_solver import chart

from gnomon.sample import Box, Boxes, LabelledBox, Number, Sample, Spot, Spots, Text, Time


def check(sample: Sample) -> None:
    """Fail unless the facts and the question lead to the target."""
    kind = sample.id.partition("-v")[0]
    found = SOLVERS[kind](sample.facts, sample.question)
    told, value = sample.target, (found[0] if isinstance(found, tuple) else found)
    if isinstance(told, Number):
        assert Fraction(told.value) == Fraction(value), (sample.id, sample.question, told, found)
        if isinstance(found, tuple):
            assert told.unit == found[1], (sample.id, sample.question, told, found)
    elif isinstance(told, Text):
        assert told.text == value, (sample.id, sample.question, told, found)
        for choice in told.choices:
            assert choice.casefold() in sample.question.casefold() or len(told.choices) == 7
    else:
        assert told == value, (sample.id, sample.question, told, found)


def clock(facts, question):
    """From the angles of the hands."""
    if "clocks" in facts:
        return _clocks(facts, question)
    angles, hours = facts["angles"], 24 if facts["style"]["numerals"] == "arabic-24" else 12
    if "angle" in question:
        hands = [Fraction(angles[name]).limit_denominator(240) for name in ("hour", "minute")]
        apart = abs(hands[0] - hands[1])
        return Decimal(round(10 * min(apart, 360 - apart))).scaleb(-1)
    if "fit together" in question:
        hour = 360 / hours
        off = (angles["hour"] - angles["minute"] * hour / 360 + hour / 2) % hour - hour / 2
        return "valid" if abs(off) < 1 else "invalid"
    if "next full hour" in question:
        return 60 - _read(facts, False) // 60 % 60
    if "its box" in question:
        return Box(*facts["case_box"])
    if "window" in question or "day of the month" in question:
        return facts["date"]["day"]
    words, with_seconds = "in words" in question, "HH:MM:SS" in question or "seconds" in question
    seconds = _read(facts, with_seconds) + 60 * _minutes_on(question, hours)
    form = "words" if words else "json" if "JSON" in question else "digits"
    return Time(seconds % (3600 * hours), hours, with_seconds, form)


def _clocks(told, question):
    """Of several clocks in a row."""
    clocks = told["clocks"]
    names = ["left", *["middle"] * (len(clocks) - 2), "right"]
    if said := re.search(r"Which clock shows ([\d:]+)\?", question):
        hour, minute, *second = map(int, said[1].split(":"))
        wanted = hour * 3600 + minute * 60 + sum(second)
        period = 86400 if clocks[0]["style"]["numerals"] == "arabic-24" else 43200
        return next(name for name, facts in zip(names, clocks, strict=True)
                    if _read(facts, bool(second)) == wanted % period)  # fmt: skip
    if said := re.search(r"The (\w+) and the (\w+) clock show", question):
        return max(said.groups(), key=lambda name: _read(clocks[names.index(name)], True))
    named = re.search(r"Look at the (\w+) clock", question)[1]
    asked = {name: told[name] for name in told.keys() & {"case_box"}}
    return clock(clocks[names.index(named)] | asked, question)


def _read(facts, with_seconds):
    """Seconds since twelve or midnight, to the minute begun unless the seconds are wanted."""
    angles, hours = facts["angles"], 24 if facts["style"]["numerals"] == "arabic-24" else 12
    if list(angles) == ["hour"]:
        return 60 * round(angles["hour"] * hours / 6)
    minute, hour = int(angles["minute"] / 6 + 1e-6), int(angles["hour"] * hours / 360 + 1e-6)
    second = round(angles["second"] / 6) if with_seconds and "second" in angles else 0
    return hour * 3600 + minute * 60 + second


def _minutes_on(question, hours):
    """By how many minutes the answer is later than the clock."""
    if said := re.search(r"The (\w+) hand is turned (\w+) by ([\d.]+) degrees", question):
        minutes = Fraction(said[3]) / (6 if said[1] == "minute" else Fraction(6, hours))
        return int(minutes) * (1 if said[2] == "clockwise" else -1)
    length = r"((?:\d+ hours?)?(?: and )?(?:\d+ minutes?)?)"
    said = re.search(rf"(?:in|was it|another is) {length}( ago| ahead| behind|)[?.]", question)
    if said is None:
        return 0
    parts = re.findall(r"(\d+) (hour|minute)", said[1])
    minutes = sum(int(number) * (60 if unit == "hour" else 1) for number, unit in parts)
    return -minutes if said[2] in (" ago", " behind") else minutes


def gauge(facts, question):
    """From the values on the scale."""
    value, high, unit = Decimal(facts["value"]), Decimal(facts["high"]), facts["unit"]
    if "its box" in question:
        return Box(*facts["case_box" if facts["question"] == "find" else "pointer_box"])
    if "the triangle" in question:
        return abs(value - Decimal(facts["target"])), unit
    if "percentage" in question:
        return round(100 * value / high, 1), "%"
    if "Is " in question:
        low, top = map(Decimal, re.search(r"between (\S+) and (\S+) ", question).groups())
        return "yes" if low < value < top else "no"
    if "zone" in question:
        return next(z["name"] for z in facts["zones"]
                    if Decimal(z["from"]) <= value <= Decimal(z["to"]))  # fmt: skip
    assert f"in {'inches' if unit == 'in' else unit}" in question
    return value, unit


def counter(facts, question):
    """From the figures at rest and the turn of the last wheel."""
    turn, digits = Decimal(facts["turn"]), facts["digits"]
    positions, rest = [cell["position"] for cell in facts["cells"]], turn
    for figure, position in zip(reversed(digits), reversed(positions), strict=True):
        assert abs(position - float(int(figure) + rest)) < 0.006
        if facts["face"] == "dials":  # each pointer turns ten times as slowly as the next
            rest = (int(figure) + rest) / 10
        else:  # a wheel turns with the one on its right while that goes from 9 to 0
            rest = max(Decimal(0), int(figure) + rest - 9)
    if "its box" in question:
        return Box(*facts["case_box"])
    if "the box of each" in question:
        figure = re.search(r"every (\d) of", question)
        pairs = zip(digits, facts["figure_boxes"], strict=True)
        return _labelled((one, box) for one, box in pairs if figure is None or one == figure[1])
    if "wheel" in question:
        tenths = 10 * (int(digits[-1]) + turn)
        return Decimal(int(tenths + Decimal("0.5")) % 100) / 10
    whole = len(digits) - facts["decimals"]
    return Decimal(f"{digits[:whole]}.{digits[whole:]}")


def _labelled(pairs):
    return Boxes(tuple(LabelledBox(label, Box(*box)) for label, box in pairs))


def face(facts, question):
    """From the value shown, by what each instrument's maker would say; parts must agree with it."""
    for part in facts["parts"].values():
        if "degrees" in part:
            low, high = (
                Decimal(facts["parts"][_track(facts, part)][end]) for end in ("low", "high")
            )
            assert float(low) <= part["number"] <= float(high)
            around = [float(tick["value"]) for tick in part["neighbours"]]
            if around:  # its track has ticks
                assert around[0] <= part["number"] + 1e-9
                assert part["number"] <= around[1] + 1e-9 or around[1] == float(low)
    if facts["question"] == "where":
        (box,) = [part["box"] for part in facts["parts"].values() if "track" in part]
        return Box(*box)
    if "its box" in question:
        return Box(*facts["case_box"])
    value, reading = Decimal(facts["value"]), facts["reading"]
    if facts["question"] in ("difference", "percent", "zone", "in_range"):
        hand = next(part for part in facts["parts"].values() if part.get("number") == float(value))
        shown = Decimal(facts["readings"][reading].split()[0])
        high = facts["parts"][_track(facts, hand)]["high"]
        return gauge(facts | {"value": f"{shown}", "high": high}, question)
    if facts["name"] == "clock":
        hands = {
            name: part["degrees"] for name, part in facts["parts"].items() if "degrees" in part
        }
        seconds = round(hands["second"] / 6) if "second" in hands else 0
        minute = round(hands["minute"] * 10 - seconds) // 60 % 60
        hour = round((hands["hour"] * 120 - minute * 60 - seconds) / 3600) % 12
        return Time(hour * 3600 + minute * 60 + seconds, 12, "second" in hands)
    if facts["name"] not in _READ:  # a user's own
        return Decimal(facts["readings"][reading].split()[0])
    return _READ[facts["name"]](value, reading, facts)


def _track(facts, part):
    names = [name for name in facts["parts"] if name.split(".")[-1] == part["track"]]
    turned = [n for n in names if part["number"] <= float(facts["parts"][n]["high"])]
    return turned[0]


def _nearest(step, number):
    """The nearest multiple of a step; halves go up, below zero, too."""
    return math.floor(number / Decimal(step) + Decimal("0.5")) * Decimal(step)


def _dial_indicator(value, reading, facts):
    hundredths = _nearest(1, 100 * value)
    return {
        "value": (hundredths / 100, "mm"),
        "ring": (hundredths % 100, ""),
        "turns": (value // 1, ""),
    }[reading]


def _barometer(value, reading, facts):
    if reading == "value":
        return _nearest(1, value), facts["unit"]
    if facts["unit"] == "hPa":
        return _nearest(1, value * Decimal("0.750062")), "mmHg"
    return _nearest("0.1", value * Decimal("0.02953")), "inHg"


def _panel(value, reading, facts):
    """Half of a tick or less, by the end of the scale."""
    steps = {"300": "2.5", "500": "5", "15": "0.25", "30": "0.5"}
    step = steps[facts["parts"]["scale"]["high"]]
    return _nearest(step, value), "V"


def _ammeter(value, reading, facts):
    high = facts["parts"]["scale"]["high"]
    return _nearest({"30": "0.25", "100": "1", "5": "0.05"}[high], value), facts["unit"]


def _speedometer(value, reading, facts):
    if reading == "value":
        return _nearest(1, value), facts["unit"]
    shown = facts["parts"]["odometer"]
    step = Decimal(1).scaleb(-shown["decimals"])
    return Decimal(str(shown["number"])) // step * step, "mi" if facts["unit"] == "mph" else "km"


def _stopwatch(value, reading, facts):
    fifths = _nearest(1, 5 * value)
    return {
        "value": (fifths / 5, "s"),
        "seconds": (fifths % 300 / 5, "s"),
        "minutes": (value // 60, "min"),
    }[reading]


def _water_meter(value, reading, facts):
    if reading == "value":
        return Decimal(math.floor(value * 10000)) / 10000, "m³"
    if reading == "register":
        step = Decimal(1).scaleb(-facts["parts"]["register"]["decimals"])
        return value // step * step, "m³"
    factor = Decimal(re.match(r"x(\S+)", reading)[1])
    return _nearest("0.1", value / factor) % 10, ""


def _electricity_meter(value, reading, facts):
    whole = f"{math.floor(value):05}"
    if reading == "value":
        return Decimal(whole), "kWh"
    return Decimal(
        whole[["first", "second", "middle", "fourth", "last"].index(reading.split()[0])]
    ), ""


def _counter_face(value, reading, facts):
    window = facts["parts"]["figures"]
    step, is_display = Decimal(1).scaleb(-window["decimals"]), window["style"] in ("lcd", "led")
    shown = _nearest(step, value) if is_display else value
    if reading != "value":
        last = shown / step % 10
        return last if is_display else _nearest("0.1", last) % 10, ""
    return shown // step * step, ""


def _round_gauge(value, reading, facts):
    if reading == "psi":
        return _nearest(1, value * Decimal("14.5038")), "psi"
    if facts["unit"] in ("Pa", "mbar"):  # half of a tick, of which each decade has nine
        half = Decimal(5).scaleb(value.adjusted() - 1)
        return _nearest(half, value), facts["unit"]
    high = facts["parts"]["scale"]["high"]
    steps = {"10": "0.1", "16": "0.25", "5": "0.1", "160": "2", "120": "1", "1000": "1"}
    return _nearest(steps[high], value), facts["unit"]


def _kitchen_scale(value, reading, facts):
    if reading == "pounds":
        return _nearest("0.2", value * Decimal("2.2046")), "lb"
    steps = {"5": "0.05", "10": "0.1", "25": "0.25", "1000": "10", "500": "5", "20": "0.25"}
    return _nearest(steps[facts["parts"]["scale"]["high"]], value), facts["unit"]


def _ruler(value, reading, facts):
    steps = {"15": "0.1", "10": "0.1", "5": "0.05", "100": "1", "6": "0.125"}
    return _nearest(steps[facts["parts"]["scale"]["high"]], value), facts["unit"]


def _cylinder(value, reading, facts):
    steps = {"100": "1", "50": "0.5", "25": "0.25", "250": "2.5"}
    return _nearest(steps[facts["parts"]["scale"]["high"]], value), "mL"


_READ = {
    "scale": _kitchen_scale,
    "ruler": _ruler,
    "measuring cylinder": _cylinder,
    "gauge": _round_gauge,
    "compass": lambda value, *_: (_nearest(1, value) % 360, "°"),
    "bathroom scale": lambda value, *_: (_nearest("0.5", value), "kg"),
    "counter": _counter_face,
    "display": lambda value, _, facts: (value, facts["unit"]),
    "dial": lambda value, *_: (_nearest("0.1", value) % 10, ""),
    "dial indicator": _dial_indicator,
    "pressure gauge": lambda value, *_: (_nearest("0.01", value), "MPa"),
    "barometer": _barometer,
    "hygrometer": lambda value, *_: (_nearest(1, value), "%"),
    "voltmeter": _panel,
    "ammeter": _ammeter,
    "speedometer": _speedometer,
    "stopwatch": _stopwatch,
    "water meter": _water_meter,
    "electricity meter": _electricity_meter,
    "thermometer": lambda value, reading, _: (
        (_nearest(1, value), "°C")
        if reading == "value"
        else (_nearest(1, value * 9 / 5 + 32), "°F")
    ),
}


_ENDS = {"leftmost": (0, min), "rightmost": (0, max), "topmost": (1, min), "lowest": (1, max)}
_SIDES = {"left of": (0, 1), "right of": (0, -1), "above": (1, 1), "below": (1, -1)}
_WAYS = {"further left": "left of", "further right": "right of", "higher up": "above",
         "lower down": "below"}  # fmt: skip


def scene(facts, question):
    """From the things' words and boxes: an expression must mean one of them."""
    things = facts["things"]
    if "How many" in question:
        said = facts["said"].items()
        assert all(word[:3] in question for _, word in said)  # leaf, leaves
        return sum(all(thing[name] == word for name, word in said) for thing in things)
    if question.startswith("Find all"):
        said = facts["said"]
        assert all(word[:3] in question for word in said.values())
        fitting = [
            thing for thing in things if all(thing[name] == word for name, word in said.items())
        ]
        return _labelled(
            (f"{said.get('colour', '')} {one['name']}".strip(), one["box"]) for one in fitting
        )
    if said := re.search(r"^Where is the (.+)\? Give", question):
        return Box(*_meant(things, said[1])["box"])
    if said := re.search(r"^What colour is the (.+): ", question):
        return _meant(things, said[1])["colour"]
    if said := re.search(r"^Is the (.+) (left of|right of|above|below) the (.+)\? ", question):
        one, other = (_meant(things, said[group]) for group in (1, 3))
        return "yes" if _lies(one, said[2], other) else "no"
    way, *texts = re.search(r"^Which is (.+), the (.+) or the (.+)\?", question).groups()
    one, other = (_meant(things, text) for text in texts)
    return f"the {texts[0 if _lies(one, _WAYS[way], other) else 1]}"


def _meant(things, expression):
    """The only thing with all these words, or the furthest with the others."""
    ends = [word for word in expression.split() if word in _ENDS]
    plain = " ".join(word for word in expression.split() if word not in _ENDS)
    fitting = [
        thing
        for thing in things
        if plain.endswith(thing["name"])
        and all(
            word in (thing["size"], thing["colour"])
            for word in plain.removesuffix(thing["name"]).split()
        )
    ]
    for end in ends:
        axis, furthest = _ENDS[end]
        fitting = [furthest(fitting, key=lambda thing: _middle(thing, axis))]
    (found,) = fitting
    return found


def _middle(thing, axis):
    return (thing["box"][axis] + thing["box"][axis + 2]) / 2


def _lies(one, side, other):
    axis, sign = _SIDES[side]
    return sign * (_middle(other, axis) - _middle(one, axis)) > 0


def text_spotting(facts, question):
    """From the texts, their colours and their boxes."""
    texts = facts["texts"]
    if said := re.search(r'say "(.+)"\? Give', question):
        (found,) = [one for one in texts if one["text"] == said[1]]
        return Box(*found["box"])
    if said := re.search(
        r'^Find (?:every place that says "(.+)"|all (?:(\w+) )?texts)\.', question
    ):
        text, colour = said.groups()
        fitting = [one for one in texts if text in (None, one["text"])]
        return _labelled(
            (one["text"], one["box"]) for one in fitting if colour in (None, one["colour"])
        )
    if "List every text" in question:
        return Spots(tuple(Spot(one["text"], Box(*one["box"])) for one in texts))
    colour = re.search(r"the (?:(.+) )?text say", question)[1]
    (found,) = [one for one in texts if colour in (None, one["colour"])]
    return found["text"]


_DONE = {
    "gain": lambda q, n: q + n,
    "lose": lambda q, n: q - n,
    "grow": lambda q, k: q * k,
    "part": lambda q, k: q - q / k,
    "percent": lambda q, p: q - q * p / 100,
    "groups": lambda q, k, n: q + k * n,
    "repeated": lambda q, k, n: q - k * n,
    "left": lambda q: q,
    "each": lambda q, k: q / k,
    "worth": lambda q, p: q * p,
    "both": lambda q, n: q + (q + n),
}


def word_problem(facts, question):
    """What happens, done one after the other."""
    assert str(facts["start"]) in question
    quantity = Fraction(facts["start"])
    for name, *numbers in [*facts["steps"], facts["ending"]]:
        quantity = _DONE[name](quantity, *numbers)
    return quantity


SIGNS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: lambda a, b: a ** int(b),
}


def worked(expression: str) -> Fraction:
    """What an expression comes to, by Python's own parser and exact fractions."""
    text = expression.translate(str.maketrans({"×": "*", "÷": "/", "^": "**"}))

    def value(node: ast.expr) -> Fraction:
        if isinstance(node, ast.BinOp):
            return SIGNS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand)
        return Fraction(ast.get_source_segment(text, node))

    return value(ast.parse(text, mode="eval").body)


UNITS = (
    {"mm": 1, "cm": 10, "m": 1000, "km": 10**6},
    {"inches": 1, "feet": 12, "yards": 36},
    {"mg": 1, "g": 1000, "kg": 10**6, "tonnes": 10**9},
    {"ml": 1, "cl": 10, "litres": 1000, "m³": 10**6},
    {"cm²": 1, "m²": 10**4, "hectares": 10**8, "km²": 10**10},
    {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400},
    {"km/h": 5, "m/s": 18},
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def arithmetic(facts, question):
    """From the question's own numbers, by fractions, sympy and datetime."""
    for pattern, solve in _TASKS.items():
        if said := re.search(pattern, question):
            return solve(facts, *said.groups())
    value = worked(facts["expression"])
    assert facts["expression"] in question
    return str(value) if "lowest terms" in question else value


def _converted(facts, new, given, old):
    table = next(units for units in UNITS if old in units)
    return Fraction(given) * table[old] / table[new], new


def _in_base(facts, base, a, sign, b):
    value = int(a, int(base)) + (1 if sign == "+" else -1) * int(b, int(base))
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = ""
    while value:
        value, digit = divmod(value, int(base))
        text = digits[digit] + text
    return (text.upper() if a.upper() == a else text) or "0"


def _next(facts, rule, listed):
    terms = [int(term) for term in listed.split(", ")]
    steps = [b - a for a, b in pairwise(terms)]
    if "plus the same" in rule:
        return terms[-1] + steps[-1]
    if "times the same" in rule:
        return Fraction(terms[-1] ** 2, terms[-2])
    if "differences grow" in rule:
        return terms[-1] + 2 * steps[-1] - steps[-2]
    return terms[-1] + terms[-2]


def _rounded(facts, number):
    step = Fraction(10) ** -facts["places"]
    scaled = abs(Fraction(number)) / step
    whole = scaled.numerator // scaled.denominator
    whole += scaled - whole >= Fraction(1, 2)
    return whole * step * (-1 if number.startswith("-") else 1)


def _root(facts, of):
    return int(sympy.floor(sympy.root(int(of), facts["degree"]) + sympy.Rational(1, 2)))


def _surd(facts, of):
    outer, inner = sympy.sqrt(int(of)).args
    return f"{outer}√{inner.args[0]}"


def _shifted(facts, length, way, start):
    minutes = sum(int(n) * (60 if unit == "hour" else 1)
                  for n, unit in re.findall(r"(\d+) (hour|minute)", length))  # fmt: skip
    at = datetime.strptime(start, "%H:%M") + timedelta(
        minutes=minutes if way == "after" else -minutes
    )
    return Time(at.hour * 3600 + at.minute * 60, 24)


def _minutes(facts, start, end):
    first, last = (datetime.strptime(text, "%H:%M") for text in (start, end))
    return (last - first) // timedelta(minutes=1), "minutes"


def _day(text):
    return datetime.strptime(text, "%d %B %Y").date()


_TASKS = {
    r"^How many (\S+) are (\S+) (\S+)\?": _converted,
    r"In base (\d+), what is (\w+) ([+-]) (\w+)": _in_base,
    r"^(.+) What comes next: (.+)\?": _next,
    r"^Round (\S+) to": _rounded,
    r"root of (\d+) to": _root,
    r"^Simplify √(\d+)": _surd,
    r"remainder when (\d+) is divided by (\d+)": lambda _, a, b: int(a) % int(b),
    r"^Which is (less|greater|more): (\S+) or (\S+)\?": lambda _, way, *pair: (
        min if way == "less" else max
    )(pair, key=Fraction),
    r"What time is it (.+) (after|before) (\d+:\d+)": _shifted,
    r"How many minutes are there from (\S+) to (\S+)\?": _minutes,
    r"What date is (\d+) days (after|before) (.+?)\?": lambda _, days, way, start: (
        f"{_day(start) + timedelta(int(days) if way == 'after' else -int(days)):%Y-%m-%d}"
    ),
    r"How many days are there from (.+) to (.+)\?": lambda _, start, end: (
        (_day(end) - _day(start)).days,
        "days",
    ),
    r"Today is (\w+)\. .*? (\d+) days (from now|ago)": lambda _, start, days, way: _DAYS[
        (_DAYS.index(start) + (int(days) if way == "from now" else -int(days))) % 7
    ],
}

SOLVERS = {
    "arithmetic": arithmetic,
    "chart": chart,
    "clock": clock,
    "counter": counter,
    "face": face,
    "gauge": gauge,
    "scene": scene,
    "text_spotting": text_spotting,
    "word_problem": word_problem,
}
