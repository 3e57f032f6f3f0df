"""Reader of a word, a phrase or a listed choice. read.toml has the patterns."""

import re
import unicodedata
from collections import Counter
from functools import cache

from gnomon.answers.base.dialect import bare_text
from gnomon.answers.reading.base import Reading, Which, fill, lower_case, table
from gnomon.answers.reading.final import find
from gnomon.answers.reading.number_words import WIDE, Digits

_FORMS = {name: re.compile(pattern) for name, pattern in fill(table(__file__)).items()}
# Wide digits replace number words, as in `reading.number_words.Digits`.
_TO_ASCII_DIGITS = str.maketrans(WIDE, "0123456789")


def read_text(
    text: str, *, choices: tuple[str, ...] = (), which: Which = "final"
) -> Reading[str] | None:
    """Read one of `choices`, or the whole answer without choices.

    Choices are found as whole words. The longest counts if several overlap: "lower left" is not
    "left". The whole answer is the text after the last "Answer:", without quotation marks and
    without a full stop at its end.
    """
    if choices:
        return find(text, lambda part: _all_choices(part, choices), which)
    answer = bare_text(text)
    return Reading(answer, (0, len(text)), "text") if answer else None


@cache
def _latex(choices: tuple[str, ...]) -> dict[str, str]:
    """Map names without LaTeX to choices. A name that two choices share is left out."""
    names = [(_without_latex(name), choice) for name, choice in _with_labels(choices).items()]
    return {name: choice for name, choice in names if len({c for n, c in names if n == name}) == 1}


def _without_latex(text: str) -> str:
    text = _FORMS["fraction"].sub(r"\1/\2", text.casefold())
    return _FORMS["marks"].sub("", text).removesuffix(".")


# Most characters of a box or a line that is compared with the choices as a whole, without LaTeX.
_SHORT = 100


def _all_choices(text: str, choices: tuple[str, ...]) -> list[Reading[str]]:
    """Read all choices that a short text names; "A red car" does not name A."""
    names = _with_labels(choices)
    if len(text) < _SHORT and any(map(_FORMS["latex"].search, (text, *choices))):
        whole = _latex(choices).get(_without_latex(text))
        if whole:
            return [Reading(whole, (0, len(text)), "choice")]
    # "lower-left" names "lower left", unless choices have hyphens of their own.
    if not any("-" in choice for choice in choices):
        text = text.replace("-", " ")
    text = text.replace("__", "  ")  # Markdown's bold
    readings = [
        _choice(match, names)
        for match in _pattern(tuple(names)).finditer(text)
        if len(match[0]) > 1 or not match[0].isupper() or _is_letter(text, *match.span())
    ]
    if not readings and all(map(str.isdecimal, choices)):
        readings = _spelled_choices(text, names)
    return _mentions(text, _yes_or_no(text, readings, names))


def _spelled_choices(text: str, names: dict[str, str]) -> list[Reading[str]]:
    """Read number words if the choices are figures: "three" for 3."""
    digits = Digits(lower_case(text))
    matches = _pattern(tuple(names)).finditer(digits.text.translate(_TO_ASCII_DIGITS))
    readings = (_choice(match, names) for match in matches)
    return [reading._replace(span=digits.span(*reading.span)) for reading in readings]


def _yes_or_no(
    text: str, readings: list[Reading[str]], names: dict[str, str]
) -> list[Reading[str]]:
    """Add synonyms of yes and no if they are the choices, and drop a repeated question."""
    yes, no = (next((n for n in names if _plain(n) == word), "") for word in ("yes", "no"))
    if not (yes and no and {*names.values()} == {names[yes], names[no]}):
        return readings
    readings = [
        r
        for r in readings
        if not _FORMS["asked"].match(text, max(0, r.span[0] - 10), r.span[1] + 10)
    ]
    answers = [r for r in readings if not _FORMS["no_other"].match(text, r.span[0])]
    words = [
        Reading(names[yes if match["yes"] else no], match.span("word"), "choice")
        for match in _FORMS["yes_or_no"].finditer(text)
    ]
    return sorted([*answers, *words], key=lambda r: r.span) or readings


def _mentions(text: str, readings: list[Reading[str]]) -> list[Reading[str]]:
    """Join a choice's label with its text and with the noun before it, as in "option B. red"."""
    mentions: list[Reading[str]] = []
    for reading in readings:
        start, end = reading.span
        noun = _FORMS["noun"].search(text, max(0, start - 24), start)
        if noun:
            start = noun.start()
        if mentions and reading.value == mentions[-1].value:
            begin, before = mentions[-1].span
            # "B, B" is a repeated mention, not a label with its text.
            repeats = text[begin:before] == text[start:end]
            if not repeats and _FORMS["beside"].fullmatch(text, before, start):
                mentions[-1] = reading._replace(span=(begin, end))
                continue
        mentions.append(reading._replace(span=(start, end)))
    return mentions


def _is_letter(text: str, start: int, end: int) -> bool:
    """True if a capital names a choice and is not an article or part of a formula."""
    if _FORMS["letter_named"].search(text, max(0, start - 24), start):
        return True
    # "A cat" begins with an article, "I think" with a pronoun.
    article = text[start:end] in "AI" and _FORMS["article"].match(text, end)
    return not (
        article
        or _FORMS["formula_before"].search(text, max(0, start - 6), start)
        or _FORMS["formula_after"].match(text, end)
    )


@cache
def _with_labels(choices: tuple[str, ...]) -> dict[str, str]:
    """Map all names to choices: "B. a red car" can also be named by B and by "a red car"."""
    names = {choice: choice for choice in choices}
    labels = list(filter(None, map(_FORMS["label"].fullmatch, choices)))
    # "A. cat" is a label with its text only if all choices have labels.
    if len(labels) < len(choices):
        return names
    # A text that two labels share is ambiguous.
    counts = Counter(_plain(label[2]) for label in labels)
    texts = {label[2]: label[0] for label in labels if counts[_plain(label[2])] == 1}
    letters = {label[1]: label[0] for label in labels}
    # A label comes before a text: with the choices "A. C" and "C. A", C is the second choice.
    used = set(map(_plain, letters))
    return names | {text: c for text, c in texts.items() if _plain(text) not in used} | letters


def _choice(match: re.Match[str], names: dict[str, str]) -> Reading[str]:
    return Reading(names[_by_plain_name(tuple(names))[_plain(match[0])]], match.span(), "choice")


@cache
def _pattern(choices: tuple[str, ...]) -> re.Pattern[str]:
    # Alternatives are tried in order: "lower left" before "left".
    # An é of a choice may be two characters in the answer, or the other way round.
    coded = [unicodedata.normalize(form, name) for form in ("NFC", "NFD") for name in choices]
    longest_first = sorted(dict.fromkeys([*choices, *coded]), key=len, reverse=True)
    alternatives = "|".join(map(_name_pattern, longest_first))
    return re.compile(rf"(?<!{_LETTER})(?:{alternatives})(?!{_LETTER})", re.IGNORECASE)


# A letter of a language with blanks between words. Chinese has no such blanks.
_LETTER = r"[^\W\u3040-\u9fff]"


def _name_pattern(choice: str) -> str:
    """Build a pattern that matches any case.

    The choice A is named by "a)", "option a" and a lone "a", but not by "a bar". A blank next to a
    sign may be missing, as in {"valid":false}.
    """
    if len(choice) > 1 or not choice.isalpha():
        return _FORMS["blank_at_a_sign"].sub(r"\\s*", re.escape(choice).replace(r"\ ", " "))
    return rf"(?-i:{choice})|{choice}(?=\))|(?<=option ){choice}|(?<=\A){choice}(?=\W*\Z)"


@cache
def _by_plain_name(choices: tuple[str, ...]) -> dict[str, str]:
    return {_plain(choice): choice for choice in choices}


def _plain(choice: str) -> str:
    choice = unicodedata.normalize("NFC", choice.casefold())
    return _FORMS["blank_at_a_sign"].sub("", choice)
