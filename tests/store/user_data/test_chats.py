"""Rows as trainers take them: chats whose questions, answers and pictures become samples."""

from __future__ import annotations

import base64
import json
from decimal import Decimal

import pytest
from PIL import Image

from gnomon.recipe import Columns
from gnomon.sample import Number, Text
from gnomon.store.user_data.opening import is_user_data, open_table

PICTURES = ("a.png", "b.png")
# As the projects' own documentation writes them: LLaVA, TRL, LLaMA-Factory and ms-swift, OpenAI.
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
TRL = {
    "messages": [
        {"role": "system", "content": [{"type": "text", "text": "Answer with a number."}]},
        {
            "role": "user",
            "content": [{"type": "image"}, {"type": "text", "text": "What does the gauge show?"}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "3.5"}]},
    ],
    "images": ["a.png"],
}
SWIFT = {
    "messages": [
        {"role": "user", "content": "<image><image>How many bar more?"},
        {"role": "assistant", "content": "3.5"},
    ],
    "images": ["a.png", "b.png"],
}
PROMPT = {
    "prompt": [{"role": "user", "content": [
        {"type": "image", "image": "a.png"},
        {"type": "text", "text": "What does the gauge show?"},
    ]}],
    "completion": [{"role": "assistant", "content": [{"type": "text", "text": "3.5"}]}],
}  # fmt: skip
OPENAI = {
    "messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "What does the gauge show?"},
            {"type": "image_url", "image_url": {"url": "b.png"}},
        ]},
        {"role": "assistant", "content": "3.5"},
    ]
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    for index, name in enumerate(PICTURES):
        Image.new("RGB", (40, 30), (index, 0, 0)).save(tmp_path / name)
    return tmp_path


def samples_of(folder, rows, name="chats.jsonl", **columns):
    file = folder / name
    listed = "\n".join(map(json.dumps, rows)) if name.endswith("jsonl") else json.dumps(rows)
    file.write_text(listed)
    found = open_table(file, Columns(**{"kind": "number"} | columns), "all")
    return [found[index] for index in range(found.length)]


@pytest.mark.parametrize("name", ["chats.jsonl", "chats.json"])
@pytest.mark.parametrize(
    ("row", "question", "shown"),
    [
        (TRL, "Answer with a number.\nWhat does the gauge show?", [0]),
        (SWIFT, "How many bar more?", [0, 1]),
        (PROMPT, "What does the gauge show?", [0]),
        (OPENAI, "What does the gauge show?", [1]),
    ],
)
def test_a_chat_is_a_question_with_its_pictures_and_answer(folder, row, question, shown, name):
    (sample,) = samples_of(folder, [row], name)
    assert sample.question == question
    assert sample.target == Number(Decimal("3.5"))
    assert [image.getpixel((0, 0))[0] for image in sample.images] == shown
    assert sample.id == f"{name}-0000001"


def test_each_question_of_a_chat_is_a_sample_and_all_stand_in_one_split(folder):
    first, second = samples_of(folder, [LLAVA])
    assert (first.question, first.target) == ("What does the gauge show?", Number(Decimal("3.5")))
    assert (second.question, second.target) == ("And what is its upper end?", Number(Decimal("10")))
    assert [first.id, second.id] == ["chats.jsonl-0000001-0", "chats.jsonl-0000001-1"]
    assert first.facts["group"] == second.facts["group"] == "a.png"
    assert second.image.getpixel((0, 0)) == (0, 0, 0)


def test_one_question_may_be_asked_of_all_and_text_stands_alone(folder):
    (sample,) = samples_of(folder, [OPENAI], ask="How much?")
    assert sample.question == "How much?"
    (sample,) = samples_of(folder, [OPENAI], image=None, kind="text")
    assert sample.image is None
    assert sample.target == Text("3.5")


def test_columns_of_its_own_win_over_a_chat(folder):
    (sample,) = samples_of(folder, [LLAVA | {"question": "Where?", "answer": "7"}])
    assert (sample.question, sample.target) == ("Where?", Number(Decimal("7")))


def test_a_column_that_is_named_and_not_there_is_no_reason_to_look_elsewhere(folder):
    with pytest.raises(ValueError, match="or 'reading'; its columns are messages"):
        samples_of(folder, [TRL], answer="reading")
    (sample,) = samples_of(folder, [OPENAI | {"photo": "a.png", "asked": "How much?"}],
                           image="photo", question="asked")  # fmt: skip
    assert (sample.question, sample.target) == ("How much?", Number(Decimal("3.5")))
    assert sample.image.getpixel((0, 0)) == (0, 0, 0)


def chat(asked, answered="3.5", **more):
    """A chat of one question, with these contents."""
    return {"messages": [{"role": "user", "content": asked},
                         {"role": "assistant", "content": answered}], **more}  # fmt: skip


WORDS = "What does the gauge show?"
OF_B = {"images": ["b.png"]}


@pytest.mark.parametrize(
    "row",
    [
        chat(WORDS, 3.5, **OF_B),
        chat(WORDS, {"type": "text", "text": "3.5"}, **OF_B),
        chat({"type": "text", "text": WORDS}, [{"type": "text", "text": 3.5}], **OF_B),
        chat([WORDS], ["3.5"], **OF_B),
        chat([{"type": "image_url", "image_url": "b.png"}, {"type": "text", "text": WORDS}]),
        chat([{"type": "input_image", "image_url": "b.png"},
              {"type": "input_text", "text": WORDS}]),
        chat([{"type": "image", "image": None, "text": None, "url": "b.png"}, WORDS]),
        chat([{"type": "text", "text": {"value": WORDS, "annotations": []}}], **OF_B),
        {"prompt": WORDS, "completion": "3.5", **OF_B},
        {"prompt": chat(WORDS)["messages"][:1], "completion": "3.5", **OF_B},
        {"messages": json.dumps(chat(WORDS)["messages"]), **OF_B},
        {"messages": [{"role": "developer", "content": None}, chat(WORDS)["messages"][0],
                      {"role": "tool", "content": "9"}, chat("")["messages"][1]], **OF_B},
        {"conversations": [{"from": "human", "value": WORDS}, {"from": "gpt", "value": 3.5}],
         **OF_B},
    ],
)  # fmt: skip
def test_what_the_interfaces_take_is_taken(folder, row):
    (sample,) = samples_of(folder, [row])
    assert (sample.question, sample.target) == (WORDS, Number(Decimal("3.5")))
    assert [image.getpixel((0, 0))[0] for image in sample.images] == [1]


def test_a_picture_may_stand_as_anthropic_writes_it(folder):
    data = base64.b64encode((folder / "b.png").read_bytes()).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    row = chat([{"type": "image", "source": source}, {"type": "text", "text": WORDS}])
    (sample,) = samples_of(folder, [row])
    assert sample.image.getpixel((0, 0)) == (1, 0, 0)


@pytest.mark.parametrize("value", [True, [[5]], {}, {"a": 5}])
@pytest.mark.parametrize(
    ("place", "row"),
    [
        ("messages", lambda value: {"messages": value}),
        ("messages.0", lambda value: {"messages": [value]}),
        ("messages.0.role", lambda value: {"messages": [{"role": value, "content": "?"}]}),
        ("messages.0.from", lambda _: {"messages": [{"content": "?"}]}),
        ("messages.0.content", chat),
        ("messages.0.content.0.text", lambda value: chat([{"type": "text", "text": value}])),
        ("messages.0.content.0.image_url", lambda value: chat([{"image_url": value}])),
        ("messages.0.content.0.image_url.url", lambda value: chat([{"image_url": {"url": value}}])),
        ("messages.0.content.0.image", lambda value: chat([{"type": "image", "image": value}])),
        ("completion", lambda value: {"prompt": "?", "completion": value}),
    ],
)
def test_another_shape_is_told_by_its_place_and_never_raised(folder, place, row, value):
    with pytest.raises(ValueError, match="1 row cannot be used") as told:
        samples_of(folder, [TRL, row(value) | {"images": ["a.png"]}], kind="text")
    (line,) = str(told.value).splitlines()[1:]
    assert line.startswith(f"line 2: {place.removesuffix('.url')}")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"messages": TRL["messages"][:2], "images": ["a.png"]}, "no question with an answer"),
        ({"messages": TRL["messages"]}, r"no picture \(columns.image: null for text alone\)"),
        ({"messages": []}, "no question with an answer"),
        ({"messages": "3.5", "images": ["a.png"]}, "its chat is no list of turns"),
        ({"messages": [OPENAI["messages"][1]], "images": ["a.png"]}, "no question with an"),
        (OPENAI | {"messages": [
            {"role": "user", "content": [{"image_url": {"url": "https://a.b/c.png"}}]},
            OPENAI["messages"][1],
        ]}, "no picture at 'https://a.b/c.png'"),
    ],
)  # fmt: skip
def test_a_chat_that_cannot_be_used_is_told_by_its_line(folder, row, said):
    with pytest.raises(ValueError, match=rf"1 row cannot be used[^\n]*\nline 2: .*{said}"):
        samples_of(folder, [TRL, row])


def test_a_picture_may_be_in_the_chat_itself(folder):
    data = base64.b64encode((folder / "b.png").read_bytes()).decode()
    row = json.loads(json.dumps(OPENAI).replace("b.png", f"data:image/png;base64,{data}"))
    (sample,) = samples_of(folder, [row])
    assert sample.image.getpixel((0, 0)) == (1, 0, 0)


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.tsv", "a.parquet"])
def test_files_with_rows_are_known_by_their_names(tmp_path, name):
    assert is_user_data(tmp_path / name)


def test_rows_of_parquet_are_read(folder):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    picture = {"bytes": (folder / "b.png").read_bytes(), "path": None}
    rows = [{"image": picture, "question": "How much?", "answer": "3.5"}]
    parquet.write_table(pa.Table.from_pylist(rows), folder / "rows.parquet")
    sample = open_table(folder / "rows.parquet", Columns(kind="number"), "all")[0]
    assert sample.target == Number(Decimal("3.5"))
    assert sample.image.getpixel((0, 0)) == (1, 0, 0)


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (["3.5", "4 bar", "-12"], True),
        (["10:08", "4:55"], True),
        (["3.5", "a"], False),
    ],
)
def test_numbers_that_are_read_as_texts_are_told(folder, answers, told, capsys):
    rows = [{"image": "a.png", "question": f"{n}?", "answer": a} for n, a in enumerate(answers)]
    samples_of(folder, rows, f"{answers[0]}.jsonl", kind="text")
    assert ("columns.kind=time counts how far off one is" in capsys.readouterr().err) == told
    samples_of(folder, rows, "chosen.jsonl", kind="text", choices=tuple(answers))
    assert "chosen" not in capsys.readouterr().err
