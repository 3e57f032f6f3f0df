import os
import signal

import pytest

from gnomon.store.writing.workers import run


def square(number):
    return number * number


def refuse(number):
    raise ValueError(f"{number} cannot be drawn")


def die(number):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("workers", [1, 2])
def test_every_number_is_done_once(workers):
    results = {}
    run(square, range(5), workers=workers, done=results.__setitem__)
    assert results == {n: n * n for n in range(5)}


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_the_job_is_the_error_of_the_run(workers):
    with pytest.raises(ValueError, match="cannot be drawn"):
        run(refuse, range(5), workers=workers, done=print)


def test_a_worker_that_dies_is_one_plain_error():
    with pytest.raises(ChildProcessError, match=r"a worker process died .* run it again"):
        run(die, range(5), workers=2, done=print)


def test_no_number_of_workers_is_every_core(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    results = {}
    run(square, range(5), workers=None, done=results.__setitem__)
    assert results == {n: n * n for n in range(5)}
