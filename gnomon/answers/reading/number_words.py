"""Number words of five languages, and texts whose number words became digits."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from decimal import Decimal

from gnomon.answers.reading.base import Reading, any_of, fill, table

# English words. number_words.toml has the words of other languages, and all scales.
_TEENS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
SMALL = {word: value for value, word in enumerate(_TEENS.split())}
_TIES = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
TENS = {word: 10 * value for value, word in enumerate(_TIES, 2)} | {"fourty": 40}  # often written
HALVES_AND_QUARTERS = {"half": Decimal("0.5"), "quarter": Decimal("0.25")}
_TABLE = table(__file__)
SCALES: dict[str, int] = {word: 10**zeros for word, zeros in _TABLE["scales"].items()}
AFTER_FIGURES = SCALES | {word: 10**zeros for word, zeros in _TABLE["behind_figures"].items()}
WIDE = "０１２３４５６７８９"
"""Digits that replace number words. A normalized text does not contain them otherwise."""


_ENGLISH = SMALL | TENS
# Models write twenty-one, twenty one and, at the end of a line, twenty- one.
_ENGLISH |= {
    f"{ten}{between}{unit}": value + SMALL[unit]
    for ten, value in TENS.items()
    for unit in _TEENS.split()[1:10]
    for between in ("-", " ", "  ", "- ")
}
OTHER = {
    word.replace("_", " "): value
    for words in _TABLE["words"].values()
    for value, same in enumerate(words.split(), 1)
    for word in same.split("/")
    if word != "-"
}
"""Values of German, French and Spanish words up to 99."""
# Vingt-cinq is often written without its hyphen.
OTHER |= {word.replace("-", " "): value for word, value in OTHER.items()}
# 两 means two in counting: 两点 is two o'clock.
_ZH = {word: value % 10 for value, word in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_ZH_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}


def chinese(word: str) -> int:
    """Convert a Chinese numeral: 二十三 is 23, 三百五十万 3,500,000."""
    total = section = digit = 0
    # 十, 百 and 千 multiply the digit before them, 万 and 亿 all so far. 十 alone is 10.
    for letter in word:
        unit = _ZH_UNITS.get(letter)
        if unit is None:
            digit = _ZH[letter]
        elif unit < 10**4:
            section, digit = section + (digit or 1) * unit, 0
        else:
            total, section, digit = (total + section + digit) * unit, 0, 0
    return total + section + digit


# Later tables win: a word of two languages is read as English.
_VALUES = OTHER | _TABLE["only_beside"] | _ENGLISH
# Signs of LaTeX in 10{:}08 and 10\text{:}08, and commands that become blanks.
_LATEX = (
    r"\{(?P<sign>[:,.])\}|\\(?:text|mathrm|textrm)\s?\{\s?(?P<inner>[:,.])\s?\}"
    r"|(?P<mark>(?:(?:\\(?:text\w{0,2}|math\w{2}|mbox)\s?\{|\\[,;!: ]|\\quad\b|\})\s?){1,9})"
)
_ALWAYS = any_of({*OTHER, *_ENGLISH}, letters=r"[^\W\d\u3040-\u9fff]")
_WORDS = f"{_ALWAYS}|{_TABLE['beside']}"
# Numerals with 十 up to 99, and digits beside the signs of a time or a decimal point.
_CHINESE = (
    "[零〇一二两三四五六七八九]?十[一二三四五六七八九]?"
    "|[零〇一二两三四五六七八九]{1,2}(?=[点點时時分刻秒])|(?<=[点點时時])[零〇][一二三四五六七八九]"
)
# Number words begin only at the beginning of a word.
_REWRITTEN = re.compile(
    rf"(?=[\\{{}}零〇一二两三四五六七八九十]|(?<![^\W\d\u3040-\u9fff])[^\W\d])"
    rf"(?:{_LATEX}|(?P<chinese>{_CHINESE})|(?P<word>{_WORDS}))"
)
_WIDE = str.maketrans("0123456789", WIDE)
_TO_ASCII = str.maketrans(WIDE, "0123456789")


class Digits:
    """A text whose number words below 100 became digits, with the places in the original text.

    The digits are wide, which distinguishes them from figures: "ten thirty" becomes "１０ ３０".
    "10{:}08" becomes 10:08.
    """

    def __init__(self, text: str) -> None:
        self._new, self._old = [0], [0]
        parts: list[str] = []
        end = new = 0
        for match in _REWRITTEN.finditer(text):
            new_text = _rewrite(match)
            parts += (text[end : match.start()], new_text)
            new += match.start() - end
            self._new += (new, new + len(new_text))
            self._old += (match.start(), match.end())
            new += len(new_text)
            end = match.end()
        self.text = "".join((*parts, text[end:]))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Convert a span to the original text. It contains whole rewritten pieces."""
        # Odd entries of _new and _old begin a rewritten piece, even entries the text after it.
        first = bisect_right(self._new, start) - 1
        last = bisect_right(self._new, end - 1) - 1
        inside = self._old[first] if first % 2 else self._old[first] + start - self._new[first]
        until = self._old[last + 1] if last % 2 else self._old[last] + end - self._new[last]
        return inside, until


def _rewrite(match: re.Match[str]) -> str:
    if match["word"]:
        return str(_VALUES[match["word"]]).translate(_WIDE)
    if match["chinese"]:
        return str(chinese(match["chinese"])).translate(_WIDE)
    return match["sign"] or match["inner"] or " "


ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "eleventh", "twelfth"),
)
# Denominators: a third is 1/3, three quarters are 3/4.
_PART = {"half": 2, **dict(zip(ORDINALS[2:10], range(3, 11), strict=True)), "quarter": 4}
_PART |= {"hundredth": 100, "thousandth": 1000}
_PARTS = {f"{name}s": many for name, many in _PART.items()} | {"halves": 2}
# Words that multiply the number before them.
_MULTIPLES = {"dozen": 12, "hundred": 100} | SCALES
_PATTERNS = fill(
    {
        "wide": f"[{WIDE}]",
        "wide_digits": WIDE,
        "scale": "|".join(SCALES),
        "part": "|".join(_PART),
        "parts": "|".join(_PARTS),
        **_TABLE["spelled"],
    }
)
_SPELLED, _BEYOND = (re.compile(_PATTERNS[name], re.VERBOSE) for name in ("spelled", "beyond"))
_DIGITS = re.compile(_PATTERNS["digits"])
_CHINESE_NUMERAL, _TOKEN = (re.compile(_PATTERNS[name]) for name in ("chinese", "token"))
_CHINESE_PAIR, _CHINESE_DIGITS = (
    re.compile(_PATTERNS[name]) for name in ("chinese_pair", "chinese_digits")
)
_SIGN, _NO_SIGN, _DECIMAL, _DECIMAL_TOKEN = (
    re.compile(_PATTERNS[name]) for name in ("sign", "no_sign", "decimal", "decimal_token")
)
_BEYOND_99, _OF_ENGLISH, _FRENCH = (
    re.compile(_PATTERNS[name]) for name in ("beyond_99", "of_english", "french")
)


def sign_start(text: str, start: int) -> int:
    """Return the start of a number, including a French or Spanish minus before it."""
    sign = _SIGN.search(text, max(0, start - 12), start)
    if sign is None or _NO_SIGN.search(text, max(0, sign.start() - 32), sign.start()):
        return start
    return sign.start()


def spelled_numbers(text: str) -> Iterator[Reading[Decimal | None]]:
    """Read every spelled-out number of a lower-case text. A lone "one" has a separate rule."""
    digits = Digits(text)
    for match in _SPELLED.finditer(digits.text):
        first = sign_start(digits.text, match.start())
        start, end = digits.span(first, match.end())
        if text[start] < "\u3040":  # Chinese numerals have a separate pattern
            rule = "one" if text[start:end] == "one" else "words"
            value = None if _BEYOND.match(digits.text, match.end()) else _value(match)
            if value is not None and first < match.start():
                value = -value
            yield Reading(value, (start, end), rule)
    yield from _foreign_numbers(text, digits)
    for match in _DIGITS.finditer(digits.text):
        figures = "".join(filter(str.isdecimal, match[0]))
        yield Reading(Decimal(figures), digits.span(*match.span()), "digits")
    for match in _CHINESE_NUMERAL.finditer(text):
        rule = "one" if match[0] == "一" else "words"
        yield Reading(_chinese_value(match), match.span(), rule)


def _foreign_numbers(text: str, digits: Digits) -> Iterator[Reading[Decimal | None]]:
    """Read German, French and Spanish decimals. Numbers from 100 on become None."""
    for match in _DECIMAL.finditer(digits.text):
        first = sign_start(digits.text, match.start())
        is_negative = first < match.start() or match[0].startswith(("minus", "-"))
        whole, *tokens = [_figures(token) for token in _DECIMAL_TOKEN.findall(match[0])]
        value = None
        # "Komma zwei fünf" and "virgule zéro cinq". "virgule vingt cinq sept" is ambiguous.
        if len(tokens) == 1 or not any(map(int, tokens[:-1])) or max(map(len, tokens)) == 1:
            value = Decimal(f"{whole}.{''.join(tokens)}")
            value = -value if is_negative else value
        yield Reading(value, digits.span(first, match.end()), "words")
    for match in _BEYOND_99.finditer(digits.text):
        start, end = digits.span(*match.span())
        has_words = any(letter in WIDE for letter in match[0])
        if has_words and not _is_english(text, text[start:end]):
            yield Reading(None, (start, end), "refused")


def _is_english(text: str, number: str) -> bool:
    """True for an amount of cents or mils: "five cents". "six cents" may be French."""
    if number.endswith("millions") or not _OF_ENGLISH.search(number):
        return False
    words = re.split(r"[\s-]+", number)
    if any(word in OTHER and word not in _ENGLISH for word in words):
        return False
    is_english = any(word in _ENGLISH and word not in OTHER for word in words)
    return is_english or not _FRENCH.search(text)


def _figures(token: str) -> str:
    """Convert wide digits, or a word for nought or one, to figures."""
    if token[0].isdigit():
        return token.translate(_TO_ASCII)
    return "1" if token.startswith("un") else "0"


def _chinese_value(match: re.Match[str]) -> Decimal | None:
    """Return the value of a Chinese numeral, or None for 两三, which means two or three."""
    whole = match["whole"]
    if _CHINESE_DIGITS.fullmatch(whole):
        value = Decimal("".join(str(_ZH[letter]) for letter in whole))
    elif _CHINESE_PAIR.search(whole):
        return None
    else:
        value = Decimal(chinese(whole))
    if match["decimals"]:
        value = Decimal(f"{value}.{''.join(str(_ZH[letter]) for letter in match['decimals'])}")
        value *= _ZH_UNITS.get(match["scale"] or "", 1)
    return -value if match["minus"] else value


def _value(match: re.Match[str]) -> Decimal | None:
    value, last = _whole(match["whole"] or "")
    # "half a million" does not begin with a number.
    if match["lone"]:
        value = HALVES_AND_QUARTERS[_TOKEN.findall(match["lone"])[-1]]
    elif match["decimals"]:
        figures = match["decimals"].replace("oh", "0")
        value = Decimal(f"{value}.{''.join(_TOKEN.findall(figures))}")
    elif match["share"]:
        value += HALVES_AND_QUARTERS[match["share"]] * SCALES.get(last, 1)
    elif match["times"]:
        return None  # "two thousand million" is too rare to be read
    elif match["above"]:
        value += Decimal(match["above"]) / _of(match["under"])
    elif match["of"]:
        value /= _of(match["of"])
    value *= _MULTIPLES.get(match["times"] or "", 1)
    return -value if match["minus"] else value


def _of(part: str) -> int:
    return _PART.get(part) or _PARTS[part]


def _whole(text: str) -> tuple[Decimal, str]:
    """Convert the words of a whole number. Return it with its last word."""
    total = current = 0
    word = ""
    for word in _TOKEN.findall(text):
        if word in SCALES:
            total, current = total + current * SCALES[word], 0
        elif word in _MULTIPLES:
            current *= _MULTIPLES[word]
        elif word != "and":
            current += 1 if word == "a" else int(word)
    return Decimal(total + current), word
