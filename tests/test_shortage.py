"""Memory, disk and stack that ran out, as each library says it: one line with the way out."""

import errno
import os
import pickle
import sys
from importlib import import_module
from pathlib import Path

import pytest

from gnomon.commands import main
from gnomon.shortage import add_path_to_disk_error, is_shortage, message_of

BYTES = 2**46
"""More than any machine has; asked for at once, it is refused before a page is touched."""
FULL = Path("/dev/full")
"""A file of Linux whose disk is full."""


def opencv() -> None:
    cv2, np = import_module("cv2"), import_module("numpy")
    cv2.resize(np.zeros((4, 4), np.uint8), (2**17, 2**30))


def raising(error):
    def work():
        raise error() if callable(error) else error

    return work


def cuda() -> Exception:
    """As torch raises it; there is no card here."""
    text = "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 8 GiB."
    return import_module("torch").OutOfMemoryError(text)


LOADER = (
    "Caught _ArrayMemoryError in DataLoader worker process 0.\nOriginal Traceback (most recent"
    " call last):\n  File ...\n_ArrayMemoryError: Unable to allocate 7 TiB for an array"
)
"""As torch hands on what a loader's process raised, if its class takes no text."""
MEMORY = {
    "Python": lambda: bytearray(2**62),
    "NumPy": lambda: import_module("numpy").zeros(BYTES),
    "OpenCV": opencv,
    "Arrow": lambda: import_module("pyarrow").allocate_buffer(2**62),
    "torch": lambda: import_module("torch").empty(BYTES),
    "CUDA": raising(cuda),
    "a launch": raising(RuntimeError("CUDA error: out of memory\nCUDA kernel errors might be re")),
    "a loader": raising(RuntimeError(LOADER)),
    "a killed loader": raising(
        RuntimeError("DataLoader worker (pid 7) is killed by signal: Killed. ")
    ),
    "fork": raising(OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))),
}


@pytest.mark.parametrize("library", MEMORY)
def test_memory_that_ran_out_is_told_with_what_takes_less(monkeypatch, capsys, library):
    message = failing(monkeypatch, capsys, MEMORY[library])
    assert message.startswith("gnomon: out of memory")
    assert "--workers" in message
    assert "train.per_device_train_batch_size" in message


def plain() -> None:
    with FULL.open("wb", buffering=0) as file:
        file.write(b"a")


def torch_save() -> None:
    torch = import_module("torch")
    torch.save(torch.zeros(10**6), FULL)


def safetensors(text) -> Exception:
    """Its own error, which has the system's number in its text alone."""
    return import_module("safetensors").SafetensorError(f"Error while serializing: {text}")


def tokenizers() -> None:
    tokenizers = import_module("tokenizers")
    tokenizers.Tokenizer(tokenizers.models.BPE()).save(str(FULL))


DISK = {
    "Python": plain,
    "torch": torch_save,
    "safetensors": raising(lambda: safetensors("I/O error: No space left on device (os error 28)")),
    "tokenizers": tokenizers,
    "a quota": raising(OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), str(FULL))),
}


@pytest.mark.skipif(not FULL.exists(), reason="needs Linux's /dev/full")
@pytest.mark.parametrize("library", DISK)
def test_a_full_disk_is_told_by_the_place_and_the_way_out(monkeypatch, capsys, tmp_path, library):
    message = failing(monkeypatch, capsys, add_path_to_disk_error(tmp_path)(DISK[library]))
    assert message.startswith((f"gnomon: {tmp_path}: ", f"gnomon: {FULL}: "))
    end = "free some space and type the same command again; gnomon keeps the saved results\n"
    assert message.endswith(end)


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS])
def test_a_disk_that_fails_is_told_by_the_place(monkeypatch, capsys, tmp_path, number):
    save = raising(lambda: safetensors(f"I/O error: no (os error {number})"))
    message = failing(monkeypatch, capsys, add_path_to_disk_error(tmp_path)(save))
    assert message == f"gnomon: {tmp_path}: {os.strerror(number).lower()}\n"


def test_a_value_without_end_is_told(monkeypatch, capsys):
    deep: list[object] = []
    for _ in range(2 * sys.getrecursionlimit()):
        deep = [deep]
    assert "nested too deeply" in failing(monkeypatch, capsys, lambda: pickle.dumps(deep))


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


def run(monkeypatch, work) -> int:
    monkeypatch.setattr("gnomon.commands._main.call", lambda _: work() and 0)
    # The lines of these tests stand for gnomon's.
    monkeypatch.setattr("gnomon.faults.users_place", lambda _: "")
    return main(["ls"])


def failing(monkeypatch, capsys, work) -> str:
    """The message of the command line about a verb that meets it."""
    assert run(monkeypatch, work) == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert len(message) < 600
    return message
