"""Print the lines of code of every package of gnomon.

Blank lines, comments, docstrings and imports do not count.

    python benchmarks/size.py [FOLDER]
"""

import ast
import sys
import tokenize
from collections import Counter
from pathlib import Path

NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def lines_of_code(path: Path) -> int:
    """Count the lines of one file that hold code."""
    with path.open("rb") as file:
        tokens = [token for token in tokenize.tokenize(file.readline) if token.type not in NOT_CODE]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if docstring or isinstance(node, ast.Import | ast.ImportFrom):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


if __name__ == "__main__":
    root = Path(sys.argv[1] if len(sys.argv) > 1 else "gnomon")
    packages: Counter[str] = Counter()
    for path in root.rglob("*.py"):
        inside = path.relative_to(root).parts
        packages[inside[0] if len(inside) > 1 else "(top)"] += lines_of_code(path)
    for package, lines in packages.most_common():
        print(f"{lines:6,}  {package}")
    print(f"{packages.total():6,}  in all")
