"""Long texts: what counts is read near their ends, and no reader takes more than linear time."""

import pytest

from gnomon.answers.reading import final, loose_json
from gnomon.answers.reading.base import Reading
from gnomon.answers.reading.number_words import Digits
from gnomon.answers.text.read import read_text
from gnomon.eval import read_box, read_number, read_time

TALK = "The hands of such clocks are long and thin, and those of others are not. "


@pytest.mark.parametrize(
    ("read", "answer", "value"),
    [
        (read_time, "It is 10:08. ", (10, 8, None)),
        (read_number, "It is 41. ", 41),
        (read_box, "It is at [1, 2, 3, 4]. ", (1, 2, 3, 4)),
        (lambda text: read_text(text, choices=("red", "blue")), "It is red. ", "red"),
    ],
)
def test_an_answer_is_read_before_and_behind_much_talk(read, answer, value):
    assert read(answer + TALK * 1000).value == value
    assert read(TALK * 1000 + answer).value == value
    assert read(TALK * 1000 + answer + TALK * 10).value == value


@pytest.mark.parametrize("answer", ["Red.", "A red one.", "Perhaps it looks red here and there."])
def test_a_word_at_the_end_of_much_talk_needs_no_announcement(answer):
    """A single letter there may be of a formula; a word is the answer."""
    assert read_text(TALK * 10 + answer, choices=("red", "blue")).value == "red"


def test_only_the_ends_of_a_text_are_looked_through():
    """Time is measured in benchmarks/readers.py; what is counted here is what it is spent on."""
    seen = []

    def values(part):
        seen.append(len(part))
        return [Reading(n, (n, n + 1), "") for n in range(len(part))]

    for which in ("final", "first", "last", "answer"):
        final.find("7" * 100_000, values, which)
        final.find("seven " * 10_000, values, which)
    assert max(seen) <= final.TAIL
    assert len(seen) <= 2 * 2 * 4


@pytest.mark.parametrize("bracket", ["[", '{"a":', '[{"a":'])
def test_brackets_are_not_followed_without_end(bracket):
    objects = list(loose_json.objects('{"bbox": ' + bracket * 5000))
    assert len(objects) <= 2 * 5000


@pytest.mark.parametrize(
    ("text", "new", "piece"),
    [
        ("it is ten thirty.", "it is １０ ３０.", "ten thirty"),
        ("um dreiundzwanzig uhr", "um ２３ uhr", "dreiundzwanzig uhr"),
        ("à vingt et une heures", "à ２１ heures", "vingt et une heures"),
        ("a las once y media", "a las １１ y media", "once y media"),
        ("在十点零八分", "在１０点８分", "十点零八分"),
        ("at 10{:}08, so", "at 10:08, so", "10{:}08"),
    ],
)
def test_rewritten_words_keep_their_place(text, new, piece):
    said = Digits(text)
    assert said.text == new
    assert text[slice(*said.span(text.index(piece), len(new)))].startswith(piece)
