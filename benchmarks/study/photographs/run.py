"""Runs the cells in the plan's order, where a kill left off, by one process or by several."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.study.photographs import outcomes, report
from benchmarks.study.photographs.cell import Place, measure
from benchmarks.study.photographs.outcomes import Outcome
from benchmarks.study.photographs.plan import Cell, choice_cells, study_cells
from gnomon.progress import note

_PATIENCE = 10.0
"""Seconds between looks at the choices that another process is still making."""
Measure = Callable[[Cell, Place], Outcome]


def run(file: Path, place: Place, workers: int) -> None:
    """Run all cells that have no outcome yet; other calls may do the same at the same time."""
    if workers == 1:
        work(file, place)
        return
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=work, args=(file, place)) for _ in range(workers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise RuntimeError("a worker failed: the same command goes on where it stopped")


def work(file: Path, place: Place, measure: Measure = measure) -> None:
    """Choose the strengths, then run the study's cells, in the plan's order."""
    choices = choice_cells()
    _run_cells(choices, file, place, measure)
    # Another process may still be at some of them; if it is killed, they are ours.
    while any(cell.key not in outcomes.read(file) for cell in choices):
        time.sleep(_PATIENCE)
        _run_cells(choices, file, place, measure)
    _run_cells(study_cells(report.strengths_of(outcomes.read(file))), file, place, measure)


def _run_cells(cells: Iterable[Cell], file: Path, place: Place, measure: Measure) -> None:
    finished = outcomes.read(file)
    for cell in cells:
        if cell.key in finished:
            continue
        with outcomes.claim(place.work / "claims" / f"{cell.key}.lock") as is_ours:
            # Read under the claim: whoever had it before may just have finished.
            if not is_ours or cell.key in outcomes.read(file):
                continue
            began = time.monotonic()
            outcomes.append(file, measure(cell, place), place.work)
            note(f"{cell.key}: {(time.monotonic() - began) / 60:.1f} minutes")


def smoke(cells: Iterable[Cell], place: Place) -> None:
    """Run cells of two steps and print what each costs; nothing is stored."""
    for cell in cells:
        outcome = measure(cell, place)
        n = len(outcome["groups"])
        print(f"{cell.key}: {outcome['cpu_seconds']} seconds of a core, {n} answers")
