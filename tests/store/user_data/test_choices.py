"""Multiple choice whose rows have their own choices, in the forms in which data sets come."""

import csv
import json
from dataclasses import replace

import pytest

from gnomon.recipe import Columns
from gnomon.sample import Text
from gnomon.store.user_data.building import warn_once
from gnomon.store.user_data.opening import open_table

COLUMNS = Columns(image=None, choices="options")
LETTERS = ("A", "B", "C")
LETTER_QUESTION = "Which?\nA. red\nB. dark blue\nC. green\nAnswer with the letter."
TEXTS = ("red", "dark blue", "green")
TEXT_QUESTION = "Which?\nred\ndark blue\ngreen\nAnswer with one of these."


def jsonl(folder, *rows):
    file = folder / "questions.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def row(options, answer, question="Which?"):
    return {"question": question, "options": options, "answer": answer}


@pytest.mark.parametrize(
    "options",
    [
        ["red", "dark  blue", "green"],
        ["A. red", "B. dark blue", "C. green"],
        ["(A) red", "(B) dark blue", "(C) green"],
        {"A": "red", "B": "dark blue", "C": "green"},
        {"label": ["A", "B", "C"], "text": ["red", "dark blue", "green"]},
        "['red', 'dark blue', 'green']",
        '["red", "dark blue", "green"]',
        ["red", "dark blue", "green", None],
    ],
)
@pytest.mark.parametrize(
    ("answer", "question", "target"),
    [
        ("B", LETTER_QUESTION, Text("B", LETTERS)),
        ("(b)", LETTER_QUESTION, Text("B", LETTERS)),
        ("B.", LETTER_QUESTION, Text("B", LETTERS)),
        ("B. dark blue", LETTER_QUESTION, Text("B", LETTERS)),
        ("dark blue", TEXT_QUESTION, Text("dark blue", TEXTS)),
    ],
)
def test_choices_come_to_the_question_and_the_answer(tmp_path, options, answer, question, target):
    (sample,) = open_table(jsonl(tmp_path, row(options, answer)), COLUMNS, "all")
    assert sample.question == question
    assert sample.target == target


def test_a_csv_has_its_choices_as_a_list(tmp_path):
    file = tmp_path / "questions.csv"
    with file.open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["question", "options", "answer"])
        table.writerow(["Which?", '["1.50", "2.0", "it\'s 3"]', "C"])
    (sample,) = open_table(file, COLUMNS, "all")
    assert sample.question == "Which?\nA. 1.50\nB. 2.0\nC. it's 3\nAnswer with the letter."


def test_shuffled_rows_keep_their_own_letters(tmp_path):
    rows = [row(["red", "blue"], "A"), row(["blue", "red"], "B"), row(["blue", "red"], "red")]
    samples = list(open_table(jsonl(tmp_path, *rows), COLUMNS, "all"))
    assert [sample.target.text for sample in samples] == ["A", "B", "B"]
    assert samples[1].question.splitlines()[1:3] == ["A. blue", "B. red"]


def test_the_first_labels_form_is_that_of_all(tmp_path):
    """Else a model would see by the form of a question which answer it has."""
    rows = [row(["red", "blue"], "n/a"), row(["red", "blue"], "blue"), row(["red", "blue"], "A")]
    table = open_table(jsonl(tmp_path, *rows), replace(COLUMNS, unreadable=True), "all")
    assert {sample.question for sample in table} == {"Which?\nred\nblue\nAnswer with one of these."}
    assert [sample.target.display() for sample in table] == ["unreadable", "blue", "red"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which? A. red B. dark blue C. green", "C"),
        ("Which?\n(A) red\n(B) dark blue\n(C) green", "C"),
        ("Is it red, green or dark blue?", "green"),
    ],
)
def test_a_question_that_lists_its_choices_stays_as_it_is(tmp_path, question, answer):
    file = jsonl(tmp_path, row(["red", "dark blue", "green"], answer, question))
    (sample,) = open_table(file, COLUMNS, "all")
    assert sample.question == question


def test_a_row_without_choices_is_an_open_question(tmp_path):
    file = jsonl(tmp_path, row(["red", "blue"], "B"), row([], "seven"), row("[]", "8"))
    samples = list(open_table(file, COLUMNS, "all"))
    assert [sample.target for sample in samples[1:]] == [Text("seven"), Text("8")]
    assert samples[1].question == "Which?"


@pytest.mark.parametrize(
    ("options", "answer", "message"),
    [
        (
            ["red", "blue"],
            "C",
            "'C' is not among its 2 choices: give a letter from A to B, or the text",
        ),
        (["red", "blue"], 1, "1 is not among its 2 choices"),
        (["red", "blue"], "green", "'green' is not among its 2 choices"),
        ("red or blue", "A", "'red or blue' is not a list of 2 to 26 choices"),
        ([["red"], "blue"], "A", "is not the text of a choice"),
        ("['red' 'blue']", "A", "is not a list of 2 to 26 choices"),
        ({"1": "red", "2": "blue"}, "1", "letters other than A, B, C"),
        (["red", "red"], "red", "'red' is the text of 2 choices"),
        (["red"] * 27, "A", "is not a list of 2 to 26 choices"),
    ],
)
def test_what_cannot_be_answered_is_refused(tmp_path, options, answer, message):
    with pytest.raises(ValueError, match=f"line 1: .*{message}"):
        open_table(jsonl(tmp_path, row(options, answer)), COLUMNS, "all")


def test_a_missing_column_of_choices_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"no column 'option'.*set columns\.choices.*mean options"):
        open_table(jsonl(tmp_path, row(["a"], "A")), replace(COLUMNS, choices="option"), "all")


@pytest.mark.parametrize("name", ["options", "choices"])
def test_choices_that_nobody_uses_are_named(tmp_path, capsys, name):
    warn_once.cache_clear()
    rows = [{"question": "Which?", name: ["red", "blue"], "answer": "A"}]
    open_table(jsonl(tmp_path, *rows), Columns(image=None), "all")
    assert f"columns.choices={name}" in capsys.readouterr().err
    open_table(jsonl(tmp_path, *rows), Columns(image=None, choices=name), "all")
    assert not capsys.readouterr().err
