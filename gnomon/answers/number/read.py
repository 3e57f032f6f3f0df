"""Reader of numbers in figures or words. read.toml has the patterns of figures."""

import math
import re
import unicodedata
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache

from gnomon.answers.reading.base import Reading, Which, fill, longest, lower_case, normalize, table
from gnomon.answers.reading.final import find
from gnomon.answers.reading.number_words import (
    AFTER_FIGURES,
    HALVES_AND_QUARTERS,
    ORDINALS,
    sign_start,
    spelled_numbers,
)

_TABLE = table(__file__)
_PATTERNS = fill({"ordinals": "|".join(ORDINALS)} | _TABLE["patterns"])


def _compile(name: str, flags: int = re.ASCII) -> re.Pattern[str]:
    return re.compile(_PATTERNS[name], flags)


# GSM8K's calculator. Its inner figures are not an answer.
_CALCULATOR = _compile("calculator")
# Words of languages that write 1250 as 1.250.
_EUROPEAN, _THOUSANDS = _compile("european"), _compile("thousands")
# The place where a number may begin, and the items of a list such as 1,2,3.
_NUMBER_START, _ITEM = _compile("lead"), _compile("item")
# The rest of a word: the 1.2 of v1.2 is not a number.
_REST_OF_WORD = _compile("rest_of_word")
# "the 3rd tick", and "third" if that is the whole text.
_ORDINAL, _BARE_ORDINAL = _compile("ordinal"), _compile("bare_ordinal")
# Digits alone, and those with separators that may group them.
_PLAIN, _MAY_GROUP = _compile("plain"), _compile("may_group")
_NUMBER, _NO_NUMBER, _PREFIX = (
    _compile(name, re.VERBOSE | re.ASCII) for name in ("number", "no_number", "prefix")
)
# The text before an uncertainty: "5 kg ±".
_BEFORE_UNCERTAINTY = _compile("before_uncertainty", re.VERBOSE)
_CHINESE_POINT, _CHINESE_TIME = _compile("chinese_point"), _compile("chinese_time")
_BELOW_ZERO = _compile("below_zero", re.UNICODE)
# A minus with a blank after it, and all that may follow its number.
_SPACED_MINUS, _TEXT_ENDS = _compile("spaced_minus"), _compile("text_ends")
# A counter's digits with blanks between them.
_DIGITS = [
    _compile(name, re.VERBOSE) for name in ("spelled_digits", "dashed_digits", "listed_digits")
]

# Most characters of a number. Longer numbers come from models that repeat a digit endlessly.
_MAX_CHARACTERS = 100

_GROUPED = [
    (re.compile(pattern, re.ASCII), group, point) for pattern, group, point in _TABLE["grouped"]
]

# Larger powers than 1e310 are not computed, because floats end at 1e308.
_MAX_EXPONENT = 310

# 640 digits are enough for exact products and sums of numbers from 1e-300 to 1e300. A quotient has
# Python's usual 28 digits, a power 60.
_EXACT = Context(prec=640, traps=[])
_FOR_QUOTIENTS = Context(prec=28, traps=[])
_FOR_POWERS = Context(prec=60, traps=[])
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SCALES = {word: Decimal(factor) for word, factor in AFTER_FIGURES.items()} | {"dozen": Decimal(12)}


def read_number(text: str, *, unit: str = "", which: Which = "final") -> Reading[Decimal] | None:
    """Read the number that `text` states, exactly, with its place and rule, or None.

    A percent sign is noted (the rule ends in "percent") but not applied. A single comma is a
    decimal comma unless it groups thousands: "3,5" is 3.5. "3.5 million" is 3500000, but 3.5 if the
    question's `unit` is "million". By default the final answer is returned if the text has several
    numbers. The word "one" is usually a pronoun and counts only as the single number of a text.
    """
    return find(text, lambda part: _all_numbers(part, unit), which)


def _all_numbers(text: str, unit: str) -> list[Reading[Decimal]]:
    """Read all numbers of a short text. The word "one" counts only as its single number."""
    text = normalize(text, lower=False).replace("__", "  ")
    if "<<" in text:  # GSM8K's calculator: <<9*2=18>>18
        text = _CALCULATOR.sub(lambda match: " " * len(match[0]), text)
    text = _CHINESE_TIME.sub(":", _CHINESE_POINT.sub(".", text))
    low = lower_case(text)
    words = [*_ordinals(low), *_spelled(low), *_digits(low)]
    figures = _numbers_in_figures(text, unit, european=bool(_EUROPEAN.search(low)))
    readings: list[Reading[Decimal]] = longest([*(r for r in words if r.rule != "one"), *figures])
    readings = readings or longest(words)
    if unit:
        readings = [r for r in readings if _has_unit(text, r.span, unit)] or readings
    return readings


def _spelled(low: str) -> Iterator[Reading[Decimal | None]]:
    """Read numbers in words. "Five below zero" is -5."""
    for reading in spelled_numbers(low):
        if reading.value and _BELOW_ZERO.match(low, reading.span[1]):
            reading = reading._replace(value=-abs(reading.value))
        yield reading


def _ordinals(low: str) -> Iterator[Reading[Decimal | None]]:
    """Read ordinals that mean a place on a scale, as in "the 3rd tick", or that are the whole text.

    "The 2nd bar" is not an answer.
    """
    for match in _ORDINAL.finditer(low):
        yield Reading(Decimal(match[1]), match.span(1), "ordinal")
    if bare := _BARE_ORDINAL.fullmatch(low):
        number = int(bare[1]) if bare[1] else ORDINALS.index(bare[2]) + 1
        yield Reading(Decimal(number), bare.span(1 if bare[1] else 2), "ordinal")


def _digits(low: str) -> Iterator[Reading[Decimal | None]]:
    """Read a counter's digits with blanks between them, as in 4 2 5 2 1."""
    for pattern in _DIGITS:
        for match in pattern.finditer(low):
            digits = "".join(filter(str.isdecimal, match[0]))
            yield Reading(Decimal(digits), match.span(), "digits")


def _has_unit(text: str, span: tuple[int, int], unit: str) -> bool:
    """True if the question's unit stands after a number, or inside it, as %."""
    # Blanks, LaTeX's \, and bold marks may stand between a number and its unit.
    return text[slice(*span)].endswith(unit) or text[span[1] : span[1] + 24].lstrip(
        " \u00a0\\,*_"
    ).startswith(unit)


def parse_number(text: str, *, unit: str = "", which: Which = "final") -> float | None:
    """Read the number alone, or None. `read_number` also returns the place and the rule."""
    reading = read_number(text, unit=unit, which=which)
    return float(reading.value) if reading else None


def _numbers_in_figures(
    text: str, unit: str, *, european: bool
) -> Iterator[Reading[Decimal | None]]:
    """Read numbers in figures. `Reading(None)` marks text that must not be read as a number."""
    position = 0
    while lead := _NUMBER_START.search(text, position):
        start = lead.start()
        # Dates, times of day and 0x1f are not numbers.
        if text[start].isdigit() and (refused := _NO_NUMBER.match(text, start)):
            yield Reading(None, refused.span(), "refused")
            position = refused.end()
        elif match := _NUMBER.match(text, start - 1 if _begins_with_point(text, start) else start):
            position = match.end()
            # Several commas that do not group thousands make a list: 1,2,3.
            if (match["run"] or "").count(",") > 1 and _decimal(match["run"]) is None:
                yield from _split_list(match)
            else:
                yield _read_figures(match, unit, european=european)
        else:
            rest_of_word = _REST_OF_WORD.match(text, start)
            position = rest_of_word.end() if rest_of_word else start + 1
            yield Reading(None, (start, position), "refused")


def _begins_with_point(text: str, start: int) -> bool:
    """True if the digit at `start` belongs to a ".5", and not to a "Rs.500"."""
    before = text[max(0, start - 2) : start]
    if not (before.endswith(".") and text[start].isdigit()):
        return False
    return not (before[:-1].isalnum() or before == "..")


def _split_list(match: re.Match[str]) -> Iterator[Reading[Decimal | None]]:
    """Read each number of 1,2,3."""
    begin = match.start("run")
    for item in _ITEM.finditer(match["run"]):
        span = begin + item.start(), begin + item.end()
        yield Reading(_decimal(item[0]), span, "numeral")


def _read_figures(match: re.Match[str], unit: str, *, european: bool) -> Reading[Decimal | None]:
    """Read a number in figures with its sign and currency. An uncertainty is not a number."""
    # 32 characters are enough for a word for the sign and a currency.
    before = match.string[max(0, match.start() - 32) : match.start()]
    value, rule = _convert(match, unit, european=european)
    if value is None or _BEFORE_UNCERTAINTY.search(before.rstrip()):
        return Reading(None, match.span(), "refused")
    prefix = _PREFIX.search(before)
    assert prefix is not None
    signs = "".join(sign or "" for sign in prefix.groups())
    start = match.start() - len(prefix[0])
    first = sign_start(match.string, start)
    # A "- 12.3" that is the whole text, or its end, is not an entry of a list.
    minus = _SPACED_MINUS.search(match.string, max(0, start - 32), start)
    rest = match.string[match.end() :].lstrip().removeprefix(unit) if minus else ""
    if minus and _TEXT_ENDS.match(rest):
        first = minus.start("minus")
    is_negative = (
        first < start or signs.strip("+") or _BELOW_ZERO.match(match.string.lower(), match.end())
    )
    value = value.copy_negate() if is_negative else value
    return Reading(value, (first, match.end()), rule)


def _convert(match: re.Match[str], unit: str, *, european: bool) -> tuple[Decimal | None, str]:
    """Convert a match of _NUMBER, without its sign, and return the name of its rule.

    A factor such as "million" is not applied if it belongs to the question's unit.
    """
    if match["ratio"]:
        return _ratio(match["ratio"]), "fraction"
    if match["glyph"]:
        return _fraction_glyph(match["glyph"]), "fraction"
    run = match["run"]
    # In German text, 1.250 is 1250.
    if european and _THOUSANDS.fullmatch(run):
        run = run.replace(".", "")
    number = _decimal(run) if len(run) <= _MAX_CHARACTERS else None
    return (None, "refused") if number is None else _with_tail(number, match, unit)


def _with_tail(number: Decimal, match: re.Match[str], unit: str) -> tuple[Decimal | None, str]:
    if match["denominator"]:  # 3/4
        return _fraction(number, match["denominator"]), "fraction"
    if match["mixed_numerator"]:  # 3 1/2
        part = _fraction(Decimal(match["mixed_numerator"]), match["mixed_denominator"])
        # 3 1/2 is a mixed number, 3 5/2 is not.
        if part is None or part >= 1 or number != number.to_integral_value():
            return None, "refused"
        return _EXACT.add(number, part), "mixed number"
    if match["share"]:  # 3 and a half
        return _EXACT.add(number, HALVES_AND_QUARTERS[match["share"]]), "mixed number"
    if mixed := match["mixed"]:  # 3½, or LaTeX's 3\frac12
        part = _ratio(mixed) if mixed[0] == "\\" else _fraction_glyph(mixed)
        return (None if part is None else _EXACT.add(number, part)), "mixed number"
    # 3e5, 3 × 10^5, 3 × 10⁵
    if power := match["exponent"] or match["power"] or match["superscript_power_of_ten"]:
        if len(power) > 5:
            return None, "refused"  # too large for a float and for scaleb
        exponent = int(power.translate(_SUPERSCRIPTS))
        return _none_if_extreme(number.scaleb(exponent, _EXACT)), "scientific"
    if power := match["caret_exponent"] or match["superscript_exponent"]:  # 3^5, 3⁵
        return _power(number, power.translate(_SUPERSCRIPTS)), "scientific"
    if match["scale"] and not (unit and match.string.startswith(unit, match.start("scale"))):
        return _none_if_extreme(_EXACT.multiply(number, _SCALES[match["scale"].lower()])), "scale"
    return _none_if_extreme(number), "percent" if match["percent"] else "numeral"


def _decimal(run: str) -> Decimal | None:
    """Convert digits with separators; None if they do not group digits, as in 1.2.3."""
    if _PLAIN.fullmatch(run):
        return Decimal(run)
    if not _MAY_GROUP.search(run):
        return None
    run = run.replace("{,}", ",").replace("\\,", "\u00a0")
    # The matching pattern shows which sign groups digits and which is the decimal mark.
    for pattern, group, point in _GROUPED:
        if pattern.fullmatch(run):
            return Decimal(re.sub(group, "", run).replace(point, "."))
    return None


def _ratio(text: str) -> Decimal | None:
    """Convert a fraction of LaTeX. \\frac34 is three quarters."""
    # Without braces each argument is one digit.
    above, below = re.findall(r"\d+" if "{" in text else r"\d", text)
    return _fraction(Decimal(above), below)


def _power(base: Decimal, exponent: str) -> Decimal | None:
    if len(exponent) > 4:
        return None
    if base and abs(math.log10(base) * int(exponent)) > _MAX_EXPONENT:
        return None  # 9^9999 takes long to compute and is too large
    power = _FOR_POWERS.power(base, Decimal(exponent))
    return _none_if_extreme(power) if power.is_finite() else None


def _fraction(above: Decimal, below: str) -> Decimal | None:
    return _FOR_QUOTIENTS.divide(above, Decimal(below)) if int(below) else None


@cache
def _fraction_glyph(glyph: str) -> Decimal:
    # Unicode data gives ⅓ as a float. The denominators of such signs are at most 10.
    exact = Fraction(unicodedata.numeric(glyph)).limit_denominator(10)
    return _FOR_QUOTIENTS.divide(Decimal(exact.numerator), Decimal(exact.denominator))


def _none_if_extreme(number: Decimal) -> Decimal | None:
    """Return the number, or None if it is too large or too near 0 for sums of floats."""
    return number if number == 0 or -300 < number.adjusted() < 300 else None
