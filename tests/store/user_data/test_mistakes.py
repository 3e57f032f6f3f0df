"""Labels that contradict and pictures that leak are told, with a few examples and counts."""

import hashlib

from picture_tables import write_rows
from PIL import Image

from gnomon.recipe import Columns
from gnomon.store.user_data.mistakes import contradictions, leaks, similar_groups
from gnomon.store.user_data.opening import open_table


def labels(folder, *rows, kind="number"):
    """A table of (picture, grey, question, answer, split); the greys make the pictures."""
    table, names = [], ("image", "question", "answer", "split")
    for picture, grey, *cells in rows:
        Image.new("L", (8, 8), grey).save(folder / picture)
        table.append(dict(zip(names, [picture, *cells], strict=True)))
    file = write_rows(folder / "labels.csv", table)
    return open_table(file, Columns(kind=kind, split="split"), "all")


def test_two_answers_to_one_question_are_told_by_their_lines(tmp_path):
    table = labels(
        tmp_path,
        ("a.png", 1, "How much?", 5, "train"),
        ("b.png", 2, "How much?", 7, "train"),
        ("a.png", 1, "How much?", 6, "train"),
        ("a.png", 1, "How many?", 9, "train"),
        ("copy.png", 2, "How much?", "7.0", "test"),
        ("again.png", 1, "How much?", 5, "test"),
    )
    (line,) = contradictions([table, table])
    assert line == (
        "labels.csv: 1 question has different answers: line 2 says 5 and line 4 says 6 of a.png;"
        " keep the right ones"
    )


def test_only_a_few_contradictions_are_shown_and_all_are_counted(tmp_path):
    rows = [(f"{i}.png", i, "How much?", n, "train") for i in range(1200 // 200) for n in (i, -1)]
    (line,) = contradictions([labels(tmp_path, *rows)])
    assert "6 questions have different answers: line 2 says 0 and line 3 says -1 of 0.png;" in line
    assert line.endswith("says -1 of 2.png; and 3 more; keep the right ones")


def test_answers_that_are_judged_alike_do_not_contradict(tmp_path):
    rows = [("a.png", 1, "What?", text, "train") for text in ("A stop  sign", "a STOP sign")]
    assert contradictions([labels(tmp_path, *rows, kind="text")]) == []
    rows[1] = ("a.png", 1, "What?", "a shop sign", "train")
    assert len(contradictions([labels(tmp_path, *rows, kind="text")])) == 1


def test_a_text_alone_may_contradict_itself(tmp_path):
    file = tmp_path / "sums.csv"
    file.write_text("question,answer\n1 + 1?,2\n1 + 1?,3\n2 + 2?,4\n")
    table = open_table(file, Columns(image=None, kind="number"), "all")
    assert contradictions([table]) == [
        "sums.csv: 1 question has different answers: line 2 says 2 and line 3 says 3; keep the"
        " right ones"
    ]


def test_a_picture_in_two_splits_is_told_whatever_its_file_is_called(tmp_path):
    table = labels(
        tmp_path,
        ("a.png", 1, "How much?", 5, "train"),
        ("b.png", 2, "How much?", 7, "train"),
        ("copy.png", 1, "How many?", 6, "test"),
        ("b.png", 2, "How many?", 6, "train"),
        ("c.png", 3, "How many?", 6, "val"),
    )
    (line,) = leaks(list(table.parts().values()))
    assert line.startswith(
        "1 picture occurs in several splits, so training data is tested: a.png (train,"
        " labels.csv line 2) is copy.png (test, labels.csv line 4); give rows of one picture"
    )
    assert leaks([table.part("train"), table.part("val")]) == []


def test_groups_that_differ_by_a_blank_or_a_capital_are_named(tmp_path):
    rows = [
        {"question": f"{n}?", "answer": n, "split": split, "house": house}
        for n, (house, split) in enumerate([
            ("House 1", "train"), ("house 1 ", "test"), ("House 2", "train"), ("HOUSE 2", "train"),
            ("House1", "val"), ("House 3", "train"), ("House 3", "test"),
        ])
    ]  # fmt: skip
    file = write_rows(tmp_path / "labels.jsonl", rows)
    columns = Columns(image=None, kind="number", group="house", split="split")
    (line,) = similar_groups(list(open_table(file, columns, "all").parts().values()))
    assert line == (
        "groups that differ only in blanks or capitals fall into several splits, so training data"
        " is tested: 'House 1' (train, labels.jsonl line 1) and 'house 1 ' (test, labels.jsonl line"
        " 2) and 'House1' (val, labels.jsonl line 5); write each group in one way"
    )
    # Names of pictures are no groups that anybody wrote.
    columns = Columns(image=None, kind="number", split="split", question="house")
    assert similar_groups(list(open_table(file, columns, "all").parts().values())) == []


def test_a_table_and_the_search_for_mistakes_hash_each_picture_once(tmp_path, monkeypatch):
    names, digest = [], hashlib.file_digest
    monkeypatch.setattr(
        hashlib, "file_digest", lambda file, how: names.append(file.name) or digest(file, how)
    )
    rows = [(f"{name}.png", 1, "How much?", 5, "train") for name in "abc"]
    contradictions([labels(tmp_path, *rows)])
    assert names == [str(tmp_path / f"{name}.png") for name in "abc"]
