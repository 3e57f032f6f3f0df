"""What Ray Data costs beside `gnomon generate`, both with two processes on this machine.

python benchmarks/scale_ray.py --n 6000    # needs ray[data]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import ray

from gnomon import store
from gnomon.generators import create
from gnomon.store import GeneratedSamples
from gnomon.store.formats.parquet import table
from gnomon.store.records import to_record


def draw(batch: dict) -> object:
    """Return a batch of clocks as a table, as the script in docs/scale.md does."""
    clocks = create("clock", seed=1)
    return table([to_record(clocks[int(index)]) for index in batch["id"]])


def by_generate(n: int, folder: Path) -> None:
    """Write the clocks as `gnomon generate clock --seed 1 --workers 2` does."""
    store.write(GeneratedSamples(create("clock", seed=1)), folder / "generate", n=n, workers=2)


def by_ray(n: int, folder: Path) -> None:
    """Write the clocks with two workers of Ray, which are running already."""
    indices = ray.data.range(n, override_num_blocks=8)
    indices.map_batches(draw, batch_size=None).write_parquet(str(folder / "ray"), row_group_size=20)


def processor_seconds() -> float:
    """CPU time of this process, of children that ended, and of descendants that live."""
    own = psutil.Process()
    times = [own.cpu_times(), *(child.cpu_times() for child in own.children(recursive=True))]
    ended = own.cpu_times()
    return sum(t.user + t.system for t in times) + ended.children_user + ended.children_system


def main() -> None:
    """Print seconds and CPU time a clock of both, round by round in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    start = time.perf_counter()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.range(2, override_num_blocks=2).map_batches(draw, batch_size=None).materialize()
    print(
        f"Ray {ray.__version__} started and drew two clocks in {time.perf_counter() - start:.1f} s"
    )
    print(f"{'':<10}{'seconds':>9}{'CPU ms a clock':>16}   median of {given.rounds} rounds")
    results: dict[str, list[tuple[float, float]]] = {"generate": [], "ray": []}
    for _ in range(given.rounds):
        for name, write in (("generate", by_generate), ("ray", by_ray)):
            with TemporaryDirectory() as folder:
                wall, cpu = time.perf_counter(), processor_seconds()
                write(given.n, Path(folder))
                seconds = time.perf_counter() - wall
                results[name].append((seconds, 1000 * (processor_seconds() - cpu) / given.n))
    for name, rounds in results.items():
        seconds, cpu = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"{name:<10}{seconds:>9.1f}{cpu:>16.2f}")
    print(f"(cores: {os.cpu_count()}; load at the end: {os.getloadavg()[0]:.1f})")


if __name__ == "__main__":
    main()
