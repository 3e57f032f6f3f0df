"""The forms in which a number is written in figures, and what each is worth."""

from __future__ import annotations

import math
import re
import unicodedata
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache

from gnomon.answers.reading.word_tables import BEHIND_FIGURES, SHARES

GLYPHS = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒"


def value(match: re.Match[str], unit: str, *, european: bool) -> tuple[Decimal | None, str]:
    """The number that a NUMBER matched, without its sign, and the name of its form.

    A scale that belongs to the unit asked for is not applied.
    """
    if match["ratio"]:
        return _ratio(match["ratio"]), "fraction"
    if match["glyph"]:
        return _vulgar(match["glyph"]), "fraction"
    run = match["run"]
    if european and _THOUSANDS.fullmatch(run):
        run = run.replace(".", "")
    number = decimal(run) if len(run) <= _LONGEST else None
    return (None, "refused") if number is None else _with_tail(number, match, unit)


def _with_tail(number: Decimal, match: re.Match[str], unit: str) -> tuple[Decimal | None, str]:
    if match["over"]:
        return _fraction(number, match["over"]), "fraction"
    if match["part"]:
        part = _fraction(Decimal(match["part"]), match["whole"])
        if part is None or part >= 1 or number != number.to_integral_value():
            return None, "refused"
        return _EXACT.add(number, part), "mixed number"
    if match["share"]:
        return _EXACT.add(number, SHARES[match["share"]]), "mixed number"
    if mixed := match["mixed"]:
        part = _ratio(mixed) if mixed[0] == "\\" else _vulgar(mixed)
        return (None if part is None else _EXACT.add(number, part)), "mixed number"
    if power := match["exponent"] or match["power"] or match["raised"]:
        if len(power) > 5:
            return None, "refused"  # no float holds it, and scaleb would not take it
        exponent = int(power.translate(_SUPERSCRIPTS))
        return _held(number.scaleb(exponent, _EXACT)), "scientific"
    if power := match["to"] or match["lifted"]:
        return _power(number, power.translate(_SUPERSCRIPTS)), "scientific"
    if match["scale"] and not (unit and match.string.startswith(unit, match.start("scale"))):
        return _held(_EXACT.multiply(number, _SCALES[match["scale"].lower()])), "scale"
    return _held(number), "percent" if match["percent"] else "numeral"


_LONGEST = 100
"""Characters of a number; what is longer is figures without an end."""


def decimal(run: str) -> Decimal | None:
    """Digits with separators; None where they group nothing, as in 1.2.3."""
    if _PLAIN.fullmatch(run):
        return Decimal(run)
    if not _MAY_GROUP.search(run):
        return None
    run = run.replace("{,}", ",").replace("\\,", "\u00a0")
    for pattern, group, point in _GROUPED:
        if pattern.fullmatch(run):
            return Decimal(re.sub(group, "", run).replace(point, "."))
    return None


_THOUSANDS = re.compile(r"(?!0)\d{1,3}\.\d{3}", re.ASCII)
_PLAIN = re.compile(r"\d*\.?\d+", re.ASCII)
_MAY_GROUP = re.compile(r"[^\d]\d{3}(?!\d)|\A\d+(?:,|\{,\})\d+\Z", re.ASCII)
"""A separator with three digits behind it, or a decimal comma. To try all takes long."""
_GROUPED = tuple(
    (re.compile(pattern, re.ASCII), group, point)
    for pattern, group, point in (
        (r"(?!0)\d{1,3}(?:,\d{3})+(?:\.\d+)?", ",", "."),  # 1,234,567.8
        (r"(?!0)\d{1,2}(?:,\d{2})*,\d{3}(?:\.\d+)?", ",", "."),  # 12,34,567, as in India
        (r"(?!0)\d{1,3}(?:['_ \u00a0]\d{3})+(?:\.\d+)?", "['_ \u00a0]", "."),  # 1 234 567.8
        (r"(?!0)\d{1,3}(?:[ \u00a0]\d{3})+,\d+", "[ \u00a0]", ","),  # 1 234 567,8
        (r"(?!0)\d{1,3}(?:\.\d{3}){2,}", r"\.", "."),  # 1.234.567
        (r"(?!0)\d{1,3}(?:\.\d{3})+,\d+", r"\.", ","),  # 1.234,56
        (r"\d+,\d+", "_", ","),  # 3,5
    )
)


def _ratio(text: str) -> Decimal | None:
    """LaTeX, of which \\frac34 is three quarters as well."""
    above, below = re.findall(r"\d+" if "{" in text else r"\d", text)
    return _fraction(Decimal(above), below)


def _power(base: Decimal, exponent: str) -> Decimal | None:
    if len(exponent) > 4:
        return None
    if base and abs(math.log10(base) * int(exponent)) > _TOO_FAR:
        return None  # 9^9999 takes long to work out, and nothing holds it
    power = _SHORT.power(base, Decimal(exponent))
    return _held(power) if power.is_finite() else None


_TOO_FAR = 310


def _fraction(above: Decimal, below: str) -> Decimal | None:
    return _ROUNDED.divide(above, Decimal(below)) if int(below) else None


@cache
def _vulgar(glyph: str) -> Decimal:
    exact = Fraction(unicodedata.numeric(glyph)).limit_denominator(10)
    return _ROUNDED.divide(Decimal(exact.numerator), Decimal(exact.denominator))


def _held(number: Decimal) -> Decimal | None:
    """The number if floats can hold it and sums of it: 1e999 is no answer."""
    return number if number == 0 or -300 < number.adjusted() < 300 else None


_EXACT = Context(prec=640, traps=[])
_ROUNDED = Context(prec=28, traps=[])
_SHORT = Context(prec=60, traps=[])
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SCALES = {word: Decimal(factor) for word, factor in BEHIND_FIGURES.items()} | {
    "dozen": Decimal(12)
}

NO_NUMBER = re.compile(
    r"""
    (?= \d{1,4} [-/:] | 0[xbo] ) (?:
      (?<!\d) \d{4} -\d{1,2} -\d{1,2} (?!\d)          # a date
    | (?<!\d) \d{1,4} (?: /\d{1,4} ){2} (?!\d)        # another
    | (?<!\d) \d{1,4} (?: :\d{1,2} ){1,3} (?!\d)      # a time of day
    | (?<!\w) 0 (?: x[0-9A-Fa-f]+ | b[01]+ | o[0-7]+ )
    )
    """,
    re.VERBOSE | re.ASCII,
)

# Quantifiers over anything but digits are bounded, so that no text takes more than linear time.
_BLANK = r"[\s\u00a0]"
_TIMES_TEN = rf"{_BLANK}? (?: [x×*·] | \\times | \\cdot ) {_BLANK}? 10"
_LATEX = r"\\[dt]?frac (?: \{\d{1,9}\} \s? \{\d{1,9}\} | \s? \d \s? \d )"
NUMBER = re.compile(
    rf"""
      (?P<ratio> {_LATEX} )
    | (?P<glyph> [{GLYPHS}] )
    | (?<![A-Za-z_\d])                                # Qwen2 is a name
      (?<!\^) (?<!\^[-+{{]) (?<!\^\{{[-+])              # and cm^2 a unit
      (?<!\d[.,'])                                      # nor is the 3 of 1.2.3 a number
      (?P<run>
        \.\d+
      | (?<!\d[ ]) (?!0) \d{{1,3}} (?:[ ]\d{{3}})+ (?!\d) (?:[.,]\d+)?   # 0 100 200 is a list
      | \d+ (?: (?: [.,'_\u00a0] | \{{,\}} | \\, ) \d+ )*
      )
      (?! \d | (?:st|nd|rd|th)\b )                    # 2nd is a place
      (?:
        [eE] (?P<exponent> [-+]?\d+ )
      | {_TIMES_TEN} (?:\^|\*\*) \{{? (?P<power> [-+]?\d+ ) \}}?
      | {_TIMES_TEN} (?P<raised> [⁻⁺]? [⁰¹²³⁴⁵⁶⁷⁸⁹]+ )
      | (?:\^|\*\*) \{{? (?P<to> [-+]?\d+ ) \}}?
      | (?P<lifted> [⁻⁺]? [⁰¹²³⁴⁵⁶⁷⁸⁹]+ )
      | \s? / \s? (?P<over> \d{{1,9}} ) (?! \s?/ | \.?\d )
      | \s (?:and\s)? (?P<part> \d{{1,9}} ) / (?P<whole> \d{{1,9}} ) (?! / | \.?\d )
      | {_BLANK}? (?P<mixed> [{GLYPHS}] | {_LATEX} )
      | \s and\sa\s (?P<share> half | quarter ) \b
      | {_BLANK}? (?P<scale>
          (?: (?i:hundred|dozen|thousand|millions?|billion|trillion|bn|mn|k) | M | B
          | (?i:lakh[ ]crore|lakhs?|lacs?|crores?)
          | (?i:tausend|tsd|millionen|mio|milliarden?|mrd|billionen|milliards?)
          | mil[ ]millones | millones | millón | mil ) \b
          | 万亿 | 百万 | 千万 | [万萬亿億千] )
      | {_BLANK}? (?P<percent> \\?% | (?i: per\s?cent ) \b )
      )?
      (?: \s? (?: ± | \+/- ) \s? [\d.]+ )?            # the uncertainty is not the answer
    """,
    re.VERBOSE | re.ASCII,
)
NAME = re.compile(r"\d+(?:[.:]\d+)*", re.ASCII)
"""What is left of a word that no number begins in: the 1.2 of v1.2."""
SPREAD = re.compile(rf"\d {_BLANK}? [^\d\s]{{0,6}} {_BLANK}? (?: ± | \+/- ) \Z", re.VERBOSE)
"""What stands before an uncertainty: the "5 kg ±" of "5 kg ± 0.1 kg"."""
