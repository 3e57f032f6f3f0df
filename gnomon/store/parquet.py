"""Rows of a Parquet file, with limits on memory.

A dictionary repeats a long text in any number of rows, and empty rows cost nothing on disk, so the
decoded rows may be much larger than the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.parquet import FileMetaData, ParquetFile, read_metadata

from gnomon import files

# Largest size of the decoded rows, as a multiple of the file's size and in bytes.
_LEAST, _RATIO, _MOST = 2**28, 100, 2**34
# Bytes of a Python object for a value, in addition to its content.
_VALUE = 16
# Largest number of rows and bytes to decode at a time.
_BATCH, _BATCH_SIZE = 256, 2**28


def read_parquet(file: Path, most_rows: int) -> Iterator[dict[str, Any]]:
    """Yield the rows in order. Refuse a file with more than `most_rows`.

    Repeated texts stay in Arrow's dictionaries until the size of a batch is known.
    """
    with files.open_bytes(file) as source:
        footer = read_metadata(source)
        if footer.num_rows > most_rows:
            raise ValueError(
                f"it has {footer.num_rows:,} rows, and gnomon reads at most {most_rows:,}"
            )
        size, sizes = file.stat().st_size, group_sizes(footer)
        most, total = min(max(_LEAST, _RATIO * size), _MOST), sum(sizes)
        _check_size(most, total, size)
        n = max(1, min(_BATCH, _BATCH_SIZE * footer.num_rows // (total + 1)))
        table = _open(source, footer)
        for group in range(len(sizes)):
            for batch in table.iter_batches(n, row_groups=[group]):
                total += sum(map(_size, batch.columns))
                _check_size(most, total, size)
                yield from shortest_decimals(batch).to_pylist()


def _open(source: BinaryIO, footer: FileMetaData) -> ParquetFile:
    """Open a file so that texts stay in their dictionaries, if their encoding allows it."""
    table = ParquetFile(source, metadata=footer, read_dictionary=_texts(footer))
    try:
        next(table.iter_batches(1), None)
    except (pa.ArrowException, OSError):  # "not yet implemented", for texts by shared beginnings
        return ParquetFile(source, metadata=footer)
    return table


def group_sizes(footer: FileMetaData) -> list[int]:
    """Return the decompressed bytes of each group of rows, in which a repeated text counts once."""
    # Arrow aborts the process if it is asked for a column whose description is damaged.
    return [footer.row_group(group).total_byte_size for group in range(footer.num_row_groups)]


def _texts(footer: FileMetaData) -> list[str]:
    """Return the columns that Arrow can leave in their dictionaries."""
    columns = map(footer.schema.column, range(footer.num_columns))
    return [
        column.path
        for column in columns
        if column.physical_type == "BYTE_ARRAY" and column.logical_type.type in ("STRING", "NONE")
    ]


def shortest_decimals(rows: pa.RecordBatch | pa.Table) -> pa.RecordBatch | pa.Table:
    """Return the rows with numbers of 16 and 32 bits as the shortest decimals of their precision.

    As a Python float of 64 bits, 2.7 from a float32 would be 2.700000047683716.
    """
    for index, field in enumerate(rows.schema):
        if pa.types.is_float16(field.type) or pa.types.is_float32(field.type):
            narrow = np.dtype(field.type.to_pandas_dtype()).type
            numbers = rows.column(index).to_pylist()
            decimals = [None if value is None else float(str(narrow(value))) for value in numbers]
            rows = rows.set_column(index, field.name, pa.array(decimals, pa.float64()))
    return rows


def _check_size(most: int, total: int, size: int) -> None:
    if total > most:
        raise ValueError(
            f"its {size:,} bytes come to {total:,} or more as rows, and {most:,} is the most that"
            " such a file may hold: split it, or name pictures by their paths"
        )


def _size(array: pa.Array) -> int:
    """Return the bytes of an array's values. Repeated values count each time."""
    if isinstance(array, pa.DictionaryArray):
        lengths = pc.binary_length(array.dictionary)
        texts = pc.sum(lengths.cast("int64").take(array.indices)).as_py() or 0
        return int(texts) + _VALUE * len(array)
    if isinstance(array, pa.StructArray):
        return sum(map(_size, array.flatten()))
    if isinstance(array, pa.MapArray):
        return _size(array.keys) + _size(array.items)
    if hasattr(array, "flatten"):
        return _size(array.flatten())
    return int(array.nbytes) + _VALUE * len(array)
