"""The forms in which a time is written or spoken: a pattern each, and what its groups mean.

Patterns run on lower-case text whose small number words are digits already, and are tried only
where a figure or one of ANCHOR_WORDS stands. Words of all languages are in one table here; what a
form means is the same in each. Every quantifier over blanks is bounded, so that no text takes more
than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from gnomon.answers.time.writing import Hms

"""Hour, minute, and second where one is stated."""
Value: TypeAlias = "Callable[[re.Match[str]], Hms | None]"
Rule: TypeAlias = "tuple[str, re.Pattern[str], Value]"

# English, German, French, Spanish and Chinese.
_NOON = r"noon|midday|mittags?|midi|mediod[ií]a|正午"
_MIDNIGHT = r"midnight|mitternacht|minuit|medianoche|午夜"
ANCHOR_WORDS = rf"quarter|half|viertel|dreiviertel|halb|{_NOON}|{_MIDNIGHT}"
_PAST, _TO = r"past|after|nach", r"to|before|till|til|until|of|vor"
_HOURS = r"hours?|hrs?\.?|heures?|horas?|h"
_AND = r"[\s,]{0,2}(?:(?:and|und|et|y|con)\s{1,2})?"
_MINUTES = r"\s?(?:minutes?|minuten|minutos?|mins?|m)(?![a-z])"
_SECONDS = r"\s?(?:seconds?|sekunden?|secondes?|segundos?|secs?|s)(?![a-z])"
_MORNING = (
    r"a\.?\s?m|(?:in\sthe|this)\s(?:early\s|late\s)?morning|morgens|vormittags|früh|du\smatin"
    r"|de\sla\s(?:mañana|madrugada)"
)
_LATE = (
    r"p\.?\s?m|(?:in\sthe|this)\s(?:early\s|late\s)?(?:afternoon|evening)|noon|midday|mittags|nachmittags|abends"
    r"|de\sl'après-midi|du\ssoir|de\sla\starde"
)
_NIGHT = r"at\snight|tonight|nachts|de\sla\snoche"
_LATE_CHINESE, _MORNING_CHINESE = "下午|晚上|傍晚|夜里|中午", "上午|早上|早晨|清晨|凌晨"
BEFORE = re.compile(rf"(?:{_LATE_CHINESE}|{_MORNING_CHINESE})\s?\Z")
"""What names the half of the day before a time."""
ARTICLE = re.compile(r"\blas?\s\Z|差\Z")
"""What makes a time of the figures behind it: las diez y ocho, 差五分十点."""
_DAY = rf"{_MORNING}|{_LATE}|{_NIGHT}|midnight"


def time_of(hour: int, minute: int, second: int | None, half: str | None = None) -> Hms | None:
    """The time, or None where there is no such time; `half` names a half of the day."""
    if hour > 23 or minute > 59 or (second or 0) > 59:
        return None
    if half:
        late = _is_late(half, hour)
        if (hour > 12 and not late) or (hour == 0 and late):
            return None  # 22:08 AM and 0:08 PM contradict themselves
        hour = hour % 12 + 12 * late
    return hour, minute, second


def _is_late(half: str, hour: int) -> bool:
    """Whether the named half of the day is the second one."""
    if _AT_NIGHT.fullmatch(half):
        return 6 <= hour <= 11 or hour > 12
    return bool(_IS_LATE.fullmatch(half))


_AT_NIGHT = re.compile(rf"{_NIGHT}|晚上|夜里")
_IS_LATE = re.compile(rf"{_LATE}|{_NOON}|{_LATE_CHINESE}")


def _half(match: re.Match[str]) -> str | None:
    """The half of the day that stands behind a time, or in Chinese before it."""
    before = BEFORE.search(match.string, max(0, match.start() - 4), match.start())
    return match.groupdict().get("half") or (before[0].strip() if before else None)


def _stated(match: re.Match[str]) -> Hms | None:
    """Groups h, m, s, more and half, of which only h must be there."""
    parts = match.groupdict()
    second = parts.get("s") or parts.get("more")
    return time_of(
        int(parts["h"]), int(parts.get("m") or 0), int(second) if second else None, _half(match)
    )


def _amount(said: str) -> int:
    """Minutes of a figure or of the words for a half and a quarter."""
    if said[0] in "hm半d":  # half, media, demie
        return 30
    return 15 if said[0] in "qvc" else int(said)


def _past_or_to(match: re.Match[str]) -> Hms | None:
    amount, before = match["m"], not re.fullmatch(_PAST, match["way"])
    if before and (amount == "half" or _is_range(match)):
        return None
    seconds = 60 * _amount(amount) + int(match["s"] or 0)
    named = not match["h"].isdigit()
    half = match["h"] if named else match["half"]
    base = time_of(12 if named else int(match["h"]), 0, None, half)
    more = int(match["more"] or 0)
    if base is None or seconds >= 3600 or more > 59 or int(match["s"] or 0) > 59:
        return None
    shift = (-seconds if before else seconds) - (1800 if match["halb"] else 0) + more
    return _shifted(base[0], shift, bool(match["s"] or match["more"]), half)


def _hour_first(match: re.Match[str]) -> Hms | None:
    """Three hours and a quarter, or less ten."""
    named = not match["h"].isdigit()
    half = (match["h"] if named else None) or _half(match)
    base = time_of(12 if named else int(match["h"]), 0, None, half)
    minutes = 15 * int(match["quarters"] or 0) if "quarters" in match.re.groupindex else 0
    minutes = minutes or _amount(match["past"] or match["minus"] or "0")
    if base is None or minutes > 59:
        return None
    return _shifted(base[0], 60 * (-minutes if match["minus"] else minutes), False, half)


def _towards(match: re.Match[str]) -> Hms | None:
    """Halb vier is half an hour before four, viertel vier three quarters."""
    base = time_of(int(match["h"]), 0, None, match["half"])
    said = match["share"]
    minutes = 30 if said == "halb" else 15 if said[0] in "d３3" else 45
    return base and _shifted(base[0], -60 * minutes, False, match["half"])


def _shifted(hour: int, seconds: int, shows_seconds: bool, half: str | None) -> Hms:
    minutes, second = divmod((3600 * hour + seconds) % 86400, 60)
    new_hour, minute = divmod(minutes, 60)
    if new_hour == 0 and hour and half is None:
        new_hour = 12  # "ten to one" is 12:50 unless it is said to be at night
    return new_hour, minute, second if shows_seconds else None


def _is_range(match: re.Match[str]) -> bool:
    """Bare figures with "to" may be a range, as in "numbers from 1 to 12"; with "of", a count."""
    if match["unit"] or match["m"] in ("quarter", "viertel") or match["way"] == "vor":
        return False
    if match["way"] == "of" or (match["m"], match["h"]) in _ONE_TO_TWELVE:
        return True
    words = match.string[max(0, match.start() - 20) : match.start()].split()
    return bool(words) and words[-1] in _BEFORE_A_RANGE


_ONE_TO_TWELVE = [(one, twelve) for one in ("1", "１") for twelve in ("12", "１２")]
# fmt: off
_BEFORE_A_RANGE = frozenset({
    "from", "between", "number", "numbers", "numeral", "numerals", "digit", "digits", "hour",
    "hours", "mark", "marks", "marked", "labeled", "labelled", "numbered", "minute", "minutes",
})
# fmt: on


def _rule(name: str, pattern: str, value: Value = _stated) -> Rule:
    return name, re.compile(pattern), value


_ALONE = r"(?<!\d)(?<!\d:)(?<!\d\s:)(?<!\d[.,])"
_ENDS = r"(?!\d|[:.,]\d)"
_HALF = rf"(?:[\s,]{{0,2}}\(?(?P<half>(?:{_DAY})\b))"
_HOUR = rf"{_ALONE}(?P<h>\d{{1,2}})"
_MONEY = "$€£¥₹"
_UNITS = (
    "degrees?|deg|percent|pixels?|px|[ckm]?m|k?g|s|secs?|seconds?|usd|eur|dollars?|euros?|k|million"
    "|millionen|millions?|millones|prozent"
)
# 10:08 and 30 seconds, but not "10:08, and 30 seconds later".
_MORE = (
    r",?\sand\s(?P<more>\d{1,2})\sseconds?(?![a-z])(?!\s(?:later|earlier|after|before|past|to|ago))"
)

AFTER_COLON = (
    _rule(
        "colon",  # 10:08, 10:08:30 AM, 2024-05-01T10:08:30.5+02:00
        rf"{_HOUR}(?P<sep>\s?:\s?)(?P<m>\d{{2}}|\d(?=:\d\d))"
        rf"(?:(?P=sep)(?P<s>\d{{2}})(?:[.,]\d{{1,9}})?(?:\+\d\d:\d\d)?|{_MORE})?"
        rf"(?!\d|(?P=sep)\d|:\d|[.,]\d)(?:\suhr\b)?{_HALF}?",  # no 2:10 in "is at 2: 10:10"
    ),
)
AFTER_DOT = (
    _rule(
        "dot",  # 10.08; never 1.08.2024, v10.08, 10.08 %, $12.50 or 12.50 degrees
        rf"(?<![a-z{_MONEY}])(?<![{_MONEY}]\s){_HOUR}\.(?P<m>\d{{2}})(?:\.(?P<s>\d{{2}}))?{_ENDS}"
        rf"(?!\s?(?:[%°{_MONEY}]|(?:{_UNITS})\b)){_HALF}?",
    ),
)
SPOKEN = (
    _rule(
        "spoken",  # twenty-two oh eight, ten thirty-five; in figures only with an "oh"
        rf"(?<!\d[\s-]){_ALONE}(?:[0０][\s-])?(?P<h>\d{{1,2}})[\s-]{{1,2}}"
        rf"(?P<m>(?:oh?|[0０])[\s-]{{1,2}}\d|[1-5１-５]\d){_ENDS}"
        rf"(?![\s-]\d)(?:{_MORE})?{_HALF}?",
        lambda m: time_of(
            int(m["h"]),
            int(re.split(r"[\s-]", m["m"])[-1]),
            int(m["more"]) if m["more"] else None,
            m["half"],
        ),
    ),
)
_SUBTRACTS = r"(?:moins|menos)\s(?:le\s)?(?P<minus>quart|cuarto|\d{1,2})"
_ADDS = r"(?:et|y)\s(?P<past>quart|cuarto|demie?|media)\b"
_SHARE_OF_HOUR = (
    _rule(
        "hour and share",  # dix heures et quart, midi moins dix, las siete y media
        rf"{_ALONE}\b(?P<h>\d{{1,2}}|{_NOON}|{_MIDNIGHT})(?:\s?(?:heures?|h|horas?))?\s"
        rf"(?:{_ADDS}|{_SUBTRACTS}){_ENDS}{_HALF}?",
        _hour_first,
    ),
)
AFTER_HOURS = (
    _rule(
        "hours",  # 10h08, 10 hours 8 minutes, 10 hrs and 8 min, 10 heures 8
        rf"{_HOUR}[\s-]?(?:{_HOURS})(?![a-z]){_AND}(?P<m>\d{{1,2}}){_ENDS}"
        rf"(?:{_MINUTES})?(?:{_AND}(?P<s>\d{{1,2}}){_SECONDS})?{_HALF}?",
    ),
    _rule(
        "four figures",  # 2208 hours
        r"(?<![\d.,:])(?P<h>\d\d)(?P<m>\d\d)\s{0,2}(?:hours|hrs|h)\b",
    ),
    _rule("hundred hours", rf"{_HOUR}[\s-]hundred\shours"),  # twenty-two hundred hours
    _rule("o'clock", rf"{_HOUR}\sheures?\b{_HALF}?"),
    *_SHARE_OF_HOUR,
)
PAST_OR_TO = (
    _rule(
        "past or to",  # 8 past 10, a quarter to four, half past ten, five minutes to noon
        rf"{_ALONE}\b(?P<m>\d{{1,2}}|quarter|viertel|half)(?P<unit>[\s-]{{0,2}}(?:minutes?|minuten?|mins?)\b)?"
        rf"(?:\s(?:and\s)?(?P<s>\d{{1,2}})\sseconds?)?"
        rf"[\s-]{{1,2}}(?P<way>{_PAST}|{_TO})[\s-]{{1,2}}(?P<halb>halb\s)?"
        rf"(?P<h>\d{{1,2}}|{_NOON}|{_MIDNIGHT})\b(?::00)?{_ENDS}"
        rf"(?:\s{{0,2}}(?:o'?\s?clock|uhr))?(?:{_MORE})?{_HALF}?",
        _past_or_to,
    ),
    _rule(
        "half hour",  # half six, which is half past six in Britain
        rf"\bhalf[\s-](?P<h>\d{{1,2}}){_ENDS}(?=[\s*\"')]{{0,3}}(?:[.,;:!?\n]|\Z|in\sthe\b|at\snight|[ap]\.?m\b)){_HALF}?",
        lambda m: time_of(int(m["h"]), 30, None, m["half"]),
    ),
)
AFTER_CLOCK = (
    _rule(
        "o'clock",  # 10 o'clock, 10 o'clock and 8 minutes; not "the 10 o'clock position"
        rf"{_HOUR}[\s-]{{0,2}}(?:o'?\s?clock|uhr)\b(?!\s(?:position|direction|mark|hour))"
        rf"(?:{_AND}(?P<m>\d{{1,2}})(?:{_MINUTES}|(?<=uhr\s\d\d)|(?<=uhr\s\d))"
        rf"{_ENDS}(?:{_AND}(?P<s>\d{{1,2}}){_SECONDS})?)?{_HALF}?",
    ),
)
AFTER_Y = (
    *_SHARE_OF_HOUR,
    _rule(
        "hour and minutes",  # las diez y ocho
        rf"(?<=\blas\s)(?P<h>\d{{1,2}})\sy\s(?P<m>\d{{1,2}}){_ENDS}(?:{_MINUTES})?{_HALF}?",
    ),
    _rule(
        "hour and minutes",
        rf"(?<=\bla\s)(?P<h>[1１])\sy\s(?P<m>\d{{1,2}}){_ENDS}(?:{_MINUTES})?{_HALF}?",
    ),
    _rule("o'clock", rf"{_HOUR}\sen\spunto\b{_HALF}?"),
)
AFTER_LAS = (
    _rule(
        "o'clock",
        rf"(?:(?<=son\slas\s)|(?<=marca\slas\s)|(?<=es\sla\s)(?=[1１]\b))"
        rf"{_HOUR}(?!\w){_ENDS}(?!\s(?:y|menos)\b){_HALF}?",
    ),
    _rule("o'clock", rf"(?:(?<=\Alas\s)|(?<=\Ala\s)(?=[1１]\b)){_HOUR}(?=[.\s]{{0,3}}\Z)"),
)
CHINESE = (
    _rule(
        "点",  # 10点08分, 三点半, 九点一刻, 下午两点整, 十点差五分
        rf"{_HOUR}\s?[点點时時](?![针針間间])(?:(?P<past>半)|(?P<quarters>[1-3１-３])刻"
        r"|差(?P<minus>\d{1,2})分钟?)(?P<m>)(?P<s>)",
        _hour_first,
    ),
    _rule(
        "点",
        rf"{_HOUR}\s?[点點时時](?![针針間间])[钟整正]?"
        r"(?:\s?[零过]?(?P<m>\d{1,2})(?![\d点點时時])\s?(?:分钟?)?(?:\s?(?P<s>\d{1,2})\s?秒)?)?"
        r"(?!\d|半|[1-3１-３]刻|差\d|方向|位置|的位置|刻度|[和与到至]|附近|之间|前|后)",
    ),
    _rule(
        "点",
        r"(?<=差)(?P<minus>\d{1,2})分钟?(?:就?到?)(?P<h>\d{1,2})[点點](?P<past>)",
        _hour_first,
    ),
)
AFTER_HALF = (
    _rule("half day", rf"{_HOUR}{_HALF}"),  # 10 PM, 3 in the afternoon, 12 noon
)
TOWARDS = (
    _rule(
        "towards",  # halb vier, dreiviertel vier
        rf"\b(?P<share>halb|(?:drei\s?|[3３]\s)?viertel)\s(?P<h>\d{{1,2}}){_ENDS}(?:\suhr)?{_HALF}?",
        _towards,
    ),
)
NOON = (
    _rule(
        "noon",
        rf"\b(?P<half>{_NOON}|{_MIDNIGHT})\b(?!\sblue\b)",
        lambda m: time_of(12, 0, None, m["half"]),
    ),
    *_SHARE_OF_HOUR,
)
