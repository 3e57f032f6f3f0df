import os
import signal
import subprocess
import sys
import threading

import pytest

from gnomon.store import workers
from gnomon.store.workers import run


def square(number):
    return number * number


def refuse(number):
    raise ValueError(f"{number} cannot be drawn")


def die(number):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("workers", [1, 2, None])
def test_every_number_is_done_once(workers, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # as many as None means
    results = {}
    run(square, range(5), workers=workers, on_result=results.__setitem__)
    assert results == {n: n * n for n in range(5)}


class CustomError(ValueError):
    """Takes more than its args, so that pickle cannot make it again."""

    def __init__(self, number, reason):
        super().__init__(f"{number} {reason}")


def refuse_in_own_words(number):
    raise CustomError(number, "cannot be drawn")


def test_an_error_that_does_not_pickle_is_told_by_its_name():
    with pytest.raises(RuntimeError, match=r"CustomError: \d cannot be drawn"):
        run(refuse_in_own_words, range(5), workers=2, on_result=print)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_the_job_is_the_error_of_the_run_with_its_lines(workers):
    with pytest.raises(ValueError, match="cannot be drawn") as caught:
        run(refuse, range(5), workers=workers, on_result=print)
    notes = getattr(caught.value, "__notes__", [])
    assert ["in a worker process" in note and "in refuse" in note for note in notes] == (
        [True] * (workers == 2)
    )


def test_a_worker_that_dies_is_one_plain_error():
    with pytest.raises(ChildProcessError, match=r"a worker process died: .* run it again"):
        run(die, range(5), workers=2, on_result=print)


class Pickled:
    """A job that leaves a file wherever it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __setstate__(self, state):
        self.__dict__ = state
        (self.folder / f"{os.getpid()}-{len(list(self.folder.iterdir()))}").touch()

    def __call__(self, number):
        return number


def test_a_job_is_handed_to_each_process_once(tmp_path):
    """It may hold a table of 100,000 rows, and there are as many jobs as hundreds of rows."""
    results = {}
    run(Pickled(tmp_path), range(50), workers=2, on_result=results.__setitem__)
    assert len(results) == 50
    assert len(list(tmp_path.iterdir())) <= 2


STARTING = """
import os, signal, sys, time

if __name__ == "__mp_main__":
    # A child that starts. Its job of 1 MB, more than a pipe holds, comes only after this import:
    # until then the parent is in the middle of writing it.
    {signal_sent}
    time.sleep(0.3)


class Job:
    def __init__(self):
        self.table = bytes(2**20)

    def __call__(self, number):
        return number


def end(number, _):
    raise SystemExit(128 + number)


if __name__ == "__main__":
    from gnomon.store.workers import run

    signal.signal(signal.SIGTERM, end)
    # A shell's background jobs, and so their children, ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run(Job(), range(6), workers=2, on_result=lambda number, result: print(result, flush=True))
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        print("handlers", signal.getsignal(signal.SIGTERM) is end)
"""


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("os.kill(os.getppid(), signal.SIGTERM)", 143),
        ("os.kill(os.getppid(), signal.SIGINT)", 130),
        ("os.kill(os.getpid(), signal.SIGINT)", 0),  # a terminal's Ctrl-C, if the parent ignored it
    ],
)
def test_a_signal_while_a_process_starts_leaves_no_traceback_of_the_child(tmp_path, sent, code):
    script = tmp_path / "starting.py"
    script.write_text(STARTING.format(signal_sent=sent))
    process = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert process.stderr == ""
    assert process.returncode == code
    *results, handlers = process.stdout.splitlines()
    assert handlers == "handlers True"
    assert sorted(results) == ([] if code else list("012345"))


def test_a_signal_that_is_ignored_stays_so_while_processes_start(tmp_path):
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with workers._postpone_signals():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_another_thread_starts_processes_as_well():
    results = {}
    thread = threading.Thread(
        target=lambda: run(square, range(3), workers=2, on_result=results.__setitem__)
    )
    thread.start()
    thread.join()
    assert results == {0: 0, 1: 1, 2: 4}
