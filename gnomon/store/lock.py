"""One writer at a time in a directory."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def sole_writer(root: Path) -> Iterator[None]:
    """Hold the directory, or refuse at once; two writers would lose splits from the manifest.

    The system holds the lock for the process and drops it when the process dies, so a killed run
    leaves no lock behind. File systems that know no such locks go without.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    directory = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(directory)
        raise ValueError(f"{root}: another process is writing there; wait until it ends") from None
    except OSError:  # a network file system
        pass
    try:
        yield
    finally:
        os.close(directory)
