"""Units with exact factors, times of day and dates."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

from gnomon.generators.arithmetic.problems import MONTHS, UNITS, WEEKDAYS, ArithmeticLevel, Problem
from gnomon.generators.rng import Rng
from gnomon.generators.wording import decimal_text, duration, exact_number
from gnomon.sample import Text, Time


def conversion(rng: Rng, level: ArithmeticLevel) -> Problem:
    """3.5 km in metres; only where the answer is a decimal that ends."""
    quantity = rng.choice(tuple(UNITS))
    names = tuple(UNITS[quantity])
    first = rng.integer(0, len(names) - 1)
    # Any other unit of the same quantity.
    second = (first + rng.integer(1, len(names) - 1)) % len(names)
    old, new = names[first], names[second]
    factor = Fraction(UNITS[quantity][old]) / Fraction(UNITS[quantity][new])
    places = rng.integer(0, 2)
    # A multiple of the factor's denominator without its twos and fives leaves no endless decimal.
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
    """Return the decimal of a fraction whose denominator has no factors but 2 and 5."""
    places = 0
    while value.denominator != 1:
        value, places = value * 10, places + 1
    return decimal_text(value.numerator, places)


# Days, by digits.
_LONGEST = (1, 30, 365, 1100, 3000, 10_000, 30_000, 100_000)
_FIRST = date(1950, 1, 1)
_DAYS = (date(2050, 1, 1) - _FIRST).days


def time_shift(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the time a while after or before another, on a 24-hour clock."""
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
    """Minutes between two times of one day."""
    minutes_apart = rng.integer(1, (59, 599, 1439)[min(level.digits[1], 3) - 1])
    # So early that both are times of one day.
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
    """Ask for the date some days after or before another."""
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
    """Days between two dates."""
    start, days = _random_date(rng), _random_days(rng, level)
    end = start + timedelta(days)
    question = f"How many days are there from {_date_text(start)} to {_date_text(end)}?"
    facts = {"start": str(start), "end": str(end), "value": str(days)}
    return Problem(f"days {start} {days}", question, exact_number(str(days), "days"), (), facts)


def weekday(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the day of the week some days after another."""
    start, days = rng.choice(WEEKDAYS), _random_days(rng, level)
    answer = WEEKDAYS[(WEEKDAYS.index(start) + days) % 7]
    question = f"Today is {start}. Which day of the week is it {days} days from now?"
    steps = (f"{days} = {days // 7} × 7 + {days % 7}",)
    facts = {"start": start, "days": days, "value": answer}
    return Problem(f"weekday {start} {days}", question, Text(answer, WEEKDAYS), steps, facts)


def _random_date(rng: Rng) -> date:
    return _FIRST + timedelta(rng.integer(0, _DAYS - 1))


def _random_days(rng: Rng, level: ArithmeticLevel) -> int:
    """Draw a number of days: a day for one digit, nearly three centuries for seven."""
    shortest, longest = (min(digits, len(_LONGEST) - 1) for digits in level.digits)
    return rng.integer(_LONGEST[shortest - 1] + 1, _LONGEST[longest])


def _date_text(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _time_text(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


TASKS = (conversion, time_shift, time_between, date_shift, days_between, weekday)
