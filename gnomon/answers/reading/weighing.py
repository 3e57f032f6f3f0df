"""Weigh the values in a part of a text against each other to find the final answer.

Each value earns points for its best place ("Answer: 7" 80, an opening "7." 55, "so it is 7" 30).
It gains or loses points by its surroundings: after an "is", in the last sentence, after "if", in a
refusal. The value with the most points wins, and the later value in a tie. Denied values are
ignored. The result is None if the winner is an end of a range, an alternative or an entry of a
list.

All points were found by trial on two thirds of tests/answers/corpus. tests/answers/accuracy.py
shows the effect of a change on them, and with --set-aside, --blind or --fresh on other answers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from gnomon.answers.reading import cues
from gnomon.answers.reading.base import Reading, shift
from gnomon.answers.reading.cues import DENIED, EVIDENCE, PATTERNS, PENALTIES, POINTS

V = TypeVar("V")
ReadValues: TypeAlias = "Callable[[str], list[Reading[V]]]"
"""Function that reads every value of a short text, in order."""

# Most values of a region that are weighed. Twice as many runs of digits are searched. Both numbers
# limit the time for a text full of numbers.
MAX_VALUES = 16
# Characters after "Answer:" and other cues in which a value is looked for, about two sentences.
_REACH = 240

# Place names in readings that differ from the cue's name.
_PLACE_OF_CUE = {
    "key": "json key",
    "value_key": "json key",
    "is_the_answer": "is the answer",
    "equates": "shows",
}
# Places in which a text calls a value its answer, for `which="answer"`.
ANSWER_PLACES = ("boxed", "tag", "json key", "answer", "is the answer")
# Points of a value by its sentence; the last one may have been cut off.
_FIRST_SENTENCE_POINTS = 10
_LAST_SENTENCE_POINTS = 12
_CUT_SENTENCE_POINTS = -30
# Points of a value after "is", as in "the time is 7", with more for the first in a sentence.
_IS_POINTS = 12
_FIRST_IS_POINTS = 6
# These penalties are subtracted. Penalties in cues.toml are negative points, which are added.
# Penalty of an "Answer:" that is repeated later, because the later value counts.
_REPEATED_PENALTY = 25
# Penalty of a value for each later value in the sentence after "Answer:".
_LATER_VALUE_PENALTY = 4
# Penalty of a value that is corrected later, and the lead of its correction.
_CORRECTED_PENALTY = 50
_CORRECTION_LEAD = 6
# Penalty of a number in a row of three or more: "2, 4, 6" are data.
_ROW_PENALTY = 40
# Minimum points in a text that refuses to answer: enough for "Answer: 7", not for "it is 7".
_MIN_IN_REFUSAL = 50
# Minimum points in any text. A value with fewer is only mentioned.
_MIN_ANYWHERE = 0
# Minimum points of a one-letter choice in a text longer than _LONG_TEXT characters. The letter may
# be a variable of a formula there.
_MIN_OF_LETTER = 13
_LONG_TEXT = 300
# Minimum points in a truncated text. Choices need more, because their words are common.
_MIN_IN_CUT_TEXT = 20
_MIN_OF_CHOICE_IN_CUT_TEXT = 50
# Points of a label right before a time, box or choice that ends the text, on top of "own line".
_LABEL_POINTS = 15
# Points that "7 is correct" has less than "7 is the answer".
_CORRECT_POINTS = -10


def name_reading(reading: Reading[V] | None, place: str, low: str) -> Reading[V] | None:
    """Put the name of the place before the rule, unless the reading is the whole text."""
    if reading is None or not place:
        return reading
    start, end = reading.span
    is_alone = not any(map(str.isalnum, low[max(0, start - 40) : start] + low[end : end + 40]))
    last = reading.rule.split(": ")[-1]
    return reading._replace(rule=last if is_alone else f"{place}: {last}")


class _Cue(NamedTuple):
    name: str
    start: int
    end: int
    sentence_end: int
    """End of the sentence after the cue."""


class Region(Generic[V]):
    """Values, cues and sentences of a part of a text, with their places in the part.

    `reaches_end` is false if the text continues after the part.
    """

    def __init__(
        self,
        text: str,
        low: str,
        begin: int,
        end: int,
        read_values: ReadValues[V],
        *,
        reaches_end: bool = True,
    ) -> None:
        # A page of figures is cut to its last figures, because reading values takes longest.
        figures = [match.start() for match in PATTERNS["figures"].finditer(low, begin, end)]
        if len(figures) > 2 * MAX_VALUES:
            begin, end = (
                (figures[-2 * MAX_VALUES], end) if reaches_end else (begin, figures[2 * MAX_VALUES])
            )
        self._begin, self._low, self._reaches_end, self._whole_text = (
            begin,
            low[begin:end],
            reaches_end,
            low,
        )
        readings = read_values(text[begin:end])
        self.readings = readings[-MAX_VALUES:] if reaches_end else readings[: MAX_VALUES // 2]
        self.has_numbers = bool(readings) and isinstance(readings[0].value, Decimal)
        self._are_texts = bool(readings) and isinstance(readings[0].value, str)
        ends_of_sentences = PATTERNS["sentence_end"].finditer(self._low)
        self._sentences = [0, *(match.end() for match in ends_of_sentences)]
        self._last_sentence = self._sentence(max(0, len(self._low.rstrip()) - 1))[0]

    def _sentence(self, position: int) -> tuple[int, int]:
        """Return start and end of the sentence around a character."""
        index = bisect_right(self._sentences, position)
        end = self._sentences[index] if index < len(self._sentences) else len(self._low)
        return self._sentences[index - 1], end

    @cached_property
    def _cues(self) -> list[_Cue]:
        result = []
        # "cannot be determined" may be one of the choices and is then not a refusal.
        has_refusing_choice = self._are_texts and any(
            name == "refuses"
            for r in self.readings
            for name, _, _ in cues.cues(str(r.value).lower())
        )
        for name, start, end in cues.cues(self._low):
            refuses = name == "refuses"
            # Words inside a value, such as a choice, are not a cue.
            shared = [r for r in self.readings if r.span[0] < end and start < r.span[1]]
            if any(r.span[1] >= end or (r.span[0] <= start and not refuses) for r in shared):
                continue
            if self._are_texts and self._is_of_a_choice(name, start):
                continue
            if not (refuses and has_refusing_choice):
                result.append(_Cue(name, start, end, self._near_sentence_end(end)))
        return result

    def _near_sentence_end(self, index: int) -> int:
        """Return the end of the sentence that begins here, after blank lines and marks."""
        word = PATTERNS["word"].search(self._low, index)
        end = self._sentence(word.start())[1] if word else len(self._low)
        return min(end, index + _REACH)

    def _is_of_a_choice(self, name: str, index: int) -> bool:
        """True if a cue is a statement about a choice, as in "would be B"."""
        if name == "refuses":
            begin = self._sentence(index)[0]
            return any(begin <= r.span[0] < index for r in self.readings)
        return name == "hypothesis" and self._low.startswith("would be", index)

    @property
    def is_formula(self) -> bool:
        """True if the values are numbers and the part contains a formula."""
        return self.has_numbers and bool(PATTERNS["formula"].search(self._low))

    @cached_property
    def refuses(self) -> bool:
        """True if the text refuses to answer, without a guess such as "but my guess is 7"."""
        guesses = (
            cue.name == "despite"
            and any(cue.end <= r.span[0] < cue.sentence_end for r in self.readings)
            for cue in self._cues
        )
        return any(cue.name == "refuses" for cue in self._cues) and not any(guesses)

    @cached_property
    def _min_points(self) -> float:
        """Least points of a value that counts as the text's answer."""
        min_in_cut_text = _MIN_OF_CHOICE_IN_CUT_TEXT if self._are_texts else _MIN_IN_CUT_TEXT
        return max(
            _MIN_IN_REFUSAL if self.refuses else _MIN_ANYWHERE,
            min_in_cut_text if self._cut_off else _MIN_ANYWHERE,
        )

    def top_points(self, only: tuple[str, ...] = ()) -> float:
        """Most points of any value, or of the values in the places `only`; at least 2 * DENIED."""
        return next((p for p, _, place in self._ranked if not only or place in only), 2 * DENIED)

    @cached_property
    def _ranked(self) -> list[tuple[float, int, str]]:
        """Points of each value, its index and the name of its best place, the most points first.

        There are three steps. Cues score adjacent values. Each value is scored by its
        surroundings. Corrections take points from the values that they correct.
        """
        self._place = [(0.0, "")] * len(self.readings)
        self._bonus = [0.0] * len(self.readings)
        starts = [r.span[0] for r in self.readings]
        for cue in self._cues:
            self._score_cue(cue, starts)
        for index, reading in enumerate(self.readings):
            self._score_surroundings(index, reading)
        self._apply_corrections(starts)
        points = zip(self._place, self._bonus, range(len(self.readings)), strict=True)
        return sorted(((p + b, index, place) for (p, place), b, index in points), reverse=True)

    def _raise_place(self, index: int, points: float, name: str) -> None:
        self._place[index] = max(self._place[index], (points, name))

    def _score_cue(self, cue: _Cue, starts: list[int]) -> None:
        """Score the values before and after a cue."""
        name = cue.name
        if name == "is_the_answer":
            begin, end = self._sentence(cue.start)
            nearest = bisect_right(starts, cue.start) - 1
            here = nearest >= 0 and starts[nearest] >= begin
            if self._is_question(end) and nearest + 1 < len(starts):
                # "What is the answer? 7"
                self._raise_place(nearest + 1, POINTS["answer"], "answer")
            elif here or (nearest >= 0 and self._low.startswith(("that", "this", "it"), cue.start)):
                self._raise_place(nearest, POINTS[name], "is the answer")
        elif name in POINTS:
            after = [i for i, start in enumerate(starts) if cue.end <= start < cue.sentence_end]
            later = any(c.name == name and c.start > cue.start for c in self._cues)
            points = POINTS[name] - (_REPEATED_PENALTY if later and name == "answer" else 0)
            for order, index in enumerate(after):
                # The value is at the end of a conclusion: "so with 3 rows of 4 it is 12".
                decay = 0 if name == "conclusion" else _LATER_VALUE_PENALTY * order
                self._raise_place(index, points - decay, _PLACE_OF_CUE.get(name, name))
        elif name in PENALTIES:
            # A penalty holds for the clause, up to a semicolon or to words that revoke it.
            begin = self._sentence(cue.start)[0]
            begin = max(begin, self._low.rfind(";", begin, cue.start))
            begin = cue.end if name in cues.ONLY_AFTER else begin
            despite = (c.start for c in self._cues if c.name == "despite" and c.start > cue.start)
            clause = self._low.find(";", cue.end, cue.sentence_end)
            sentence_end = min(
                cue.sentence_end,
                next(despite, cue.sentence_end),
                clause if clause >= 0 else cue.sentence_end,
            )
            indices = [i for i, start in enumerate(starts) if begin <= start < sentence_end]
            for index in indices[:1] if name == "doubts" else indices:
                self._bonus[index] += PENALTIES[name]

    def _score_surroundings(self, index: int, reading: Reading[V]) -> None:
        """Score a value by its place in the text and by its neighbours."""
        part, (start, end) = self._low, reading.span
        begin, stop = self._sentence(start)
        bonus = float(self._evidence[index])
        if begin == self._last_sentence and self._reaches_end:
            bonus += _CUT_SENTENCE_POINTS if self._cut_off else _LAST_SENTENCE_POINTS
        if begin == 0 and not self._begins_working:
            bonus += _FIRST_SENTENCE_POINTS
            share = self._opening_share(stop) if index == 0 else 0
            if share:
                self._raise_place(0, POINTS["opening"] * share, "opening")
        if self._is_after_is(reading):
            is_second = index and self.readings[index - 1].span[0] >= begin
            bonus += _IS_POINTS + (
                0 if is_second or part[:start].rstrip()[-1:] == "=" else _FIRST_IS_POINTS
            )
        line = part.rfind("\n", 0, start) + 1, (part.find("\n", end) + 1 or len(part) + 1) - 1
        before = part[line[0] : start]
        if line != (0, len(part)) and _is_alone(before, part[end : line[1]]):
            self._raise_place(index, POINTS["own line"], "own line")
        concludes = begin == self._last_sentence and not PATTERNS["word"].search(part, end, stop)
        if not self.has_numbers and concludes and PATTERNS["labelled"].search(before[-40:]):
            self._raise_place(index, POINTS["own line"] + _LABEL_POINTS, "own line")
        if before.count("**") % 2:  # inside Markdown's bold
            self._raise_place(index, POINTS["bold"], "bold")
        if reading.rule in _BOX_RULES:
            self._raise_place(index, POINTS["value_key"], "token")
        if not self.has_numbers and PATTERNS["right"].match(part, end):
            self._raise_place(index, POINTS["is_the_answer"] + _CORRECT_POINTS, "is the answer")
        if self.has_numbers:
            if PATTERNS["works_out"].search(before[-40:]) and begin == self._last_sentence:
                self._raise_place(index, POINTS["conclusion"], "conclusion")
            bonus -= _ROW_PENALTY * self._in_a_row(index)
        self._bonus[index] += bonus

    @cached_property
    def _evidence(self) -> list[float]:
        """Score each value by adjacent words. A denied value loses DENIED."""
        figures = sum(self._low[r.span[0]].isdigit() for r in self.readings)
        kinds = (
            "",
            "numbers" * self.has_numbers,
            "several numbers" * (self.has_numbers and figures > 1),
        )
        rules = [rule for rule in EVIDENCE if rule.applies_to in kinds]
        return [
            sum(rule.points for rule in rules if rule.fits(self._low, r.span))
            + DENIED * (self.has_numbers and _is_marker(self._low, r.span))
            for r in self.readings
        ]

    def _is_denied(self, index: int) -> bool:
        # Half, because other words beside a denied value may give points back.
        return self._evidence[index] <= DENIED / 2

    def _is_after_is(self, reading: Reading[V]) -> bool:
        """True if the words before a value end in a word such as "is"."""
        start = reading.span[0]
        return bool(PATTERNS["is"].search(self._low, max(0, start - 40), start))

    def _opening_share(self, stop: int) -> float:
        """Return the factor, 0 to 1, for the points of an opening whose value ends at `stop`.

        It is 1 if the first sentence is little longer than the value, and smaller for more words.
        """
        part, readings = self._low, self.readings
        start, end = readings[0].span
        before = part[:start]
        conclusions = [c.start for c in self._cues if c.name == "conclusion"]
        if PATTERNS["item"].match(part) and PATTERNS["item"].search(part, end):
            return 0
        if any(end <= position < stop for position in conclusions):
            return 0
        if self._is_question(stop):
            return 0
        if self._are_texts and PATTERNS["figure"].match(part, end):
            return 0  # Monday: 12, Tuesday: 15
        is_box = isinstance(readings[0].value, tuple) and len(readings[0].value) == 4
        if is_box and any(position >= self._last_sentence for position in conclusions):
            return float(readings[-1].value == readings[0].value)
        leads = PATTERNS["lead"].fullmatch(before)
        if leads and PATTERNS["break"].match(part, end):
            return 1
        # The shares below were found by trial. "7 rows of 4 chairs" begins like "7 chairs", and a
        # choice may be the subject of a statement.
        if self.has_numbers:
            return 0.0 if PATTERNS["word"].search(before) else 0.4
        if len(before) < 40 and _is_alone(before.replace("=", ":"), part[end:stop], letters=0):
            return 1
        if leads and PATTERNS["superior"].match(part, start):
            return 0.6
        return 0.0 if PATTERNS["word"].search(before) or stop < len(part) else 0.25

    def _is_question(self, stop: int) -> bool:
        """True if the sentence that ends here is a question."""
        return self._low[:stop].rstrip().endswith(("?", "？"))

    def _apply_corrections(self, starts: list[int]) -> None:
        """Let the best value after "no," or "I mean" replace the one before it."""
        for cue in self._cues:
            split = bisect_right(starts, cue.start)
            if cue.name not in ("corrects", "reconsiders") or not 0 < split < len(starts):
                continue
            points = [p + b for (p, _), b in zip(self._place, self._bonus, strict=True)]
            best = max(range(split), key=points.__getitem__)
            if points[split] > _CUT_SENTENCE_POINTS:
                later = max(range(split, len(points)), key=lambda i: (points[i], -i))
                if self.readings[later].value != self.readings[best].value:
                    self._bonus[later] += max(0.0, points[best] - points[later] + _CORRECTION_LEAD)
                    self._raise_place(later, 0, self._place[best][1])
            # "7. No, wait: 7" is not a correction.
            after = {r.value for r in self.readings[split:]}
            for index in range(split):
                if {self.readings[index].value} != after:
                    self._bonus[index] -= _CORRECTED_PENALTY

    def _in_a_row(self, index: int) -> bool:
        """True if a value belongs to three or more numbers with commas between them."""
        near = self.readings[max(0, index - 2) : index + 3]
        gaps = (self._low[a.span[1] : b.span[0]] for a, b in pairwise(near))
        commas = ("," if PATTERNS["comma"].fullmatch(gap) else "." for gap in gaps)
        return ",," in "".join(commas)

    @cached_property
    def _begins_working(self) -> bool:
        """True if the first sentence begins a working, such as "First, count ..."."""
        first = self._sentence(0)[1]
        return any(cue.name == "works" and cue.start < first for cue in self._cues)

    @cached_property
    def _cut_off(self) -> bool:
        """True if the text ends in the middle of a sentence."""
        if not self._reaches_end:
            return False
        low, last = self._low, self._last_sentence
        # "It is in front of" is a whole sentence if "in front of" is a choice.
        ends_with_choice = self._are_texts and not PATTERNS["word"].search(
            low, self.readings[-1].span[1]
        )
        if not ends_with_choice and PATTERNS["open_ended"].search(low[-10:]):
            return True
        if low.count("{") > low.count("}"):
            return True
        if ends_with_choice and self._is_after_is(self.readings[-1]):
            return False
        # A very short last sentence, or a separate line, may end without a full stop.
        goes_on = self._begins_working or (last and low[last - 1] != "\n")
        is_long = len(low) - last > (8 if self._begins_working and last else 24)
        return bool(goes_on and is_long and PATTERNS["mid_sentence"].search(low[-40:]))

    def best(self, only: tuple[str, ...] = ()) -> Reading[V] | None:
        """Return the value with the most points.

        None if it is denied or only an alternative, or if it has too few points.
        """
        if self._json_answer_is_empty():
            return None
        for points, index, place in self._ranked:
            if only and place not in only:
                continue
            if points < max(self._min_points, _MIN_OF_LETTER * self._is_letter(index)):
                return None
            chosen = self._index_of_result(index)
            if self._is_one_of_several(chosen, place):
                chosen = self._index_settling_range(chosen)
                if chosen < 0:
                    return None
            return name_reading(shift(self.readings[chosen], self._begin), place, self._whole_text)
        return None

    def _is_letter(self, index: int) -> bool:
        """True if a value is a single letter in a long text, and may belong to a formula."""
        start, end = self.readings[index].span
        single = self._are_texts and end - start == 1
        return single and len(self._low) > _LONG_TEXT and self._low[end : end + 1] not in "*)"

    def _index_of_result(self, index: int) -> int:
        """Return the index of the result if a value begins a calculation such as "12 + 30 = 42"."""
        start = self.readings[index].span[1]
        line = self._low.find("\n", start)
        for later in range(len(self.readings) - 1, index, -1):
            between = self._low[start : self.readings[later].span[0]]
            if (
                (line < 0 or "\n" not in between)
                and PATTERNS["calculates"].fullmatch(between)
                and PATTERNS["equals"].search(between)
                and not self._is_denied(later)
            ):
                return later
        return index

    def _index_settling_range(self, index: int) -> int:
        """Return the index of a later value that settles a range, otherwise -1.

        "Between 10 and 20, about 14" gives 14. If two choices are named, a repeated choice counts.
        """
        indices = range(max(0, index - 2), min(len(self.readings), index + 2))
        for first, second in pairwise(indices):
            lower, upper = self.readings[first], self.readings[second]
            if not cues.is_range(
                self._low, lower.span[0], self._low[lower.span[1] : upper.span[0]]
            ):
                continue
            for later in range(second + 1, len(self.readings)):
                reading = self.readings[later]
                if self._are_texts:
                    if reading.value in (lower.value, upper.value):
                        return later
                elif _as_number(lower) < _as_number(reading) < _as_number(
                    upper
                ) and not self._is_denied(later):
                    return later
        return -1

    def _is_one_of_several(self, index: int, place: str) -> bool:
        """True if a value is an end of a range, an alternative, or a list entry."""
        part, chosen = self._low, self.readings[index]
        if PATTERNS["exact"].match(part, chosen.span[1]):
            return False
        neighbours = range(max(0, index - 1), min(len(self.readings), index + 2))
        if any(self._are_alternatives(a, b, index) for a, b in pairwise(neighbours)):
            return True
        if chosen.rule in _BOX_RULES and any(
            r.rule == chosen.rule and r.value != chosen.value for r in self.readings
        ):
            is_corrected = any(c.name in ("corrects", "reconsiders") for c in self._cues)
            return not (is_corrected or self._is_after_is(chosen) or place in ANSWER_PLACES)
        if place in ANSWER_PLACES or place in ("result", "conclusion"):
            return False
        pairs = pairwise(self.readings[neighbour] for neighbour in neighbours)
        if any(a.value != b.value and self._is_parallel(a, b) for a, b in pairs):
            return True
        begin, end = self._sentence(chosen.span[0])
        # "If it is morning, 7; if it is evening, 19."
        suppositions = [c for c in self._cues if c.name == "supposes"]
        if len(suppositions) > 1 and any(begin <= c.start < end for c in suppositions):
            return True
        return self._is_enumerated(begin, end) or self._is_list_entry(index)

    def _is_parallel(self, first: Reading[V], second: Reading[V]) -> bool:
        """True if the same word precedes both values: it *is* 12, and it *is* 19."""
        before = self._low[max(0, first.span[0] - 24) : first.span[0]].split()[-1:]
        words = f"{' '.join(before)} {self._low[first.span[1] : second.span[0]]}"
        return len(words) < 80 and bool(PATTERNS["parallel"].fullmatch(words))

    def _are_alternatives(self, first: int, second: int, chosen: int) -> bool:
        """True if two values are the ends of a range, or alternatives."""
        part, a, b = self._low, self.readings[first], self.readings[second]
        between = part[a.span[1] : b.span[0]]
        if a.value == b.value or len(between) > 40:
            return False
        if any(name in ("corrects", "reconsiders") for name, _, _ in cues.cues(between)):
            return False
        units = [PATTERNS["two_units"].match(part, r.span[1]) for r in (a, b)]
        if first == chosen and units[0] and units[1] and units[0][1] != units[1][1]:
            return False  # 5 bar or 70 psi
        both = PATTERNS["and"].fullmatch(between) and PATTERNS["all"].match(part, b.span[1])
        if both or cues.is_range(part, a.span[0], between):
            return True
        if self._is_denied(second if first == chosen else first):
            return False
        if not between or (
            PATTERNS["listed"].fullmatch(between) and ("(" not in between or between[0] in "\n)")
        ):
            # "7, 12 of them red" explains the first value and is not a list.
            aside = PATTERNS["aside"].match(part, b.span[1] + 1)
            return not (first == chosen and aside)
        return bool(PATTERNS["or"].search(between))

    def _json_answer_is_empty(self) -> bool:
        """True if the last "answer" key of JSON is without a value, as in {"answer": null}."""
        keys = [cue for cue in self._cues if cue.name == "key"]
        if not keys or not self._low[keys[-1].end :].strip():
            return False
        start = keys[-1].end
        text = PATTERNS["quoted"].match(self._low, start)
        end = text.end() if text else keys[-1].sentence_end
        has_value = any(start <= r.span[0] < end for r in self.readings)
        formula = self.has_numbers and PATTERNS["formula"].search(self._low, start, end)
        return not has_value or bool(formula)

    def _is_enumerated(self, begin: int, end: int) -> bool:
        """True if each part of a sentence between commas gives a value."""
        inside = [
            r
            for i, r in enumerate(self.readings)
            if begin <= r.span[0] < end and not self._is_denied(i)
        ]
        gaps = [self._low[a.span[1] : b.span[0]] for a, b in pairwise(inside)]
        return len(gaps) > 1 and all(map(PATTERNS["gap"].fullmatch, gaps))

    def _is_list_entry(self, index: int) -> bool:
        """True if the neighbouring line of a list gives another value."""
        part, chosen = self._low, self.readings[index]
        entry = self._entry(chosen)
        if not entry or PATTERNS["sums_up"].search(part, *entry):
            return False
        start = chosen.span[0]
        return any(
            part[min(start, r.span[0]) : max(start, r.span[0])].count("\n") == 1
            and r.value != chosen.value
            and self._entry(r)
            and not self._is_denied(i)
            for i, r in enumerate(self.readings)
        )

    def _entry(self, reading: Reading[V]) -> tuple[int, int] | None:
        """Return the span of the list entry around a value."""
        entry = PATTERNS["entry"].match(self._low, self._low.rfind("\n", 0, reading.span[0]) + 1)
        return entry.span() if entry else None


# Rules of boxes without words around them. If several such boxes differ, there is no answer.
_BOX_RULES = ("bbox_2d", "box_2d", "box tokens", "box tag", "loc", "loc, y first")


def _is_alone(before: str, after: str, letters: int = 12) -> bool:
    """True if a value's line or sentence has only a few more letters, and no label before it.

    12 letters are enough for a unit or "o'clock sharp", and 80 characters for signs around it.
    """
    marker = PATTERNS["marker"].match(before)
    before = before[marker.end() if marker else 0 :]
    if len(before) + len(after) > 80 or PATTERNS["digit_or_label"].search(before + after):
        return False
    return sum(map(str.isalpha, after)) <= letters and sum(map(str.isalpha, before + after)) <= 12


def _is_marker(part: str, span: tuple[int, int]) -> bool:
    """True if a number only counts the entries of a list."""
    begin = part.rfind("\n", 0, span[0]) + 1
    marker = PATTERNS["marker"].match(part, begin)
    return bool(
        marker and marker.end() > span[1] and (begin or PATTERNS["item"].search(part, span[1]))
    )


def _as_number(reading: Reading[V]) -> Any:
    """Convert a number or a time of day to a number, to compare the ends of a range."""
    value: Any = reading.value
    return float(value) if isinstance(value, Decimal) else 60.0 * value[0] + value[1]
