"""Labels beside a box in a line: the words without bullets and quotation marks, or a sentence."""

import re

from gnomon.answers.reading.base import lower_case

# Words of a label; more are a sentence.
_LONGEST = 8


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
    return len(text.split()) > _LONGEST or bool(_SENTENCE.search(lower_case(text)))
