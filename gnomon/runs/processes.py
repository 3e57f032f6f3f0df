"""The processes that a launcher started together. Only the first process writes."""

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from gnomon.recipe import RecipeError
from gnomon.store.lock import sole_writer


def is_first_process() -> bool:
    """True in the first of the processes that were launched together."""
    # accelerate and torchrun set RANK and WORLD_SIZE for what they launch.
    return os.environ.get("RANK", "0") == "0"


def n_processes() -> int:
    """Count the processes that were launched together."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def lock_run(run: Path) -> AbstractContextManager[None]:
    """Lock the run's directory for one writer.

    If several processes were launched, the first holds the lock. The others do not write.
    """
    return sole_writer(run, folder=True) if is_first_process() else nullcontext()


def check_single_process(verb: str) -> None:
    """Refuse several launched processes: they would all write the same files."""
    if n_processes() > 1:
        raise RecipeError(
            f"gnomon {verb} runs in one process, and {n_processes()} were launched: launch `gnomon"
            f" train`, then run `gnomon {verb}` alone, which does the remaining steps"
        )
