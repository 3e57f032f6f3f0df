"""Long texts: what counts is read near their ends, and no reader takes more than linear time."""

import importlib.util
from pathlib import Path

import pytest

from gnomon.answers.reading import final
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


def test_the_first_and_the_last_of_a_long_text():
    text = "10:08 " * 500 + "10:09"
    assert read_time(text, which="first").value == (10, 8, None)
    assert read_time(text, which="last").value == (10, 9, None)
    talk = TALK * 40
    assert read_number(f"{talk}7 and {talk}", which="first").value == 7
    assert read_number(f"{talk}7 and {talk}", which="last").value == 7


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


def test_the_benchmark_reads_what_it_says():
    path = Path(__file__).parents[3] / "benchmarks" / "readers.py"
    spec = importlib.util.spec_from_file_location("readers", path)
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    texts = benchmark.texts()
    assert {len(text) for text in texts.values()} == {benchmark.LENGTH}
    assert read_time("10:08 ").value == (10, 8, None)
    assert benchmark.READERS["time"](texts["'10:08 '"]) is not None
