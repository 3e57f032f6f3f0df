"""Files of answers as other programs write them: ids, texts, and what they answer.

Rows of lmms-eval are of a samples_*.jsonl of its 0.7, whose doc_id and answers are the tests' own;
lines of vllm are those of BatchRequestOutput.model_dump_json() in its run_batch.py.
"""

import json

import pytest
from case_tables import table
from hypothesis import given
from hypothesis import strategies as st

from gnomon.eval.scoring.other_formats import parse_answers
from gnomon.store.user_data.lines import read_rows

IDS = ["q-0", "q-1", "q-2"]


def parse(folder, row):
    """Write a row's file and parse its answers."""
    file = folder / row["file"]
    lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in row.get("rows", []))
    file.write_text(row.get("text", "".join(lines)), encoding="utf-8")
    return parse_answers(read_rows(file, text="text"), file.name, **row.get("columns", {}))


def texts_of(answers, row):
    own = [row["own"]] if "own" in row else []
    by_question = answers.by_question(row.get("ids", IDS), *own)
    return {name: answer.text for name, answer in by_question.items()}


@table(__file__, "other_formats")
def test_a_known_form_is_read(tmp_path, row):
    answers = parse(tmp_path, row)
    assert texts_of(answers, row) == row["answers"]
    assert answers.id_column == row.get("id_column", answers.id_column)


@table(__file__, "other_formats_refused")
def test_what_is_not_clear_is_refused_with_the_columns_and_the_flag(tmp_path, row):
    with pytest.raises(ValueError, match=r"(^|/)a\.") as error:
        texts_of(parse(tmp_path, row), row)
    assert [piece for piece in row["message"] if piece not in str(error.value)] == []
    assert "\n" not in str(error.value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["content", "parts", "text", "role", "type", "choices", "message"]),
                inner,
                max_size=3,
            )
        ),
        max_leaves=8,
    )
)
def test_whatever_stands_in_a_row_is_a_text_or_refused(value):
    try:
        (answer,) = parse_answers([(1, {"id": "q-0", "response": value})], "a.jsonl").lines
    except ValueError:
        return
    assert answer.text is None or isinstance(answer.text, str)


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("orient", ["records", "index", "table", "lines"])
def test_what_pandas_writes(tmp_path, orient, rows):
    """But a single line called .json, which is an object of texts by their ids."""
    if (orient, rows) == ("lines", 1):
        return
    pandas = pytest.importorskip("pandas")
    answers = dict([("q-1", "x"), ("q-0", "y")][:rows])
    frame = pandas.DataFrame(answers.items(), columns=["question_id", "answer"])
    how = {"orient": "records", "lines": True} if orient == "lines" else {"orient": orient}
    text = frame.to_json(**how)
    row = {"file": "a.json", "text": text, "columns": {"id_column": "question_id"}}
    assert texts_of(parse(tmp_path, row), row) == answers


def test_a_name_that_lost_its_zeros_is_that_name_and_no_place(tmp_path):
    """As spreadsheets and pandas write 001."""
    own = {"003": "q-0", "001": "q-1", "002": "q-2"}
    answers = parse(tmp_path, {"file": "a.csv", "text": "id,answer\n1,x\n2,y\n3,z\n"})
    lines = answers.by_question(list(own.values()), own)
    assert {sample_id: line.text for sample_id, line in lines.items()} == {
        "q-1": "x", "q-2": "y", "q-0": "z"
    }  # fmt: skip


def test_names_that_are_equal_without_their_zeros_are_not_guessed(tmp_path):
    own = {"01": "q-0", "001": "q-1", "005": "q-2"}
    answers = parse(tmp_path, {"file": "a.csv", "text": "id,answer\n1,x\n5,y\n"})
    with pytest.raises(ValueError, match=r"a\.csv"):
        answers.by_question(list(own.values()), own)


@pytest.mark.parametrize(
    ("ids", "own", "first"),
    [("31", [], 1), ("31", [{"1": "q-2", "3": "q-0"}], None), ("02", [], 0)],
)
def test_ids_count_from_1_where_the_last_place_is_among_them(tmp_path, ids, own, first):
    text = f"id,answer\n{ids[0]},z\n{ids[1]},x\n"
    assert parse(tmp_path, {"file": "a.csv", "text": text}).counts_from(IDS, *own) == first
