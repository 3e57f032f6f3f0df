"""Tables of cases: a JSONL file beside the test that reads it, one case a line."""

import json
from pathlib import Path
from typing import Any

import pytest


def rows(test_file: str, name: str) -> list[dict[str, Any]]:
    """Read `<name>.jsonl` beside a test's file; the name may begin with a folder's."""
    text = Path(test_file).parent.joinpath(f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def table(test_file: str, name: str) -> Any:
    """Parametrize a test's `row` by the lines of such a file; an `id` in a row names its case."""
    params = [
        pytest.param(row, id=str(row.pop("id", number)))
        for number, row in enumerate(rows(test_file, name), 1)
    ]
    return pytest.mark.parametrize("row", params)
