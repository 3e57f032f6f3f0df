"""Locks that let one process at a time write to a directory or file, also across machines."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from functools import cache
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.atomic import remove_leftovers
from gnomon.options import option
from gnomon.progress import warn

if TYPE_CHECKING:
    from filelock import BaseFileLock

LOCK = ".gnomon.lock"
# Errors of a file system on which this user cannot create a file.
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


@contextmanager
def sole_writer(*paths: Path, folder: bool = False) -> Iterator[None]:
    """Lock paths before writing, or refuse immediately and name the process that holds one of them.

    The lock file lies next to the path, which may be a file or a directory and need not exist. A
    `folder` is written in several steps and has a second lock inside. It may be mounted, and then
    only its inside is the same for all machines. Leftovers of killed processes are removed.

    The system drops a lock if its process dies, so a killed run does not leave a lock behind. A
    process may lock a path twice, for example in `run` and in `train`. A file system without locks
    is reported once, and the work continues.
    """
    with ExitStack() as locks:
        for path in paths:
            resolved = path.resolve()
            if resolved.name:  # the root of a file system has none
                outer = resolved.with_name(f".{resolved.name}.lock")
                if locks.enter_context(_lock(outer, path, optional=folder and resolved.is_dir())):
                    remove_leftovers(resolved.parent, escape(resolved.name), locked=True)
            if folder:
                locks.enter_context(_lock(resolved / LOCK, path))
        yield


_REASONS = {
    errno.EEXIST: "a file is in the way of the directory",
    errno.ENOTDIR: "a file is in the way of the directory",
    errno.ENOENT: "the directory cannot be created",
}


@contextmanager
def _lock(file: Path, path: Path, *, optional: bool = False) -> Iterator[bool]:
    """Lock a file. Yield False if this process already has the lock, or if the place does not
    support locks.

    If an `optional` file cannot be created, the work continues without the lock.
    """
    from filelock import FileLock

    note = file.with_name(f"{file.name}.txt")  # apart: on Windows a locked file cannot be read
    # Folders created for the lock. They are removed again if they stay empty.
    missing = [folder for folder in file.parents if not folder.exists()]
    # One object per file in this process. Soft locks are not used because a killed process would
    # leave them.
    lock = FileLock(file, timeout=0, is_singleton=True, fallback_to_soft=False)
    has_lock = False
    try:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            has_lock = not lock.is_locked and _acquire(lock, path, note)
        except OSError as error:
            if error.errno is None:
                raise
            if not (optional and error.errno in _FORBIDDEN):
                reason = _REASONS.get(error.errno, error.strerror)
                way_out = f"{reason}: name another place ({option('out')})"
                raise OSError(error.errno, way_out, str(path)) from error
        if has_lock:
            with suppress(OSError):  # on a full disk the work itself will fail and say so
                since = datetime.now().astimezone().isoformat(" ", "seconds")
                holder = f"process {os.getpid()} on {socket.gethostname()} since {since}"
                note.write_text(holder, encoding="utf-8")
        yield has_lock
    finally:
        if has_lock:
            _remove(file, note)
            lock.release()
        with suppress(OSError):  # a folder in which something was written is not empty and stays
            for folder in missing:
                folder.rmdir()


def _remove(file: Path, note: Path) -> None:
    """Remove the files of a lock before it is released.

    If another process opened the file earlier and locks it later, it notices that the file has lost
    its name and is refused. Windows does not remove open files. There the library removes the file
    on release.
    """
    with suppress(OSError):
        note.unlink(missing_ok=True)
        if os.name != "nt":
            file.unlink(missing_ok=True)


def _acquire(lock: BaseFileLock, path: Path, note: Path) -> bool:
    """Return False on a file system without locks. Raise a ValueError if another process has the
    lock."""
    from filelock import Timeout

    # Try immediately, and once more after a moment.
    for seconds in (0, 0.2):
        try:
            lock.acquire(timeout=seconds)
        except Timeout:
            if not os.path.lexists(lock.lock_file):  # its holder has just ended: try once more
                continue
            raise ValueError(
                f"{path} is being written by {_holder(note)}: wait until it ends, or write to"
                f" another place ({option('out')})"
            ) from None
        except OSError as error:
            if error.filename is not None:  # the file could not be made: nothing else could be
                raise
            _warn_unlocked(os.strerror(error.errno) if error.errno else str(error))
            return False
        return True
    # In /proc, for example, files cannot be created.
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def _holder(note: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        return note.read_text(encoding="utf-8").strip() or "another process"
    return "another process"


@cache
def _warn_unlocked(reason: str) -> None:
    warn(
        f"this file system has no locks ({reason}): do not let a second process write to"
        " the same place"
    )
