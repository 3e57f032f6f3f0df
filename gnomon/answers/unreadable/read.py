"""Readers of answers that say that nothing can be read; read.toml has their words.

`is_refusal` asks about a whole answer, in sentences too; `is_whole_refusal` only about one that is
such a word and no more; `read_refusal` finds the place of the word, as readers of values do.
"""

import re

from gnomon.answers.base.dialect import final_answer
from gnomon.answers.reading.base import Reading, Which, fill, lower_case, table
from gnomon.answers.reading.final import find
from gnomon.answers.reading.number_words import Digits
from gnomon.answers.unreadable.answer import WORD

_FORMS = {name: re.compile(text, re.IGNORECASE) for name, text in fill(table(__file__)).items()}
# Signs of quotation, emphasis and brackets around an answer.
_MARKS = " \t\n\"'“”‘’«»`*_.!()[]{}"


def is_refusal(text: str) -> bool:
    """True if an answer says that nothing can be read, and gives no figure.

    "I cannot read the small hand, so about 4" is a reading, however unsure.
    """
    answer = final_answer(text)
    if is_whole_refusal(text):
        return True
    refusals = list(_FORMS["stated"].finditer(answer))
    return bool(refusals) and not _gives_value(answer, refusals[0].start(), refusals[-1].end())


def _gives_value(answer: str, start: int, end: int) -> bool:
    """True if an answer has a number, or words that make a reading of it beside its refusals.

    These begin at `start` and end at `end`.
    """
    # "One" is a pronoun more often: "no one can read it".
    numbers = Digits(_FORMS["one"].sub(" ", lower_case(answer))).text
    return (
        any(map(str.isdigit, numbers))
        or bool(_FORMS["reading_before"].search(answer, 0, start))
        or bool(_FORMS["reading_after"].search(answer, end))
    )


def read_refusal(text: str, which: Which = "final") -> Reading[str] | None:
    """Find the word, with its place, among the words of a text, as other readers find values.

    Unlike in `is_refusal`, figures beside it do not matter. With `which="answer"` it counts only
    where the text calls it its answer.
    """

    def words(part: str) -> list[Reading[str]]:
        return [Reading(WORD, m.span(), WORD) for m in _FORMS["stated"].finditer(part)]

    return find(text, words, which)


def is_whole_refusal(text: str) -> bool:
    """True if the answer after any working is nothing but such a word: "Answer: unreadable"."""
    answer = " ".join(final_answer(text).strip(_MARKS).split())
    return bool(_FORMS["whole"].fullmatch(answer))
