"""Checkpoints of interrupted runs: saved when a signal comes, and found again to resume from."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from zipfile import ZipFile

import torch
from pydantic import TypeAdapter, ValidationError
from safetensors import safe_open
from transformers import TrainerCallback, TrainerControl, TrainerState
from transformers.trainer import OPTIMIZER_NAME, SCHEDULER_NAME, TRAINER_STATE_NAME
from transformers.trainer_pt_utils import safe_globals

from gnomon.files import check_regular, read_text
from gnomon.jsons import first_fault
from gnomon.progress import warn

_MAX_STATE = 2**28
"""Largest size of trainer_state.json in bytes. It contains every line that was logged."""


def last_checkpoint(
    folder: Path,
    *,
    adapter: bool,
    processes: int = 1,
    takes_best: bool = False,
    sharded: bool = False,
    quiet: bool = False,
) -> Path | None:
    """Return the newest complete checkpoint. None if no checkpoint was ever finished.

    If a file is missing, transformers starts with a fresh optimizer or RNG and so trains other
    weights. Therefore every file that resuming reads is opened here first, and faults are named.
    With `takes_best`, the best checkpoint is loaded at the end, so it must also be complete. With
    `sharded`, FSDP and DeepSpeed save other files, and only the file written last is checked.
    """
    # Files of PEFT or of transformers. Large weights are sharded.
    config, model = ("adapter_config", "adapter_model") if adapter else ("config", "model")
    weights = f"{config}.json", f"{model}*.safetensors"
    faults: list[str] = []
    finished, last = False, None
    for checkpoint in reversed(_checkpoints(folder)):
        try:
            # Written last. A checkpoint without it was cut short by a kill.
            (state,) = _read_files(checkpoint, TRAINER_STATE_NAME)
            finished = True
            if not sharded:
                _read_files(checkpoint, *weights, OPTIMIZER_NAME, SCHEDULER_NAME)
                _check_rng_states(checkpoint, processes)
                if takes_best and state.best_global_step:
                    best = checkpoint.with_name(f"checkpoint-{state.best_global_step}")
                    _read_files(best, *weights)
        except ValueError as error:
            faults.append(str(error))
        else:
            last = checkpoint
            break
    if finished and last is None:
        raise ValueError(
            f"{folder} holds no complete checkpoint ({'; '.join(faults)}): delete {folder} to begin"
            " again"
        )
    consequence = f"resuming from {last.name}" if last else "starting again"
    for fault in () if quiet else faults:
        warn(f"{folder}: {fault}: {consequence}")
    return last


def remove_old(folder: Path, limit: int | None, protected: Collection[Path]) -> None:
    """Delete all checkpoints except the newest `limit` and the protected ones.

    transformers does so after each checkpoint, but a kill may have come before.
    """
    checkpoints = _checkpoints(folder)
    # Even under a limit of 1, transformers keeps both the best and the last checkpoint.
    excess = len(checkpoints) - max(limit, len(protected)) if limit else 0
    for checkpoint in checkpoints:
        if excess > 0 and checkpoint not in protected:
            shutil.rmtree(checkpoint, ignore_errors=True)
            excess -= 1


def _checkpoints(folder: Path) -> list[Path]:
    """List the folders checkpoint-N by number, the oldest first."""
    numbered = []
    for checkpoint in folder.glob("checkpoint-*"):
        number = checkpoint.name.rpartition("-")[2]
        if number.isdecimal():
            numbered.append((int(number), checkpoint))
    return [checkpoint for _, checkpoint in sorted(numbered)]


def _check_rng_states(checkpoint: Path, processes: int) -> None:
    """Check that each process finds a saved RNG state.

    A run may resume with fewer processes than saved states, or with several if only one saved.
    """
    _read_files(checkpoint, "rng_state*.pth")
    names = [file.name for file in checkpoint.glob("rng_state*.pth")]
    if len(names) < processes and names != ["rng_state.pth"]:
        raise ValueError(f"{checkpoint.name}/rng_state_*.pth is missing for some processes")


def _read_files(checkpoint: Path, *patterns: str) -> list[Any]:
    """Read files completely, and return the contents of JSON files. A ValueError names a bad
    file."""
    contents = []
    for pattern in patterns:
        files = sorted(checkpoint.glob(pattern))
        # A glob, because large models are saved as several files.
        if not files:
            raise ValueError(f"{checkpoint.name}/{pattern} is missing")
        for file in files:
            try:
                contents.append(_read_file(file))
            except MemoryError:
                raise  # the file may be whole
            except Exception as error:  # a damaged file makes its reader raise nearly anything
                raise ValueError(f"{checkpoint.name}/{file.name} is damaged ({error})") from error
    return contents


def _read_file(file: Path) -> Any:
    """Read a file of a checkpoint as its suffix says. Raise if it is damaged."""
    check_regular(file)
    if file.name == TRAINER_STATE_NAME:
        return _read_trainer_state(file)
    if file.suffix == ".json":
        return json.loads(read_text(file, "a trainer's state", limit=_MAX_STATE))
    if file.suffix == ".safetensors":
        with safe_open(file, framework="pt"):  # checks the header against the file's size
            return None
    with ZipFile(file) as archive:  # torch.save writes a zip
        damaged = archive.testzip()
    if damaged:
        raise ValueError(f"the checksum of {damaged} is wrong")
    with safe_globals():  # refuses pickles of anything but tensors and plain values
        values = torch.load(file, map_location="cpu", weights_only=True, mmap=True)
    _check_keys(file, values)
    return None


def _read_trainer_state(file: Path) -> _TrainerState:
    text = read_text(file, "a trainer's state", limit=_MAX_STATE)
    try:
        state = TypeAdapter(_TrainerState).validate_json(text)
    except ValidationError as error:
        raise ValueError(first_fault(error)) from error
    TrainerState.load_from_json(file)  # raises for keys that the installed release has not
    return state


@dataclass(frozen=True)
class _LogLine:
    step: int | float


@dataclass(frozen=True)
class _TrainerState:
    """Fields of transformers' trainer_state.json that a resumed run relies on."""

    global_step: int
    max_steps: int
    log_history: list[_LogLine]
    best_global_step: int | None = None
    stateful_callbacks: dict[str, dict[str, Any] | list[Any]] = field(default_factory=dict)


_KEYS = {
    OPTIMIZER_NAME: {"state", "param_groups"},
    SCHEDULER_NAME: {"last_epoch"},
    "rng_state": {"python", "numpy", "cpu"},
}
"""Keys that transformers looks up in files of torch.save, by the start of the file's name."""


def _check_keys(file: Path, values: Any) -> None:
    expected = next((keys for name, keys in _KEYS.items() if file.name.startswith(name)), set())
    missing = expected - values.keys() if isinstance(values, dict) else expected
    if missing:
        raise ValueError(f"it has no {', '.join(sorted(missing))}")


_SIGNALS = signal.SIGINT, signal.SIGTERM
# `timeout` sends its signal twice, to the process and to its group.
_SAME_CALL = 1.0
"""Seconds within which a second signal counts as the same signal."""
_MESSAGE = b"\ngnomon: this step is finished and saved first; Ctrl-C again ends at once\n"


class SaveWhenInterrupted(TrainerCallback):  # type: ignore[misc]
    """Callback that answers the first signal with a checkpoint, and then lets it act as before.

    The training runs in its `with` block, which takes over the signals' handlers. If there are
    several processes, they keep their handlers, because each would stop at a different step.
    """

    def __init__(self, n_processes: int = 1) -> None:
        self._n_processes = n_processes
        self._process = os.getpid()
        self._arrived: signal.Signals | None = None
        self._arrival = 0.0
        """Time of the first signal, in seconds of time.monotonic()."""
        self._handlers: dict[signal.Signals, Callable[..., Any] | int | None] = {}

    def __enter__(self) -> Self:
        """Take over the signals' handlers, in the only thread in which Python handles signals."""
        if self._n_processes > 1 or threading.current_thread() is not threading.main_thread():
            return self
        handlers = {number: signal.getsignal(number) for number in _SIGNALS}
        # A shell's background job ignores Ctrl-C.
        self._handlers = {n: h for n, h in handlers.items() if h not in (None, signal.SIG_IGN)}
        for number in self._handlers:
            signal.signal(number, self._receive)
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Restore the handlers. A waiting signal acts now."""
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if error is None and self._arrived is not None:
            signal.raise_signal(self._arrived)

    def on_step_end(self, _: Any, __: Any, control: TrainerControl, **___: Any) -> None:
        """Ask for a checkpoint, and for a line of the log, because checkpoints do not store its
        sums."""
        if self._arrived is not None:
            control.should_save = control.should_log = True

    def on_save(self, *_: Any, **__: Any) -> None:
        """End as without this callback, now that the checkpoint is saved."""
        if self._arrived is not None:
            self._end(self._arrived)

    def _receive(self, number: int, _: object) -> None:
        if os.getpid() != self._process:
            # A data loader's process inherits this. It also receives Ctrl-C but keeps working for
            # the last step. Its parent ends it.
            if number == signal.SIGTERM:
                self._end(signal.SIGTERM)
        elif self._arrived is None:
            self._arrived, self._arrival = signal.Signals(number), time.monotonic()
            os.write(2, _MESSAGE)  # print may be at work where the signal came
        elif number == signal.SIGINT and time.monotonic() - self._arrival > _SAME_CALL:
            self._end(signal.SIGINT)

    def _end(self, number: signal.Signals) -> None:
        self._arrived = None
        signal.signal(number, self._handlers[number])
        signal.raise_signal(number)
