"""Steps: observations that an answer states before its value, "between 4 and 5, 7 of 10: 4.7".

Generators write the forms of steps.toml, and a user's table has steps in any words. Readers skip
the steps, because their numbers are not the value.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gnomon.answers.reading.base import table
from gnomon.answers.reading.cues import PATTERNS

OWN_STEPS = "Steps: "
"""Beginning of steps in a user's own words. Their value follows after "Answer:"."""
ANSWER = "Answer: "
"""Text between a working, or steps in a user's words, and the value."""
STEPS_PATTERN = r"([a-z]([^:]|:[0-9])*: |Steps: [^\n]*\nAnswer: )?"
"""Regular expression of steps, for guided decoders. The pattern of a value follows it."""
_NUMBER = r"-?\d+(?:\.\d+)?"
# One number or more, or a time. The last may be cut, as in "top 0." and "between 4 and -".
_NUMBERS = re.compile(r"(?<!\S)(?:-?\d[\d.:]*|-$)(?: (?:-?\d[\d.:]*|-$))*(?!\S)", re.ASCII)


# What may stand before steps, besides thinking.
_LEAD = re.compile(r"\A\s*(?:(?:<answer>|answer:|\*\*)\s*)*", re.IGNORECASE)


class StepForm(NamedTuple):
    """Form of a step."""

    name: str
    words: str
    starts: tuple[str, ...] = ("",)
    opens: bool = False
    """True if steps may begin with it."""
    within: float = 0.0
    """Largest difference at which a number counts as right."""
    cycle: float = 0.0
    """Value at which a scale starts again. 0 if it does not."""


def form_words(step: str) -> str:
    """Return the words of a step, with # for its numbers and NAME for the name of a pointer."""
    return _NUMBERS.sub("#", re.sub(r"^pointer \S+", "pointer NAME", step))


_FORMS = [StepForm(name, **row) for name, row in table(__file__).items()]
STEP_FORMS = {
    form_words(f"{start} {form.words}".strip()): form for form in _FORMS for start in form.starts
}
"""Forms of steps by their words, with # for numbers."""
_OWN_WORDS = StepForm("", "")


class Observation(NamedTuple):
    """A step of an answer, with its numbers. A time has hours and minutes."""

    name: str
    text: str
    numbers: tuple[float, ...]
    form: StepForm

    @classmethod
    def of(cls, text: str) -> Observation:
        """Read a step. In other words than the forms, its text without numbers is its name."""
        numbers = tuple(float(number) for number in re.findall(_NUMBER, text, re.ASCII))
        form = STEP_FORMS.get(form_words(text), _OWN_WORDS)
        if form is _OWN_WORDS:
            words = re.sub(_NUMBER, "", text, flags=re.ASCII).split()
            return cls(" ".join(words), text, numbers, form)
        if form.name == "pointer":  # its name may have digits
            return cls(" ".join(text.split(" ")[:2]), text, numbers[-1:], form)
        return cls(form.name, text, numbers, form)

    def is_right(self, truth: Observation) -> bool:
        """Return True if the numbers equal the numbers of the true step within the tolerance."""
        if (self.name, len(self.numbers)) != (truth.name, len(truth.numbers)):
            return False
        if not self.numbers:
            return self.text == truth.text
        pairs = zip(self.numbers, truth.numbers, strict=True)
        form = truth.form
        return all(distance(*pair, form.cycle) <= form.within + 1e-9 for pair in pairs)


def distance(number: float, other: float, cycle: float) -> float:
    """Return the distance of two numbers, the shorter way round if their scale starts again."""
    apart = abs(number - other)
    return min(apart % cycle, -apart % cycle) if cycle else apart


def are_steps(text: str) -> bool:
    """Return True if a text begins with steps in the forms of steps.toml, without its value."""
    form = STEP_FORMS.get(form_words(text.partition(", ")[0]))
    return form is not None and form.opens and "\n" not in text and ": " not in text


def value_start(text: str, *, may_be_label: bool = False) -> int:
    """Return the index after the steps of an answer.

    It is 0 without steps, and the length of the text if the answer stops before its value. With
    `may_be_label`, "box 2" is a value and no beginning of steps.
    """
    begin = _steps_start(text)
    if text.startswith(OWN_STEPS.strip(), begin):
        mark = text.rfind(ANSWER.strip())
        return len(text) if mark < 0 else mark + len(ANSWER.strip())
    steps, colon, _ = text[begin:].partition(": ")
    if colon and are_steps(steps):
        return begin + len(steps) + len(colon)
    rest = text[begin:].strip()
    is_label = may_be_label and re.fullmatch(r"(?!between)[a-z]+ \d+", rest)
    return len(text) if _stops_in_steps(rest) and not is_label else 0


def _steps_start(text: str) -> int:
    """Return the index at which steps begin, if there are any: after thinking, for example."""
    thought = max((mark.end() for mark in PATTERNS["thought"].finditer(text)), default=0)
    return len(text) - len(_LEAD.sub("", text[thought:]))


def _stops_in_steps(text: str) -> bool:
    """Return True if a text consists of steps only. The last step may be cut.

    The first step needs a number, because "bar" alone may be any answer.
    """
    steps = text.rstrip(",: ").split(", ")
    first = form_words(steps[0])
    opens = any(form.opens and words.startswith(first) for words, form in STEP_FORMS.items())
    if not opens or "#" not in first:
        return False
    *complete, last = map(form_words, steps)
    return STEP_FORMS.keys() >= {*complete} and any(words.startswith(last) for words in STEP_FORMS)


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
    steps = (
        text[_steps_start(text) : start]
        .strip()
        .removeprefix(OWN_STEPS.strip())
        .removesuffix(ANSWER.strip())
    )
    return tuple(
        Observation.of(step.strip()) for step in re.split(r", |\n", steps.strip(" \n:,")) if step
    )


def add_working(rationale: str, answer: str) -> str:
    """Put an answer after its working or its steps, if it has any."""
    if are_steps(rationale):
        return f"{rationale}: {answer}"
    return f"{rationale}\n{ANSWER}{answer}" if rationale else answer
