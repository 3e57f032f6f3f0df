"""Reads the time of day that a text states, in figures or as it is spoken in English."""

from __future__ import annotations

import re
from typing import Literal

from gnomon.answers.reading import cuts
from gnomon.answers.reading.choice import Reading, Which, answered, choose, every, plain
from gnomon.answers.reading.cuts import chunks, groups
from gnomon.answers.reading.final import final
from gnomon.answers.reading.word_tables import SMALL, TENS, any_of, digits
from gnomon.answers.time.candidates import APART, UNIT, candidates, read
from gnomon.answers.time.writing import Hms


def read_time(
    text: str, *, hours: Literal[12, 24] = 24, which: Which = "final"
) -> Reading[Hms] | None:
    """The time that `text` states, with its place and rule, or None.

    With hours=24 the value is what was said: 22:08 stays 22:08, "8 past 10 PM" becomes it, and
    10:08 stays 10:08. With hours=12 it is what a 12-hour dial shows: 22:08 becomes 10:08, and the
    hour at the top is 12. Of several times the final answer counts, unless `which` says otherwise.
    """
    if which == "answer":
        return answered(text, lambda part, one: read_time(part, hours=hours, which=one))
    if which == "final":
        return final(
            text,
            lambda part: _every(part, hours),
            lambda part: read_time(part, hours=hours, which="last"),
        )
    text = plain(text)
    tried = 0
    chosen: Reading[Hms] | None
    for start, end in chunks(text, _CUT, which):
        said = digits(text, start, end)
        found = candidates(said.text, said.start, said.end)
        tried += said.numbers // 3  # hundreds of number words are no talk about a time
        for group in groups(found, said.text, _CUT, which):
            if chosen := choose(read(said, group), which):
                return _shown(chosen, hours)
            tried += 2 * len(group)  # each takes more time than a number
            if tried > cuts.TRIED:
                return None
    return None


def _every(text: str, hours: int) -> list[Reading[Hms]]:
    """All times of a short text."""
    low = plain(text)
    said = digits(low, 0, len(low))
    found: list[Reading[Hms]] = every(read(said, candidates(said.text, said.start, said.end)))
    return [_shown(reading, hours) for reading in found]


def _shown(reading: Reading[Hms], hours: int) -> Reading[Hms]:
    """As a dial of so many hours shows it."""
    hour, minute, second = reading.value
    shown = (hour % 12 or 12) if hours == 12 else hour
    return reading._replace(value=(shown, minute, second))


def parse_time(text: str, *, hours: Literal[12, 24] = 24, which: Which = "final") -> Hms | None:
    """The (hour, minute, second or None) that `text` states, or None; see `read_time`."""
    reading = read_time(text, hours=hours, which=which)
    return reading.value if reading else None


# fmt: off
_WORDS = any_of({
    *SMALL, *TENS, "quarter", "half", "noon", "midday", "midnight", "past", "after", "to", "before",
    "till", "til", "until", "of", "oh", "clock", "oclock", "and", "hour", "hours", "hr", "hrs",
    "hh", "minute", "minutes", "min", "mins", "mm", "second", "seconds", "sec", "secs", "ss", "am",
    "pm", "in", "the", "early", "late", "morning", "afternoon", "evening", "at", "night", "hundred",
    "this", "tonight", "period", "ampm", "meridiem",
})
# fmt: on
# A blank after a full stop, between 10:08 and 10:08, or before a word that no time has; but not
# after "p." or "hrs.", nor near fields, which are read together.
_CUT = re.compile(
    r"\s(?:(?<=[;!?.]\s)(?<![ap]\.\s)(?<!hr\.\s)(?<!hrs\.\s)|(?<=:\d\d\s)(?=\d{1,2}:\d\d)"
    rf"|(?=[a-z]{{2}})(?!{_WORDS}))"
    rf"(?:(?![^:=]{{0,24}}+[:=])|(?![\s\S]{{0,{APART}}}?{UNIT}))"
)
