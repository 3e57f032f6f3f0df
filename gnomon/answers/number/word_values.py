"""What number words come to, from the first on, and how many of them belong to one number."""

from __future__ import annotations

from decimal import Decimal

from gnomon.answers.reading.word_tables import SCALES, SHARES, SMALL, TENS


def longest_number(words: list[str]) -> tuple[Decimal | None, int]:
    """The value of the longest number that the words begin with, and how many words it takes."""
    negative = len(words) > 1 and words[0] in ("minus", "negative")
    whole, used = _whole(words[negative:])
    if not used and words[negative : negative + 1] != ["point"]:
        return _half_alone(words)
    last = words[negative + used - 1] if used else ""
    value, more = _after(words[negative + used :], whole, last)
    if not used + more:
        return None, 0
    used += negative + more
    following = "".join(words[used : used + 1])
    if following in SCALES and more:
        return _signed(value * SCALES[following], negative), used + 1
    if following in MULTIPLES:
        return None, used  # "two thousand million" is said, but not here
    if following in FIRST or following in PARTS:
        return None, used + 1  # the twenty-third
    return _signed(value, negative), used


def _signed(value: Decimal, negative: bool) -> Decimal:
    return -value if negative else value


def _half_alone(words: list[str]) -> tuple[Decimal | None, int]:
    """ "a half", "half a million": nothing else stands for a number without a numerator."""
    if words[:1] == ["half"]:
        used = 2 if words[1:2] == ["a"] else 1
        multiple = MULTIPLES.get("".join(words[used : used + 1]))
        return (Decimal(multiple) / 2, used + 1) if multiple else (Decimal("0.5"), 1)
    if words[:1] == ["a"] and words[1:2] and words[1] in SHARES:
        return SHARES[words[1]], 2
    return None, 0


def _whole(words: list[str]) -> tuple[int, int]:
    """The whole number that the words begin with, and how many of them it takes."""
    total = current = used = 0
    ceiling = 10**15  # each scale must be smaller than the last: "two thousand million" is not one
    previous = ""
    for place, word in enumerate(words):
        if word == "and":
            if previous not in ("hundred", *SCALES):
                break
            previous = "and"
            continue
        if word == "a" and place == 0 and words[1:2] and words[1] in MULTIPLES:
            current, previous = 1, "a"
            continue
        if word in SCALES and current and SCALES[word] < ceiling:
            ceiling = SCALES[word]
            total, current = total + current * ceiling, 0
        elif word == "hundred" and 0 < current < 100 and previous != "and":
            current *= 100
        elif word == "dozen" and 0 < current < 100 and previous != "and":
            current *= 12
        elif _joins(word, current, previous):
            current += SMALL.get(word, 0) + TENS.get(word, 0)
        else:
            break
        previous, used = word, place + 1
    return total + current, used


def _joins(word: str, current: int, previous: str) -> bool:
    """Whether a word below 100 goes on with the number so far."""
    if word in TENS:
        return current % 100 == 0 and previous != "zero"
    if word not in SMALL:
        return False
    if previous in TENS:
        return 1 <= SMALL[word] <= 9
    return current % 100 == 0 and previous != "zero" and (previous == "" or word != "zero")


def _after(words: list[str], whole: int, last: str) -> tuple[Decimal, int]:
    """What a decimal or a fraction makes of the whole number, whose `last` word is before it."""
    if words[:1] == ["point"]:
        figures = []
        for word in words[1:]:
            if (figure := 0 if word == "oh" else SMALL.get(word, 10)) > 9:
                break
            figures.append(str(figure))
        if any(figure != "0" for figure in figures) or "zero" in words[1:2]:
            return Decimal(f"{whole}.{''.join(figures)}"), 1 + len(figures)
    if words[:2] == ["and", "a"] and words[2:3] and words[2] in SHARES:
        return whole + SHARES[words[2]] * _last_scale(last), 3
    if words[:1] == ["and"] and len(words) > 2 and words[2] in PARTS:
        above = SMALL.get(words[1], 0)
        if 0 < above < PARTS[words[2]] and _is_share(above, words[2]):
            return whole + Decimal(above) / PARTS[words[2]], 3
    if words[:1] and 0 < whole < 100 and _is_share(whole, words[0]):
        return Decimal(whole) / PARTS[words[0]], 1
    return Decimal(whole), 0


def _last_scale(last: str) -> int:
    """Of what the "half" of "a million and a half" is half: a hundred and a half is 100.5."""
    scale = SCALES.get(last, 1)
    return scale if scale > 1000 else 1


def _is_share(above: int, part: str) -> bool:
    """One fifth and two fifths are shares, two thirds also without the s; twenty third is not."""
    if part not in PARTS:
        return False
    return (
        above == 1
        or part.endswith(("s", "half", "quarter"))
        or (above < 20 and part in ("third", "fourth"))
    )


PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4} | {
    f"{name}{plural}": number
    for name, number in {
        "third": 3,
        "fourth": 4,
        "fifth": 5,
        "sixth": 6,
        "seventh": 7,
        "eighth": 8,
        "ninth": 9,
        "tenth": 10,
        "hundredth": 100,
        "thousandth": 1000,
    }.items()
    for plural in ("", "s")
}
FIRST = frozenset({"first"})
MULTIPLES = {"dozen": 12, "hundred": 100} | SCALES
LONE = {word: Decimal(number) for word, number in (SMALL | TENS).items()} | {"half": SHARES["half"]}
"""What a number word is worth that stands alone."""
