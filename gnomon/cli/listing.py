"""What there is, by name, read from the sources: listing a loss never loads torch."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from gnomon import eval as evaluation
from gnomon import generators, losses, recipe
from gnomon.generators.base import Generator
from gnomon.names import check
from gnomon.pipeline import families
from gnomon.store.benchmarks import BENCHMARKS

_LISTS = {
    "generators": generators.KINDS,
    "losses": losses.KINDS,
    "families": families.FAMILIES,
    "configs": {},
    "recipe": {},
    "metrics": evaluation.METRICS,
    "benchmarks": BENCHMARKS,
}


def table(what: str | None = None, *, width: int | None = None) -> str:
    """What a list has, each name with its first sentence; generators, or a single one, with their
    options, a recipe with all its keys. None is every list; texts are folded at a terminal's width.
    """
    if what is None:
        return "\n".join(table(one, width=width) for one in _LISTS)
    if generators.known(what):
        return _aligned(what, _rows("generators", {what: generators.KINDS.get(what, what)}), width)
    known = (*_LISTS, "schema", *generators.KINDS)
    check(known, what, what="list or generator", listing="gnomon ls")
    if what == "configs":
        return _aligned(what, _recipes(), width)
    if what == "recipe":
        return _aligned(what, _keys(recipe.Recipe), width)
    return _aligned(what, _rows(what, _LISTS[what]), width)


def _recipes() -> list[tuple[str, str]]:
    from gnomon.workflows import shipped

    files = {name.removesuffix(".yaml"): file for name, file in recipe.configs().items()}
    ends = "|".join(shipped.MEMORIES)
    files |= {f"{base}-MODEL-{ends}": file for base, file in shipped.bases().items()}
    rows = [(name, _comment(file)) for name, file in files.items()]
    return [*rows, ("MODEL", ", ".join(shipped.models()))]


def _rows(title: str, kinds: Mapping[str, str]) -> list[tuple[str, str]]:
    rows = []
    for name, place in sorted(kinds.items()):
        node = _definition(place)
        rows.append((name, _sentence(node)))
        if title == "generators":
            found = [row for cls in _written_together(generators.load(name)) for row in cls]
            rows += [(f"  {option}", text) for option, text in found]
        if title == "benchmarks":
            rows.append(("  layout", _layout(place)))
        if title == "families":
            rows += [(f"  {fact}", text) for fact, text in _facts(name)]
    if title == "losses":
        rows.insert(0, (losses.CE, "The cross-entropy alone."))
    return rows


def _definition(place: str) -> ast.ClassDef | ast.FunctionDef:
    """The class or function at "module:Name", parsed and not imported."""
    module, _, name = place.partition(":")
    return next(
        node
        for node in _parsed(module).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name
    )


def _parsed(module: str) -> ast.Module:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


def _written_together(kind: type) -> Iterator[list[tuple[str, str]]]:
    """The options of a class and of those bases that lie in its folder, the bases' first."""
    folder = kind.__module__.rpartition(".")[0]
    for cls in reversed(kind.__mro__):
        if issubclass(cls, Generator) and cls.__module__.rpartition(".")[0] == folder:
            yield _options(cls)


def _keys(section: type, path: str = "") -> list[tuple[str, str]]:
    """Every key of a recipe with its default, the keys of what it holds below it."""
    rows = []
    for key, text in _options(section):
        inner, one_of = recipe.section(section, key), recipe.choices(section, key)
        said = f"{' | '.join(map(str, one_of))}: {text}" if one_of else text
        rows.append((path + key, said.rpartition(" [")[0] if inner else said))
        if inner and path != "eval.":  # whose sources have the keys of data
            rows += _keys(inner, f"{path}{key}.")
    return rows


def _layout(place: str) -> str:
    """What a benchmark's module says of its files."""
    return " ".join((ast.get_docstring(_parsed(place.partition(":")[0])) or "").split())


def _sentence(node: ast.ClassDef | ast.FunctionDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n")[0]


def docstrings(kind: type) -> list[tuple[str, str]]:
    """Each field of a dataclass that has a docstring under it, and that."""
    names = {field.name for field in fields(kind)}
    body = _definition(f"{kind.__module__}:{kind.__name__}").body
    found = []
    for field, below in pairwise(body):
        if not isinstance(field, ast.AnnAssign) or not isinstance(below, ast.Expr):
            continue
        name = ast.unparse(field.target)
        if name in names and isinstance(below.value, ast.Constant):
            found.append((name, " ".join(str(below.value.value).split())))
    return found


def _options(kind: type) -> list[tuple[str, str]]:
    """Each option with its docstring and default. Generators load without torch."""
    defaults = {field.name: field.default for field in fields(kind)}
    return [(name, f"{text} [{_plain(defaults[name])}]") for name, text in docstrings(kind)]


def _facts(family: str) -> list[tuple[str, str]]:
    """What a user asks of a family before its weights are here."""
    known = families.create(family)
    types = known.model_types
    found = [
        ("model_type", ", ".join(types)),
        ("boxes", f"the {known.dialect} dialect" if known.vision else ""),
        ("digits", f"{known.digits} a token"),
        ("such as", ", ".join(known.sizes)),
        ("met the hub", known.met_the_hub if known.sizes else ""),
    ]
    return [(name, text) for name, text in found if text]


def _plain(value: object) -> str:
    """A default as a recipe would have it."""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _comment(file: Path) -> str:
    """The comment that a recipe begins with, its first sentence."""
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    return " ".join(lines).partition(". ")[0].removesuffix(".") + "."


def _aligned(title: str, rows: list[tuple[str, str]], width: int | None) -> str:
    indent = 4 + max((len(name) for name, _ in rows), default=0)
    lines = [f"  {name:<{indent - 4}}  {text}".rstrip() for name, text in rows]
    if width is not None:
        fold = textwrap.TextWrapper(
            max(width, indent + 30), subsequent_indent=" " * indent, break_on_hyphens=False
        )
        lines = [fold.fill(line) for line in lines]
    return "\n".join([f"{title}:", *lines])
