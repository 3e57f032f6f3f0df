"""Rows of a Parquet file, with limits on memory.

The size of the decoded file is computed from the headers of its pages before any page is decoded.
The sizes in the footer are not enough, because readers allocate memory by the header of each page,
which may differ. A page of a few bytes may claim 2 GiB, a dictionary repeats a long text in any
number of rows, and empty rows cost nothing on disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

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

    Repeated values stay in Arrow's dictionaries until the size of a batch is known.
    """
    footer, groups = columns_of(file)
    if footer.num_rows > most_rows:
        raise ValueError(f"it has {footer.num_rows:,} rows, and gnomon reads at most {most_rows:,}")
    size = file.stat().st_size
    most = min(max(_LEAST, _RATIO * size), _MOST)
    flat = [column for group in groups for column in group]
    total = sum(column.size + _VALUE * column.values for column in flat)
    _check_size(most, total, size)
    lists = {column.path for column in flat if column.is_nested and column.longest}
    dictionaries = sorted(lists - {column.path for column in flat if not column.is_bytes})
    with (
        pa.OSFile(
            os.fsencode(file)
        ) as source,  # Arrow takes names that are not UTF-8 only as bytes
        ParquetFile(source, metadata=footer, read_dictionary=dictionaries) as table,
    ):
        for number, group in enumerate(groups):
            # Arrow decodes these in one piece, so their size must be bounded beforehand.
            expanded = [
                column
                for column in group
                if column.path in lists and column.path not in dictionaries
            ]
            _check_size(most, sum(column.worst for column in expanded), size)
            n = _batch_rows(footer.row_group(number).num_rows, group)
            for batch in table.iter_batches(n, row_groups=[number]):
                total += sum(map(_size, batch.columns))
                _check_size(most, total, size)
                yield from shortest_decimals(batch).to_pylist()


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


def _batch_rows(rows: int, group: Sequence[Column]) -> int:
    """Return the number of rows that stay below a batch's limit even if all have the longest
    value."""
    usual = sum(column.size for column in group) // max(rows, 1)
    worst = sum(column.longest for column in group if not column.is_nested)
    return max(1, min(_BATCH, _BATCH_SIZE // (usual + worst + 1)))


def _size(array: pa.Array) -> int:
    """Return the bytes of an array's values. Repeated values count each time."""
    if isinstance(array, pa.DictionaryArray):
        lengths = pc.binary_length(array.dictionary)
        return pc.sum(lengths.cast("int64").take(array.indices)).as_py() or 0
    if isinstance(array, pa.StructArray):
        return sum(map(_size, array.flatten()))
    if isinstance(array, pa.MapArray):
        return _size(array.keys) + _size(array.items)
    if hasattr(array, "flatten"):
        return _size(array.flatten())
    return int(array.nbytes)


# Field numbers of Thrift from parquet.thrift.
_Struct: TypeAlias = "dict[int, Any]"
_GROUPS, _CHUNKS, _CHUNK = 4, 1, 3
# Fields of a column in a group: offsets of its pages and its dictionary, and bytes of both.
_DATA_AT, _DICTIONARY_AT, _LENGTH = 9, 11, 7
# Fields of a page: type, bytes decoded and on disk, and the headers of data pages 1 and 2.
_TYPE, _SIZE, _STORED, _DATA, _DATA_2 = 1, 2, 3, 5, 8
# Fields of a data page's header: number of values and encoding. Version 2 has them elsewhere.
_VALUES, _ENCODING, _ENCODING_2 = 1, 2, 4
# Type of a dictionary page, and the encoding by a prefix shared with the previous value.
_DICTIONARY_PAGE, _DELTA_BYTE_ARRAY = 2, 7
# First and largest number of bytes to read for a page's header, the same as in Arrow.
_HEADERS = (2**14, 2**24)
# Largest footer in bytes. A column of a group takes about a hundred.
_FOOTER = 2**26


@dataclass(frozen=True)
class Column:
    """Column of a row group, as its pages describe it."""

    path: str
    size: int
    """Decompressed bytes of its pages."""
    values: int
    """Number of values, including nulls."""
    longest: int
    """Largest possible size in bytes of a value that is stored once for many rows. 0 if there is no
    such value."""
    is_bytes: bool
    """True for texts or bytes that Arrow can leave in their dictionary."""
    is_nested: bool
    """True if a row may have many values."""

    @property
    def worst(self) -> int:
        """Bytes of the decoded column if every value has the largest size."""
        return self.size + self.values * (self.longest + 1)


def columns_of(path: Path) -> tuple[FileMetaData, list[list[Column]]]:
    """Return the footer of a regular file, and the columns of each of its row groups."""
    with files.open_bytes(path) as file:
        try:
            # Arrow's own objects abort the process if a column lacks its description.
            groups = _footer(file).get(_GROUPS, ())
            footer = read_metadata(file)
            columns = [_columns(file, group, footer) for group in groups]
        except (AttributeError, LookupError, RecursionError, TypeError) as error:
            raise ValueError("its footer, or a page, is not Parquet's") from error
    if len(columns) != footer.num_row_groups:
        raise ValueError("its footer is not Parquet's")
    return footer, columns


def _footer(file: BinaryIO) -> _Struct:
    # A file ends with its footer, the footer's length in four bytes, and "PAR1".
    file.seek(max(0, file.seek(0, 2) - 8))
    length = int.from_bytes(file.read(4), "little")
    if length > _FOOTER:
        raise ValueError(f"its footer claims {length:,} bytes, more than {_FOOTER:,}")
    file.seek(file.tell() - 4 - length)
    return _Compact(file.read(length)).struct()


def _columns(file: BinaryIO, group: _Struct, footer: FileMetaData) -> list[Column]:
    chunks = group[_CHUNKS]
    if len(chunks) != footer.num_columns:
        raise ValueError(f"a row group has {len(chunks)} columns of {footer.num_columns}")
    columns = []
    for index, chunk in enumerate(chunks):
        metadata, schema = chunk[_CHUNK], footer.schema.column(index)
        # A dictionary precedes the data.
        start = min(metadata[key] for key in (_DATA_AT, _DICTIONARY_AT) if metadata.get(key))
        pages = list(_pages(file, start, start + metadata[_LENGTH]))
        longest = max((page[_SIZE] for page in pages if _repeats(page)), default=0)
        is_bytes = schema.physical_type == "BYTE_ARRAY"
        columns.append(
            Column(
                path=schema.path,
                size=sum(page[_SIZE] for page in pages),
                values=sum(_data_header(page).get(_VALUES, 0) for page in pages),
                # Numbers and dates take at most 16 bytes.
                longest=longest if is_bytes else max(schema.length, 16),
                is_bytes=is_bytes
                and schema.logical_type.type in ("STRING", "NONE")
                and not any(map(_has_prefixes, pages)),
                is_nested=schema.max_repetition_level > 0,
            )
        )
    return columns


def _repeats(page: _Struct) -> bool:
    return page[_TYPE] == _DICTIONARY_PAGE or _has_prefixes(page)


def _has_prefixes(page: _Struct) -> bool:
    return (
        _data_header(page).get(_ENCODING_2 if _DATA_2 in page else _ENCODING) == _DELTA_BYTE_ARRAY
    )


def _data_header(page: _Struct) -> _Struct:
    """Return the header of a data page's values. None for a dictionary page."""
    header: _Struct = page.get(_DATA) or page.get(_DATA_2) or {}
    return header


def _pages(file: BinaryIO, start: int, end: int) -> Iterator[_Struct]:
    """Yield the headers of the pages between two offsets of a file."""
    while start < end:
        header, length = _page(file, start)
        if not {_TYPE, _SIZE, _STORED} <= header.keys() or min(header[_SIZE], header[_STORED]) < 0:
            raise ValueError(f"no page at byte {start}")
        if _DATA in header and _DATA_2 in header:
            raise ValueError(f"the page at byte {start} has two versions")
        yield header
        start += length + header[_STORED]


def _page(file: BinaryIO, start: int) -> tuple[_Struct, int]:
    """Return a page's header and the length of the header in bytes."""
    for size in _HEADERS:
        file.seek(start)
        reader = _Compact(file.read(size))
        try:
            return reader.struct(), reader.offset
        except (IndexError, RecursionError):  # longer than what was read
            continue
    raise ValueError(f"no page at byte {start}")


class _Compact:
    """Reader of Thrift's compact protocol for integers, structs and lists. It skips other types."""

    def __init__(self, data: bytes) -> None:
        self.data, self.offset = data, 0

    def struct(self) -> _Struct:
        """Read a struct. A repeated field is refused because readers disagree on which value
        counts."""
        fields: _Struct = {}
        field = 0
        while head := self._byte():
            # The upper half is the distance to the previous field, or 0 if the number follows.
            field = field + (head >> 4) if head >> 4 else self._integer()
            if field in fields:
                raise ValueError(f"its field {field} occurs twice")
            fields[field] = self._value(head & 15)
        return fields

    def _byte(self) -> int:
        self.offset += 1
        return self.data[self.offset - 1]

    def _unsigned(self) -> int:
        value = shift = 0  # seven bits a byte, the least first
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("an integer has more than 64 bits")
        return value | byte << shift

    def _integer(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)  # zigzag: 0, -1, 1, -2 are 0, 1, 2, 3

    def _value(self, code: int) -> Any:
        # Types of the protocol: 3 a byte, 4 to 6 integers, 7 a double, 8 bytes, 9 and 10 lists and
        # sets, 12 a struct.
        match code:
            case 1 | 2:  # true or false, which the type says
                return None
            case 3:
                self.offset += 1
            case 4 | 5 | 6:
                return self._integer()
            case 7:
                self.offset += 8
            case 8:
                length = self._unsigned()
                self.offset += length
            case 9 | 10:
                return self._list()
            case 12:
                return self.struct()
            case _:
                raise ValueError(f"a field is of type {code}")
        return None

    def _list(self) -> list[Any]:
        head = self._byte()
        code, length = head & 15, head >> 4
        # 15 in the upper half means that the length follows.
        length = self._unsigned() if length == 15 else length
        if length > len(self.data):  # no value takes less than a byte
            raise IndexError
        return [self._value(3 if code in (1, 2) else code) for _ in range(length)]
