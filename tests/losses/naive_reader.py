"""The reader of numbers again, over the text and with loops, to check the one over tensors."""

import re
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise


@dataclass(frozen=True)
class Found:
    """A number in one row: its tokens' columns with their places, and what it says."""

    places: dict[int, int]
    negative: bool
    value: float = field(compare=False)


def numbers_in(row, pieces):
    """The numbers in one row of labels, in order."""
    found = []
    for columns in _stretches(row):
        texts = [_text(pieces[row[column]]) for column in columns]
        unread = {c for c, t in zip(columns, texts, strict=True) if _is_unread(t)}
        owner = [c for c, t in zip(columns, texts, strict=True) for _ in t]
        text, odd = "".join(texts), {p for p, column in enumerate(owner) if column in unread}
        for number in _numbers(text, odd):
            found += _as_found(number, text, owner, odd | _named(text))
    return found


def _stretches(row):
    stretch = []
    for column, label in enumerate(row):
        if label != -100:
            stretch.append(column)
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _text(piece):
    if piece == "<0x35>":
        return "5"
    return piece.replace("Ġ", " ").replace("▁", " ")


def _is_unread(text):
    plain = text.strip()
    return not re.fullmatch("[0-9]{1,3}", plain) and bool(re.match("[0-9]|.*[0-9]$", plain))


def _named(text):
    """The characters that stand in names, such as bbox_2d."""
    names = [m.span() for m in re.finditer(r"\w+", text, re.ASCII) if not m[0][0].isdigit()]
    return {p for start, end in names for p in range(start, end)}


def _numbers(text, odd):
    """For each number its whole part's and its fraction's digits, as positions in the text."""
    runs = [match.span() for match in re.finditer("[0-9]+", text)]
    ties = [text[a[1] : b[0]] for a, b in pairwise(runs)]
    ties = ["", *ties, ""]  # ties[i] stands before run i
    wholes = []
    i = 0
    while i < len(runs):
        last = i
        while ties[last + 1] == ",":
            last += 1
        chain = runs[i : last + 1]
        digits = {p for a, b in chain for p in range(a, b)}
        if len(chain) > 1 and _are_thousands(text, chain, ties[i]) and not digits & odd:
            wholes.append([p for a, b in chain for p in range(a, b)])
        else:
            wholes += [list(range(a, b)) for a, b in chain]
        i = last + 1
    return _with_fractions(text, wholes)


def _are_thousands(text, chain, tie):
    (start, end), *groups = chain
    before = text[:start]
    unsigned = before[:-1] if before.endswith(("-", "−")) else before
    return (
        end - start <= 3
        and text[start] != "0"
        and tie != "."
        and not _is_bare(text, start)
        and all(b - a == 3 for a, b in groups)
        and not unsigned.endswith(("(", "[", "{"))
        and not text[chain[-1][1] :].startswith((")", "]", "}"))
    )


def _with_fractions(text, wholes):
    numbers = []
    for i, digits in enumerate(wholes):
        if _is_bare(text, digits[0]) and not _is_pointed(text, wholes, i + 1):
            numbers.append(([], digits))
        elif (
            _is_pointed(text, wholes, i)
            and not _is_pointed(text, wholes, i + 1)
            and not _is_pointed(text, wholes, i - 1)
            and not _is_bare(text, wholes[i - 1][0])
        ):
            numbers[-1] = (numbers[-1][0], digits)
        else:
            numbers.append((digits, []))
    return numbers


def _is_pointed(text, wholes, i):
    return 0 < i < len(wholes) and text[wholes[i - 1][-1] + 1 : wholes[i][0]] == "."


def _is_bare(text, start):
    return text[:start].endswith(".") and not _ends_a_word(text[: start - 1])


def _ends_a_word(text):
    return bool(text) and (text[-1].isalnum() or text[-1] in ")]}%°_.")


def _as_found(number, text, owner, spoilt):
    whole, fraction = number
    digits = whole + fraction
    if not spoilt.isdisjoint(digits):
        return []
    place = {p: len(whole) - 1 - i for i, p in enumerate(whole)}
    place |= {p: -1 - i for i, p in enumerate(fraction)}
    before = text[: digits[0] - _is_bare(text, digits[0])]
    negative = before.endswith(("-", "−")) and not _ends_a_word(before[:-1])
    value = sum(Decimal(text[p]).scaleb(place[p]) for p in digits)
    places = {owner[p]: place[p] for p in digits}  # a token's last digit comes last
    return [Found(places, negative, float(-value if negative else value))]
