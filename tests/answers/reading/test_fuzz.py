"""Random texts through every reader and every dialect: nothing raises, and spans tell the truth."""

import random
from decimal import Decimal

import pytest
from cases import CASES

from gnomon import dialect
from gnomon.answers.box.read import LEGENDS
from gnomon.answers.boxes.read import read_boxes
from gnomon.answers.table.read import read_table
from gnomon.answers.text.read import read_text
from gnomon.eval import read_box, read_number, read_time
from gnomon.sample import Box, Boxes, LabelledBox, Number, Spot, Spots, Table, Text, Time

PIECES = """ten past two quarter half to four 10:08 10.08 22:08 10h08 8 12 , . ; : ( ) - am pm a.m.
p.m. o'clock oh eight noon midnight hours hour minutes 5 minute and 30 seconds thirty twenty-two one
hundred thousand million point 3.5 1,000 1 000 $ 5 Rs. minus -7 + 5% ± 0.5 x 10^3 3/4 ½ a third the
clock shows it is in the morning at night "hours": "minutes": 8, h=3 m: 4 s=5 from between Answer:
2208 hrs position 7 hand mid til until before after of 1.2.3 45 2nd 0x1f 2024-05-01 1/2/2024 percent
per cent k USD 1,2,3,4 [1,2,3,4] (5,6),(7,8) x1=1 <loc0012> p. m. tonight hrs. dozen 10^3 ^2 first
twenty-fifth {,} \\frac{1}{2} quarters million and a half ± +/- v1.2 y1=2 x2=3 y2=4 left=5 top: the
bottom-right top-left corner (1,2) [3,4], <box> </box> bbox_2d: <|box_start|> so. Then is
period: ampm= \"PM\" 1/2 quarter""".split()  # noqa: SIM905 - a hundred quotation marks more would not be easier to read
GAPS = ["", " ", " ", " ", ", ", "\n", "-"]
LETTERS = "".join(PIECES) + " \n\t0123456789:.,-+/%½±İ١٢ ’“，：éß\u00a0\u2028\U0001f550{}[]()<>|\"'"
SOUP = "0123456789" * 3 + "  ::..,,--//%½⁄¾×^e'_|\n[](){}<>=\"$€\u00a0"
CHOICES = ("left", "lower left", "Right", "½", "no (none)")
TEXTS = [
    row["text"]
    for name in ("box", "number", "time")
    for row in CASES[name]
    if "rule" in row and "place" not in row
]
"""What is read of these stands in one place."""
LIKES = [
    *(Time(0, hours, False, form) for hours, form in ((12, "digits"), (24, "json"), (12, "words"))),
    Number(Decimal(1), "kg"),
    Text("left", CHOICES),
    Table(("a",), (("1",),)),
    Spots((Spot("a", Box(0, 0, 1, 1)),)),
    Boxes((LabelledBox("a", Box(0, 0, 1, 1)),)),
    Box(0, 0, 1, 1),
]
DIALECTS = list(dialect.DIALECTS.values())


def choice(text, *, which="final"):
    return read_text(text, choices=CHOICES, which=which)


LEGENDS = tuple(
    f"{rule}, {name}" for rule in ("bare", "list", "row", "bbox_2d") for name, _ in LEGENDS
)
READERS = (read_time, read_number, read_box, choice)


def any_unicode(rng):
    """Every code point, the lone surrogates that broken JSON brings among them."""
    return "".join(chr(rng.randrange(rng.choice([0x80, 0x3000, 0x110000]))) for _ in range(40))


def letters(rng):
    return "".join(rng.choices(LETTERS, k=rng.randrange(60)))


def soup(rng):
    return "".join(rng.choices(SOUP, k=rng.randrange(40)))


def pieces(rng):
    return "".join(rng.choice(PIECES) + rng.choice(GAPS) for _ in range(rng.randrange(12)))


def near_miss(rng):
    """A hard case with one character dropped, doubled, moved or changed."""
    text = rng.choice(TEXTS)
    if not text:
        return text
    place, other = rng.randrange(len(text)), rng.randrange(len(text))
    middle = rng.choice(["", 2 * text[place], text[other], rng.choice(SOUP)])
    return text[:place] + middle + text[place + 1 :]


def packed(rng):
    """10,000 characters with as many candidates as there is room for."""
    part = "".join(
        make(rng) for make in rng.choices([soup, pieces, near_miss], k=rng.randrange(1, 4))
    )
    return (part * 10_000)[:10_000]


def check(text, rng):
    which = rng.choice(["final", "last", "first", "answer"])
    for read in READERS:
        reading = read(text, which=which)
        if reading is not None:
            start, end = reading.span
            assert 0 <= start < end <= len(text), (read, text)
            if read is read_time:
                hour, minute, second = reading.value
                assert 0 <= hour <= 23
                assert 0 <= minute <= 59
                assert second is None or 0 <= second <= 59
            if read is read_number:
                assert abs(reading.value) < 1e301
            if reading.rule.endswith((*LEGENDS, "row of a table")):
                continue  # what the numbers are is said elsewhere, as in a header
            again = read(text[start:end], which="first" if which == "answer" else which)
            if again is None and text[start:end].startswith(("una", "once")):
                continue  # an hour only behind its article: la una y cuarto
            assert again is not None, (read, text)
            # 1.500 is more than a thousand only in a text of some languages.
            grouped = read is read_number and again.value * 1000 == reading.value
            assert grouped or again.value == reading.value, (read, text)
    free, table = read_text(text), read_table(text)
    assert free is None or free.span == (0, len(text))
    if table is not None:
        start, end = table.span
        assert read_table(text[start:end]).value == table.value
    for spoken in rng.sample(DIALECTS, 1):
        several = read_boxes(text, spoken, (640, 480))
        if several is not None:
            assert 0 <= several.span[0] < several.span[1] <= len(text), text
        for like in rng.sample(LIKES, 3):
            target = spoken.read(text, (640, 480), like=like)
            assert target is None or isinstance(target, type(like))


@pytest.mark.parametrize(
    "number",
    [
        500,
        pytest.param(20_000, marks=pytest.mark.slow),
        pytest.param(1_000_000, marks=pytest.mark.long),
    ],
)
def test_no_random_text_raises_and_what_is_read_is_in_its_place_and_range(number):
    rng = random.Random(0)
    makers = [any_unicode, letters, soup, pieces, near_miss]
    for _ in range(number):
        make = packed if rng.random() < 0.002 else rng.choice(makers)
        check(make(rng), rng)
