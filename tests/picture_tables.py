"""Tables of labelled pictures, as a user has them."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image


def numbered_pictures(folder: Path, parts: Sequence[str], size: tuple[int, int] = (64, 64)) -> Path:
    """Pictures of which none is like another: the n-th has the answer n, and is in that part."""
    lines = ["image,answer,part"]
    for number, part in enumerate(parts):
        picture = Image.linear_gradient("L").rotate(7 * number).resize(size)
        picture.save(folder / f"{number}.png")
        lines.append(f"{number}.png,{number},{part}")
    (folder / "labels.csv").write_text("\n".join(lines))
    return folder / "labels.csv"


def write_rows(file: Path, rows: Any) -> Path:
    """Write rows, all with the same columns, in the format that the file's name says."""
    match file.suffix:
        case ".json":
            file.write_text(json.dumps(rows))
        case ".jsonl":
            file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        case ".parquet":
            pq.write_table(pa.Table.from_pylist(rows), file)
        case suffix:
            with file.open("w", newline="") as table:
                by = "\t" if suffix == ".tsv" else ","
                writer = csv.DictWriter(table, list(rows[0]), delimiter=by)
                writer.writeheader()
                writer.writerows(rows)
    return file
