"""The count of phrases to rewrite: which texts it reads, and when its check fails."""

import json

import pytest

from benchmarks import english


@pytest.mark.parametrize(
    "text",
    [
        "None where the box is empty.",
        "The batch is sorted so that the longest comes first.",
        "The sample has no picture.",
        "The mean is that of the batch.",
        "It is logged, too.",
        "It returns nothing.",
        "A folder of its own.",
        "What the model said.",
        "The loss stands beside it.",
        "An offset in pixels; rare in most.",
    ],
)
def test_each_phrase_is_a_hit(text):
    assert english.count_hits(text) > 0


def test_plain_english_has_no_hit():
    text = "Offset in pixels. If the box is empty, the function returns None."
    assert english.count_hits(text) == 0


def test_a_module_is_read_by_its_docstrings_alone(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(
        '"""Module."""\nLIMIT = 3\n"""Largest number."""\n'
        'def f():\n    """Function."""\n    return "where"  # nobody\n'
        'class C:\n    """Class."""\n    x: int\n    """Attribute."""\n'
    )
    texts = [passage.text for passage in english.read_passages(module)]
    assert sorted(texts) == ["Attribute.", "Class.", "Function.", "Largest number.", "Module."]


def test_code_and_tables_of_a_page_are_not_read(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Title\n\nFirst\nline.\n\n```\nwhere\n```\n\n| where |\n\n    where\n\nLast.\n"
    )
    passages = english.read_passages(page)
    assert [(p.line, p.text.strip()) for p in passages] == [
        (1, "# Title"),
        (3, "First line."),
        (14, "Last."),
    ]


def test_a_package_above_its_bound_fails_and_one_below_can_be_lowered(tmp_path, capsys):
    package, bounds = tmp_path / "package", tmp_path / "bounds.json"
    package.mkdir()
    (package / "module.py").write_text(f'"""{"word " * 99} where."""\n')  # 10 per 1,000

    def run(*words):
        return english.main([*words], tmp_path, bounds)

    bounds.write_text(json.dumps({"package": 9}))
    assert run() == 0
    assert run("--check") == 1
    assert "hits per 1,000 words of package: 10.0, at most 9" in capsys.readouterr().err
    run("--lower")
    assert json.loads(bounds.read_text()) == {"package": 9}  # a bound is never raised
    bounds.write_text(json.dumps({"package": 30}))
    assert run("--check", "--lower") == 0
    assert json.loads(bounds.read_text()) == {"package": 10}
    (package / "module.py").write_text('"""Plain."""\n')
    run("--lower")
    assert json.loads(bounds.read_text()) == {"package": english.AIM}


def test_every_package_has_a_bound():
    bounds = json.loads(english.BOUNDS.read_text())
    packages = [f"gnomon/{path.parent.name}" for path in english.ROOT.glob("gnomon/*/__init__.py")]
    assert packages
    assert not set(packages) - set(bounds)
