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
    text: str, *, choices: tuple[str, ...] = (), which: Which = "final"
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
            lambda part: next(reversed(_every(part, choices)), None),
        )
    if choices:
        check(which)
        matches = _pattern(choices).finditer(text)
        counts = deque(matches, maxlen=1) if which == "last" else islice(matches, 1)
        for match in counts:
            return Reading(_named(choices)[_plain(match[0])], match.span(), "choice")
        return None
    said = " ".join(dialect.final(text).strip(_QUOTES).removesuffix(".").strip(_QUOTES).split())
    return Reading(said, (0, len(text)), "text") if said else None


def _every(text: str, choices: tuple[str, ...]) -> list[Reading[str]]:
    """All choices that a short text names; "A red car" does not name A."""
    names = _with_labels(choices)
    if not any("-" in choice for choice in choices):
        text = text.replace("-", " ")
    found = [
        _choice(m, names)
        for m in _pattern(tuple(names)).finditer(text)
        if not (
            m[0] == "A"
            and _ARTICLE.match(text, m.end())
            and not _LETTER_NAMED.search(text, max(0, m.start() - 24), m.start())
        )
    ]
    if {_plain(name) for name in names} == {"yes", "no"}:
        yes, no = sorted(names, key=_plain, reverse=True)
        said = [r for r in found if not _NO_OTHER.match(text, r.span[0])]
        words = (
            Reading(yes if m["yes"] else no, m.span("word"), "choice")
            for m in _YES_OR_NO.finditer(text)
        )
        found = sorted([*(said or found), *words], key=lambda r: r.span)
    return found


@cache
def _with_labels(choices: tuple[str, ...]) -> dict[str, str]:
    """What names a choice: of "B. a red car" also B alone, and the car."""
    names = {choice: choice for choice in choices}
    labels = [_LABEL.fullmatch(choice) for choice in choices]
    if all(labels):
        for label, choice in zip(labels, choices, strict=True):
            if label:
                names |= {label[1]: choice, label[2]: choice}
    return names


_LABEL = re.compile(r"\(?([A-Z])[.):]\)?\s+(.+)")
_ARTICLE = re.compile(
    r"\s(?!(?:is|was|says|has|and|or|because|seems|matches|fits|are|in|as|since|with|oder|o|ou|y|et|und|ist|est|es)\b)[a-z]"
)
_LETTER_NAMED = re.compile(
    r"\b(?:option|choice|answer|answer\sis|image|picture)\s[*(\"']{0,3}\Z", re.IGNORECASE
)
_NO_OTHER = re.compile(r"no\s(?!because|since|as\b|for\b|wait)[a-z]")
_YES_OR_NO = re.compile(
    r"(?:\A|[\n:：>\"“*。.!?,]\s?[\s*\"“]{0,3})(?P<word>(?P<yes>ja|oui|s[íi]|是的?|有|对|yep|yeah|true)"
    r"|nein|non|没有|不是|否|nope|false)(?![a-zà-ÿ])",
    re.IGNORECASE,
)


def _choice(match: re.Match[str], names: dict[str, str]) -> Reading[str]:
    return Reading(names[_named(tuple(names))[_plain(match[0])]], match.span(), "choice")


@cache
def _pattern(choices: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(choices, key=len, reverse=True)
    named = "|".join(map(_named_as, longest_first))
    return re.compile(rf"{_begins(choices)}(?<!{_LETTER})(?:{named})(?!{_LETTER})", re.IGNORECASE)


_LETTER = r"[^\W\u3040-\u9fff]"
"""Of words that blanks part; Chinese ones stand beside one another."""


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
