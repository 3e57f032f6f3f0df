"""Reads the time of day that a text states, in figures or as it is spoken in English."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from gnomon.eval.parse import time_rules as rules
from gnomon.eval.parse.reading import Reading, Which, choose, plain
from gnomon.eval.parse.words import Digits, digits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.eval.parse.time_rules import Hms


def read_time(
    text: str, *, hours: Literal[12, 24] = 24, which: Which = "last"
) -> Reading[Hms] | None:
    """The time that `text` states, with its place and rule, or None.

    With hours=24 the value is what was said: 22:08 stays 22:08, "8 past 10 PM" becomes it, and
    10:08 stays 10:08. With hours=12 it is what a 12-hour dial shows: 22:08 becomes 10:08, and the
    hour at the top is 12. Of several times the last stated counts, unless `which` says otherwise.
    """
    said = digits(plain(text))
    chosen = choose(_candidates(said), said.text, which)
    if chosen is None:
        return None
    hour, minute, second = chosen.value
    if hours == 12:
        hour = hour % 12 or 12
    return Reading((hour, minute, second), said.span(*chosen.span), chosen.rule)


def _candidates(said: Digits) -> Iterator[Reading[Hms | None]]:
    for place, allowed in _anchors(said):
        for rule, pattern, value in allowed:
            if match := pattern.match(said.text, place):
                yield Reading(value(match), match.span(), rule)
    yield from _fields(said.text)


def _anchors(said: Digits) -> Iterator[tuple[int, tuple[rules.Rule, ...]]]:
    """Where a time may begin, with the rules that what follows allows.

    Trying every rule at every character would take ten times as long.
    """
    for match in _FIGURES.finditer(said.text):
        place, cue = match.start(), match[1] or match[2]
        if cue:
            yield place, _AFTER_FIGURES.get(cue, rules.IN_WORDS)
        if place in said.said or cue == "o":
            yield place, rules.SPOKEN
    if not _ANCHOR_WORDS.isdisjoint(_WORD.findall(said.text)):
        for match in _ANCHOR_WORD.finditer(said.text):
            yield match.start(), rules.IN_WORDS


_AFTER_FIGURES = {":": rules.AFTER_COLON, ".": rules.AFTER_DOT}
_FIGURES = re.compile(r"[0-9]{1,4}(?:\s?(:)|[\s,(-]{0,3}([a-z.]))?")
_ANCHOR_WORDS = frozenset(rules.ANCHOR_WORDS)
_ANCHOR_WORD = re.compile("|".join(rules.ANCHOR_WORDS))
_WORD = re.compile("[a-z]+")


def _fields(text: str) -> Iterator[Reading[Hms | None]]:
    """JSON or lines such as {"hours": 10, "minutes": 8}: neighbours, in any order."""
    group: dict[str, int] = {}
    start = end = 0
    for match in _FIELD.finditer(text):
        unit = match["unit"][0]
        if unit in group or match.start() - end > 12:
            yield from _field_time(group, (start, end))
            group = {}
        start = start if group else match.start()
        end = match.end()
        group[unit] = int(match["value"])
    yield from _field_time(group, (start, end))


def _field_time(group: dict[str, int], span: tuple[int, int]) -> Iterator[Reading[Hms | None]]:
    if "h" in group and "m" in group:
        value = rules.time_of(group["h"], group["m"], group.get("s"))
        yield Reading(value, span, "fields")


_FIELD = re.compile(
    r"\b(?P<unit>hour|minute|second|min|sec|hr|hh|mm|ss|h|m|s)s?[\"']?\s?[:=]\s?[\"']?"
    r"(?P<value>\d{1,2})(?:\.0)?(?!\d|[:.]\d)[\"']?"
)
