"""Arithmetic problems, and the tasks on whole numbers and decimals: two numbers, chains,
brackets."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from gnomon.generators.rng import Rng
from gnomon.generators.wording import decimal_text, short_decimal
from gnomon.sample import Target, Text


class ArithmeticLevel(NamedTuple):
    """Values of a level, each a range with both ends. Options of the same names override them."""

    digits: tuple[int, int]
    """Digits of the numbers."""
    terms: tuple[int, int]
    """Count of numbers in a chain or bracketed expression."""
    places: tuple[int, int]
    """Decimal places."""
    carries: tuple[int, int] | None = None
    """Carries of a sum of two whole numbers, or borrows of a difference. None for any."""

    def random_number(self, rng: Rng) -> int:
        """Draw a number with a uniform number of digits rather than a uniform size. 0 has one
        digit."""
        return rng.within(_RANGES[rng.within(self.digits)])

    def random_positive(self, rng: Rng) -> int:
        """Draw a number that is not 0."""
        return self.random_number(rng) or rng.integer(1, 9)

    def random_places(self, rng: Rng) -> int:
        """Draw the number of decimal places."""
        return rng.within(self.places) if self.places[1] else 0


class Problem(NamedTuple):
    """Question with its answer and the working."""

    meaning: str
    """Key of the question, independent of the wording."""
    question: str
    """Text of the question: an expression, or the whole question."""
    answer: Target | str
    """The answer. A str is a decimal that becomes a Number only after the question was accepted
    into its split."""
    steps: Iterable[str]
    """Lines of the working. The function is called only if the working is shown."""
    facts: dict[str, Any]

    @classmethod
    def of_expression(
        cls, text: str, answer: str, steps: Iterable[str] | None = None, meaning: str = ""
    ) -> Problem:
        """Ask for the value of an expression. The working has one step unless `steps` are given."""
        steps = (f"{text} = {answer}",) if steps is None else steps
        return cls(meaning or text, text, answer, steps, {"expression": text, "value": answer})

    @classmethod
    def of_fraction(cls, text: str, value: Fraction, steps: Iterable[str]) -> Problem:
        """Ask for a fraction in lowest terms, or for the whole number that it equals."""
        question = f"What is {text}? Give a whole number or a fraction in lowest terms."
        answer = str(value) if value.denominator == 1 else Text(str(value))
        return cls(text, question, answer, steps, {"expression": text, "value": str(value)})


def random_number_with_digits(rng: Rng, digits: int) -> int:
    """Draw a number with exactly `digits` digits."""
    return rng.within(_RANGES[digits])


# Smallest and largest number with this many digits.
_RANGES = ((0, 0), (0, 9), *((10**digits, 10 ** (digits + 1) - 1) for digits in range(1, 19)))


def add(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for 3 + 5. It has the same key as 5 + 3."""
    places = level.random_places(rng)
    first, second = (_two_with_carries if level.carries else _two_numbers)(rng, level)
    return _commutative(first, second, "+", places, short_decimal(first + second, places))


def subtract(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for 8 - 5. It may also ask for 5 - 8 if no borrows were requested."""
    places = level.random_places(rng)
    first, second = (_two_with_carries if level.carries else _two_numbers)(rng, level)
    # (a + b) − b borrows wherever a + b carries.
    first += second if level.carries else 0
    text = f"{decimal_text(first, places)} - {decimal_text(second, places)}"
    return Problem.of_expression(text, short_decimal(first - second, places))


def multiply(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for 3 × 5. It has the same key as 5 × 3."""
    places = level.random_places(rng)
    first, second = _two_numbers(rng, level)
    # Decimal places add up: 0.3 × 0.5 is 0.15.
    return _commutative(first, second, "×", places, short_decimal(first * second, 2 * places))


def divide(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for 56 ÷ 7, without a remainder."""
    quotient, divisor = level.random_number(rng), level.random_positive(rng)
    text = f"{quotient * divisor} ÷ {divisor}"
    return Problem.of_expression(text, str(quotient))


def quotient(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the quotient of any two numbers, as a fraction in lowest terms."""
    first, second = level.random_number(rng), level.random_positive(rng)
    value, text = Fraction(first, second), f"{first} ÷ {second}"
    return Problem.of_fraction(text, value, (f"{text} = {value}",))


def remainder(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for the remainder of a division."""
    first, second = level.random_number(rng), level.random_positive(rng)
    whole, rest = divmod(first, second)
    question = f"What is the remainder when {first} is divided by {second}?"
    steps = (f"{whole} × {second} = {whole * second}", f"{first} - {whole * second} = {rest}")
    facts = {"expression": question, "value": str(rest)}
    return Problem(f"{first} mod {second}", question, str(rest), steps, facts)


def power(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for 7^3. Exponents go up to 6 for one digit, 3 for two digits and 2 for up to four
    digits."""
    base = random_number_with_digits(rng, min(rng.within(level.digits), 4))
    # Largest exponent by the digits of the base. Results stay below a hundred million.
    exponent = rng.integer(2, (6, 3, 2, 2)[len(str(base)) - 1])
    lines, value = [], base
    for _ in range(exponent - 1):
        lines.append(f"{value} × {base} = {value * base}")
        value *= base
    text = f"{base}^{exponent}"
    return Problem.of_expression(text, str(value), lines)


def _two_numbers(rng: Rng, level: ArithmeticLevel) -> tuple[int, int]:
    return level.random_number(rng), level.random_number(rng)


def _two_with_carries(rng: Rng, level: ArithmeticLevel) -> tuple[int, int]:
    """Draw two numbers of equal length whose sum has the requested number of carries."""
    assert level.carries
    length = rng.integer(max(level.digits[0], level.carries[0], 1), level.digits[1])
    count = rng.integer(level.carries[0], min(level.carries[1], length))
    carries = _carry_columns(rng, count, length)
    first = second = 0
    for column, carry in enumerate(carries):
        came = 1 if column and carries[column - 1] else 0
        least = 1 if column == length - 1 and length > 1 else 0
        a, b = _digit_pair(rng, came, carry, least)
        first, second = first + a * 10**column, second + b * 10**column
    return first, second


def _carry_columns(rng: Rng, count: int, length: int) -> list[bool]:
    """Choose the columns that carry. All choices are equally likely."""
    rest, chosen = count, []
    for column in range(length):
        # Selection sampling: the chance of a column is the number of missing columns over the
        # number of columns left.
        chosen.append(rng.integer(1, length - column) <= rest)
        rest -= chosen[-1]
    return chosen


def _digit_pair(rng: Rng, carry_in: int, carry: bool, least: int) -> tuple[int, int]:
    """Draw two digits, at least `least`, that carry or do not carry, given the carry from the
    right."""
    if carry:
        # a + b + carry_in must be at least 10, so b must be at least 10 − carry_in − a.
        a = rng.integer(max(least, 1 - carry_in), 9)
        return a, rng.integer(max(least, 10 - carry_in - a), 9)
    a = rng.integer(least, 9 - carry_in - least)
    return a, rng.integer(least, 9 - carry_in - a)


def _commutative(first: int, second: int, sign: str, places: int, answer: str) -> Problem:
    """Build a problem with the same key for both orders of its two numbers."""
    low, high = (decimal_text(number, places) for number in sorted((first, second)))
    text = f"{decimal_text(first, places)} {sign} {decimal_text(second, places)}"
    return Problem.of_expression(text, answer, meaning=f"{low} {sign} {high}")


_FACTORS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25)


def chain(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for a chain of sums and differences, such as 12 - 5 + 30 + 4."""
    places = level.random_places(rng)
    total = level.random_number(rng)
    terms, totals = [decimal_text(total, places)], [short_decimal(total, places)]
    for _ in range(rng.within(level.terms) - 1):
        sign, term = rng.choice("+-"), level.random_number(rng)
        total += term if sign == "+" else -term
        # Terms keep their signs, so the sorted terms are the same key for every order.
        terms.append(sign + decimal_text(term, places))
        totals.append(short_decimal(total, places))
    steps = (
        f"{before} {_with_spaces(term)} = {after}"
        for before, term, after in zip(totals[:-1], terms[1:], totals[1:], strict=True)
    )
    return Problem.of_expression(
        _with_spaces(" ".join(terms)), totals[-1], steps, " ".join(sorted(terms))
    )


def _with_spaces(terms: str) -> str:
    """Write 12 -5 +30 as 12 - 5 + 30. The first number of a chain is never negative."""
    return terms.replace("+", "+ ").replace("-", "- ")


def products(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for a chain such as 12 ÷ 4 × 5. It is built from its end, so every step is a whole
    number."""
    value = level.random_number(rng)
    answer, parts, steps = value, [], []
    for _ in range(rng.within(level.terms) - 1):
        # From the end: the value before a multiplication by f is a quotient.
        factors = [f for f in _FACTORS if value % f == 0]
        is_product = bool(factors) and rng.chance(0.5)
        factor = rng.choice(factors if is_product else _FACTORS)
        before = value // factor if is_product else value * factor
        sign = "×" if is_product else "÷"
        parts.append(f"{sign} {factor}")
        steps.append(f"{before} {sign} {factor} = {value}")
        value = before
    text = " ".join([str(value), *reversed(parts)])
    return Problem.of_expression(text, str(answer), steps[::-1])


class _Tree(NamedTuple):
    """Expression with its value."""

    text: str
    value: int
    sign: str
    """Sign at the root of the expression. Empty for a number."""
    steps: tuple[str, ...]


def mixed(rng: Rng, level: ArithmeticLevel) -> Problem:
    """Ask for (3 + 4) × 5 - 6. The value is drawn first, so answers of all sizes are equally
    frequent."""
    value = level.random_number(rng)
    tree = _tree(rng, value, rng.within(level.terms) - 1, level)
    return Problem.of_expression(tree.text, str(tree.value), tree.steps)


def _tree(rng: Rng, value: int, n_signs: int, level: ArithmeticLevel) -> _Tree:
    """Draw an expression of this value with `n_signs` operators."""
    if n_signs == 0:
        return _Tree(str(value), value, "", ())
    sign, left, right = _operands(rng, value, level)
    # Operators of the left operand. The right operand has the others.
    n_left = rng.integer(0, n_signs - 1)
    a, b = _tree(rng, left, n_left, level), _tree(rng, right, n_signs - 1 - n_left, level)
    text = f"{_with_brackets(a, sign, right=False)} {sign} {_with_brackets(b, sign, right=True)}"
    return _Tree(text, value, sign, (*a.steps, *b.steps, f"{left} {sign} {right} = {value}"))


def _operands(rng: Rng, value: int, level: ArithmeticLevel) -> tuple[str, int, int]:
    """Draw a sign and two non-negative numbers that give the value."""
    factors = [f for f in _FACTORS if value and value % f == 0]
    # × has twice the chance because it is only possible if the value has factors.
    signs = "+-÷" + ("××" if factors else "")
    match rng.choice(signs):
        case "×":
            factor = rng.choice(factors)
            pair = (factor, value // factor)
            return ("×", *(pair if rng.chance(0.5) else pair[::-1]))
        case "÷":
            factor = rng.choice(_FACTORS)
            return "÷", value * factor, factor
        case "+":
            part = rng.integer(0, value)
            return "+", part, value - part
        case _:
            part = level.random_number(rng)
            return "-", value + part, part


_RANK = {"+": 1, "-": 1, "×": 2, "÷": 2, "": 3}


def _with_brackets(tree: _Tree, sign: str, *, right: bool) -> str:
    """Put a subexpression in brackets if it would mean something else without them."""
    weaker = _RANK[tree.sign] < _RANK[sign]
    # a - (b + c) and a ÷ (b × c), and also a × (b ÷ c), whose working divides first.
    same = right and _RANK[tree.sign] == _RANK[sign] and (sign in "-÷" or tree.sign == "÷")
    return f"({tree.text})" if weaker or same else tree.text


# Tasks on two numbers, then on several. Their order decides what a seed draws.
TASKS = (
    add, subtract, multiply, divide, quotient, remainder, power, chain, products, mixed,
)  # fmt: skip
