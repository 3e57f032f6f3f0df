"""The forms in which a box is written: patterns, and what their groups mean.

Quantifiers are possessive, so that no text takes more than linear time.
"""

from __future__ import annotations

import re

from gnomon.answers.reading.word_tables import any_of

NUMBER = r"[-+]?(?:\d{1,7}+(?:\.\d{0,17}+)?|\.\d{1,17}+)(?:e[-+]?\d{1,2}+)?(?!\d|\.\d)"
_N = rf"[\"']?({NUMBER})[\"']?(?:px)?"
_B = r"[\s\u00a0]"
_SEP = rf"(?:{_B}*+[,;]{_B}*+|{_B}++)"
_FOUR = rf"{_B}*+{_N}{_SEP}{_N}{_SEP}{_N}{_SEP}{_N}{_B}*+"
_PAIR = rf"[\[(]{_B}*+{_N}{_SEP}{_N}{_B}*+\\?[\])]"

TWO = rf"{_B}*+{_N}{_SEP}{_N}"
"""What stands at least behind a bracket."""
LIST = re.compile(rf"[\[({{]{_FOUR}\\?[\])}}]", re.ASCII)
TAG = re.compile(rf"<b?box>\s*+{_FOUR}</b?box>", re.ASCII)
PAIR = re.compile(_PAIR, re.ASCII)
BETWEEN_POINTS = re.compile(
    rf"{_B}*+(?:(?:[,;]{_B}*+)?(?P<word>and|to)\s|[,;]|->?|→)?{_B}*+(?=[\[(])"
)
"""What joins two corners, and the many of a polygon."""

_LOC = r"<loc(?:\d{4}|_\d{1,3})>"
LOCS = re.compile(rf"{_LOC}(?:\s?{_LOC})*+", re.ASCII)
LOC = re.compile(r"<loc(_?)(\d+)>", re.ASCII)

BEFORE_LIST = re.compile(r"(?:(bbox(?:_2d)?[\"']?\s?[:=]\s?)|(<b?box>\s?\[?))\Z")
"""What names the list that follows it."""

_FIRST = r"(?:(?:top|upper)[\s-]left|\(x_?1,\s?y_?1\))"
_SECOND = r"(?:(?:bottom|lower)[\s-]right|\(x_?2,\s?y_?2\))"
CORNERS = re.compile(
    rf"{_FIRST}[^\d()\[\].]{{0,24}}{_PAIR}[^\d()\[\].]{{0,16}}(?:\.\s(?:the\s)?)?"
    rf"{_SECOND}[^\d()\[\].]{{0,24}}{_PAIR}",
    re.ASCII,
)
"""The upper left corner is at (1, 2) and the lower right one at (3, 4)."""

NAMES = {
    name: corner
    for corner, names in enumerate(
        (
            ("x1", "xmin", "x_min", "left", "x_1"),
            ("y1", "ymin", "y_min", "top", "y_1"),
            ("x2", "xmax", "x_max", "right", "x_2"),
            ("y2", "ymax", "y_max", "bottom", "y_2"),
        )
    )
    for name in names
}
_NAME = any_of(NAMES, letters="[a-z0-9_]")
NAMED = rf"({_NAME})[\"']?\s?[:=]\s?"
FIELD = re.compile(rf"{NAMED}[\"']?({NUMBER})[\"']?(?:px)?(?!\s?%)", re.ASCII)

BARE = re.compile(
    r"(?:[^\d\[\](){}<>]{0,80}\b(?:answer|box|bbox|bbox_2d|coordinates|corners)(?:\s(?:is|are))?\s?[:=]?)?"
    rf"{_FOUR}(?:px)?\.?\s*+",
    re.ASCII,
)
LONGEST_BARE = 400
