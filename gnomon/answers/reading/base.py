"""Readings, normalized texts, tables of patterns, and labels before boxes."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast, get_args

V = TypeVar("V", covariant=True)

Which: TypeAlias = Literal["final", "first", "last", "answer"]
"""Value that counts if a text has several values.

- "final": the value that a person takes for the answer, as `reading.final` finds it.
- "first" or "last": the first or the last value.
- "answer": the value that the text calls its answer, in a box, a tag or a key, or after the word.
"""


class Reading(NamedTuple, Generic[V]):
    """A value, its place in the text, and the name of the rule that read it."""

    value: V
    span: tuple[int, int]
    rule: str


def check_which(which: Which) -> None:
    """Raise if `which` is unknown."""
    if which not in get_args(Which):
        raise ValueError(f"which={which!r}: expected 'final', 'first', 'last' or 'answer'")


def shift(reading: Reading[V], by: int) -> Reading[V]:
    """Move a reading of a part to its place in the whole text."""
    start, end = reading.span
    return reading._replace(span=(start + by, end + by))


def longest(readings: Iterable[Reading[V | None]]) -> list[Reading[V]]:
    """Sort readings by place and keep the longest of those that overlap.

    A reading whose value is None also covers its place: "10:75 AM" is not a time, and "75 AM" in it
    must not be read either.
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


# Each sign is one character, so the other characters of a text keep their places.
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
    """Replace look-alike signs. All characters keep their places."""
    # In ASCII, as most texts are, only the backtick has a look-alike.
    sign = _LOOK_ALIKE.search(text) if not text.isascii() or "`" in text else None
    while sign:
        text = text.replace(sign[0], _SAME_LENGTH[sign[0]])
        sign = _LOOK_ALIKE.search(text, sign.end())
    return lower_case(text) if lower else text


_LOOK_ALIKE = re.compile(f"[{''.join(_SAME_LENGTH)}]")


def lower_case(text: str) -> str:
    """Convert to lower case. All characters keep their places."""
    return text.replace("İ", "i").lower()  # "İ".lower() has two characters


# gnomon.files.read_toml is not used, because gnomon imports answers and folders form no circle.
def table(module: str, name: str = "") -> dict[str, Any]:
    """Read a TOML file beside a module, by default with the name of the module.

    `module` is the `__file__` of the module.
    """
    path = Path(module)
    path = path.with_name(name) if name else path.with_suffix(".toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def fill(rows: Mapping[str, str | list[str]]) -> dict[str, str]:
    """Join the lines of each pattern, and replace {name} by an earlier pattern of that name."""
    patterns: dict[str, str] = {}
    for name, lines in rows.items():
        pattern = "".join(lines)
        # str.format would fail, because most braces are quantifiers.
        for other, words in patterns.items():
            pattern = pattern.replace(f"{{{other}}}", words)
        patterns[name] = pattern
    return patterns


def any_of(words: Iterable[str], *, letters: str = "[a-z]") -> str:
    """Build a pattern for any of these words without adjacent `letters`.

    Alternatives are grouped by their first letter, which makes the search fast. Longer words come
    first, because "eighty" begins with "eight".
    """
    return "|".join(
        rf"{letter}(?<!{letters}{letter})(?:{'|'.join(word[1:] for word in same)})(?!{letters})"
        for letter, same in groupby(sorted(words, reverse=True), lambda word: word[0])
    )


# Most words of a label beside a box. A longer text is a sentence.
_LONGEST_LABEL = 8


def trim_label(text: str) -> str:
    """Strip signs of lists, tables and quotations around a text."""
    text = _MARKUP.sub("", text).strip(" \t\r\n:;|,*`–—=→")
    text = _IS_AT.sub("", text).strip(" :*`")
    is_quoted = len(text) > 1 and text[0] + text[-1] in ('""', "''", "“”", "„“", "«»", "「」")
    return text[1:-1] if is_quoted else text


# Special tokens, and the bullet or number of a list entry.
_MARKUP = re.compile(r"<\|\w+\|>|</?(?:ref|s|box|answer)>|\A\s*+(?:[-*•+]|\d{1,3}[.)])\s+(?=\S*\w)")
# Words that lead to a box: "EXIT is located at [...]".
_IS_AT = re.compile(r"\s(?:(?:is|are)\s)?(?:(?:located|found)\s)?(?:at|in|box|bbox)\Z")
_SENTENCE = re.compile(
    r"^(?:(?:and|und|or|but|the other|another)\b(?=.)|(?:et|y)\s(?:l[aeo]s?|el|une?|un[ao]?)\b)"
    r"|[.!?:]\s|位于|有|[,;]$"
    r"|\b(?:is|are|at|has|see|sees|flies|there|here|voit|hay|gibt|ist|liegt|bei)\b"
)


def is_sentence(text: str) -> bool:
    """True if the words before a box are a sentence and not a label: "The mug is at"."""
    return len(text.split()) > _LONGEST_LABEL or bool(_SENTENCE.search(lower_case(text)))
