"""Kill gnomon, and refuse it the disk, at operation after operation, and print what comes of it.

make crash
python -m benchmarks.crash --kills 3 --errors 2 --scene score --scene "generate parquet"
python -m benchmarks.crash --records runs/crash   # interrupted: it goes on with the next job
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))  # its server of replies

from benchmarks.crash.injection import Injector, server_of_one_answer
from benchmarks.crash.pairs import Duel
from benchmarks.crash.scenes import BY_NAME, PAIRS, SCENES, Pair, Scene
from benchmarks.crash.table import Records, Result, faults, table
from benchmarks.crash.trial import Stage

KILLS, ERRORS = 20, 12
"""Strikes for each scene; of a command with few operations there are fewer."""


def main() -> int:
    options = arguments()
    jobs: list[Scene | Pair] = [scene for scene in SCENES if scene.name in options.scene]
    jobs += PAIRS if options.pairs else []
    jobs.sort(key=lambda job: not (isinstance(job, Scene) and job.heavy))
    with tempfile.TemporaryDirectory(prefix="crash-") as scratch:
        records = Records(options.records or Path(scratch) / "records")
        remaining = [job for job in jobs if not records.file(job).exists()]
        if options.records and len(remaining) < len(jobs):
            print(
                f"{len(jobs) - len(remaining)} of {len(jobs)} jobs are in {options.records}"
                " already: delete it to play them again",
                file=sys.stderr,
            )
        with server_of_one_answer() as url:
            play_all(remaining, Path(scratch), url, options, records)
        print(table(records))
        return 1 if faults({job.name: records.read(job) for job in jobs}) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.crash", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--scene", action="append", choices=list(BY_NAME), help="default: all")
    parser.add_argument("--kills", type=int, default=KILLS, help="for each scene")
    parser.add_argument("--errors", type=int, default=ERRORS, help="for each scene")
    parser.add_argument("--no-pairs", dest="pairs", action="store_false")
    parser.add_argument("--workers", type=int, default=2, help="processes, each with torch loaded")
    parser.add_argument(
        "--records", type=Path, help="folder for the results of each job; what is there is kept"
    )
    options = parser.parse_args()
    options.scene = options.scene or list(BY_NAME)
    return options


def play_all(
    jobs: list[Scene | Pair], scratch: Path, url: str, options: argparse.Namespace, records: Records
) -> None:
    """Play the jobs, each in its own folder, on as many warm processes as there are workers."""
    warm: SimpleQueue[Injector] = SimpleQueue()

    def play(job: Scene | Pair) -> None:
        injector = warm.get()
        folder, began = scratch / str(jobs.index(job)), time.monotonic()
        try:
            records.write(job, results(job, injector, folder, url, options))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            warm.put(injector)
        print(f"{time.monotonic() - began:5.0f} s  {job.name}", file=sys.stderr, flush=True)

    injectors = [Injector(scratch / f"warm-{number}") for number in range(options.workers)]
    for injector in injectors:
        warm.put(injector)
    try:
        with ThreadPoolExecutor(options.workers) as pool:
            for future in [pool.submit(play, job) for job in jobs]:
                future.result()
    finally:
        for injector in injectors:
            injector.close()


def results(
    job: Scene | Pair, injector: Injector, folder: Path, url: str, options: argparse.Namespace
) -> Iterator[Result]:
    """Strike one scene, or let one pair meet, as often as it has places to do so."""
    if isinstance(job, Pair):
        for met in Duel(job, injector, folder, url).meetings():
            yield Result.from_meeting(met)
        return
    stage = Stage(job, injector, folder, url)
    for strike in stage.strikes(kinds(options.kills, options.errors)):
        if (result := stage.try_strike(strike)) is not None:
            yield Result.from_strike(result)


def kinds(kills: int, errors: int) -> dict[str, int]:
    """Strikes of each kind: a write that is torn for two kills, a full disk for two errors."""
    return {
        "kill": kills - kills // 3,
        "tear": kills // 3,
        "ENOSPC": errors // 4,
        "EIO": errors // 4,
        "full": errors - 2 * (errors // 4),
    }


if __name__ == "__main__":
    sys.exit(main())
