"""Published benchmarks, by name in BENCHMARKS, read from local files; nothing is downloaded.

Each function turns the rows of its layouts into questions with typed targets. The split is in the
file's name, or in the row if a file has several, and otherwise it is test: so nothing meant for
testing is trained on by mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon import names

if TYPE_CHECKING:
    from gnomon.store.user_data.building import OnBad
    from gnomon.store.user_data.table import UserRow, UserTable

BENCHMARKS = {
    "chartqa": "gnomon.store.benchmarks.questions:chartqa",
    "clockbench": "gnomon.store.benchmarks.instruments:clockbench",
    "gsm8k": "gnomon.store.benchmarks.questions:gsm8k",
    "measurebench": "gnomon.store.benchmarks.instruments:measurebench",
    "refcoco": "gnomon.store.benchmarks.questions:refcoco",
    "ticktockvqa": "gnomon.store.benchmarks.instruments:ticktockvqa",
    "vlmevalkit": "gnomon.store.benchmarks.questions:vlmevalkit",
}


def open_benchmark(
    name: str,
    path: str | Path,
    split: str,
    *,
    on_bad: OnBad = "refuse",
    pictures: str | None = None,
) -> UserTable:
    """Open the questions of a benchmark's file that belong to the split.

    Pictures lie beside the file, or in the folder `pictures`.
    """
    from gnomon.store.benchmarks import _cells
    from gnomon.store.user_data.building import build_table, cached_table
    from gnomon.store.user_data.lines import read_rows

    rows: Callable[[int, dict[str, Any], Path], Iterable[UserRow]] = names.load(
        BENCHMARKS, name, what="benchmark", command="gnomon ls benchmarks"
    )
    file = Path(path)

    def read(line: int, raw: dict[str, Any]) -> list[UserRow]:
        """Return a row's questions. Benchmarks check no types: any error means another layout."""
        try:
            return list(rows(line, raw, file))
        except (ArithmeticError, AttributeError, LookupError, OSError, TypeError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise ValueError(f"the row is not in the benchmark's layout: {reason}") from error

    def table() -> UserTable:
        with _cells.allow_pictures(pictures):
            return build_table(file.name, read_rows(file), read, {"benchmark": name}, on_bad)

    return cached_table(file, (name, on_bad, pictures), table).part(split)


def split_of_file(file: Path) -> str:
    """Return the split in a file's name, or test if it has none."""
    match = re.search(r"(?<![a-z])(train|val|dev)", file.stem.lower())
    return {"train": "train", "val": "val", "dev": "val"}[match[1]] if match else "test"
