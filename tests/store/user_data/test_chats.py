"""Rows as trainers take them: chats whose questions, answers and pictures become samples."""

import base64
import json
from decimal import Decimal

import case_tables
import pytest
from picture_tables import write_rows
from PIL import Image

from gnomon.recipe import Columns
from gnomon.sample import Number, Text
from gnomon.store.user_data.opening import open_table
from gnomon.store.user_data.row_files import is_user_data

CHATS = {case["name"]: case for case in case_tables.rows(__file__, "chats")}
"""As the projects' own documentation writes them, and what their interfaces take as well."""
OPENAI, TRL = CHATS["OpenAI"]["row"], CHATS["TRL"]["row"]
LLAVA = {
    "id": "997bb945-628d-4724-b370-b84de974a19f",
    "image": "a.png",
    "conversations": [
        {"from": "human", "value": "<image>\nWhat does the gauge show?"},
        {"from": "gpt", "value": "3.5"},
        {"from": "human", "value": "And what is its upper end?"},
        {"from": "gpt", "value": "10"},
    ],
}


@pytest.fixture
def folder(tmp_path):
    for index, name in enumerate(("a.png", "b.png")):
        Image.new("RGB", (40, 30), (index, 0, 0)).save(tmp_path / name)
    return tmp_path


def samples_of(folder, rows, name="chats.jsonl", **columns):
    file = write_rows(folder / name, rows)
    return list(open_table(file, Columns(**{"kind": "number"} | columns), "all"))


def colours(sample):
    return [image.getpixel((0, 0))[0] for image in sample.images]


@pytest.mark.parametrize("name", ["chats.jsonl", "chats.json"])
@pytest.mark.parametrize("case", CHATS.values(), ids=CHATS)
def test_a_chat_is_a_question_with_its_pictures_and_answer(folder, case, name):
    (sample,) = samples_of(folder, [case["row"]], name)
    assert (sample.question, sample.target) == (case["question"], Number(Decimal("3.5")))
    assert colours(sample) == case["pictures"]
    assert sample.id == f"{name}-0000001"


def test_each_question_of_a_chat_is_a_sample_and_all_stand_in_one_split(folder):
    first, second = samples_of(folder, [LLAVA])
    assert (first.question, first.target) == ("What does the gauge show?", Number(Decimal("3.5")))
    assert (second.question, second.target) == ("And what is its upper end?", Number(Decimal("10")))
    assert [first.id, second.id] == ["chats.jsonl-0000001-0", "chats.jsonl-0000001-1"]
    assert first.facts["group"] == second.facts["group"] == "a.png"
    assert colours(second) == [0]


def test_one_question_may_be_asked_of_all_and_text_stands_alone(folder):
    (sample,) = samples_of(folder, [OPENAI], ask="How much?")
    assert sample.question == "How much?"
    (sample,) = samples_of(folder, [OPENAI], image=None, kind="text")
    assert sample.image is None
    assert sample.target == Text("3.5")


def test_columns_of_its_own_win_over_a_chat(folder):
    (sample,) = samples_of(folder, [LLAVA | {"question": "Where?", "answer": "7"}])
    assert (sample.question, sample.target) == ("Where?", Number(Decimal("7")))
    with pytest.raises(ValueError, match="or 'reading'; its columns are messages"):
        samples_of(folder, [TRL], answer="reading")
    row = OPENAI | {"photo": "a.png", "asked": "How much?"}
    (sample,) = samples_of(folder, [row], image="photo", question="asked")
    assert (sample.question, sample.target) == ("How much?", Number(Decimal("3.5")))
    assert colours(sample) == [0]


def test_a_picture_may_be_in_the_chat_itself(folder):
    """As OpenAI and as Anthropic write it."""
    data = base64.b64encode((folder / "b.png").read_bytes()).decode()
    row = json.loads(json.dumps(OPENAI).replace("b.png", f"data:image/png;base64,{data}"))
    source = {"type": "base64", "media_type": "image/png", "data": data}
    parts = [{"type": "image", "source": source}, OPENAI["messages"][0]["content"][0]]
    other = {"messages": [{"role": "user", "content": parts}, OPENAI["messages"][1]]}
    assert list(map(colours, samples_of(folder, [row, other]))) == [[1], [1]]


def test_bad_chats_are_told_together_by_their_lines(folder):
    rows = [TRL, {"messages": TRL["messages"]}, {"messages": "3.5", "images": ["a.png"]}]
    message = r"2 rows cannot be used[^\n]*\n.*no picture \(columns.image: null for text alone\)\n"
    with pytest.raises(ValueError, match=message + "line 3: .*its chat is not a list of turns"):
        samples_of(folder, rows)


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.tsv", "a.parquet"])
def test_files_with_rows_are_known_by_their_names(tmp_path, name):
    assert is_user_data(tmp_path / name)


def test_rows_of_parquet_are_read(folder):
    picture = {"bytes": (folder / "b.png").read_bytes(), "path": None}
    rows = [{"image": picture, "question": "How much?", "answer": "3.5"}]
    (sample,) = samples_of(folder, rows, "rows.parquet")
    assert sample.target == Number(Decimal("3.5"))
    assert colours(sample) == [1]


@pytest.mark.parametrize(
    ("answers", "is_noted"),
    [(["3.5", "4 bar", "-12"], True), (["10:08", "4:55"], True), (["3.5", "a"], False)],
)
def test_numbers_that_are_read_as_texts_are_told(folder, answers, is_noted, capsys):
    rows = [{"image": "a.png", "question": f"{n}?", "answer": a} for n, a in enumerate(answers)]
    samples_of(folder, rows, f"{answers[0]}.jsonl", kind="text")
    assert ("columns.kind=time to measure how far off" in capsys.readouterr().err) == is_noted
    samples_of(folder, rows, "chosen.jsonl", kind="text", choices=tuple(answers))
    assert "chosen" not in capsys.readouterr().err
