"""Bounds of figures that may fall and never rise."""

import sys
from collections.abc import Iterable


def check(figures: Iterable[tuple[str, float, float]], script: str) -> int:
    """Return the exit code 1 if a figure exceeds its bound, and print which.

    Each row has a name, the figure and its bound. `script` lists the places to rewrite.
    """
    failures = [
        f"{name}: {figure:.1f}, at most {bound}"
        for name, figure, bound in figures
        if figure > bound
    ]
    if failures:
        print(*failures, f"see python benchmarks/{script} --worst 20", sep="\n", file=sys.stderr)
    return int(bool(failures))
