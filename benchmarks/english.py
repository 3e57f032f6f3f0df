"""Count phrases that make a reader go back, per 1,000 words of docstrings and pages.

    python benchmarks/english.py             # the table, by package
    python benchmarks/english.py --check     # exits 1 if a package is above its bound
    python benchmarks/english.py --lower     # lowers each bound to today's count
    python benchmarks/english.py --worst 20  # the sentences to rewrite first

english.json names the packages and pages, each with its bound. The aim is 5 for each of them:
the documentation of well-known libraries in this field has 2 to 3. A hit is not an error, and a
text without hits may still be unclear. The count only keeps a text from getting worse.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import ratchet

ROOT = Path(__file__).resolve().parents[1]
BOUNDS = Path(__file__).with_suffix(".json")
AIM = 5
"""Lowest bound, in hits per 1,000 words."""

PHRASES = {
    '"where"': r"\bwhere\b",
    '"so that"': r"\bso that\b",
    '"is no", "has no"': r"\b(?:is|are|was|were|has|have|had) no\b",
    '"that of", "those with", "one of"': r"\b(?:that|those) (?:of|with|which)\b"
    r"|\bones? (?:of|that|with)\b",
    '", too"': r", too\b",
    '"none", "nobody", "nothing"': r"\b(?:none|nobody|nothing)\b",
    '"of its own"': r"\bof (?:its|their|your|his) own\b",
    "a sentence that begins with Of, What, Where, Whether or How": r"(?:^|[.!?:] )"
    r"(?:Of|What|Where|Whether|How) ",
    "idioms that few readers know": r"\b(?:as it came|as they came|goes? on|stands? for|alike"
    r"|beside|thereby|at once|all the same|as ever|of which|in which|by which|to be had"
    r"|to be read)\b",
    "a fragment after a semicolon": r";\s+(?:\w+\s+){0,6}\w+[.]",
}
"""Patterns of phrases that a technical writer would rewrite. In each, most hits can go."""


@dataclass(frozen=True)
class Passage:
    """A docstring or a paragraph of a page."""

    path: Path
    line: int
    text: str

    def count_hits(self) -> int:
        return count_hits(self.text)


def count_hits(text: str) -> int:
    """Count the phrases in a text that should be rewritten."""
    return sum(len(re.findall(pattern, text, re.MULTILINE)) for pattern in PHRASES.values())


def rate(passages: list[Passage]) -> float:
    """Return hits per 1,000 words."""
    words = sum(len(passage.text.split()) for passage in passages)
    return 1000 * sum(passage.count_hits() for passage in passages) / max(words, 1)


def read_passages(root: Path) -> list[Passage]:
    """Read the docstrings and paragraphs of a file, or of the files in a folder.

    `gnomon/*.py` names the modules that are in no package.
    """
    if "*" in root.name:
        files = sorted(root.parent.glob(root.name))
    else:
        files = [root] if root.is_file() else sorted(root.rglob("*.*"))
    passages: list[Passage] = []
    for path in files:
        if path.suffix == ".py":
            passages += _docstrings(path)
        elif path.suffix == ".md":
            passages += _paragraphs(path)
    return passages


def _docstrings(path: Path) -> Iterator[Passage]:
    """Yield docstrings of modules, classes and functions, and texts below attributes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for item in node.body:
                match item:
                    case ast.Expr(value=ast.Constant(value=str(text))):
                        yield Passage(path, item.lineno, text)


def _paragraphs(path: Path) -> Iterator[Passage]:
    """Yield the paragraphs of a page without its code, tables, images and HTML."""
    page = path.read_text(encoding="utf-8")
    page = re.sub(r"```.*?```", lambda code: "\n" * code[0].count("\n"), page, flags=re.DOTALL)
    page = re.sub(r"^(?:\||    |<|!\[).*", "", page, flags=re.MULTILINE)
    line = 1
    for block in re.split(r"(\n\s*\n)", page):
        if block.strip():
            yield Passage(path, line, " ".join(block.split("\n")))
        line += block.count("\n")


def worst_sentences(passages: list[Passage], most: int) -> list[Passage]:
    """Return the sentences with the most hits, at most `most` of them."""
    sentences = [
        Passage(passage.path, passage.line, " ".join(sentence.split()))
        for passage in passages
        for sentence in re.split(r"(?<=[.!?])\s+", passage.text)
    ]
    with_hits = [sentence for sentence in sentences if sentence.count_hits()]
    return sorted(with_hits, key=Passage.count_hits, reverse=True)[:most]


def main(words: list[str] | None = None, root: Path = ROOT, bounds_file: Path = BOUNDS) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="exit 1 if a count exceeds its bound")
    parser.add_argument("--lower", action="store_true", help="lower the bounds to today's counts")
    parser.add_argument("--worst", type=int, default=0, help="sentences to list")
    options = parser.parse_args(words)

    bounds: dict[str, int] = json.loads(bounds_file.read_text(encoding="utf-8"))
    passages = {name: read_passages(root / name) for name in bounds}
    rates = {name: rate(passages[name]) for name in bounds}

    print(f"{'hits per 1,000 words':22}{'now':>6}{'bound':>8}")
    for name, bound in bounds.items():
        print(f"{name:22}{rates[name]:6.1f}{bound:8}")
    if options.worst:
        everything = [passage for group in passages.values() for passage in group]
        for sentence in worst_sentences(everything, options.worst):
            print(f"{sentence.path.relative_to(root)}:{sentence.line}  {sentence.text[:200]}")

    if options.lower:
        lowered = {
            name: min(bound, max(math.ceil(rates[name]), AIM)) for name, bound in bounds.items()
        }
        bounds_file.write_text(json.dumps(lowered, indent=2) + "\n", encoding="utf-8")
    if not options.check:
        return 0
    rows = [(f"hits per 1,000 words of {name}", rates[name], bounds[name]) for name in bounds]
    return ratchet.check(rows, "english.py")


if __name__ == "__main__":
    sys.exit(main())
