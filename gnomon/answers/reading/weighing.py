"""Weighs the values of a part of a text against each other: which one is given as the answer?

Each earns points for the best place that it stands in ("Answer: 7" 80, an opening "7." 55, "so it
is 7" 30) and gains or loses for what is beside it: it is what something "is", it stands in the
last sentence, behind "if", in a refusal. The most points win, the later value in a tie. A value
that is denied is passed over; where the winner is an end of a range, one of several alternatives or
an entry of a list, nothing is read. The points were set on two thirds of tests/answers/corpus.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from gnomon.answers.reading import cues
from gnomon.answers.reading.choice import Reading, moved
from gnomon.answers.reading.cues import PENALTIES, POINTS

V = TypeVar("V")
Values: TypeAlias = "Callable[[str], list[Reading[V]]]"
"""Finds every value of a short text, in its order."""

MOST = 16
"""Values of a region that are weighed; of runs of figures twice as many are looked at."""
_NEAR = 240
"""Characters behind what announces an answer in which it is looked for."""

_NAMES = {
    "key": "json key",
    "value_key": "json key",
    "is_the_answer": "is the answer",
    "equates": "shows",
}
ANSWERS = ("boxed", "tag", "json key", "answer", "is the answer")
"""Rules by which a text calls a value its answer, for `which="answer"`."""
_FIRST, _LAST, _CUT = 10, 12, -30
"""Of a value in the first sentence, in the last, and in one that was cut off."""
_IS, _IS_FIRST = 12, 6
"""Of what something "is", and more of the first such value of a sentence."""
_REPEATED = 25
"""What "Answer:" loses where the text says it again."""
_REFUSAL = 50
"""What a value must earn to count in a text that begins or ends with a refusal."""
_WEAK = -10
"""A value with fewer points is only mentioned."""
_MENTIONED = 13
"""The same for a bare letter in a text of more than _LONG characters."""
_LONG = 300
_STATED = 20
"""A value with fewer points is none of a text that was cut off."""
_ANNOUNCED = 50
"""The same for choices, which a working names often."""


def named(found: Reading[V] | None, rule: str, low: str) -> Reading[V] | None:
    """A reading with the name of its place before that of its form, unless it stands alone."""
    if found is None or not rule:
        return found
    start, end = found.span
    bare = not any(map(str.isalnum, low[max(0, start - 40) : start] + low[end : end + 40]))
    form = found.rule.split(": ")[-1]
    return found._replace(rule=form if bare else f"{rule}: {form}")


class _Scored(NamedTuple):
    place: int
    """Which of the values."""
    points: float
    rule: str


def _points(scored: _Scored) -> tuple[float, int]:
    return scored.points, scored.place


class _Cue(NamedTuple):
    name: str
    start: int
    end: int
    until: int
    """The end of the sentence that follows it."""


class Region(Generic[V]):
    """A part of a text: its values, cues and sentences, all by their place in the part."""

    def __init__(
        self, text: str, low: str, begin: int, end: int, values: Values[V], *, ends: bool = True
    ) -> None:
        figures = [match.start() for match in FIGURES.finditer(low, begin, end)]
        if len(figures) > 2 * MOST:
            begin, end = (figures[-2 * MOST], end) if ends else (begin, figures[2 * MOST])
        self._begin, self._low = begin, low[begin:end]
        self._ends = ends
        found = values(text[begin:end])
        self.found = found[-MOST:] if ends else found[: MOST // 2]
        self._text = low

    @cached_property
    def _sentences(self) -> list[int]:
        """Where each begins."""
        ends = (match.end() for match in cues.SENTENCE_END.finditer(self._low))
        return [0, *ends]

    def _sentence(self, place: int) -> tuple[int, int]:
        index = bisect_right(self._sentences, place)
        end = self._sentences[index] if index < len(self._sentences) else len(self._low)
        return self._sentences[index - 1], end

    @cached_property
    def _last(self) -> int:
        """Where the last sentence begins."""
        return self._sentence(max(0, len(self._low.rstrip()) - 1))[0]

    @cached_property
    def _cues(self) -> list[_Cue]:
        found = []
        declines = self._are_texts and any(
            name == "refuses" for r in self.found for name, _, _ in cues.cues(str(r.value).lower())
        )  # "cannot be determined" is one of the choices
        for name, start, end in cues.cues(self._low):
            if name == "refuses" and declines:
                continue
            shared = [r for r in self.found if r.span[0] < end and start < r.span[1]]
            inside = all(start < r.span[0] and r.span[1] < end for r in shared)
            if self._are_texts and self._is_of_a_choice(name, start):
                continue
            if name == "refuses" and all(r.span[1] < end for r in shared):
                self.found = [r for r in self.found if r not in shared]  # the "no" of "no idea"
            elif not inside:
                continue
            found.append(_Cue(name, start, end, self._until(end)))
        return found

    def _until(self, place: int) -> int:
        """Where the sentence ends that begins here, behind blank lines and marks."""
        word = _WORD.search(self._low, place)
        end = self._sentence(word.start())[1] if word else len(self._low)
        return min(end, place + _NEAR)

    def most(self, only: tuple[str, ...] = ()) -> float:
        """The most points that a value has; `only` of those that stand in these places."""
        return max((s.points for s in self.scored if not only or s.rule in only), default=-1000)

    @cached_property
    def refuses(self) -> bool:
        """Whether it declines to answer, and gives nothing all the same."""
        return self._refusal > 0

    @property
    def is_formula(self) -> bool:
        """Whether it is no number, though there are numbers in it."""
        return self.has_numbers and bool(cues.FORMULA.search(self._low))

    @property
    def has_numbers(self) -> bool:
        """Whether its values are numbers."""
        return bool(self.found) and isinstance(self.found[0].value, Decimal)

    def _is_of_a_choice(self, name: str, place: int) -> bool:
        """Whether a cue says something of a choice: it "would be B"; "B does not show a cat"."""
        if name == "refuses":
            begin = self._sentence(place)[0]
            return any(begin <= r.span[0] < place for r in self.found)
        return name == "hypothesis" and self._low.startswith("would be", place)

    @property
    def _are_texts(self) -> bool:
        """Whether its values are choices."""
        return bool(self.found) and isinstance(self.found[0].value, str)

    @cached_property
    def _refusal(self) -> float:
        """What a value must earn to count in spite of what is declined."""
        needed = 0
        for cue in self._cues:
            if cue.name == "refuses":
                start = self._sentence(cue.start)[0]
                needed = max(needed, _REFUSAL if start in (0, self._last) else _REFUSAL // 2)
        for cue in self._cues:
            if cue.name == "despite" and any(cue.end <= r.span[0] < cue.until for r in self.found):
                return 0
        return needed

    @cached_property
    def scored(self) -> list[_Scored]:
        """Each value's points: of the best place that it stands in, and all that is beside it."""
        listed = self._cues
        self._place = [(0.0, "")] * len(self.found)
        self._beside = [0.0] * len(self.found)
        starts = [r.span[0] for r in self.found]
        for cue in listed:
            self._follow(cue, starts)
        for index, reading in enumerate(self.found):
            self._stand(index, reading)
        self._correct(starts)
        return [
            _Scored(i, place + beside, name)
            for i, ((place, name), beside) in enumerate(zip(self._place, self._beside, strict=True))
        ]

    def _stands_in(self, index: int, points: float, name: str) -> None:
        self._place[index] = max(self._place[index], (points, name))

    def _follow(self, cue: _Cue, starts: list[int]) -> None:
        """What a cue is worth for the values before and behind it."""
        name = cue.name
        if name in POINTS and name != "is_the_answer":
            behind = [i for i, start in enumerate(starts) if cue.end <= start < cue.until]
            later = any(c.name == name and c.start > cue.start for c in self._cues)
            trusted = POINTS[name] - (_REPEATED if later and name == "answer" else 0)
            for order, index in enumerate(behind):
                decay = 0 if name == "conclusion" else 4 * order
                self._stands_in(index, trusted - decay, _NAMES.get(name, name))
        elif name in ("is_the_answer", "is_wrong"):
            begin = self._sentence(cue.start)[0]
            nearest = bisect_right(starts, cue.start) - 1
            here = nearest >= 0 and starts[nearest] >= begin
            if name == "is_wrong":
                if here and cue.start - self.found[nearest].span[1] < 12:
                    self._beside[nearest] += PENALTIES[name]
            elif _asks(self._low, self._sentence(cue.start)[1]) and nearest + 1 < len(starts):
                self._stands_in(nearest + 1, POINTS["answer"], "answer")  # what is the answer? 7
            elif nearest >= 0 and (here or self._low.startswith(_THAT, cue.start)):
                self._stands_in(nearest, POINTS[name], "is the answer")
        elif name == "doubts":
            doubted = bisect_right(starts, cue.start)
            if doubted and cue.start - self.found[doubted - 1].span[1] < 12:
                doubted -= 1  # it was 7 at first
            if doubted < len(starts) and starts[doubted] < min(cue.until, self._despite(cue)):
                self._beside[doubted] += PENALTIES[name]
        elif name in PENALTIES:
            behind_it = name in ("because", "contrasts", "denies")
            begin = self._sentence(cue.start)[0]
            begin = cue.end if behind_it else max(begin, self._low.rfind(";", begin, cue.start))
            clause = self._low.find(";", cue.end)
            until = min(cue.until, self._despite(cue), clause if clause >= 0 else cue.until)
            if name == "denies" and (both := _NOR.search(self._low, cue.end, until)):
                until = both.end()
            for index, start in enumerate(starts):
                if begin <= start < until:
                    self._beside[index] += PENALTIES[name]

    def _despite(self, cue: _Cue) -> int:
        """Where the next "but" begins, which ends what a cue is about."""
        places = (c.start for c in self._cues if c.name == "despite" and c.start > cue.start)
        return next(places, len(self._low))

    def _stand(self, index: int, reading: Reading[V]) -> None:
        """What the place of a value is worth, and what is right beside it."""
        part, (start, end) = self._low, reading.span
        begin, stop = self._sentence(start)
        others = len(self.found) > 1
        beside = 0.0
        if begin == self._last and self._ends:
            beside += _CUT if self._cut_off else _LAST
        if begin == 0 and not self._works:
            beside += _FIRST
            if index == 0 and (share := self._opens(stop)):
                self._stands_in(0, POINTS["opening"] * share, "opening")
        if cues.IS.search(part, max(0, start - 40), start):
            again = index and self.found[index - 1].span[0] >= begin
            beside += _IS + (0 if again or part[:start].rstrip()[-1:] == "=" else _IS_FIRST)
        line = part.rfind("\n", 0, start) + 1, (part.find("\n", end) + 1 or len(part) + 1) - 1
        before = part[line[0] : start]
        near = before[-40:]
        if line != (0, len(part)) and _is_alone(before, part[end : line[1]]):
            self._stands_in(index, POINTS["own line"], "own line")
        concludes = begin == self._last and not _WORD.search(part, end, stop)
        if not isinstance(reading.value, Decimal) and concludes and _LABELLED.search(near):
            self._stands_in(index, POINTS["own line"] + 15, "own line")
        if before.count("**") % 2:
            self._stands_in(index, POINTS["bold"], "bold")
        if reading.rule in _TOKENS:
            self._stands_in(index, POINTS["value_key"], "token")
        if not isinstance(reading.value, Decimal) and cues.RIGHT.match(part, end):
            self._stands_in(index, POINTS["is_the_answer"] - 10, "is the answer")
        elif cues.WRONG.match(part, end):
            beside += PENALTIES["is_wrong"]
        if cues.EXACT.match(part, end):
            beside += 40
        if isinstance(reading.value, Decimal):
            beside -= 60 * bool(cues.OPERATES.match(part, end))
            beside -= 30 * bool(cues.AT_ANOTHER.search(near))
            beside += 15 * bool(_EXPLAINED.match(part, end))
            if cues.WORKS_OUT.search(near) and begin == self._last:
                self._stands_in(index, POINTS["conclusion"], "conclusion")
            beside -= 30 * bool(others and cues.EACH.search(near))
            beside += 30 * bool(index == len(self.found) - 1 and cues.IN_ALL.match(part, end))
            beside -= 40 * self._in_a_row(index)
            beside -= 25 * bool(_KNOWN.search(near) and _NOUN.match(part, end))
        self._beside[index] += beside

    def _opens(self, stop: int) -> float:
        """1 where the first sentence begins with the value and a unit, less where with a noun.

        `stop` is where it ends.
        """
        part, found = self._low, self.found
        start, end = found[0].span
        asked = len(found) > 1 and found[1].span[0] < stop and _asks(part, stop)
        listed = _ITEM.match(part) and _ITEM.search(part, end)
        if (
            asked
            or listed
            or any(c.name == "conclusion" and end <= c.start < stop for c in self._cues)
        ):
            return 0
        concluded = any(c.name == "conclusion" and c.start >= self._last for c in self._cues)
        if isinstance(found[0].value, str) and _FIGURE.match(part, end):
            return 0  # Monday: 12, Tuesday: 15
        if concluded and _is_box(found[0]) and found[-1].value != found[0].value:
            return 0
        last, before = found[-1].span, part[:start]
        stated = cues.IS.search(part, max(0, last[0] - 40), last[0])
        if _MARKER.match(part) and stated and not _WORD.search(part, last[1]):
            return 0  # 3. The value is seven
        leads = _LEAD.fullmatch(before)
        if leads and _BREAK.match(part, end):
            return 1
        if isinstance(found[0].value, Decimal):
            return 0.0 if _WORD.search(before) else 0.4
        if len(before) < 40 and _is_alone(before.replace("=", ":"), part[end:stop], letters=0):
            return 1
        if (leads or _CLAUSE.fullmatch(before)) and cues.SUPERIOR.match(part, start):
            return 0.6
        return 0.0 if _WORD.search(before) or stop < len(part) else 0.25

    def _correct(self, starts: list[int]) -> None:
        """What follows "no," or "I mean" replaces what is before it."""
        for cue in self._cues:
            split = bisect_right(starts, cue.start)
            if cue.name not in ("corrects", "reconsiders") or not 0 < split < len(starts):
                continue
            points = [p + b for (p, _), b in zip(self._place, self._beside, strict=True)]
            best = max(range(split), key=points.__getitem__)
            near = 160 if cue.name == "corrects" else 30
            if starts[split] < cue.end + near and points[split] > _CUT:
                later = max(range(split, len(points)), key=lambda i: (points[i], -i))
                if self.found[later].value != self.found[best].value:
                    self._beside[later] += max(0.0, points[best] - points[later] + 6)
                    self._stands_in(later, 0, self._place[best][1])
            for index in range(split):
                if {self.found[index].value} != {r.value for r in self.found[split:]}:
                    self._beside[index] -= 15 if cue.name == "corrects" else 50

    def _in_a_row(self, index: int) -> bool:
        """Whether it is one of three numbers and more with commas between."""
        near = self.found[max(0, index - 2) : index + 3]
        gaps = (self._low[a.span[1] : b.span[0]] for a, b in pairwise(near))
        return ", , " in " ".join("," if _COMMA.fullmatch(gap) else "." for gap in gaps) + " "

    @cached_property
    def _works(self) -> bool:
        """Whether its first sentence begins a working, rather than to answer."""
        first = self._sentence(0)[1]
        return any(cue.name == "works" and cue.start < first for cue in self._cues)

    @cached_property
    def _cut_off(self) -> bool:
        """Whether the text ends in the middle of a sentence."""
        if not self._ends:
            return False
        low = self._low
        ended = self._are_texts and not _WORD.search(low, self.found[-1].span[1])
        open_ended = not ended and _OPEN_ENDED.search(low[-10:])  # a choice may be "in front of"
        if open_ended or low.count("{") > low.count("}"):
            return True
        last = self._last
        if ended:
            start = self.found[-1].span[0]
            if cues.IS.search(low, max(0, start - 40), start):
                return False
        more = self._works or (last and low[last - 1] != "\n")
        return bool(
            more
            and len(low) - last > (8 if self._works and last else 24)
            and (_MID_FORMULA if self._are_texts else _MID_SENTENCE).search(low[-40:])
        )

    @property
    def needed(self) -> float:
        """The points below which a value is none that the text gives."""
        stated = _ANNOUNCED if self._are_texts else _STATED
        return max(self._refusal, stated if self._cut_off else _WEAK)

    def best(self, only: tuple[str, ...] = (), *, needed: float | None = None) -> Reading[V] | None:
        """The value with most points that is not denied; None where it is one of several."""
        kept = self.found
        if self._withheld():
            return None
        needed = max(self.needed, _WEAK if needed is None else needed)
        for scored in sorted(self.scored, key=_points, reverse=True):
            if only and scored.rule not in only:
                continue
            if scored.points < needed:
                return None
            if scored.points < _MENTIONED and self._is_bare(kept[scored.place]):
                return None
            figures = sum(self._low[r.span[0]].isdigit() for r in kept)
            if _denied(self._low, kept[scored.place], alone=len(kept) == 1 or figures == 1):
                continue
            index = self._solved(scored.place)
            if self._is_one_of_several(index, scored.rule) and (index := self._within(index)) < 0:
                return None
            return named(moved(kept[index], self._begin), scored.rule, self._text)
        return None

    def _is_bare(self, reading: Reading[V]) -> bool:
        """Whether it is one letter, as of a formula, in a long text."""
        start, end = reading.span
        single = isinstance(reading.value, str) and end - start == 1
        return single and len(self._low) > _LONG and self._low[end : end + 1] not in "*)"

    def _solved(self, index: int) -> int:
        """Where 12 + 30 goes on with "= 42", the place of that."""
        start = self.found[index].span[1]
        line = self._low.find("\n", start)
        for later in range(len(self.found) - 1, index, -1):
            place = self.found[later].span[0]
            if line < 0 or place < line:
                between = self._low[start:place]
                if (
                    cues.CALCULATES.fullmatch(between)
                    and cues.EQUALS.search(between)
                    and not _denied(self._low, self.found[later])
                ):
                    return later
        return index

    def _within(self, index: int) -> int:
        """Where a value is an end of a range, the one behind it that lies between the ends; of two
        choices, the one that is named again. -1 where there is none."""
        for one, other in pairwise(range(max(0, index - 2), min(len(self.found), index + 2))):
            low, high = self.found[one], self.found[other]
            if not cues.is_range(self._low, low.span[0], self._low[low.span[1] : high.span[0]]):
                continue
            for later in range(other + 1, len(self.found)):
                found = self.found[later]
                if isinstance(found.value, str):
                    if found.value in (low.value, high.value):
                        return later
                elif _size(low) < _size(found) < _size(high) and not _denied(self._low, found):
                    return later
        return -1

    def _is_one_of_several(self, index: int, rule: str) -> bool:
        """Whether a value is an end of a range, one of alternatives, or an entry of a list."""
        part, chosen = self._low, self.found[index]
        if cues.EXACT.match(part, chosen.span[1]):
            return False
        for one, other in ((index - 1, index), (index, index + 1)):
            if one < 0 or other >= len(self.found):
                continue
            if _apart(part, self.found[one], self.found[other], first=one == index):
                return True
        if chosen.rule in _TOKENS and any(
            r.rule == chosen.rule and r.value != chosen.value for r in self.found
        ):
            begins = chosen.span[0]
            corrected = any(c.name in ("corrects", "reconsiders") for c in self._cues)
            named = cues.IS.search(part, max(0, begins - 40), begins)
            return not (corrected or named or rule in ("answer", "is the answer"))
        if rule in ANSWERS or rule in ("result", "conclusion"):
            return False
        if any(
            _PARALLEL.fullmatch(f"{_last_word(part, one)} {part[one.span[1] : other.span[0]]}")
            for one, other in pairwise(self.found[max(0, index - 1) : index + 2])
            if one.value != other.value and other.span[0] - one.span[1] < 60
        ):
            return True
        sentence = self._sentence(chosen.span[0])
        supposed = [c for c in self._cues if c.name == "supposes"]
        if len(supposed) > 1 and any(sentence[0] <= c.start < sentence[1] for c in supposed):
            return True
        if self._is_enumerated(*sentence):
            return True
        return rule not in ("opening", "bold") and self._is_listed(index)

    def _withheld(self) -> bool:
        """Whether the last "answer" key holds no value."""
        keys = [cue for cue in self._cues if cue.name == "key"]
        if not keys or not self._low[keys[-1].end :].strip():
            return False
        start = keys[-1].end
        held = _QUOTED.match(self._low, start)
        end = held.end() if held else keys[-1].until
        part = self._low[start:end]
        inside = [r for r in self.found if start <= r.span[0] < end]
        numbers = bool(inside) and isinstance(inside[0].value, Decimal)
        return not inside or (numbers and bool(cues.FORMULA.search(part)))

    def _is_enumerated(self, begin: int, end: int) -> bool:
        """Whether parts of a sentence between commas give a value each."""
        inside = [r for r in self.found if begin <= r.span[0] < end]
        if len(inside) < 3:
            return False
        inside = [r for r in inside if not _denied(self._low, r)]
        gaps = [self._low[a.span[1] : b.span[0]] for a, b in pairwise(inside)]
        return len(gaps) > 1 and all(map(_GAP.fullmatch, gaps))

    def _is_listed(self, index: int) -> bool:
        """Whether a neighbouring line gives another value."""
        part, chosen = self._low, self.found[index]
        entry = _entry(part, chosen)
        if not entry or _SUMS_UP.search(entry[0]):
            return False
        start = chosen.span[0]
        return any(
            part[min(start, r.span[0]) : max(start, r.span[0])].count("\n") == 1
            and r.value != chosen.value
            and _entry(part, r)
            and not _denied(part, r)
            for r in self.found
        )


_NOR = re.compile(r"\b(?:nor|noch)\b[^,;:–—\n]*")
_PARALLEL = re.compile(r"(\S+) \S{0,4},?\s(?:and|und|et|y)\s[^.;\n]{0,40}?\1\s")
"""The bar *is* 12 and the other *is* 19: two answers."""
FIGURES = re.compile(r"\d+|[¼-¾⅐-⅞]")
_GAP = re.compile(r",\s(?:(?:and|und|et|y)\s)?[^\W\d][\w ]{0,20}(?:[:：]|\sis|\shas)?\s")
_KNOWN = re.compile(r"\b(?:the|these|those|all|der|die|den|les|des|los|las)\s\Z")
_NOUN = re.compile(r"\s[^\W\d]{3}")
_TOKENS = ("bbox_2d", "box_2d", "box tokens", "box tag", "loc", "loc, y first")
"""Rules of boxes in a model's own form: of several none is said to be the answer."""
_THAT = ("that", "this", "it")
"""What may mean the value of the sentence before."""
_LABELLED = re.compile(r"(?<!confidence)[:：][\s*_\"'(]*(?:(?:an?|the)\s)?\Z")
_FIGURE = re.compile(r"\s?[:：(]\s?\d[\d.,]*+(?!\s?%)")
_EXPLAINED = re.compile(r": \d")
_COMMA = re.compile(r",\s?(?:and\s|und\s|et\s|y\s)?|、")
_WORD = re.compile(r"\w")
_QUOTED = re.compile(r"\s?(?:\"(?:[^\"\\]|\\.){0,400}\"?|[^\s{\[,}\"][^,}\n]{0,60})")
_MARKER = re.compile(r"[ \t]{0,8}(?:\(?\w{1,2}[.)])\s")
_ENTRY = re.compile(r"[ \t]{0,8}(?:[-*•+]|\(?\w{1,2}[.)]|[^\n:]{1,30}:)\s+([^\n]*)")
_SUMS_UP = re.compile(
    r"\b(?:total|sum|altogether|difference|result|reading|answer|time|overall|mean|average|median|combined|value|step|increase"
    r"|somme|suma|summe|gesamt|insgesamt|diferencia|différence|differenz|zeit|hora|heure)|[总合共差]|结果|读数|时间|[=✅✓]"
)
"""What a list's last line may call its value."""
_OPEN_ENDED = re.compile(r"(?:\s[+=×*]|\{|\b(?:the|an|of|and|or|with|that|because|oder|und))\s*\Z")
_MID_FORMULA = re.compile(r"(?:\w|[,(:=+*/^{\\-])\s*\Z")
_MID_SENTENCE = re.compile(r"(?:[^\W\d]|[,(:-])\s*\Z")


def _is_box(reading: Reading[Any]) -> bool:
    return isinstance(reading.value, tuple) and len(reading.value) == 4


def _is_alone(before: str, behind: str, letters: int = 12) -> bool:
    """Whether a value's line or sentence has only a few letters more, and no label before it."""
    marker = _MARKER.match(before)
    before = before[marker.end() if marker else 0 :]
    if len(before) + len(behind) > 80 or _DIGIT_OR_LABEL.search(before + behind):
        return False
    return sum(map(str.isalpha, behind)) <= letters and sum(map(str.isalpha, before + behind)) <= 12


_DIGIT_OR_LABEL = re.compile(r"[:：\d]")


def _asks(part: str, stop: int) -> bool:
    """Whether the sentence that ends here is a question."""
    return part[:stop].rstrip()[-1:] in ("?", "？")


def _entry(part: str, reading: Reading[V]) -> re.Match[str] | None:
    """The entry of a list that a value stands in, or is the mark of."""
    entry = _ENTRY.match(part, part.rfind("\n", 0, reading.span[0]) + 1)
    stands = entry and (entry.start(1) <= reading.span[0] or not isinstance(reading.value, Decimal))
    return entry if stands else None


def _denied(part: str, reading: Reading[V], *, alone: bool = False) -> bool:
    """Whether it is said not to be so, or is no number to answer with, as a confidence is."""
    start, end = reading.span
    behind = max(0, start - 60)
    if cues.NEGATES.search(part, behind, start) or cues.CONFIDENCE.search(part, behind, start):
        return True
    if cues.DENIED.match(part, end):
        return True
    return isinstance(reading.value, Decimal) and bool(
        cues.LIMITS.search(part, max(0, start - 30), start)
        or (not alone and cues.BESIDE_OTHERS.search(part, behind, start))
        or cues.OTHER_BEFORE.search(part, behind, start)
        or cues.OTHER_AFTER.match(part, end)
        or (not alone and cues.is_year(part, reading.span))
        or (not alone and cues.O_CLOCK.match(part, end))
        or _is_marker(part, reading.span)
    )


def _is_marker(part: str, span: tuple[int, int]) -> bool:
    """Whether a number only counts the entries of a list."""
    begin = part.rfind("\n", 0, span[0]) + 1
    marker = _MARKER.match(part, begin)
    return bool(marker and marker.end() > span[1] and (begin or _ITEM.search(part, span[1])))


def _last_word(part: str, reading: Reading[V]) -> str:
    """The word before a value."""
    return " ".join(part[max(0, reading.span[0] - 24) : reading.span[0]].split()[-1:])


def _size(reading: Reading[V]) -> Any:
    """What a number or a time of day is compared by; others lie in no range."""
    value: Any = reading.value
    return float(value) if isinstance(value, Decimal) else 60.0 * value[0] + value[1]


def _apart(part: str, one: Reading[V], other: Reading[V], *, first: bool) -> bool:
    """Whether two values are the ends of a range, or alternatives; `first` if the one counts."""
    between = part[one.span[1] : other.span[0]]
    if one.value == other.value or len(between) > 40:
        return False
    if any(name in ("corrects", "reconsiders") for name, _, _ in cues.cues(between)):
        return False
    units = [cues.TWO_UNITS.match(part, r.span[1]) for r in (one, other)]
    if first and units[0] and units[1] and units[0][1] != units[1][1]:
        return False  # 5 bar or 70 psi
    both = cues.AND.fullmatch(between) and cues.ALL.match(part, other.span[1])
    if both or cues.TO.fullmatch(between) or cues.is_range(part, one.span[0], between):
        return True
    if _denied(part, other if first else one):
        return False
    if not between or (
        cues.LISTED.fullmatch(between) and ("(" not in between or between[0] in "\n)")
    ):
        return not (first and cues.ASIDE.match(part, other.span[1] + 1))
    return bool(cues.OR.search(between))


_LEAD = re.compile(
    r"[\W_]{0,12}(?:(?:about|around|roughly|approximately|a|an|the|ca\.|etwa|environ|aproximadamente|[a-z]+ly,?|perhaps|大约|大概|约|[a-z][.):])\s?(?:about\s)?)?"
)
_CLAUSE = re.compile(r"[^.,:;!?\n]{1,40},\s(?:the\s)?")
_BREAK = re.compile(
    r"(?:\s?[a-zà-ÿ][a-zà-ÿ0-9/²³°]{0,14}(?![a-zà-ÿ])|[\u3040-\u9fff]{1,3}|\s?[%°]c?){0,2}?[\s*_)\]}\"'`]{0,6}(?:[.,:;!)\n。，–—]|-\s|\Z|because|since|as\b|\(|(?:out\s)?of\b|(?:is|are)\s(?:the|what|my)\b)"
)
_ITEM = re.compile(r"^[\s*_]{0,6}(?:[-*•]|\(?\w[.)])\s", re.MULTILINE)
