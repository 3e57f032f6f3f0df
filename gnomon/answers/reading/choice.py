"""What a reader returns, and which of several answers in one text counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, cast, get_args

from gnomon.answers.dialect import answer_block
from gnomon.answers.spots.truth import Spots
from gnomon.answers.table.truth import Table
from gnomon.answers.target import Corners
from gnomon.answers.time.writing import Hms

T = TypeVar("T")
V = TypeVar("V", covariant=True)

Value: TypeAlias = "Hms | Decimal | Corners | str | Spots | Table"
"""What a reader gives: a time, a number, a box, a text, spots or a table."""

Which: TypeAlias = Literal["final", "first", "last", "answer"]
"""Which of several stated values counts: the one that a person takes for the answer, as
`reading.final` finds it; the first; the last; or the one that the text calls its answer, as
`answered` finds it (nothing counts where it calls none so)."""


class Reading(NamedTuple, Generic[V]):
    """A value, where in the text it stands, and the name of the rule that read it."""

    value: V
    span: tuple[int, int]
    rule: str

    def read(self: Reading[T | None]) -> Reading[T] | None:
        """Itself, unless it was refused."""
        return None if self.value is None else cast("Reading[T]", self)


class Candidate(Protocol[V]):
    """What may be a reading; its value is only asked for where it counts."""

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands."""

    def read(self) -> Reading[V] | None:
        """None where it is refused."""


def check(which: Which) -> None:
    """Refuse an unknown choice among several values."""
    if which not in get_args(Which):
        raise ValueError(f"which={which!r}: expected 'final', 'first', 'last' or 'answer'")


def answered(text: str, read: Callable[[str, Which], Reading[V] | None]) -> Reading[V] | None:
    r"""The value that a text calls its answer; `read` reads a part of it.

    It is the last value in the last <answer> block or \boxed{}. Without these, it is the first
    value after the word "answer", or the last one before "is the answer".
    """
    start, end = block = answer_block(text) or (0, len(text))
    if boxes := list(_BOXED.finditer(text, *block)):
        start, end = boxes[-1].span(1)
    found = _by_word(text[start:end], read)
    if not found and end - start < len(text):
        found = read(text[start:end], "last")
    return found and moved(found, start)


def _by_word(text: str, read: Callable[[str, Which], Reading[V] | None]) -> Reading[V] | None:
    """The value beside the last "answer" that has one; "the answer is unknown" has none."""
    for word in list(_WORD.finditer(text))[: -_MENTIONS - 1 : -1]:
        parts: list[tuple[int, int, Which]] = [(word.start(), len(text), "first")]
        is_the = _IS_THE.search(text, max(0, word.start() - _NEAR), word.start())
        if is_the and not word["asks"]:
            end = is_the.start()
            sentence = max((m.end() for m in _SENTENCE.finditer(text, 0, end)), default=0)
            parts = [(sentence, end, "last"), *parts, (0, end, "last")]
        for start, end, which in parts:
            if found := read(text[start:end], which):
                return moved(found, start)
        if word["says"]:
            return None
    return None


def moved(reading: Reading[V], by: int) -> Reading[V]:
    """A reading of a part in its place in the whole text."""
    start, end = reading.span
    return reading._replace(span=(start + by, end + by))


_BOXED = re.compile(r"\\boxed\s*+\{((?:[^{}]|\{[^{}]*+\})*+)")
_WORD = re.compile(
    r"answer(?P<says>s?[\s*_\"']*+(?:(?P<asks>[:=?])|(?:is|are|was|would|should|must)\b))?",
    re.IGNORECASE,
)
_IS_THE = re.compile(
    r"(?:\b(?:is|are|was|be|as)|['’]s)\s+(?:the|my|our|your)\s+"
    r"(?:(?:final|correct|right|best|only|exact)\s+)?\Z",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?]\s+(?=[^\sa-z])|\n")
_NEAR = 40
"""Characters before "answer" that may be its "is the correct"."""
_MENTIONS = 4
"""Places of the word, from the end of the text, that are tried."""


def choose(found: Sequence[Candidate[V]], which: Which) -> Reading[V] | None:
    """The first or last reading; `found` also holds those that will be refused.

    They still take their place: in "10:75 AM" the whole keeps "75 AM" from being read.
    """
    kept = found if len(found) < 2 else _longest(found)
    for candidate in reversed(kept) if which == "last" else kept:
        if reading := candidate.read():
            return reading
    return None


def every(found: Iterable[Candidate[V]]) -> list[Reading[V]]:
    """All readings, in the order of the text."""
    return [reading for candidate in _longest(found) if (reading := candidate.read())]


def _longest(found: Iterable[Candidate[V]]) -> list[Candidate[V]]:
    """In the order of the text; of candidates that overlap, the longest stays."""
    kept: list[Candidate[V]] = []
    for reading in sorted(found, key=lambda r: (r.span[0], -r.span[1])):
        if not kept or reading.span[0] >= kept[-1].span[1]:
            kept.append(reading)
        elif _length(reading) > _length(kept[-1]):
            kept[-1] = reading
    return kept


def _length(reading: Candidate[V]) -> int:
    return reading.span[1] - reading.span[0]


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


def plain(text: str, *, lower: bool = True) -> str:
    """The text with look-alike signs made one; no character moves, so that spans stay true."""
    sign = _LOOK_ALIKE.search(text) if not text.isascii() or "`" in text else None
    while sign:
        text = text.replace(sign[0], _SAME_LENGTH[sign[0]])
        sign = _LOOK_ALIKE.search(text, sign.end())
    return lowered(text) if lower else text


_LOOK_ALIKE = re.compile(f"[{''.join(_SAME_LENGTH)}]")


def lowered(text: str) -> str:
    """In lower case, with every character in its place."""
    return text.replace("İ", "i").lower()  # "İ".lower() has two characters
