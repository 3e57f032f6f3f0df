"""Reads the number that a text states, in figures or in English words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import TypeAlias

from gnomon.answers.number import forms
from gnomon.answers.number.spelled_out import ANY_NUMBER, VOCABULARY, spelled
from gnomon.answers.reading import cuts
from gnomon.answers.reading.choice import Reading, Which, answered, choose, every, lowered, plain
from gnomon.answers.reading.cuts import pieces
from gnomon.answers.reading.final import final
from gnomon.answers.reading.word_tables import any_of


def read_number(text: str, *, unit: str = "", which: Which = "final") -> Reading[Decimal] | None:
    """The number that `text` states, exactly, with its place and rule, or None.

    A percent sign is kept as a mark (the rule ends in "percent") and not applied. A comma that
    groups no thousands is a decimal comma where it is the only one: "3,5" is 3.5. "3.5 million" is
    3500000, but 3.5 where `unit`, in which the question wants its answer, is "million". Of several
    numbers the final answer counts, unless `which` says otherwise; a lone word "one" counts only if
    there is no other number, since "the right one" is none.
    """
    if which == "answer":
        return answered(text, lambda part, one: read_number(part, unit=unit, which=one))
    if which == "final":
        return final(
            text,
            lambda part: _every(part, unit),
            lambda part: read_number(part, unit=unit, which="last"),
        )
    text = plain(text, lower=False)
    low, tried = lowered(text), 0
    chosen: Reading[Decimal] | None
    one: Reading[Decimal] | None = None
    for start, end in pieces(low, _CUT, which, partial(_first, low)):
        figures = list(_in_figures(text, unit, start, end))
        words = list(spelled(low, start, end))
        if chosen := choose([*figures, *(r for r in words if r.rule != "one")], which):
            return chosen
        one = one or choose(words, which)
        tried += len(figures) + len(words)
        if tried > cuts.TRIED:
            break
    return one


def _every(text: str, unit: str) -> list[Reading[Decimal]]:
    """All numbers of a short text; a lone "one" only if there is no other."""
    text = plain(text, lower=False).replace("__", "  ")
    words = list(spelled(lowered(text), 0, len(text)))
    figures = _in_figures(text, unit, 0, len(text))
    others: list[_Found] = [*figures, *(r for r in words if r.rule != "one")]
    found: list[Reading[Decimal]] = every(others) or every(words)
    if unit:
        found = [r for r in found if _has_unit(text, r.span, unit)] or found
    return found


def _has_unit(text: str, span: tuple[int, int], unit: str) -> bool:
    """Whether the unit asked for stands in a number, as %, or behind it."""
    return text[slice(*span)].endswith(unit) or text[span[1] : span[1] + 24].lstrip(
        " \u00a0\\,*_"
    ).startswith(unit)


def parse_number(text: str, *, unit: str = "", which: Which = "final") -> float | None:
    """The number that `text` states, or None; see `read_number`."""
    reading = read_number(text, unit=unit, which=which)
    return float(reading.value) if reading else None


def _first(low: str, start: int, end: int) -> int | None:
    """Where a number may begin, but for what stands before it."""
    figure, word = _LEAD.search(low, start, end), ANY_NUMBER.search(low, start, end)
    return min((match.start() for match in (figure, word) if match), default=None)


_WORDS = any_of(VOCABULARY | {"k", "m", "mn", "b", "bn", "per", "percent"})
# A blank after a point or a comma with a figure behind it, or before a word that no number has.
_CUT = re.compile(rf"\s(?:(?<=[;:!?.)\]\"]\s)|(?<=,\s)(?=[0-9])|(?=[a-z]{{2}})(?!{_WORDS}))")


def _in_figures(text: str, unit: str, place: int, end: int) -> Iterator[_Found]:
    while lead := _LEAD.search(text, place, end):
        start, far = lead.start(), end + cuts.AHEAD
        if text[start].isdigit() and (refused := forms.NO_NUMBER.match(text, start, far)):
            yield Reading(None, refused.span(), "refused")
            place = refused.end()
        elif match := forms.NUMBER.match(text, start - _begins_with_point(text, start), far):
            place = match.end()
            if (match["run"] or "").count(",") > 1 and forms.decimal(match["run"]) is None:
                yield from _list(match)
            else:
                yield _Figures(match, unit)
        else:
            name = forms.NAME.match(text, start, end)
            place = name.end() if name else start + 1
            yield Reading(None, (start, place), "refused")


_Found: TypeAlias = "Reading[Decimal | None] | _Figures"
_LEAD = re.compile(rf"[0-9\\{forms.GLYPHS}]")


def _begins_with_point(text: str, start: int) -> bool:
    """Whether the digit at `start` belongs to a ".5", rather than to the "1.5" of "Rs.500"."""
    before = text[max(0, start - 2) : start]
    if not (before.endswith(".") and text[start].isdigit()):
        return False
    return not (before[:-1].isalnum() or before == "..")


def _list(match: re.Match[str]) -> Iterator[Reading[Decimal | None]]:
    """The numbers of 1,2,3."""
    place = match.start("run")
    for item in _ITEM.finditer(match["run"]):
        span = place + item.start(), place + item.end()
        yield Reading(forms.decimal(item[0]), span, "numeral")


_ITEM = re.compile(r"[^,]+")


class _Figures:
    """A number in figures, whose value and sign are found out only where it counts."""

    __slots__ = ("_match", "_unit", "span")

    def __init__(self, match: re.Match[str], unit: str) -> None:
        self._match, self._unit, self.span = match, unit, match.span()

    def read(self) -> Reading[Decimal] | None:
        """None where the figures are no number, or the uncertainty of one."""
        begins = self.span[0]
        before = self._match.string[max(0, begins - 16) : begins].rstrip()
        if before.endswith(("±", "+/-")) and forms.SPREAD.search(before):
            return None
        value, rule = forms.value(self._match, self._unit)
        if value is None:
            return None
        start, negative = _sign(self._match)
        value = value.copy_negate() if negative else value
        return Reading(value, (start, self._match.end()), rule)


def _sign(match: re.Match[str]) -> tuple[int, bool]:
    """Where the number begins, its sign and currency included, and whether it is negative."""
    start = match.start()
    before = match.string[max(0, start - 16) : start]
    if before.rstrip()[-1:].isdigit():  # the commonest case by far in a list: no sign
        return start, False
    prefix = _PREFIX.search(before)
    if prefix is None:
        return start, False
    signs = (prefix["minus"] or "") + (prefix["outer"] or "") + (prefix["inner"] or "")
    return start - len(prefix[0]), bool(signs.strip("+"))


_PREFIX = re.compile(
    r"""
    (?P<minus> (?<!\d\s) \b (?:minus|negative) \s )?     # "10 minus 5" has no -5
    (?P<outer> (?<![\w)\]%.]) [-+] )?                    # nor has 10-5
    (?: (?: [$€£¥₹] | \b (?:USD|EUR|GBP|INR|JPY|CHF|Rs) \b \.? ) \s? (?P<inner> [-+] )? )?
    \Z
    """,
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
