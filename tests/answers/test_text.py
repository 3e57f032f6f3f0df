"""Free texts: what is like the truth is right, signs and all; and what is not is wrong."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.eval import read_text, score, text_exact
from gnomon.sample import Prediction, Sample, Text

SIGNS = "aB5é.…\"'“”‘’«»`*-:?! \u0301</>"
LINES = st.text(SIGNS, max_size=12) | st.lists(
    st.sampled_from(["Answer:", "<answer>", "</answer>", "</think>", "U.S.", '5"', "etc.", "x"])
).map(" ".join)
TEXTS = LINES.map(lambda line: " ".join(line.split())).filter(bool)


def scored(truth, answer):
    sample = Sample("a", None, "What does the sign say?", truth)
    prediction = Prediction("a", answer, size=None, dialect="plain")
    return score([prediction], [sample]).summaries["text"]


@given(TEXTS)
def test_the_truth_itself_is_always_right(text):
    figures = scored(Text(text), text)
    assert (figures["exact"].estimate.value, figures["unread"].estimate.value) == (1, 0)


@pytest.mark.parametrize(
    ("truth", "answer", "right"),
    [
        ("U.S.", "U.S.", True),
        ("U.S.", "u.s", True),
        ("U.S.", 'It says\nAnswer: "U.S."', True),
        ('5"', '5"', True),
        ("'80s", "'80s", True),
        ("...", "...", True),
        ("“hi”", "“hi”", True),
        ("“hi”", '"Hi".', True),
        ("Answer: 4", "Answer: 4", True),
        ("Answer: 4", "Answer: 5", False),
        ("caf\u00e9", "cafe\u0301", True),
        ("cafe\u0301", "Caf\u00e9.", True),
        ("caf\u00e9", "cafe", False),
        ("*", "*", True),
        ("*", "`", False),
        ("*", "a star", False),
        ("</think>", "</think>", True),
        ("U.S.", "U.K.", False),
        ("etc.", "etc", True),
        ("Exit 9", '"Exit 9".', True),
        ("Exit 9", "Exit 9 and 10", False),
    ],
)
def test_an_answer_is_right_whatever_signs_stand_around_it(truth, answer, right):
    assert scored(Text(truth), answer)["exact"].estimate.value == right


@pytest.mark.parametrize("answer", ["", ".", "''", "**"])
def test_signs_alone_are_no_answer_where_the_truth_has_words(answer):
    assert scored(Text("U.S."), answer)["unread"].estimate.value == 1


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_an_accent_is_the_same_in_either_code(form):
    choices = ("thé", "cafe\u0301", "caf\u00e8")
    for choice in choices:
        text = unicodedata.normalize(form, f"It is {choice}, I think.")
        assert read_text(text, choices=choices).value == choice
    assert text_exact("cafe\u0301", unicodedata.normalize(form, "CAF\u00c9"))
