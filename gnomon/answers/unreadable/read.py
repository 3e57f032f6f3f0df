"""Readers of answers that say that the picture is unreadable. read.toml has their words.

`is_refusal` judges a whole answer, which may be sentences. `is_whole_refusal` is true only for the
word alone. `read_refusal` finds the place of the word, like the readers of values.
"""

import re

from gnomon.answers.base.dialect import final_answer
from gnomon.answers.reading.base import Reading, Which, fill, lower_case, table
from gnomon.answers.reading.final import find
from gnomon.answers.reading.number_words import Digits
from gnomon.answers.unreadable.answer import WORD

_FORMS = {name: re.compile(text, re.IGNORECASE) for name, text in fill(table(__file__)).items()}
# Quotation marks, brackets and signs of emphasis around an answer.
_MARKS = " \t\n\"'“”‘’«»`*_.!()[]{}"


def is_refusal(text: str) -> bool:
    """True if an answer says that the picture is unreadable, and does not give a value.

    "I cannot read the small hand, so about 4" is a reading, even if it is unsure.
    """
    answer = final_answer(text)
    if is_whole_refusal(text):
        return True
    refusals = list(_FORMS["stated"].finditer(answer))
    return bool(refusals) and not _gives_value(answer, refusals[0].start(), refusals[-1].end())


def _gives_value(answer: str, start: int, end: int) -> bool:
    """True if an answer has a number, or words of a reading outside its refusals.

    The refusals begin at `start` and end at `end`.
    """
    # "One" is usually a pronoun: "no one can read it".
    numbers = Digits(_FORMS["one"].sub(" ", lower_case(answer))).text
    return (
        any(map(str.isdigit, numbers))
        or bool(_FORMS["reading_before"].search(answer, 0, start))
        or bool(_FORMS["reading_after"].search(answer, end))
    )


def read_refusal(text: str, which: Which = "final") -> Reading[str] | None:
    """Find the word and its place in a text, as other readers find values.

    Unlike `is_refusal` it ignores figures beside the word. With `which="answer"` the word counts
    only if the text calls it the answer.
    """

    def words(part: str) -> list[Reading[str]]:
        return [Reading(WORD, m.span(), WORD) for m in _FORMS["stated"].finditer(part)]

    return find(text, words, which)


def is_whole_refusal(text: str) -> bool:
    """True if the answer after any working is only such a word: "Answer: unreadable"."""
    answer = " ".join(final_answer(text).strip(_MARKS).split())
    return bool(_FORMS["whole"].fullmatch(answer))
