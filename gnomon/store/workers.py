"""The same job for many indices, in this process or in several; none of them outlives the run."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from traceback import format_exc
from typing import Any, TypeVar

import cv2

T = TypeVar("T")
_HAS_SIGNAL_MASKS = hasattr(signal, "pthread_sigmask")  # not on Windows


def run(
    job: Callable[[int], T],
    indices: Sequence[int],
    *,
    workers: int | None,
    on_result: Callable[[int, T], None],
) -> None:
    """Call `job` with every index, and `on_result` in this process with each result as it comes.

    At most `workers` processes, or one per core if it is None. Each of them receives the job once,
    when it starts: a job may hold a whole table, of which each index is one shard or chunk.
    """
    # No more processes than indices.
    processes = min(workers or os.cpu_count() or 1, len(indices))
    if processes <= 1:
        for index in indices:
            on_result(index, job(index))
        return
    pool: dict[Connection, SpawnProcess] = {}
    try:
        for _ in range(processes):
            with _postpone_signals():
                connection, process = _start_process()
                pool[connection] = process
        _distribute(job, indices, list(pool), on_result)
    except (EOFError, ConnectionError) as error:
        raise ChildProcessError(
            "a worker process died (killed for its memory? then fewer workers take less; or a"
            ' script that starts workers without `if __name__ == "__main__":`?);'
            " run it again"
        ) from error
    finally:
        for connection, process in pool.items():
            connection.close()
            process.kill()  # in the middle of what it does, if this run failed
        for process in pool.values():
            process.join()


def _distribute(
    job: Callable[[int], T],
    indices: Sequence[int],
    connections: Sequence[Connection],
    on_result: Callable[[int, T], None],
) -> None:
    """Send every process the job, and then one index after another."""
    data = ForkingPickler.dumps(job)
    for connection in connections:
        connection.send_bytes(data)
    del data
    remaining = iter(indices)
    busy = dict(zip(connections, remaining, strict=False))
    for connection, index in busy.items():
        connection.send(index)
    while busy:
        ready = wait(list(busy))
        for connection in [each for each in busy if each in ready]:
            index = busy.pop(connection)
            error, result = connection.recv()
            if error is not None:
                raise error
            # The next index goes out first: `on_result` may wait for the disk.
            if (following := next(remaining, None)) is not None:
                connection.send(following)
                busy[connection] = following
            on_result(index, result)


def _start_process() -> tuple[Connection, SpawnProcess]:
    """Start a process that waits for its job at the other end of the connection.

    The job is no argument of the process: multiprocessing writes those into a pipe while the child
    starts, and a large one would hold the parent there for good if the child died.
    """
    # Spawned, not forked: a fork copies locks that other threads of this process hold.
    context = get_context("spawn")
    connection, child_end = context.Pipe()
    process = context.Process(target=_work, args=(child_end,))
    process.start()
    child_end.close()  # otherwise this end would never learn of the child's death
    return connection, process


@contextmanager
def _postpone_signals() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until a process has been started, which is a matter of moments.

    Their exceptions would end the parent while multiprocessing writes its description of the
    process, and the child would print a traceback about a truncated pickle after the parent's last
    line.
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
    """Block SIGINT in this thread for the children's sake, which inherit the mask.

    A terminal's Ctrl-C reaches them, too, and a child that starts would print a traceback. Here
    another thread may still take the signal, so the mask alone postpones nothing.
    """
    if not _HAS_SIGNAL_MASKS:
        return None
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # started here, because starting it unblocks SIGINT
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}))  # type: ignore[arg-type]


def _work(connection: Connection) -> None:
    """Run the job on each index received, until the other end closes."""
    # Ctrl-C reaches every process of a terminal; only the first one has something to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _HAS_SIGNAL_MASKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    # Otherwise each worker has a thread per core: two workers on two cores took a fifth longer.
    cv2.setNumThreads(1)
    with suppress(EOFError, ConnectionError):  # the parent has what it wants, or is gone
        job = connection.recv()
        while True:
            index = connection.recv()
            answer = _outcome(job, index)
            connection.send(answer)


def _outcome(job: Callable[[int], Any], index: int) -> tuple[Exception | None, Any]:
    """The job's error and result; an error carries its traceback as a note, for pickle drops it."""
    try:
        return None, job(index)
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
