"""The same job for many indices, in this process or in several. Worker processes end with the
run."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from tempfile import TemporaryDirectory
from traceback import format_exc
from typing import Any, TypeVar

import cv2

T = TypeVar("T")
_jobs: list[Callable[[int], Any]] = []
"""Job of this process if it is a worker."""
_HAS_SIGNAL_MASKS = hasattr(signal, "pthread_sigmask")  # not on Windows


def run(
    job: Callable[[int], T],
    indices: Sequence[int],
    *,
    workers: int | None,
    on_result: Callable[[int, T], None],
) -> None:
    """Call `job` with every index, and `on_result` in this process with each result.

    There are at most `workers` processes, or one per core if it is None. Each receives the job
    once, when it starts. A job may hold a whole table, and each index is one of its shards or
    chunks.
    """
    # Never more processes than indices.
    processes = min(workers or os.cpu_count() or 1, len(indices))
    if processes <= 1:
        for index in indices:
            on_result(index, job(index))
        return
    # Spawned, because a fork would copy locks that other threads of this process hold.
    context = get_context("spawn")
    with TemporaryDirectory() as folder:
        # A job among the arguments of a process would be written into a pipe while the child
        # starts. With a large job, this process would wait forever if the child died.
        file = Path(folder, "job")
        file.write_bytes(ForkingPickler.dumps(job))
        executor = ProcessPoolExecutor(processes, context, _set_up, (file,))
        try:
            _distribute(executor, indices, processes, on_result)
        except BrokenProcessPool as error:
            raise ChildProcessError(
                "a worker process died: if memory ran out, use fewer workers; if a script starts"
                ' the workers, start them below `if __name__ == "__main__":`; then run it again'
            ) from error
        finally:
            for process in list((executor._processes or {}).values()):
                process.kill()  # in the middle of what it does, if this run failed
            executor.shutdown(cancel_futures=True)


def _distribute(
    executor: ProcessPoolExecutor,
    indices: Sequence[int],
    processes: int,
    on_result: Callable[[int, Any], None],
) -> None:
    """Give each process one index after another, because waiting results would fill the memory."""
    remaining, running = iter(indices), dict[Future[Any], int]()

    def submit(count: int) -> None:
        with _postpone_signals():  # the executor starts a process when no other is idle
            for index in islice(remaining, count):
                running[executor.submit(_outcome, index)] = index

    submit(processes)
    while running:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            index = running.pop(future)
            error, result = future.result()
            if error is not None:
                raise error
            submit(1)  # before `on_result`, which may wait for the disk
            on_result(index, result)


@contextmanager
def _postpone_signals() -> Iterator[None]:
    """Postpone Ctrl-C and SIGTERM until a process has started, which takes moments.

    Otherwise their exceptions could end the parent while multiprocessing writes the description of
    the process. The child would then print a traceback about a truncated pickle.
    """
    if threading.current_thread() is not threading.main_thread():  # Python handles signals there
        yield
        return
    arrivals: list[int] = []
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    for signal_number, handler in handlers.items():
        if handler not in (None, signal.SIG_IGN):
            signal.signal(signal_number, lambda arrival, _: arrivals.append(arrival))
    mask = _block_ctrl_c()
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for signal_number, handler in handlers.items():
            if handler not in (None, signal.SIG_IGN):
                signal.signal(signal_number, handler)
        if arrivals:
            signal.raise_signal(arrivals[0])


def _block_ctrl_c() -> set[signal.Signals] | None:
    """Block SIGINT in this thread, because the children inherit the mask.

    A terminal's Ctrl-C also reaches the children, and a starting child would print a traceback.
    Another thread of this process may still receive the signal, so the mask alone postpones nothing
    here.
    """
    if not _HAS_SIGNAL_MASKS:
        return None
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # started here, because starting it unblocks SIGINT
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}))  # type: ignore[arg-type]


def _set_up(file: Path) -> None:
    """Prepare a worker process, and load its job."""
    # Ctrl-C reaches every process of a terminal. Only the first reports it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _HAS_SIGNAL_MASKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    # Otherwise each worker has a thread per core. Two workers on two cores took a fifth longer.
    cv2.setNumThreads(1)
    _jobs[:] = [ForkingPickler.loads(file.read_bytes())]


def _outcome(index: int) -> tuple[Exception | None, Any]:
    """Return the job's error and result. An error carries its traceback as a note, because pickle
    drops it."""
    try:
        return None, _jobs[0](index)
    except Exception as error:
        error.add_note(f"in a worker process:\n{format_exc()}")
        try:
            ForkingPickler.loads(ForkingPickler.dumps(error))
        except Exception:  # such as an error whose __init__ takes more than its args
            error, notes = RuntimeError(f"{type(error).__name__}: {error}"), error.__notes__
            error.add_note(notes[-1])
        return error, None


def _exit_with_parent() -> None:
    """End this process in the middle of its work if the parent was killed."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
