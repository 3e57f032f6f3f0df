"""CSV for spreadsheets: no text is a formula, numbers stay numbers, and there is one writer."""

import csv
import io
import re
from pathlib import Path

import gnomon
from gnomon.files import write_rows


def test_texts_are_guarded_and_numbers_are_not():
    table = io.StringIO()
    write_rows(table, [["=a", "b"], ["@x", -5], ["-1+1", -2.5], ["＝1", None], ["-5", True]])
    found = list(csv.reader(io.StringIO(table.getvalue())))
    assert found == [["'=a", "b"], ["'@x", "-5"], ["'-1+1", "-2.5"], ["'＝1", ""], ["-5", "True"]]


def test_nothing_else_writes_csv():
    root = Path(gnomon.__file__).parent
    writers = re.compile(r"csv\.(writer|DictWriter)|to_csv\(.*index|savetxt")
    found = [f.name for f in root.rglob("*.py") if writers.search(f.read_text(encoding="utf-8"))]
    assert found == ["files.py"]
