"""Steps: observations that an answer states before its value, "between 4 and 5, 7 of 10: 4.7".

Generators write the forms of steps.toml, and a user's table has steps in any words. Readers skip
the steps, because their numbers are not the value.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gnomon.answers.reading.base import table

OWN_STEPS = "Steps: "
"""Beginning of steps in a user's own words. Their value follows after "Answer:"."""
ANSWER = "Answer: "
"""Text between a working, or steps in a user's words, and the value."""
STEPS_PATTERN = r"([a-z]([^:]|:[0-9])*: |Steps: [^\n]*\nAnswer: )?"
"""Regular expression of steps, for guided decoders. The pattern of a value follows it."""
_NUMBER = r"-?\d+(?:\.\d+)?"
_SLOTS = {
    "#": _NUMBER,
    "#*": _NUMBER,
    "T": r"\d{1,2}:\d\d(?::\d\d)?",
    "NAME": r"[\w.]+",
    "PLACE": "left|middle|right|first|second",
    "MARK": "bar|segment|marker|band|point|bubble|slice|box|cell",
}
_NUMERIC = {"#", "#*", "T"}
# A number or a time whose end may be missing.
_CUT_NUMBER = re.compile(r"-?\d*[.:]?\d*:?\d*", re.ASCII)


class StepForm(NamedTuple):
    """Form of a step."""

    name: str
    form: str
    opens: bool = False
    """True if steps may begin with it."""
    within: float = 0.0
    """Largest difference at which a number counts as right."""
    cycle: float = 0.0
    """Value at which a scale starts again. 0 if it does not."""

    def matches(self, text: str) -> bool:
        """Return True if a text has this form."""
        words = text.split(" ")
        slots = self._slots(len(words))
        return len(words) == len(slots) and all(map(_fills, words, slots))

    def begins_with(self, text: str, *, first: bool) -> bool:
        """Return True if a text is the beginning of this form.

        The `first` step of an answer needs a number, because "bar" alone may be any answer.
        """
        words = text.split(" ")
        slots = self._slots(len(words))[: len(words)]
        if len(words) > len(slots) or (first and not {*slots} & _NUMERIC):
            return False
        *whole, last = zip(words, slots, strict=True)
        return all(_fills(*pair) for pair in whole) and _begins_slot(*last)

    def _slots(self, n: int) -> list[str]:
        """Return the words of the form, with `n` words if it ends in any number of numbers."""
        slots = self.form.split(" ")
        return slots + ["#"] * (n - len(slots)) if slots[-1] == "#*" else slots


def _fills(word: str, slot: str) -> bool:
    pattern = _SLOTS.get(slot)
    return word == slot if pattern is None else bool(re.fullmatch(pattern, word, re.ASCII))


def _begins_slot(word: str, slot: str) -> bool:
    if slot in _NUMERIC:
        return bool(_CUT_NUMBER.fullmatch(word))
    if slot == "NAME":
        return _fills(word, slot)
    return any(option.startswith(word) for option in _SLOTS.get(slot, slot).split("|"))


STEP_FORMS = tuple(StepForm(name, **row) for name, row in table(__file__).items())
_OPENING = tuple(form for form in STEP_FORMS if form.opens)


class Observation(NamedTuple):
    """A step of an answer, with its numbers. A time has hours and minutes."""

    name: str
    text: str
    numbers: tuple[float, ...]

    @classmethod
    def of(cls, text: str) -> Observation:
        """Read a step. In other words than the forms, its text without numbers is its name."""
        numbers = tuple(float(number) for number in re.findall(_NUMBER, text, re.ASCII))
        for form in STEP_FORMS:
            if form.matches(text):
                if form.name == "pointer":
                    name = text.split(" ")[1]
                    return cls(f"pointer {name}", text, numbers[-1:])
                return cls(form.name, text, numbers)
        words = re.sub(_NUMBER, "", text, flags=re.ASCII).split()
        return cls(" ".join(words), text, numbers)

    def is_right(self, truth: Observation) -> bool:
        """Return True if the numbers equal the numbers of the true step within the tolerance."""
        if (self.name, len(self.numbers)) != (truth.name, len(truth.numbers)):
            return False
        if not self.numbers:
            return self.text == truth.text
        form = next((form for form in STEP_FORMS if form.name == self.name.split(" ")[0]), None)
        within, cycle = (form.within, form.cycle) if form else (0.0, 0.0)
        for number, true in zip(self.numbers, truth.numbers, strict=True):
            apart = abs(number - true)
            if cycle:
                apart = min(apart % cycle, -apart % cycle)
            if apart > within + 1e-9:
                return False
        return True


def are_steps(text: str) -> bool:
    """Return True if a text begins with steps in the forms of steps.toml, without its value."""
    first, _, _ = text.partition(", ")
    return "\n" not in text and ": " not in text and any(f.matches(first) for f in _OPENING)


def value_start(text: str) -> int:
    """Return the index after the steps of an answer.

    It is 0 without steps, and the length of the text if the answer stops before its value.
    """
    begin = len(text) - len(text.lstrip())
    if text.startswith(OWN_STEPS.strip(), begin):
        mark = text.rfind(ANSWER.strip())
        return len(text) if mark < 0 else mark + len(ANSWER.strip())
    steps, colon, _ = text[begin:].partition(": ")
    if colon and are_steps(steps):
        return begin + len(steps) + len(colon)
    return len(text) if _stops_in_steps(text.strip()) else 0


def _stops_in_steps(text: str) -> bool:
    """Return True if a text consists of steps only. The last step may be cut."""
    *whole, last = text.rstrip(",: ").split(", ")
    if whole and not any(form.matches(whole[0]) for form in _OPENING):
        return False
    if not all(any(form.matches(step) for form in STEP_FORMS) for step in whole):
        return False
    forms = STEP_FORMS if whole else _OPENING
    return any(form.begins_with(last, first=not whole) for form in forms)


def working_of(text: str) -> str:
    """Return the steps or the working before an answer's value, with the blank after it.

    It is empty if the answer is a value alone, and the whole text if it has no value.
    """
    start = value_start(text)
    if not start and (mark := text.rfind(ANSWER.strip())) >= 0:
        start = mark + len(ANSWER.strip())
    return text[: len(text) - len(text[start:].lstrip())] if start else ""


def steps_of(text: str) -> tuple[Observation, ...]:
    """Read the steps of an answer. Empty if it has none."""
    start = value_start(text)
    if not start:
        return ()
    steps = text[:start].strip().removeprefix(OWN_STEPS.strip()).removesuffix(ANSWER.strip())
    return tuple(
        Observation.of(step.strip()) for step in re.split(r", |\n", steps.strip(" \n:,")) if step
    )


def add_working(rationale: str, answer: str) -> str:
    """Put an answer after its working or its steps, if it has any."""
    if are_steps(rationale):
        return f"{rationale}: {answer}"
    return f"{rationale}\n{ANSWER}{answer}" if rationale else answer
