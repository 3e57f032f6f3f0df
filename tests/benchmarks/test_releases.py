"""docs/releases.md shows what benchmarks/releases.py printed, and pyproject.toml allows that."""

import re

import pytest
from packaging.version import Version

from benchmarks import releases

RESULTS = releases.lines(releases.RESULTS.read_text(encoding="utf-8"))
PAGE = releases.PAGE.read_text(encoding="utf-8")
RANGES = releases.ranges()
WHOLE_FILES = ("library_releases", "settings")
"""Words of the contract that name files, of which every test runs."""


def test_the_pages_table_is_the_result():
    assert sorted(RESULTS, key=lambda line: line.order, reverse=True) == RESULTS
    assert len(RESULTS) == releases.RESULTS.read_text(encoding="utf-8").count("\n") - 1
    assert f"\n\n{releases.table(RESULTS)}\n" in PAGE


def test_what_is_allowed_was_tried_and_what_failed_is_not_allowed():
    for line in RESULTS:
        versions = dict(zip(releases.LIBRARIES, line.versions, strict=True))
        is_allowed = all(RANGES[name].specifier.contains(v) for name, v in versions.items())
        assert is_allowed == (line.failed == 0), line
        assert line.passed > 50 or line.failed


@pytest.mark.parametrize("name", [name for name in releases.LIBRARIES if name != "torch"])
def test_each_range_begins_and_ends_with_a_release_that_passed(name):
    """torch is left out: its range is wider than what can be installed here."""
    column = releases.LIBRARIES.index(name)
    tried = {Version(line.versions[column]) for line in RESULTS if not line.failed}
    bounds = {s.operator: Version(s.version) for s in RANGES[name].specifier}
    oldest, newest = min(tried), max(tried)
    assert bounds[">="].release[:2] == oldest.release[:2]
    assert bounds["<"].release[:2] == (newest.major, newest.minor + 1)


def test_every_named_test_of_the_contract_is_there():
    tests = "".join(
        (releases.ROOT / "tests/pipeline" / file).read_text(encoding="utf-8")
        for file in releases.FILES
        if not any(word in file for word in WHOLE_FILES)
    )
    names = re.findall(r"(?m)^def (\w+)\(", tests)  # a parameter may be a function
    words = re.findall(r"\w{6,}", f"{releases.QUICK} {releases.THOROUGH}")
    for word in {*words} - {*WHOLE_FILES}:
        assert any(word in name for name in names), word


def test_a_line_is_read_as_it_was_written():
    line = releases.Line(("5.12.1", "1.10.0", "0.20.0", "0.49.2", "2.13.0"), "quick", 61, 2)
    assert releases.lines(f"$ command\n{line}\nanything else\n") == [line]
    assert "| 5.12.1 | 1.10.0 | 0.20.0 | 0.49.2 | 2.13.0 | quick | 61 | 2 |" in releases.table(
        [line]
    )


def test_a_new_result_replaces_the_old_one_of_the_same_releases(tmp_path, monkeypatch):
    monkeypatch.setattr(releases, "RESULTS", tmp_path / "releases.txt")
    monkeypatch.setattr(releases, "PAGE", tmp_path / "releases.md")
    (tmp_path / "releases.txt").write_text("")
    (tmp_path / "releases.md").write_text("before\n\n| a |\n| - |\n\n| b |\n")
    old = releases.Line(("5.12.1", "1.10.0", "0.20.0", "0.49.2", "2.13.0"), "quick", 61, 2)
    new = releases.Line(("5.12.1", "1.10.0", "0.20.0", "0.49.2", "2.13.0"), "quick", 63, 0)
    later = releases.Line(("5.13.0", "1.10.0", "0.20.0", "0.49.2", "2.13.0"), "quick", 63, 0)
    for line in (old, later, new):
        releases.record(line)
    assert releases.lines((tmp_path / "releases.txt").read_text()) == [later, new]
    text = (tmp_path / "releases.md").read_text()
    assert text == f"before\n\n{releases.table([later, new])}\n| b |\n"


def test_failures_are_counted_with_their_errors(tmp_path, monkeypatch):
    output = (
        "E   TypeError: no\nE       TypeError: no\nE   assert 1 == 2\n"
        "3 failed, 60 passed, 9 deselected, 1 error in 61.07s (0:01:01)\n"
    )
    monkeypatch.setattr(releases.subprocess, "check_output", lambda *_, **__: "1 2 3 4 5.0+cpu\n")
    monkeypatch.setattr(releases.subprocess, "run", lambda *_, stdout, **__: stdout.write(output))
    line, faults = releases.contract(tmp_path, tmp_path / "contract.log", "quick")
    assert (line.versions, line.passed, line.failed) == (("1", "2", "3", "4", "5.0"), 60, 4)
    assert faults == {"TypeError: no": 2}
