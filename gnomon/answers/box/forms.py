"""The forms in which a box is written: patterns, and what their groups mean.

Texts are in lower case. Quantifiers are possessive, so that no text takes more than linear time.
"""

from __future__ import annotations

import re

from gnomon.answers.reading.word_tables import any_of

_D = "[0-9]"  # \d has the digits of all scripts
NUMBER = (
    rf"[-+]?(?:{_D}{{1,7}}+(?:\.{_D}{{0,17}}+)?|\.{_D}{{1,17}}+)(?:e[-+]?{_D}{{1,2}}+)?(?!\d|\.\d)"
)
_B = r"(?:[\s\u00a0]|\\[,;!]|\\[ ])"  # LaTeX's spaces, too
_UNIT = rf"{_B}?\\?(%|percent\b|px|pixels?\b)"
_N = rf"[\"']?({NUMBER})(?:{_UNIT})?[\"']?"
_SEP = rf"(?:{_B}*+[,;]{_B}*+|{_B}++)"
_SHARE = r"[\"']?(?:0?\.\d{1,4}|1\.0{1,4}|\d{1,3}(?:\.\d+)?\s?%)[\"']?"
_WORD = r"[\"'][^\"'\n]{0,40}[\"']"
_FOUR = rf"{_B}*+{_N}{_SEP}{_N}{_SEP}{_N}{_SEP}{_N}(?:{_SEP}{_SHARE})?(?:{_SEP}{_WORD})?{_B}*+"
"""Four numbers with their units, and perhaps a confidence and a label."""
_LAST = r"(?![ ]?[,;]?[ ]?[-+.\d])"
_CLOSE = r"(?:\\right)?\\?"
_PAIR = rf"[\[(]{_B}*+{_N}{_SEP}{_N}{_B}*+{_CLOSE}[\])]"

TWO = rf"{_B}*+{_N}(?:{_SEP}|\s?\|\s?){_N}"
"""What stands at least behind a bracket."""
TWO_BARE = r"[\s\"'*`$]{0,4}+[-+.\d][\d.]*+(?:\s?(?:%|percent))?,\s?[-+.\d]"
"""What stands at least behind a word that announces four numbers."""
LIST = re.compile(rf"[\[({{]{_FOUR}{_CLOSE}[\])}}]", re.ASCII)
ROW = re.compile(rf"\|\s?{_N}\s?\|\s?{_N}\s?\|\s?{_N}\s?\|\s?{_N}\s?\|", re.ASCII)
RUN = re.compile(
    rf"(?:[:=：]|is|are|at)[\s\"'*`$]{{0,4}}+{_N},\s?{_N},\s?{_N},\s?{_N}{_LAST}(?!\s?(?!of\b)\w)",
    re.ASCII,
)
TAG = re.compile(rf"<(b?box)>\s*+{_FOUR}</b?box>", re.ASCII)
PAIR = re.compile(_PAIR, re.ASCII)
BETWEEN_POINTS = re.compile(
    rf"{_B}*+(?:(?:[,;]{_B}*+)?(?P<word>and|to|bis|à|a|al)\s(?:(?:the\s)?(?:pixel|point)\s)?"
    rf"|[,;]|->?|→|到|至)?{_B}*+(?=[\[(])"
)
"""What joins two corners, and the many of a polygon."""

_LOC = r"<loc(?:\d{4}|_\d{1,3})>"
LOCS = re.compile(rf"{_LOC}(?:\s?{_LOC})*+", re.ASCII)
LOC = re.compile(r"<loc(_?)(\d+)>", re.ASCII)

BEFORE_LIST = re.compile(
    r"(?:(?P<key>b?box(?:_2d)?)[\"'*`]{0,3}\s?[:=]\s?[\"'*`]{0,3}|<(?P<tag>b?box)>\s?\[?)\Z"
)
"""What names the list that follows it."""

_MIN, _MAX, _MIDDLE = r"_?(?:min|1|0),\s?", r"_?(?:max|2|1)", r"(?:{0}_?c\w*|c{0}|center_?{0}),\s?"
LEGENDS = (
    ("y first", re.compile(rf"y{_MIN}x{_MIN}y{_MAX},\s?x{_MAX}")),
    ("centre", re.compile(rf"{_MIDDLE.format('x')}{_MIDDLE.format('y')}w(?:idth)?,\s?h")),
    ("width", re.compile(r"(?:\bx\w{0,4}|\bleft),\s?(?:y\w{0,4}|top),\s?w(?:idth)?,\s?h|\bxywh\b")),
)
"""Words that say what the four numbers of a list are, where they are not two corners, x first."""
PERCENT = re.compile(r"\b(?:in|as|are)\s(?:percent|percentages?\b|%)|[\])}]\s?(?:%|percent\b)")
"""What says that the numbers of a list are percent, whose signs it leaves out."""

_TOP = r"top|upper|ober\w{1,2}|oben|supérieure?|haut|superior|上"
_BOTTOM = r"bottom|lower|unter\w{1,2}|unten|inférieure?|bas|inferior|下"
_LEFT = r"left|link\w{1,2}|gauche|izquierd[ao]|左"
_RIGHT = r"right|recht\w{1,2}|droite?|derech[ao]|右"
_AND = r"[\s_-]{0,2}(?:à\s|y\s|a\sla\s)?"
_CORNER = (
    rf"(?<![a-z])(?:(?:{_TOP}|{_BOTTOM}){_AND}(?:{_LEFT}|{_RIGHT})"
    rf"|(?:{_LEFT}|{_RIGHT}){_AND}(?:{_TOP}|{_BOTTOM}))(?![a-z])"
    r"|\(x_?\{?(?:\\?min|\\?max|[12])\}?,\s?y_?\{?(?:\\?min|\\?max|[12])\}?\)"
    r"|cent(?:er|re)(?![a-z_])|mittelpunkt|centro|中心"
)
FURTHER = re.compile(rf"{_RIGHT}|max|2")
LOWER = re.compile(rf"{_BOTTOM}|max|2")
"""What makes a corner one of the right edge, and of the lower edge."""

NAMES: dict[str, str] = {
    name: role
    for role, names in {
        "x1": "x1 x₁ x_1 x_{1} xmin x_min x_{min} x_{\\min} left links gauche izquierda 左",
        "y1": "y1 y₁ y_1 y_{1} ymin y_min y_{min} y_{\\min} top oben haut arriba 上",
        "x2": "x2 x₂ x_2 x_{2} xmax x_max x_{max} x_{\\max} right rechts droite derecha 右",
        "y2": "y2 y₂ y_2 y_{2} ymax y_max y_{max} y_{\\max} bottom unten bas abajo 下",
        "x0": "x0 x_0",
        "y0": "y0 y_0",
        "x": "x horizontally horizontal",
        "y": "y vertically vertical",
        "w": "w width breite largeur ancho 宽度 宽",
        "h": "h height höhe hauteur alto 高度 高",
        "cx": "cx x_center center_x x_centre xc x_c",
        "cy": "cy y_center center_y y_centre yc y_c",
    }.items()
    for name in names.split()
}
_WORDS = (
    r"is|are|it|its|at|of|from|goes|runs|spans|ranges?|between|in|to|about|around|approximately|roughly|edge"
    r"|side|border|boundary|bound|coordinates?|coord|axis|values?|position|pixel|begins?|starts?"
    r"|ends|extends|reaches|stretches|with|the|a|ist|liegt|bei|von|geht|reicht|est|va|de|à|es|está|en"
)
_LINK = rf"(?:[\s:=*_\"'`|$(\[{{)\]~≈∈：从为是在]|\\in\b|\b(?:{_WORDS})\b){{1,16}}+"
"""What stands between a name and its number."""
_UNTIL = r"to|and|until|through|bis|und|à|et|a|y|hasta"
_TO = rf"\s?(?:\([^()\d]{{0,16}}\)\s?)?(?:-|~|,|\b(?:{_UNTIL})\b|[至到])\s?"
_ALONG = (
    r"horizontal(?:ly)?|vertical(?:ly)?"
    r"|(?:along|in|on|of)\s(?:the\s)?(?:width|height|[xy](?:[\s-](?:axis|direction))?\b)"
)
_SIZE = r"wide|broad|high|tall|in\s(?:width|height)"
_NEXT = rf"(?:{_SEP}|\s?\|\s?)"
_FILL = r"[^\d\n.;\[(]{0,48}+(?:\([^()\d]{0,16}+\)[^\d\n.;\[(]{0,24}+)?[\[(]?\s?"
_NAME = any_of(map(re.escape, NAMES), letters="[a-z0-9_]")

ANY_FIELD = re.compile(rf"(?:{_NAME}){_LINK}[\"'\d.+-]|{_RIGHT}|horizontal|vertical|width|along")
"""What a text with enough fields has at least: found in a quarter of the time that they take."""
FIELD = re.compile(
    rf"(?P<corner>{_CORNER}){_FILL}{_N}{_NEXT}(?:[\"']?y[\"']?\s?[:=]\s?)?{_N}{_LAST}[\])}}]?"
    rf"|(?P<name>{_NAME}){_LINK}{_N}(?:{_TO}{_N})?"
    rf"|{_PAIR}(?:\s?(?:is|as|for|at|in|=)?\s?(?:the\s)?(?P<behind>{_CORNER}))?"
    rf"|(?<![\w.]){_N}(?:{_TO}{_N}\s?(?P<along>{_ALONG})|\s?(?P<size>{_SIZE}))"
)
"""A name with its number, an axis with two, a corner with its point, or what stands behind them."""
NUMBERS_OF_FIELD = (2, 4, 7, 9, 11, 13, 16, 18)
"""Its groups that are numbers, each followed by that of its unit."""

BARE = re.compile(
    r"(?:[^\d\[\](){}<>]{0,80}\b(?:answer|box|bbox|bbox_2d|coordinates|corners)(?:\s(?:is|are))?\s?[:=]?)?"
    rf"{_FOUR}\.?\s*+",
    re.ASCII,
)
LONGEST_BARE = 400
