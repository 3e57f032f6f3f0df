"""docs/scale.md says what benchmarks/scale.py printed, which measures whole shards."""

import runpy
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from gnomon.store import pictures

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["scale", "scale_instruments", "scale_ray"])
def test_the_page_shows_what_was_printed(name):
    printed = (ROOT / "benchmarks" / "results" / f"{name}.txt").read_text(encoding="utf-8")
    assert f"```text\n{printed}```" in (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")


def test_the_parts_of_a_shard_are_parts_of_the_whole(monkeypatch, capsys):
    monkeypatch.setattr(
        pictures, "encode_png", pictures.encode_png
    )  # the benchmark puts its own there
    for name in ("write_table", "close"):
        monkeypatch.setattr(pq.ParquetWriter, name, getattr(pq.ParquetWriter, name))
    measured = runpy.run_path(str(ROOT / "benchmarks" / "scale.py"))
    measured["watch"]()
    found = measured["cost"]("clock", 20, 1)
    assert found.ms.keys() == {"draw", "PNG", "Parquet", "all"}
    assert min(found.ms.values()) > 0
    assert sum(found.ms.values()) - found.ms["all"] < found.ms["all"]
    assert found.size == pytest.approx(23e3, rel=0.5)
    measured["show"]("clock", found)
    assert capsys.readouterr().out.startswith("clock  ")
