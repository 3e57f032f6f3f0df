"""Measure how plainly the package speaks and whether its folders layer; hold it from getting worse.

    python benchmarks/language.py            # the table, by package
    python benchmarks/language.py --check    # exits 1 if a figure is above its limit
    python benchmarks/language.py --worst 20 # where to read first

docstrings   share that begins with a function word ("What", "Whether", "Of", ...) or has at most
             three words
names        participles and pronouns among the names of code ("found", "told", "own"), per 1,000
comments     share of lines with a comment
imports      share of lines that import
pairs        folders that import each other

A figure shows where to read and is no target of its own: a docstring that begins with "The" and
says nothing is no better.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import ratchet

FUNCTION_WORDS = """
    What How Whether As That Of By One Where Those Which In From Two Every Each So All Its For With
    Up At On There Who Why Than Only Alike Such Here Whoever Whatever
"""
PARTICIPLES = """
    found told said asked drawn shown held opened left there own one given taken noted kept made
    seen put tried known wanted laid placed named parted worn settled believed alike beside again
"""

# Percent of docstrings, names per 1,000 and two-way pairs that --check allows. Lower them when the
# package gets better; never raise them.
MAX_DOCSTRINGS, MAX_NAMES, MAX_PAIRS = 0.1, 0.7, 0


_FUNCTION_WORDS, _PARTICIPLES = set(FUNCTION_WORDS.split()), set(PARTICIPLES.split())


@dataclass
class Figures:
    """Counts over one or more files."""

    docstrings: int = 0
    odd_docstrings: list[str] = field(default_factory=list)
    names: int = 0
    odd_names: int = 0
    lines: int = 0
    comments: int = 0
    imports: int = 0

    def add(self, path: Path) -> None:
        """Count one more file."""
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        self.lines += source.count("\n") + 1
        for line, text in _docstrings(tree):
            self.docstrings += 1
            head = text.split("\n\n")[0]
            if head.split()[0].strip("`\"'*:,.") in _FUNCTION_WORDS or len(head.split()) <= 3:
                self.odd_docstrings.append(f"{path}:{line}: {' '.join(head.split())[:100]}")
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            self.comments += token.type == tokenize.COMMENT
            if token.type == tokenize.NAME:
                self.names += 1
                self.odd_names += token.string.strip("_") in _PARTICIPLES
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.imports += (node.end_lineno or node.lineno) - node.lineno + 1

    @property
    def docstring_percent(self) -> float:
        return 100 * len(self.odd_docstrings) / max(self.docstrings, 1)

    @property
    def name_rate(self) -> float:
        """Participles and pronouns per 1,000 names."""
        return 1000 * self.odd_names / max(self.names, 1)

    def row(self, title: str) -> str:
        comments, imports = (100 * n / max(self.lines, 1) for n in (self.comments, self.imports))
        return (
            f"{title:14}{self.docstring_percent:11.1f} %{self.name_rate:9.1f} ‰{comments:9.1f} %"
            f"{imports:8.1f} %"
        )


def _docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), text.strip()


def two_way_pairs(root: Path) -> list[tuple[str, str]]:
    """List the pairs of folders whose files import each other; __init__ files do not count."""
    modules = {
        ".".join(path.relative_to(root.parent).with_suffix("").parts): path.parent
        for path in root.rglob("*.py")
        if path.stem != "__init__"
    }
    edges = defaultdict(set)
    for name, folder in modules.items():
        source = root.parent.joinpath(*name.split(".")).with_suffix(".py").read_text("utf-8")
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.ImportFrom):
                continue
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                target = modules.get(inner) or modules.get(node.module or "")
                if target and target != folder:
                    edges[folder].add(target)
    both = {(a, b) for a in edges for b in edges[a] if a < b and a in edges.get(b, ())}
    names = [(str(a.relative_to(root.parent)), str(b.relative_to(root.parent))) for a, b in both]
    return sorted(names)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("root", nargs="?", default="gnomon", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--worst", type=int, default=0, help="docstrings to list")
    options = parser.parse_args()
    root = options.root.resolve()

    packages: dict[str, Figures] = defaultdict(Figures)
    whole = Figures()
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root).parts
        for figures in (whole, packages[inside[0] if len(inside) > 1 else "(top)"]):
            figures.add(path)
    pairs = two_way_pairs(root)

    print(f"{'':14}{'docstrings':>13}{'names':>11}{'comments':>11}{'imports':>10}")
    for title, figures in sorted(packages.items()):
        print(figures.row(title))
    print(whole.row("in all"))
    print(f"two-way pairs of folders: {len(pairs)}", *(f"\n  {a} <> {b}" for a, b in pairs))
    for line in whole.odd_docstrings[: options.worst]:
        print(line)

    if not options.check:
        return 0
    limits = [
        ("percent of docstrings", whole.docstring_percent, MAX_DOCSTRINGS),
        ("names per 1,000", whole.name_rate, MAX_NAMES),
        ("two-way pairs", len(pairs), MAX_PAIRS),
    ]
    return ratchet.check(limits, "language.py")


if __name__ == "__main__":
    sys.exit(main())
