"""Readings, texts with look-alike signs made one, tables of patterns, and labels before boxes."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast, get_args

V = TypeVar("V", covariant=True)

Which: TypeAlias = Literal["final", "first", "last", "answer"]
"""Value that counts if a text states several: the one that a person takes for the answer, as
`reading.final` finds it; the first; the last; or the one that the text calls its answer, in a box,
a tag, a key or after the word (nothing counts where it calls none so)."""


class Reading(NamedTuple, Generic[V]):
    """A value, its place in the text, and the name of the rule that read it."""

    value: V
    span: tuple[int, int]
    rule: str


def check_which(which: Which) -> None:
    """Refuse an unknown choice among several values."""
    if which not in get_args(Which):
        raise ValueError(f"which={which!r}: expected 'final', 'first', 'last' or 'answer'")


def shift(reading: Reading[V], by: int) -> Reading[V]:
    """Move a reading of a part to its place in the whole text."""
    start, end = reading.span
    return reading._replace(span=(start + by, end + by))


def longest(readings: Iterable[Reading[V | None]]) -> list[Reading[V]]:
    """Sort readings by place and keep the longest of those that overlap.

    A refused reading, whose value is None, takes its place like any other: in "10:75 AM" the whole
    keeps "75 AM" from being read.
    """
    best: list[Reading[V | None]] = []
    for reading in sorted(readings, key=lambda r: (r.span[0], -r.span[1])):
        if not best or reading.span[0] >= best[-1].span[1]:
            best.append(reading)
        elif _length(reading) > _length(best[-1]):
            best[-1] = reading
    return [cast("Reading[V]", reading) for reading in best if reading.value is not None]


def _length(reading: Reading[V | None]) -> int:
    return reading.span[1] - reading.span[0]


# Signs of one character each, so that no character of the text moves.
_SAME_LENGTH = {
    **{chr(ord("０") + digit): str(digit) for digit in range(10)},
    **dict.fromkeys("：∶﹕", ":"),
    **dict.fromkeys("’‘ʼ`´", "'"),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys("−–—‐‑‒﹣－", "-"),
    **dict.fromkeys("\u2007\u2009\u202f", "\u00a0"),
    "％": "%",
    "＋": "+",
    "，": ",",
    "．": ".",
    "⁄": "/",
    "∕": "/",
    **dict(zip("［］（）", "[]()", strict=True)),
}


def normalize(text: str, *, lower: bool = True) -> str:
    """Replace look-alike signs by one of them; no character moves, so that spans stay true."""
    # Most texts are plain ASCII, in which only the backtick has a look-alike.
    sign = _LOOK_ALIKE.search(text) if not text.isascii() or "`" in text else None
    while sign:
        text = text.replace(sign[0], _SAME_LENGTH[sign[0]])
        sign = _LOOK_ALIKE.search(text, sign.end())
    return lower_case(text) if lower else text


_LOOK_ALIKE = re.compile(f"[{''.join(_SAME_LENGTH)}]")


def lower_case(text: str) -> str:
    """Convert to lower case, with every character in its place."""
    return text.replace("İ", "i").lower()  # "İ".lower() has two characters


# Not gnomon.files.read_toml: gnomon imports answers, and no two folders import each other.
def table(module: str, name: str = "") -> dict[str, Any]:
    """Read a table beside a module, given as its `__file__`; by default the one of its name."""
    path = Path(module)
    path = path.with_name(name) if name else path.with_suffix(".toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def fill(rows: Mapping[str, str | list[str]]) -> dict[str, str]:
    """Replace {name} in each pattern by the pattern of that name above it; join lists of lines."""
    patterns: dict[str, str] = {}
    for name, lines in rows.items():
        pattern = "".join(lines)
        # Not str.format: braces are quantifiers in most places.
        for other, words in patterns.items():
            pattern = pattern.replace(f"{{{other}}}", words)
        patterns[name] = pattern
    return patterns


def any_of(words: Iterable[str], then: str = "", *, letters: str = "[a-z]") -> str:
    """Build a pattern for any of these words, with none of `letters` beside it and `then` after.

    Alternatives are grouped by their first letter, which makes the search fast. The longer of two
    words comes first, so that "eighty" is not read as "eight".
    """
    then = f"(?!{letters}){then}"
    return "|".join(
        rf"{letter}(?<!{letters}{letter})(?:{'|'.join(word[1:] for word in same)}){then}"
        for letter, same in groupby(sorted(words, reverse=True), lambda word: word[0])
    )


# Words of a label beside a box; more are a sentence.
_LONGEST_LABEL = 8


def trim_label(text: str) -> str:
    """Strip the signs that lists, tables and quotations put around a text."""
    text = _MARKUP.sub("", text).strip(" \t\r\n:;|,*`–—=→")
    text = _IS_AT.sub("", text).strip(" :*`")
    is_quoted = len(text) > 1 and text[0] + text[-1] in ('""', "''", "“”", "„“", "«»", "「」")
    return text[1:-1] if is_quoted else text


# Special tokens, and the bullet or number of a list's entry.
_MARKUP = re.compile(r"<\|\w+\|>|</?(?:ref|s|box|answer)>|\A\s*+(?:[-*•+]|\d{1,3}[.)])\s+(?=\S*\w)")
# Words that lead to a box: "EXIT is located at [...]".
_IS_AT = re.compile(r"\s(?:(?:is|are)\s)?(?:(?:located|found)\s)?(?:at|in|box|bbox)\Z")
_SENTENCE = re.compile(
    r"^(?:(?:and|und|or|but|the other|another)\b(?=.)|(?:et|y)\s(?:l[aeo]s?|el|une?|un[ao]?)\b)"
    r"|[.!?:]\s|位于|有|[,;]$"
    r"|\b(?:is|are|at|has|see|sees|flies|there|here|voit|hay|gibt|ist|liegt|bei)\b"
)


def is_sentence(text: str) -> bool:
    """True if the words before a box lead to it and are no label: "The mug is at"."""
    return len(text.split()) > _LONGEST_LABEL or bool(_SENTENCE.search(lower_case(text)))
