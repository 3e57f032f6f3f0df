"""Which checkpoint a killed run goes on from: the newest that is whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from safetensors import safe_open
from transformers.trainer import (
    OPTIMIZER_NAME,
    SCALER_NAME,
    SCHEDULER_NAME,
    TRAINER_STATE_NAME,
)

from gnomon.progress import warn


def last_checkpoint(
    folder: Path,
    *,
    adapter: bool,
    processes: int = 1,
    takes_best: bool = False,
    sharded: bool = False,
    quiet: bool = False,
) -> Path | None:
    """The newest whole checkpoint; None where none was ever finished.

    transformers begins with a fresh optimizer or RNG where its file is missing, and so trains other
    weights. Here every file that a resume reads is opened first, and a fault is told by its name.
    `takes_best`: the best checkpoint is loaded at the end, so it must be whole, too. `sharded`:
    FSDP and DeepSpeed save other files; only the last that is written is looked at.
    """
    there = [c for c in folder.glob("checkpoint-*") if _step(c).isdecimal()]
    faults: list[str] = []
    finished, found = False, None
    for checkpoint in sorted(there, key=lambda c: int(_step(c)), reverse=True):
        try:
            # Written last: without it a kill cut the checkpoint short.
            state = _opened(checkpoint / TRAINER_STATE_NAME)
            finished = True
            best = checkpoint.with_name(f"checkpoint-{state.get('best_global_step')}")
            if not sharded:
                _open_all(_needed(checkpoint, adapter, processes))
            if not sharded and takes_best and state.get("best_global_step"):
                _open_all(_weights(best, adapter))
        except ValueError as error:
            faults.append(str(error))
        else:
            found = checkpoint
            break
    if finished and found is None:
        raise ValueError(
            f"{folder} holds no whole checkpoint ({'; '.join(faults)}): delete {folder} to begin"
            " again"
        )
    then = f"going on from {found.name}" if found else "beginning again"
    for fault in () if quiet else faults:
        warn(f"{folder}: {fault}: {then}")
    return found


def _step(checkpoint: Path) -> str:
    return checkpoint.name.rpartition("-")[2]


def _needed(checkpoint: Path, adapter: bool, processes: int) -> Iterator[Path]:
    """The files that a resume reads."""
    yield from _weights(checkpoint, adapter)
    yield from (checkpoint / name for name in (OPTIMIZER_NAME, SCHEDULER_NAME))
    if (scaler := checkpoint / SCALER_NAME).exists():  # only some precisions have one
        yield scaler
    saved = {file.name for file in checkpoint.glob("rng_state*.pth")}
    # A run may go on with another number of processes: then the states are those of all that saved.
    other = (len(saved) == 1 or len(saved) > processes) and saved == _states(len(saved))
    yield from (checkpoint / name for name in sorted(saved if other else _states(processes)))


def _states(processes: int) -> set[str]:
    """What the RNG states of so many processes are called."""
    if processes == 1:
        return {"rng_state.pth"}
    return {f"rng_state_{rank}.pth" for rank in range(processes)}


def _weights(checkpoint: Path, adapter: bool) -> Iterator[Path]:
    yield checkpoint / ("adapter_config.json" if adapter else "config.json")
    name = "adapter_model" if adapter else "model"
    index = checkpoint / f"{name}.safetensors.index.json"
    if index.exists():
        yield from (checkpoint / part for part in sorted({*_opened(index)["weight_map"].values()}))
    elif (pickled := checkpoint / f"{name}.bin").exists():
        yield pickled
    else:
        yield checkpoint / f"{name}.safetensors"


def _open_all(files: Iterator[Path]) -> None:
    for file in files:
        _opened(file)


def _opened(file: Path) -> Any:
    """What a JSON file holds; any other is looked through. A ValueError names what is not whole."""
    name = f"{file.parent.name}/{file.name}"
    if not file.is_file():
        raise ValueError(f"{name} is missing")
    try:
        if file.suffix == ".json":
            return json.loads(file.read_text(encoding="utf-8"))
        if file.suffix == ".safetensors":
            with safe_open(file, framework="pt"):  # refuses a file that its header does not fit
                return None
        with ZipFile(file) as archive:  # what torch saves
            spoilt = archive.testzip()
    except Exception as error:  # whatever its reader makes of a damaged file
        raise ValueError(f"{name} is damaged ({error})") from error
    if spoilt is not None:
        raise ValueError(f"{name} is damaged (the checksum of {spoilt})")
    return None
