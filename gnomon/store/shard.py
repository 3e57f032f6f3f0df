"""One shard: drawn, encoded and written, or not there at all."""

from __future__ import annotations

from hashlib import file_digest
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from gnomon.store.atomic import naming, whole_or_absent
from gnomon.store.rows import SCHEMA, Prints, table, to_row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gnomon.store.layout import Plan

# Reading one row reads its group. Of 80 kB pictures, groups of 100 took 1.4 ms and groups of 20
# took 0.4, which is what decoding takes; below that only the footers grow.
_GROUP = 20
# PNG does not shrink any more, and inflating it would be paid at every reading.
_COMPRESSION = {name: "zstd" for name in SCHEMA.names if name != "image"} | {
    "image.bytes": "none",
    "image.path": "none",
}


def write_shard(plan: Plan, number: int) -> dict[str, Any]:
    """Write one shard of the plan, and tell what the manifest says of it."""
    final = plan.root / plan.file(number)
    prints = Prints()
    with whole_or_absent(final) as temporary:
        _write_groups(plan, number, temporary, prints)
        digest = sha256_of(temporary)
    rows = len(plan.span(number))
    return {"file": plan.file(number), "rows": rows, "sha256": digest, **prints.to_json()}


def sha256_of(file: Path) -> str:
    """The hash of a file's bytes."""
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()


def _write_groups(plan: Plan, number: int, file: Path, prints: Prints) -> None:
    """Only what touches the disk is named as such: a failing drawing keeps its own message."""
    final = plan.root / plan.file(number)
    with naming(final):
        writer = pq.ParquetWriter(
            file, SCHEMA, compression=_COMPRESSION, use_dictionary=False, write_statistics=False
        )
    try:
        for group in _groups(plan.span(number)):
            samples = [plan.samples[index] for index in group]
            rows = [to_row(sample) for sample in samples]
            for sample, row in zip(samples, rows, strict=True):
                prints.add(sample, row)
            with naming(final):
                writer.write_table(table(rows))
    finally:
        with naming(final):
            writer.close()


def _groups(span: range) -> Iterator[range]:
    return (span[start : start + _GROUP] for start in range(0, len(span), _GROUP))
