"""What files hold is read as it is, up to what one may come to."""

import contextlib
import csv
import io
import json
from decimal import Decimal
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gnomon.store import parquet
from gnomon.store.user_data import lines
from gnomon.store.user_data.lines import read_rows

rows_of = partial(parquet.read_parquet, most_rows=10**6)
LONG = "x" * 100_000
TABLE = {
    "text": ["a", None, "ü" * 9, "a"],
    "wide": pa.array(["a", None, "b", "a"], pa.large_string()),
    "bytes": [b"\0", b"", None, b"\xff" * 99],
    "picture": [{"bytes": b"a", "path": None}, None, {"bytes": b"b", "path": "c"}, None],
    "pictures": [[{"bytes": b"a", "path": "a"}] * 2, [], None, [{"bytes": None, "path": "b"}]],
    "words": [["a", "a", None], None, [], ["b"]],
    "words of words": [[["a"], []], None, [], [["b", "b"]]],
    "map": pa.array([[("a", "b")], None, [], [("a", "a")]], pa.map_(pa.string(), pa.string())),
    "dictionary": pa.array(["a", "b", None, "a"]).dictionary_encode(),
    "decimal": [Decimal("1.5"), None, Decimal("2.5"), Decimal("1.5")],
    "fixed": pa.array([b"ab", None, b"cd", b"ab"], pa.binary(2)),
    "truth": [True, None, False, True],
    "number": [1.5, None, 2.5, 1.5],
    "none": [None] * 4,
}


def written(folder, table, **how):
    pq.write_table(pa.table(table), folder / "a.parquet", **how)
    return folder / "a.parquet"


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"use_dictionary": False},
        {"row_group_size": 3},
        {"data_page_version": "2.0", "compression": "zstd"},
        {"data_page_size": 1, "write_batch_size": 1},
        {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}},
        {"use_dictionary": False,
         "column_encoding": {"words.list.element": "DELTA_BYTE_ARRAY"}},
        {"use_dictionary": False, "column_encoding": {"text": "DELTA_LENGTH_BYTE_ARRAY"}},
        {"store_schema": False},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("times", [1, 70])
def test_rows_are_those_that_arrow_reads(tmp_path, how, times):
    table = pa.concat_tables([pa.table(TABLE)] * times).combine_chunks()
    file = written(tmp_path, table, **how)
    assert list(rows_of(file)) == pq.read_table(file).to_pylist()


def encoded(table, **how):
    file = io.BytesIO()
    pq.write_table(pa.table(table), file, compression="zstd", **how)
    return file.getvalue()


def lying(data, size):
    """A footer that says 5 bytes of a column of so many, in as long an integer."""
    told = varint(2 * size)
    assert data.count(told)
    return data.replace(told, b"\x8a" + b"\x80" * (len(told) - 2) + b"\0")


def varint(value):
    more = value >> 7
    return bytes([value & 127 | 128]) + varint(more) if more else bytes([value])


REPEATED = encoded({"a": [LONG] * 99}, dictionary_pagesize_limit=2**30)
IN_PAGE = pq.read_metadata(io.BytesIO(REPEATED)).row_group(0).column(0).total_uncompressed_size
BOMBS = {
    "a text in a dictionary": REPEATED,
    "a footer that says less": lying(REPEATED, IN_PAGE),
    "texts of one beginning": encoded({"a": [LONG + str(n) for n in range(99)]},
                                      use_dictionary=False,
                                      column_encoding={"a": "DELTA_BYTE_ARRAY"}),
    "texts in a list": encoded({"a": [[LONG] * 99]}, dictionary_pagesize_limit=2**30),
    "prefixes in a list": encoded({"a": [[LONG] * 99]}, use_dictionary=False,
                                  column_encoding={"a.list.element": "DELTA_BYTE_ARRAY"}),
    "nothing in a list": encoded({"a": pa.array([[None] * 10**6], pa.list_(pa.int8()))}),
    "a page": encoded({"a": ["x" * 3_000_000]}, use_dictionary=False, write_statistics=False),
    "rows of nothing": encoded({"a": pa.nulls(10**6 + 1, pa.int8())}),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_table_that_comes_to_much_is_refused(tmp_path, monkeypatch, name):
    file = tmp_path / "a.parquet"
    file.write_bytes(BOMBS[name])
    assert len(BOMBS[name]) < 10_000
    monkeypatch.setattr(parquet, "_LEAST", 2**21)
    monkeypatch.setattr(lines, "MAX_ROWS", 10**6)
    with pytest.raises(ValueError, match=r"a\.parquet: it cannot be read .*bytes come|1,000,001"):
        list(read_rows(file))


def test_a_damaged_table_is_a_table_or_refused(tmp_path):
    data = bytearray(encoded({"a": ["b"] * 9}))
    for place in range(5, len(data) - 8, 2):
        changed = data.copy()
        changed[place] ^= 0x55
        (tmp_path / "a.parquet").write_bytes(changed)
        with contextlib.suppress(ValueError):  # of no other kind
            list(read_rows(tmp_path / "a.parquet"))


@pytest.mark.parametrize("by", ["\n", "\r", "\r\n"])
def test_a_table_is_read_whatever_ends_its_lines(tmp_path, by):
    (tmp_path / "a.csv").write_bytes(by.join(["a,b", "1,2", "", '"3', '4",5', ""]).encode())
    (tmp_path / "a.jsonl").write_bytes(by.join(['{"a": 1}', "", '{"a": 2}']).encode())
    assert [row["b"] for _, row in read_rows(tmp_path / "a.csv")] == ["2", "5"]
    assert [line for line, _ in read_rows(tmp_path / "a.jsonl")] == [1, 3]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", "a,b\n1,2\n3," + "4" * 50, "line 3 is longer than 40 characters"),
        ("a.csv", "a,b\n1," + '"4\n",' * 20, "a row is longer than 40 characters"),
        ("a.csv", "a,b\n" + "1,2\n" * 8, "it has more than 7 rows: split it"),
        ("a.jsonl", json.dumps({"a": "4" * 50}), "line 1 is longer than 40 characters"),
        ("a.jsonl", '{"a": 1}\n' * 8, "it has more than 7 rows: split it"),
        ("a.json", json.dumps([{"a": 1}] * 8), "it has more than 7 rows: split it"),
        ("a.json", json.dumps([{"a": 1}] * 20), r"bytes, but the limit for a \.json .* is 100"),
        ("a.jsonl", '{"a": 1}\n' * 30, "bytes, and gnomon reads at most 200"),
    ],
)
def test_a_table_beyond_its_bounds_is_refused(tmp_path, monkeypatch, name, text, told):
    for limit, value in (
        ("_MAX_ROW", 40),
        ("MAX_ROWS", 7),
        ("_MAX_PARSED", 100),
        ("_MAX_STREAMED", 200),
    ):
        monkeypatch.setattr(lines, limit, value)
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=rf"{name}: .*{told}"):
        list(read_rows(tmp_path / name))


def test_reading_a_table_never_lowers_the_limit_of_others(tmp_path, monkeypatch):
    """csv has one limit for the whole process."""
    monkeypatch.setattr(lines, "_MAX_ROW", 40)
    before = csv.field_size_limit()
    (tmp_path / "a.csv").write_text("a\n1\n")
    assert list(read_rows(tmp_path / "a.csv")) == [(2, {"a": "1"})]
    assert csv.field_size_limit() >= before
