"""docs/families.md says what is so: every family, and tests that there are."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.dialect import DIALECTS
from gnomon.pipeline import families
from gnomon.pipeline.families.base import TextOnly

HERE = Path(__file__).parents[1]
ROOT = HERE.parents[1]
SCRIPT = ROOT / "docs" / "families.py"
PAGE = SCRIPT.with_suffix(".md").read_text(encoding="utf-8")


def test_every_family_has_its_row_and_every_cell_its_tests():
    head, _, *rows = [
        line.strip("| ").split(" | ") for line in PAGE.splitlines() if line[:1] == "|"
    ]
    named = {row[0]: row[1:] for row in rows}
    assert list(named) == [
        name for name in families.FAMILIES if name not in ("auto", *families.EMBEDDED)
    ]
    for name, cells in named.items():
        assert len(cells) == len(head) - 1
        assert {*cells[:-2]} == {"✓", "long"}
        assert cells[-2] in ("✓", "no")  # not every tokenizer is in a package
        assert cells[-1] == families.load(name).hub_check_date


def test_every_test_it_names_is_there():
    for file, test in re.findall(r"`(\w+/test_\w+\.py)::(test_\w+)`", PAGE):
        assert f"\ndef {test}(" in (HERE / file).read_text(encoding="utf-8"), test


def test_the_page_on_answers_names_the_families_of_each_dialect():
    page = (ROOT / "docs" / "reading.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.-]+)` \|.*\| ([\w., -]+) \|$", page, re.MULTILINE)
    named = {name: cell for name, cell in rows if name in DIALECTS}
    classes = {name: families.load(name) for name in families.FAMILIES}
    for dialect in DIALECTS:
        of_dialect = [
            name
            for name, family in classes.items()
            if family.dialect == dialect and not issubclass(family, TextOnly)
        ]
        assert named[dialect] == (", ".join(of_dialect) or "none")


@pytest.mark.long
def test_it_is_what_pytest_collects(tmp_path):
    written = tmp_path / "families.md"
    subprocess.run([sys.executable, SCRIPT, written], check=True, capture_output=True)
    assert written.read_text(encoding="utf-8") == PAGE
