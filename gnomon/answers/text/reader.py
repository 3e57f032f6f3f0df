"""Reads a word, a phrase or one of listed choices out of an answer."""

from __future__ import annotations

import re
from collections import deque
from functools import cache
from itertools import islice

from gnomon.answers import dialect
from gnomon.answers.reading.choice import Reading, Which, answered, check
from gnomon.answers.reading.final import final

_QUOTES = "\"'“”‘’«»`*"


def read_text(
    text: str, *, choices: tuple[str, ...] = (), which: Which = "last"
) -> Reading[str] | None:
    """One of `choices` that the text names as whole words; without choices, all that it says.

    All that it says is what stands after the last "Answer:", without quotation marks and without
    a full stop at its end. Of choices that overlap the longest counts: "lower left" is not "left".
    """
    if choices and which == "answer":
        return answered(text, lambda part, one: read_text(part, choices=choices, which=one))
    if choices and which == "final":
        return final(
            text,
            lambda part: _every(part, choices),
            lambda part: read_text(part, choices=choices, which="last"),
        )
    if choices:
        check(which)
        matches = _pattern(choices).finditer(text)
        counts = deque(matches, maxlen=1) if which == "last" else islice(matches, 1)
        for match in counts:
            return _choice(match, choices)
        return None
    said = " ".join(dialect.final(text).strip(_QUOTES).removesuffix(".").strip(_QUOTES).split())
    return Reading(said, (0, len(text)), "text") if said else None


def _every(text: str, choices: tuple[str, ...]) -> list[Reading[str]]:
    """All choices that a short text names; "A red car" does not name A."""
    found = _pattern(choices).finditer(text)
    return [_choice(m, choices) for m in found if not (m[0] in "AI" and _ARTICLE.match(text, m.end()))]


_ARTICLE = re.compile(r"\s[a-z]")


def _choice(match: re.Match[str], choices: tuple[str, ...]) -> Reading[str]:
    return Reading(_named(choices)[_plain(match[0])], match.span(), "choice")


@cache
def _pattern(choices: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(choices, key=len, reverse=True)
    named = "|".join(map(_named_as, longest_first))
    return re.compile(rf"{_begins(choices)}(?<!\w)(?:{named})(?!\w)", re.IGNORECASE)


def _begins(choices: tuple[str, ...]) -> str:
    """A look at the first character, which most places fail."""
    first = {choice[:1] for choice in choices}
    if any(not letter.strip() for letter in first):
        return ""
    return f"(?=[{''.join(map(re.escape, sorted(first)))}])"


def _named_as(choice: str) -> str:
    """Any case; but "a bar" does not name the choice A, as "a)" and "a" alone do.

    Between words a blank is a blank; beside a sign it may be missing, as in {"valid":false}.
    """
    if len(choice) > 1 or not choice.isalpha():
        return _BLANK_AT_A_SIGN.sub(r"\\s*", re.escape(choice).replace(r"\ ", " "))
    return rf"(?-i:{choice})|{choice}(?=\))|(?<=\A){choice}(?=\W*\Z)"


@cache
def _named(choices: tuple[str, ...]) -> dict[str, str]:
    return {_plain(choice): choice for choice in choices}


def _plain(choice: str) -> str:
    return _BLANK_AT_A_SIGN.sub("", choice.casefold())


_BLANK_AT_A_SIGN = re.compile(r"(?<!\w)\s+|\s+(?!\w)")
