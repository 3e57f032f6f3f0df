"""A checkpoint for Ctrl-C and SIGTERM: the step is finished and saved before a training ends."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, Self

from transformers import TrainerCallback, TrainerControl

_SIGNALS = signal.SIGINT, signal.SIGTERM
# `timeout` sends its signal twice, to the process and to its group.
_SAME_CALL = 1.0
"""Seconds within which a second signal is no second call."""
_MESSAGE = b"\ngnomon: this step is finished and saved first; Ctrl-C again ends at once\n"


class SaveWhenInterrupted(TrainerCallback):  # type: ignore[misc]
    """Callback that answers the first signal with a checkpoint, and then lets it act as before.

    The training runs in a `with` block of it, which takes the signals' handlers. Of several
    processes each would stop at a step of its own, so these keep their handlers.
    """

    def __init__(self, n_processes: int = 1) -> None:
        self._n_processes = n_processes
        self._process = os.getpid()
        self._arrived: signal.Signals | None = None
        self._arrival = 0.0
        """Seconds of time.monotonic()."""
        self._handlers: dict[signal.Signals, Callable[..., Any] | int | None] = {}

    def __enter__(self) -> Self:
        """Take the signals' handlers, in the only thread in which Python handles signals."""
        if self._n_processes > 1 or threading.current_thread() is not threading.main_thread():
            return self
        handlers = {number: signal.getsignal(number) for number in _SIGNALS}
        # A shell's background job ignores Ctrl-C.
        self._handlers = {n: h for n, h in handlers.items() if h not in (None, signal.SIG_IGN)}
        for number in self._handlers:
            signal.signal(number, self._receive)
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Give the handlers back; a signal that still waits acts now."""
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if error is None and self._arrived is not None:
            signal.raise_signal(self._arrived)

    def on_step_end(self, _: Any, __: Any, control: TrainerControl, **___: Any) -> None:
        """Ask for a checkpoint."""
        control.should_save |= self._arrived is not None

    def on_save(self, *_: Any, **__: Any) -> None:
        """End as without this callback, now that the checkpoint is there."""
        if self._arrived is not None:
            self._end(self._arrived)

    def _receive(self, number: int, _: object) -> None:
        if os.getpid() != self._process:
            # A data loader's process inherits this. Ctrl-C, which reaches it too, leaves it at work
            # for the last step; its parent ends it.
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
