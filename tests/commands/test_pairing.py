"""Answers of other programs meet the questions that they answer, or none: by the command line."""

import csv
import json
from itertools import zip_longest

import pyarrow as pa
import pytest
from case_tables import table
from PIL import Image
from pyarrow import parquet

N = 4
VALUES = [15, 27, 38, 49]
LINES = {
    "lmms-eval": lambda id_, text: {"doc_id": id_, "filtered_resps": [text]},
    "lmms-eval, filtered": lambda id_, text: {
        "doc_id": id_, "resps": [[text]], "filtered_resps": ["[invalid]"],
    },
    "lmms-eval, sampled": lambda id_, text: {
        "doc_id": id_, "resps": [[text, "0"]], "filtered_resps": [[text, "0"]],
    },
    "OpenAI": lambda id_, text: {
        "id": f"batch_req_{text}", "custom_id": str(id_), "error": None,
        "response": {"body": {"choices": [{"message": {"role": "assistant", "content": text}}]}},
    },
    "Anthropic": lambda id_, text: {
        "custom_id": str(id_),
        "result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": text}]}},
    },
    "Gemini": lambda id_, text: {
        "key": str(id_),
        "response": {"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}}]},
    },
    "plain": lambda id_, text: {"id": id_, "text": text},
}  # fmt: skip
"""A line of each program's files, with an id and a text."""


def write_table(file, columns):
    """Write columns in the format of the file's suffix."""
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip_longest(*columns.values())]
    if file.suffix == ".parquet":
        parquet.write_table(pa.table(columns), file)
    elif file.suffix in (".csv", ".tsv"):
        with file.open("w", newline="", encoding="utf-8") as stream:
            delimiter = "\t" if file.suffix == ".tsv" else ","
            lines = csv.writer(stream, delimiter=delimiter)
            lines.writerows([list(columns), *(row.values() for row in rows)])
    else:
        write_json(file, rows)


def write_json(file, rows):
    lines = [json.dumps(row) for row in rows]
    text = "\n".join(lines) if file.suffix == ".jsonl" else f"[{','.join(lines)}]"
    file.write_text(text)


@table(__file__, "pairing")
def test_answers_meet_their_own_questions_or_are_refused(here, cli, row):
    labels = {"question": [f"Number {n}?" for n in range(N)], "answer": VALUES}
    labels |= row.get("labels", {})
    for name in filter(None, labels.get("image", ())):
        (here / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (9, 9)).save(here / name)
    data = row.get("data", "labels.csv")
    write_table(here / data, {key: cells for key, cells in labels.items() if cells is not None})
    texts = ["" if n is None else str(VALUES[n]) for n in row["texts"]]
    said = row.get("said", "said.csv")
    if "lines" in row:
        rows = list(map(LINES[row["lines"]], row["answers"], texts))
        write_json(here / said, rows)
    else:
        write_table(here / said, {**row["answers"], row.get("text", "text"): texts})
    words = ["columns.kind=number", *row.get("words", [])]
    words += [] if "image" in labels else ["columns.image=null"]
    is_refused = "right" not in row
    output = cli("score", said, "--data", data, *words, code=int(is_refused)).err
    assert row.get("message", "") in output
    if not is_refused:
        scores = (here / said).with_name("said-scores.json")
        (run,) = json.loads(scores.read_text())["runs"].values()
        exact = next(r for r in run["number"]["results"] if r["name"] == "exact")
        assert exact["estimate"]["value"] == pytest.approx(row["right"] / row.get("asked", N))
