"""Memory, disk and stack that ran out, as each library says it: one line with the way out."""

from __future__ import annotations

import errno
import os
import pickle
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from gnomon.commands import main
from gnomon.shortage import is_shortage, message_of, name_full_disk

BYTES = 2**46
"""More than any machine has; asked for at once, it is refused before a page is touched."""


def python() -> None:
    bytearray(2**62)


def numpy() -> None:
    import_module("numpy").zeros(BYTES)


def opencv() -> None:
    cv2, np = import_module("cv2"), import_module("numpy")
    cv2.resize(np.zeros((4, 4), np.uint8), (2**17, 2**30))


def arrow() -> None:
    import_module("pyarrow").allocate_buffer(2**62)


def torch() -> None:
    import_module("torch").empty(BYTES)


def cuda() -> None:
    """As torch raises it; there is no card here."""
    told = "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 8 GiB."
    raise import_module("torch").OutOfMemoryError(told)


def cuda_launch() -> None:
    raise RuntimeError("CUDA error: out of memory\nCUDA kernel errors might be reported later.")


def data_loader() -> None:
    """As torch hands on what a loader's process raised, if its class takes no text."""
    raise RuntimeError(
        "Caught _ArrayMemoryError in DataLoader worker process 0.\nOriginal Traceback (most recent"
        " call last):\n  File ...\n_ArrayMemoryError: Unable to allocate 7 TiB for an array"
    )


def killed_loader() -> None:
    raise RuntimeError("DataLoader worker (pid 7) is killed by signal: Killed. ")


def fork() -> None:
    raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))


MEMORY = [python, numpy, opencv, arrow, torch, cuda, cuda_launch, data_loader, killed_loader, fork]


@pytest.mark.parametrize("exhaust", MEMORY, ids=lambda one: one.__name__)
def test_memory_that_ran_out_is_told_with_what_takes_less(monkeypatch, capsys, exhaust):
    told = failing(monkeypatch, capsys, exhaust)
    assert told.startswith("gnomon: out of memory")
    assert "--workers" in told
    assert "train.per_device_train_batch_size" in told


FULL = Path("/dev/full")
"""A file of Linux whose disk is full."""


def plain() -> None:
    with FULL.open("wb", buffering=0) as file:
        file.write(b"a")


def torch_save() -> None:
    torch = import_module("torch")
    torch.save(torch.zeros(10**6), FULL)


def safetensors() -> None:
    error = import_module("safetensors").SafetensorError
    raise error("Error while serializing: I/O error: No space left on device (os error 28)")


def tokenizers() -> None:
    tokenizers = import_module("tokenizers")
    tokenizers.Tokenizer(tokenizers.models.BPE()).save(str(FULL))


def quota() -> None:
    raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), str(FULL))


@pytest.mark.skipif(not FULL.exists(), reason="needs Linux's /dev/full")
@pytest.mark.parametrize(
    "write", [plain, torch_save, safetensors, tokenizers, quota], ids=lambda one: one.__name__
)
def test_a_full_disk_is_told_by_the_place_and_the_way_out(monkeypatch, capsys, tmp_path, write):
    def save() -> None:
        with name_full_disk(tmp_path):
            write()

    told = failing(monkeypatch, capsys, save)
    assert told.startswith((f"gnomon: {tmp_path}: ", f"gnomon: {FULL}: "))
    assert told.endswith(
        "free some space and type the same command again; what was saved is kept\n"
    )


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS])
def test_a_disk_that_fails_is_told_by_the_place(monkeypatch, capsys, tmp_path, number):
    """safetensors' own error has the system's number in its text alone."""

    def save() -> None:
        error = import_module("safetensors").SafetensorError
        with name_full_disk(tmp_path):
            raise error(f"Error while serializing: I/O error: no (os error {number})")

    told = failing(monkeypatch, capsys, save)
    assert told == f"gnomon: {tmp_path}: {os.strerror(number).lower()}\n"


def test_a_value_without_end_is_told(monkeypatch, capsys):
    def nest() -> None:
        deep: list[object] = []
        for _ in range(2 * sys.getrecursionlimit()):
            deep = [deep]
        pickle.dumps(deep)

    assert "nested too deeply" in failing(monkeypatch, capsys, nest)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("labels.csv: line 2: 'out of memory' is no number"),
        OSError(errno.EACCES, "permission denied"),
        KeyError("id"),
        RuntimeError("expected scalar type Half but found Float"),
    ],
)
def test_any_other_error_stays_what_it_is(error):
    assert not is_shortage(error)
    assert message_of(error) is None


def test_a_fault_of_gnomons_keeps_its_traceback(monkeypatch):
    with pytest.raises(KeyError):
        run(monkeypatch, lambda: {}["id"])


def run(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> int:
    monkeypatch.setattr("gnomon.commands._main.call", lambda _: work() and 0)
    return main(["ls"])


def failing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], work: Callable[[], object]
) -> str:
    """What the command line says of a verb that meets it."""
    assert run(monkeypatch, work) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert len(told) < 600
    return told
