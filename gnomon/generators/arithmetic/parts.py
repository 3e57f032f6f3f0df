"""Fractions, roots, rounding, comparison, other bases, and sequences whose rule is named."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np

from gnomon.generators.arithmetic.problems import PLACES, ArithmeticLevel, Problem, number_of_digits
from gnomon.generators.rng import Rng
from gnomon.generators.wording import decimal_text
from gnomon.sample import Text

_SIGNS = {"+": Fraction.__add__, "-": Fraction.__sub__, "×": Fraction.__mul__}


def fraction(rng: Rng, level: ArithmeticLevel) -> Problem:
    """3/4 + 5/6, in lowest terms; also taken away, multiplied and divided."""
    first, second = _random_fraction(rng, level), _random_fraction(rng, level)
    sign = rng.choice("+-×÷")
    value = first / second if sign == "÷" else _SIGNS[sign](first, second)
    # Without brackets 1/2 ÷ 3/4 would be three divisions in a row.
    text = f"{first} {sign} {second}" if sign in "+-" else f"({first}) {sign} ({second})"
    return Problem.of_fraction(text, value, _fraction_steps(first, sign, second, value))


def _random_fraction(rng: Rng, level: ArithmeticLevel) -> Fraction:
    """Draw a fraction that is no whole number."""
    # Greatest denominators for one digit, for two, and for more.
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
    near = max(2, number_of_digits(rng, min(rng.within(level.digits), 4)))
    # Up to a third of the way to either neighbour's power, which is under half of it as a root.
    low, power, high = ((near + i) ** degree for i in (-1, 0, 1))
    of = rng.integer(power - (power - low) // 3, power + (high - power) // 3)
    name = ("square root", "cube root", "fourth root")[degree - 2]
    question = f"What is the {name} of {of} to the nearest whole number?"
    facts = {"degree": degree, "of": of, "value": str(near)}
    steps = (f"{near}^{degree} = {power}",)
    return Problem(f"root {degree} {of}", question, str(near), steps, facts)


def surd(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Simplify √72 to 6√2."""
    # Free of squares: nothing more can be taken out of the root.
    inner = rng.choice((2, 3, 5, 6, 7, 10, 11, 13, 14, 15))
    outer = max(2, number_of_digits(rng, min(rng.within(level.digits), 4)))
    of, answer = outer * outer * inner, f"{outer}√{inner}"
    question = f"Simplify √{of}. Answer like 2√3."
    steps = (f"{of} = {outer}^2 × {inner}",)
    return Problem(f"surd {of}", question, Text(answer), steps, {"of": of, "value": answer})


def rounding(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Round a number to a place; a tie goes away from 0, as schools teach it."""
    # Places that stay: 2 rounds to hundredths, -2 to hundreds.
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
    """Ask for the greater or the less of two decimals of unequal length, or of two fractions."""
    # Decimals of unequal length are what models get wrong (9.11 and 9.9), so they are asked more.
    if rng.chance(0.4):
        first, second = str(_random_fraction(rng, level)), str(_random_fraction(rng, level))
    else:
        whole = level.random_number(rng)
        first, second = (_close_decimal(rng, whole) for _ in "ab")
    less = rng.chance(0.5)
    a, b = Fraction(first), Fraction(second)
    # Such as 1/2 and 2/4: one of them is made greater.
    if a == b:
        second = str(b + 1) if "/" in second else f"{second}1"
        b = Fraction(second)
    answer = first if (a < b) == less else second
    question = f"Which is {'less' if less else 'greater'}: {first} or {second}?"
    low, high = sorted((first, second))
    facts = {"first": first, "second": second, "less": less, "value": answer}
    return Problem(f"compare {low} {high}", question, Text(answer, (first, second)), (), facts)


def _close_decimal(rng: Rng, whole: int) -> str:
    """Add one to three random places after the point: 9.11 beside 9.9."""
    places = rng.integer(1, 3)
    return f"{whole}.{rng.integer(0, 10**places - 1):0{places}}"


def in_base(rng: Rng, level: ArithmeticLevel) -> Problem:
    """1011 + 110 in base 2; bases from 2 to 16."""
    # Without 10, in which there is nothing to convert.
    base = rng.choice((2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16))
    first, second = level.random_positive(rng), level.random_positive(rng)
    sign = rng.choice("+-")
    low, high = sorted((first, second))
    value = first + second if sign == "+" else high - low
    # The smaller from the greater, for a negative number in a base reads oddly.
    a, b = (np.base_repr(n, base) for n in ((first, second) if sign == "+" else (high, low)))
    question = f"In base {base}, what is {a} {sign} {b}?"
    answer = np.base_repr(value, base)
    steps = (f"in base 10: {int(a, base)} {sign} {int(b, base)} = {value}",)
    facts = {"base": base, "first": a, "sign": sign, "second": b, "value": answer}
    return Problem(f"base {base} {low} {sign} {high}", question, Text(answer), steps, facts)


def sequence(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Equal steps, equal factors, steps that grow by the same, or each the sum of two before."""
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
    # The nth step is step + n · more: their sum has n (n − 1) / 2 of it.
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


TASKS = (fraction, root, surd, rounding, comparison, in_base, sequence)
