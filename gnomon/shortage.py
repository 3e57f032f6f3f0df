"""Errors of a machine that ran out of memory, disk or stack, recognised by each library's
messages."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import shorten

_MEMORY = re.compile(
    r"out of memory|can't allocate memory|Cannot allocate memory|not enough memory"
    r"|Insufficient memory|Unable to allocate|ALLOC_FAILED|bad_alloc|killed by signal: Killed"
    r"|can't start new thread"
)
"""Messages of torch, CUDA, cuBLAS, OpenCV, C++ and of a data loader whose process has died. All are
plain RuntimeErrors or classes of the library."""
_DISK = re.compile(r"\(os error (\d+)\)|PytorchStreamWriter failed|inline_container")
"""Messages of safetensors and tokenizers, which contain the system's number, and of torch.save."""
_FULL_DISK_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_WRITE_ERRNOS = (*_FULL_DISK_ERRNOS, errno.EIO, errno.EROFS)

_LESS_MEMORY = (
    "smaller batches (train.per_device_train_batch_size, eval.batch_size), smaller pictures"
    " (model.max_pixels) or fewer processes (--workers, train.dataloader_num_workers) need less;"
    " `gnomon plan` prints the memory that a recipe needs"
)
_SAME_AGAIN = "the same command resumes from what was saved"
_MORE_DISK = "free some space and type the same command again; gnomon keeps the saved results"


def message_of(error: BaseException) -> str | None:
    """Say in one line which resource ran out, and the way out. None for any other error."""
    if isinstance(error, RecursionError):  # parsers of YAML and JSON, and templates
        return "a file or an option is nested too deeply to be read: write it with fewer levels"
    if _is_memory(error):
        reason = shorten(_line(str(error)), 200, placeholder=" …").rstrip(".")
        return f"out of memory{reason and f' ({reason})'}: {_LESS_MEMORY}"
    if number := _disk_errno(error):
        path = getattr(error, "filename", None)
        reason = os.strerror(number)
        parts = [str(path)] if path else []
        way_out = _MORE_DISK if number in _FULL_DISK_ERRNOS else _SAME_AGAIN
        return ": ".join([*parts, reason[0].lower() + reason[1:], way_out])
    return None


def is_shortage(error: BaseException) -> bool:
    """Return True if memory or disk ran out. Deep nesting is a fault of the input."""
    return _is_memory(error) or _disk_errno(error) is not None


@contextmanager
def add_path_to_disk_error(path: Path) -> Iterator[None]:
    """Turn errors of a failed write that name no file into an OSError that names this folder."""
    try:
        yield
    except Exception as error:
        number = _disk_errno(error)
        if number is None or getattr(error, "filename", None) is not None:
            raise
        raise OSError(number, os.strerror(number), str(path)) from error


def _line(text: str) -> str:
    """Pick the informative line. A data loader sends a whole traceback, and CUDA adds advice."""
    lines = text.strip().splitlines() or [""]
    # A worker's error starts with "Caught RuntimeError in DataLoader worker process 0."
    return lines[-1 if "Traceback (most recent call last)" in text else 0]


def _is_memory(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if isinstance(error, ValueError):  # its text may quote a file's words
        return False
    return isinstance(error, MemoryError) or _MEMORY.search(str(error)) is not None


def _disk_errno(error: BaseException) -> int | None:
    """Return the errno of a full disk, or of a failed write of a library. None for other errors."""
    if isinstance(error, OSError):  # any other OSError already names its file and reason
        return error.errno if error.errno in _FULL_DISK_ERRNOS else None
    if isinstance(error, ValueError) or not (match := _DISK.search(str(error))):
        return None
    number = int(match[1] or errno.ENOSPC)  # torch only says that a write failed
    return number if number in _WRITE_ERRNOS else None
