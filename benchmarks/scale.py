"""What a billion samples of each kind cost, from the CPU time of shards written here.

python benchmarks/scale.py --n 400
python benchmarks/scale.py --kinds clock counter face --pair 0    # some, and no pair
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import cv2
import pyarrow.parquet as pq

from gnomon import store
from gnomon.generators import KINDS, create
from gnomon.store import GeneratedSamples, formats, pictures
from gnomon.store.formats import DATA
from gnomon.store.writing.write import SplitPlan, write_shard

if TYPE_CHECKING:
    from collections.abc import Callable

BILLION = 10**9
PARQUET = formats.create("parquet")
PARTS = ("draw", "PNG", "Parquet")
spent: dict[str, float] = defaultdict(float)


def timed(part: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """The same, with its CPU time on the part's account; busy neighbours cost none."""

    def working(*given: Any, **named: Any) -> Any:
        start = time.process_time()
        try:
            return work(*given, **named)
        finally:
            spent[part] += time.process_time() - start

    return working


def watch() -> None:
    """Put what the store calls for every sample on its part's account."""
    pictures.encode_png = timed("PNG", pictures.encode_png)
    pq.ParquetWriter.write_table = timed("Parquet", pq.ParquetWriter.write_table)
    pq.ParquetWriter.close = timed("Parquet", pq.ParquetWriter.close)


class Timed(GeneratedSamples):
    """What a generator draws, on the account of drawing."""

    __getitem__ = timed("draw", GeneratedSamples.__getitem__)


@dataclass(frozen=True)
class Cost:
    """Of one sample."""

    ms: dict[str, float]
    """CPU time by part, and of all."""
    size: float
    """Bytes on disk."""


def cost(kind: str, n: int, rounds: int) -> Cost:
    """The medians of a few shards, each of samples of its own."""
    samples, found, sizes = Timed(create(kind)), [], []
    for turn in range(rounds + 1):
        with TemporaryDirectory() as folder:
            plan = SplitPlan(samples, Path(folder), "train", (rounds + 1) * n, rounds + 1, PARQUET)
            (plan.root / DATA).mkdir()
            spent.clear()
            timed("all", write_shard)(plan, turn)
            found.append({part: 1000 * seconds / n for part, seconds in spent.items()})
            sizes.append((plan.root / plan.file(turn)).stat().st_size / n)
    del found[0], sizes[0]  # loads fonts and modules
    ms = {part: statistics.median(one.get(part, 0.0) for one in found) for part in (*PARTS, "all")}
    return Cost(ms, statistics.median(sizes))


def two_against_one(n: int, rounds: int) -> list[float]:
    """How many times as fast two processes are by the clock on the wall, start and all."""
    found = []
    for turn in range(rounds):
        seconds, hashes = [], []
        for workers in (1, 2):
            with TemporaryDirectory() as folder:
                start = time.perf_counter()
                drawn = GeneratedSamples(create("chart", seed=turn))
                manifest = store.write(drawn, folder, n=n, workers=workers)
                seconds.append(time.perf_counter() - start)
                hashes.append([s["sha256"] for s in manifest["splits"]["train"]["shards"]])
        assert hashes[0] == hashes[1]
        found.append(seconds[0] / seconds[1])
    return found


def main() -> None:
    """Print the table, and what two processes gain."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=400, help="samples a shard")
    parser.add_argument("--rounds", type=int, default=3, help="shards a kind")
    parser.add_argument("--pair", type=int, default=8000, help="charts by one and two processes")
    kinds = [kind for kind in KINDS if kind != "mixture"]  # which costs what its parts do
    parser.add_argument("--kinds", nargs="+", default=kinds, choices=kinds, metavar="KIND")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    watch()
    print(f"{'':<16}{'CPU ms a sample':<41}{'':>14}{'':>7}{'a billion':>13}")
    print(
        f"{'kind':<16}{'draw':>8}{'PNG':>8}{'labels':>8}{'Parquet':>9}{'share':>7}{'all':>8}{'kB':>7}"
        f"{'core-hours':>13}{'TB':>7}{'100 cores':>13}"
    )
    for kind in given.kinds:
        show(kind, cost(kind, given.n, given.rounds))
    if not given.pair:
        return
    load = os.getloadavg()[0]
    gains = two_against_one(given.pair, given.rounds)
    told = ", ".join(f"{gain:.2f}x" for gain in gains)
    print(f"\ntwo processes against one, {given.pair} charts, the same bytes: {told}")
    print(f"(cores: {os.cpu_count()}; load before it began: {load:.1f}, where 0.0 is idle)")


def show(kind: str, found: Cost) -> None:
    """One line."""
    ms = found.ms
    labels = ms["all"] - sum(ms[part] for part in PARTS)
    hours = ms["all"] * BILLION / 1000 / 3600
    print(
        f"{kind:<16}{ms['draw']:>8.2f}{ms['PNG']:>8.2f}{labels:>8.2f}{ms['Parquet']:>9.3f}"
        f"{ms['Parquet'] / ms['all']:>7.1%}{ms['all']:>8.2f}{found.size / 1000:>7.1f}"
        f"{hours:>13,.0f}{found.size * BILLION / 1e12:>7.1f}{hours / 100:>11.1f} h",
        flush=True,
    )


if __name__ == "__main__":
    main()
