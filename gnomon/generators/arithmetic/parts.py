"""Fractions, roots, rounding, comparison, number bases, sequences, units, times of day and
dates."""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np

from gnomon.files import read_toml
from gnomon.generators.arithmetic.whole import ArithmeticLevel, Problem, random_number_with_digits
from gnomon.generators.rng import Rng
from gnomon.generators.wording import decimal_text, duration, exact_number
from gnomon.sample import Text, Time

_TABLES = read_toml(__file__, "tables.toml")
WEEKDAYS: tuple[str, ...] = tuple(_TABLES["weekdays"])
MONTHS: list[str] = _TABLES["months"]
PLACES: dict[str, str] = _TABLES["places"]
UNITS: dict[str, dict[str, str]] = _TABLES["units"]
_SIGNS = {"+": Fraction.__add__, "-": Fraction.__sub__, "×": Fraction.__mul__}


def fraction(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for 3/4 + 5/6 in lowest terms, also with -, × and ÷."""
    first, second = _random_fraction(rng, level), _random_fraction(rng, level)
    sign = rng.choice("+-×÷")
    value = first / second if sign == "÷" else _SIGNS[sign](first, second)
    # Without brackets, 1/2 ÷ 3/4 would be three divisions in a row.
    text = f"{first} {sign} {second}" if sign in "+-" else f"({first}) {sign} ({second})"
    return Problem.of_fraction(text, value, _fraction_steps(first, sign, second, value))


def _random_fraction(rng: Rng, level: ArithmeticLevel) -> Fraction:
    """Draw a fraction that is not a whole number."""
    # Largest denominators for one digit, two digits, and more.
    below = 2 + rng.integer(0, (12, 30, 99)[min(level.digits[1], 3) - 1] - 2)
    above = rng.integer(1, 2 * below)
    return Fraction(above, below) if above % below else Fraction(above + 1, below)


def _fraction_steps(a: Fraction, sign: str, b: Fraction, value: Fraction) -> tuple[str, ...]:
    if sign in "+-":
        below = a.denominator * b.denominator
        above = f"{a.numerator * b.denominator} {sign} {b.numerator * a.denominator}"
        return (f"({above})/{below} = {value}",)
    if sign == "÷":
        return (f"({a}) × ({1 / b}) = {value}",)
    return (f"({a.numerator} × {b.numerator})/({a.denominator} × {b.denominator}) = {value}",)


def root(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the whole number nearest to a square, cube or fourth root."""
    degree = rng.integer(2, 4)
    near = max(2, random_number_with_digits(rng, min(rng.within(level.digits), 4)))
    # Up to a third of the way to the power of a neighbour. As a root this is less than half.
    low, power, high = ((near + i) ** degree for i in (-1, 0, 1))
    of = rng.integer(power - (power - low) // 3, power + (high - power) // 3)
    name = ("square root", "cube root", "fourth root")[degree - 2]
    question = f"What is the {name} of {of} to the nearest whole number?"
    facts = {"degree": degree, "of": of, "value": str(near)}
    steps = (f"{near}^{degree} = {power}",)
    return Problem(f"root {degree} {of}", question, str(near), steps, facts)


def surd(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask to simplify √72 to 6√2."""
    # Square-free numbers, because nothing more can be taken out of their roots.
    inner = rng.choice((2, 3, 5, 6, 7, 10, 11, 13, 14, 15))
    outer = max(2, random_number_with_digits(rng, min(rng.within(level.digits), 4)))
    of, answer = outer * outer * inner, f"{outer}√{inner}"
    question = f"Simplify √{of}. Answer like 2√3."
    steps = (f"{of} = {outer}^2 × {inner}",)
    return Problem(f"surd {of}", question, Text(answer), steps, {"of": of, "value": answer})


def rounding(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask to round a number to a place. Ties round away from 0, as taught at school."""
    # Places to keep: 2 rounds to hundredths, -2 to hundreds.
    keep = rng.integer(max(-3, 1 - level.digits[1]), 3)
    places = max(0, keep + rng.integer(1, 3))
    whole = level.random_number(rng) * 10**places + rng.integer(0, 10**places - 1) if places else (
        level.random_number(rng)
    )  # fmt: skip
    text = decimal_text(whole, places)
    step = Decimal(1).scaleb(-keep)
    answer = f"{(Decimal(text) / step).quantize(Decimal(1), ROUND_HALF_UP) * step:f}"
    question = f"Round {text} to {PLACES[str(keep)]}."
    facts = {"number": text, "places": keep, "value": answer}
    return Problem(f"round {text} {keep}", question, answer, (), facts)


def comparison(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the greater or smaller of two decimals of different length, or of two fractions."""
    # Models often fail on decimals of different length (9.11 and 9.9), so these are asked more
    # often.
    if rng.chance(0.4):
        first, second = str(_random_fraction(rng, level)), str(_random_fraction(rng, level))
    else:
        whole = level.random_number(rng)
        first, second = (_close_decimal(rng, whole) for _ in "ab")
    less = rng.chance(0.5)
    a, b = Fraction(first), Fraction(second)
    # Equal fractions, such as 1/2 and 2/4. One of them is made greater.
    if a == b:
        second = str(b + 1) if "/" in second else f"{second}1"
        b = Fraction(second)
    answer = first if (a < b) == less else second
    question = f"Which is {'less' if less else 'greater'}: {first} or {second}?"
    low, high = sorted((first, second))
    facts = {"first": first, "second": second, "less": less, "value": answer}
    return Problem(f"compare {low} {high}", question, Text(answer, (first, second)), (), facts)


def _close_decimal(rng: Rng, whole: int) -> str:
    """Add one to three random decimal places: 9.11 for a comparison with 9.9."""
    places = rng.integer(1, 3)
    return f"{whole}.{rng.integer(0, 10**places - 1):0{places}}"


def in_base(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for 1011 + 110 in base 2. Bases go from 2 to 16."""
    # Base 10 is left out because it needs no conversion.
    base = rng.choice((2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16))
    first, second = level.random_positive(rng), level.random_positive(rng)
    sign = rng.choice("+-")
    low, high = sorted((first, second))
    value = first + second if sign == "+" else high - low
    # Subtract the smaller number, because a negative number in another base reads oddly.
    a, b = (np.base_repr(n, base) for n in ((first, second) if sign == "+" else (high, low)))
    question = f"In base {base}, what is {a} {sign} {b}?"
    answer = np.base_repr(value, base)
    steps = (f"in base 10: {int(a, base)} {sign} {int(b, base)} = {value}",)
    facts = {"base": base, "first": a, "sign": sign, "second": b, "value": answer}
    return Problem(f"base {base} {low} {sign} {high}", question, Text(answer), steps, facts)


def sequence(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the next number of a sequence: equal steps, equal factors, growing steps, or sums of
    the two numbers before."""
    rule = rng.choice(tuple(_RULES))
    terms = _RULES[rule](rng, level)
    *examples, answer = terms
    text = ", ".join(map(str, examples))
    question = f"{rule} What comes next: {text}?"
    facts = {"rule": rule, "terms": terms, "value": str(answer)}
    return Problem(f"sequence {text}", question, str(answer), _working(rule, terms), facts)


def _equal_steps(rng: Rng, level: ArithmeticLevel) -> list[int]:
    first, step = level.random_number(rng), level.random_positive(rng)
    if rng.chance(0.3):
        step = -step
    return [first + step * i for i in range(rng.integer(4, 6))]


def _equal_factors(rng: Rng, level: ArithmeticLevel) -> list[int]:
    low, high = level.digits
    short = level._replace(digits=(min(low, 3), min(high, 3)))  # the last term is 625 times as much
    first, factor = short.random_positive(rng), rng.integer(2, 5)
    return [first * factor**i for i in range(rng.integer(4, 5))]


def _growing_steps(rng: Rng, level: ArithmeticLevel) -> list[int]:
    first, step, more = level.random_number(rng), level.random_positive(rng), rng.integer(1, 9)
    # Step n is step + n · more. The sum of the steps contains n (n − 1) / 2 times `more`.
    return [first + step * i + more * i * (i - 1) // 2 for i in range(rng.integer(5, 6))]


def _sums_of_two(rng: Rng, level: ArithmeticLevel) -> list[int]:
    terms = [level.random_number(rng), level.random_positive(rng)]
    for _ in range(rng.integer(3, 4)):
        terms.append(terms[-2] + terms[-1])
    return terms


_RULES = {
    "Each term is the one before plus the same number.": _equal_steps,
    "Each term is the one before times the same number.": _equal_factors,
    "The differences grow by the same number each time.": _growing_steps,
    "Each term is the sum of the two before it.": _sums_of_two,
}


def _working(rule: str, terms: list[int]) -> tuple[str, ...]:
    before, last, answer = terms[-3:]
    if "sum of the two" in rule:
        return (f"{before} + {last} = {answer}",)
    if "times" in rule:
        factor = terms[1] // terms[0]
        return (f"{terms[1]} ÷ {terms[0]} = {factor}", f"{last} × {factor} = {answer}")
    step = answer - last
    return (f"the next difference is {step}", f"{last} + {step} = {answer}".replace("+ -", "- "))


def conversion(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for 3.5 km in metres. Only answers with a finite decimal are drawn."""
    quantity = rng.choice(tuple(UNITS))
    names = tuple(UNITS[quantity])
    first = rng.integer(0, len(names) - 1)
    # Any other unit of the same quantity.
    second = (first + rng.integer(1, len(names) - 1)) % len(names)
    old, new = names[first], names[second]
    factor = Fraction(UNITS[quantity][old]) / Fraction(UNITS[quantity][new])
    places = rng.integer(0, 2)
    # A multiple of the factor's denominator without its twos and fives gives a finite decimal.
    whole = level.random_positive(rng) * _without_twos_and_fives(factor.denominator)
    amount = decimal_text(whole, places)
    answer = _finite_decimal(Fraction(amount) * factor)
    question = f"How many {new} are {amount} {old}?"
    factor_text = (
        _finite_decimal(factor) if _without_twos_and_fives(factor.denominator) == 1 else str(factor)
    )
    steps = (f"{amount} × {factor_text} = {answer}",)
    facts = {"given": amount, "from": old, "to": new, "value": answer}
    return Problem(
        f"convert {amount} {old} {new}", question, exact_number(answer, new), steps, facts
    )


def _without_twos_and_fives(denominator: int) -> int:
    """Return the denominator divided by all its twos and fives."""
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator


def _finite_decimal(value: Fraction) -> str:
    """Return the decimal of a fraction whose denominator has only the factors 2 and 5."""
    places = 0
    while value.denominator != 1:
        value, places = value * 10, places + 1
    return decimal_text(value.numerator, places)


# Largest number of days, by digits.
_LONGEST = (1, 30, 365, 1100, 3000, 10_000, 30_000, 100_000)
_FIRST = date(1950, 1, 1)
_DAYS = (date(2050, 1, 1) - _FIRST).days


def time_shift(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the time a given duration after or before another time, on a 24-hour clock."""
    start, later = rng.integer(0, 1439), rng.chance(0.5)
    # Within an hour, ten hours or a day, by the level's digits.
    minutes_apart = rng.integer(1, (59, 599, 1439)[min(level.digits[1], 3) - 1])
    end = (start + minutes_apart if later else start - minutes_apart) % 1440
    span = duration(minutes_apart)
    word = "after" if later else "before"
    question = (
        f"What time is it {span} {word} {_time_text(start)}? Answer HH:MM on a 24-hour clock."
    )
    meaning = f"time {start} {'+' if later else '-'} {minutes_apart}"
    facts = {
        "start": _time_text(start),
        "minutes": minutes_apart if later else -minutes_apart,
        "value": _time_text(end),
    }
    return Problem(meaning, question, Time(end * 60, 24), (), facts)


def time_between(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the minutes between two times of one day."""
    minutes_apart = rng.integer(1, (59, 599, 1439)[min(level.digits[1], 3) - 1])
    # The first time is early enough that both times are on one day.
    start = rng.integer(0, 1439 - minutes_apart)
    begin, end = _time_text(start), _time_text(start + minutes_apart)
    question = f"How many minutes are there from {begin} to {end}?"
    facts = {
        "start": _time_text(start),
        "end": _time_text(start + minutes_apart),
        "value": str(minutes_apart),
    }
    hours, minutes = divmod(minutes_apart, 60)
    steps = (f"{hours} × 60 + {minutes} = {minutes_apart}",) if hours else ()
    return Problem(
        f"between {start} {minutes_apart}",
        question,
        exact_number(str(minutes_apart), "minutes"),
        steps,
        facts,
    )


def date_shift(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the date some days after or before another date."""
    start, days, later = _random_date(rng), _random_days(rng, level), rng.chance(0.5)
    end = start + timedelta(days if later else -days)
    question = (
        f"What date is {days} days {'after' if later else 'before'} {_date_text(start)}?"
        " Answer YYYY-MM-DD."
    )
    meaning = f"date {start} {'+' if later else '-'} {days}"
    facts = {"start": str(start), "days": days if later else -days, "value": str(end)}
    return Problem(meaning, question, Text(str(end)), (), facts)


def days_between(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the number of days between two dates."""
    start, days = _random_date(rng), _random_days(rng, level)
    end = start + timedelta(days)
    question = f"How many days are there from {_date_text(start)} to {_date_text(end)}?"
    facts = {"start": str(start), "end": str(end), "value": str(days)}
    return Problem(f"days {start} {days}", question, exact_number(str(days), "days"), (), facts)


def weekday(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the day of the week some days after another day."""
    start, days = rng.choice(WEEKDAYS), _random_days(rng, level)
    answer = WEEKDAYS[(WEEKDAYS.index(start) + days) % 7]
    question = f"Today is {start}. Which day of the week is it {days} days from now?"
    steps = (f"{days} = {days // 7} × 7 + {days % 7}",)
    facts = {"start": start, "days": days, "value": answer}
    return Problem(f"weekday {start} {days}", question, Text(answer, WEEKDAYS), steps, facts)


def _random_date(rng: Rng) -> date:
    return _FIRST + timedelta(rng.integer(0, _DAYS - 1))


def _random_days(rng: Rng, level: ArithmeticLevel) -> int:
    """Draw a number of days: a day for one digit, nearly three centuries for seven digits."""
    shortest, longest = (min(digits, len(_LONGEST) - 1) for digits in level.digits)
    return rng.integer(_LONGEST[shortest - 1] + 1, _LONGEST[longest])


def _date_text(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _time_text(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


TASKS = (
    *(fraction, root, surd, rounding, comparison, in_base, sequence),
    *(conversion, time_shift, time_between, date_shift, days_between, weekday),
)
