"""The package's imports: no cycle, nothing private from outside, no type of answers asked for."""

import ast
import re
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import gnomon

ROOT = Path(gnomon.__file__).parent
FILES = {
    ".".join((file.parent if file.stem == "__init__" else file.with_suffix(""))
             .relative_to(ROOT.parent).parts): file
    for file in ROOT.rglob("*.py")
}  # fmt: skip


def imported(source, modules):
    """The modules that a text imports, inside functions and for types alone, too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules else node.module


GRAPH = {name: set(imported(file.read_text(), FILES)) - {name} for name, file in FILES.items()}


def test_no_file_imports_itself_by_way_of_others():
    order = list(TopologicalSorter(GRAPH).static_order())
    assert len(order) == len(FILES) > 250
    with pytest.raises(CycleError):
        list(TopologicalSorter(GRAPH | {"gnomon.names": {"gnomon.commands.ls"}}).static_order())


def test_a_module_with_an_underscore_is_its_folders_own():
    strangers = [
        (name, other)
        for name, others in GRAPH.items()
        for other in others
        if any(part.startswith("_") for part in other.split("."))
        and not f"{name}.".startswith(f"{other.rpartition('.')[0]}.")
    ]
    assert strangers == []


def test_a_class_name_is_unique_in_the_package():
    places = Counter(
        node.name
        for file in FILES.values()
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in places.items() if count > 1] == []


def test_nothing_asks_which_type_of_answer_it_has():
    """A folder in answers says it; whoever asked would have to be told of a new one."""
    types = "Time|Number|Box|Boxes|Text|Spots|Table"
    asking = re.compile(rf"case ({types})\(|isinstance\([\w.]+, \(?({types})\b")
    found = [
        name
        for name, file in FILES.items()
        if not name.startswith("gnomon.answers.") and asking.search(file.read_text())
    ]
    assert found == []
    assert asking.search(FILES["gnomon.answers.spots.measure"].read_text())
