"""Answers of other programs meet the questions that they answer, or none: by the command line."""

import csv
import json
from itertools import zip_longest

import pytest
from case_tables import table
from PIL import Image

N = 4
VALUES = [15, 27, 38, 49]


def write_table(file, columns):
    """Write columns of equal length as CSV."""
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows([list(columns), *zip_longest(*columns.values())])


@table(__file__, "pairing")
def test_answers_meet_their_own_questions_or_are_refused(here, cli, row):
    labels = {"question": [f"Number {n}?" for n in range(N)], "answer": VALUES}
    labels |= row.get("labels", {})
    for name in labels.get("image", ()):
        (here / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (9, 9)).save(here / name)
    write_table(here / "labels.csv", labels)
    texts = ["" if n is None else VALUES[n] for n in row["texts"]]
    write_table(here / "said.csv", {**row["answers"], "text": texts})
    words = ["columns.kind=number", *row.get("words", [])]
    words += [] if "image" in labels else ["columns.image=null"]
    is_refused = "right" not in row
    output = cli("score", "said.csv", "--data", "labels.csv", *words, code=int(is_refused)).err
    assert row.get("message", "") in output
    if not is_refused:
        (run,) = json.loads((here / "said-scores.json").read_text())["runs"].values()
        exact = next(r for r in run["number"]["results"] if r["name"] == "exact")
        assert exact["estimate"]["value"] == pytest.approx(row["right"] / N)
