"""Another process that holds places as gnomon does, one that is killed as it writes, and waits."""

import builtins
import io
import os
import signal
import subprocess
import sys
import time
import traceback
import warnings
from contextlib import contextmanager
from itertools import count
from pathlib import Path

HOLDS = """
import sys
from contextlib import ExitStack
from pathlib import Path
from gnomon.store.lock import sole_writer

kind, *places = sys.argv[1:]
with ExitStack() as held:
    for place in map(Path, places):
        folder = not place.suffix if kind == "None" else kind == "True"
        held.enter_context(sole_writer(place, folder=folder))
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holding(*places, folder=None):
    """A process that holds these places: as folders, unless said otherwise, without a suffix."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(folder), *map(str, places)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.communicate()


def wait_for(condition, seconds=300):
    """Wait until a function returns what is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def kill_at_each_opening(folder, write):
    """Call `write` until it ends, killed as it opens its first file for writing, its second, …

    After each kill a reader of the folder finds every file as it was before, or as it is in the
    end; what has hidden names, or a `.part` on its way, is no reader's.
    """
    before, seen = _read(folder), []
    for opening in count(1):
        if not _killed_at(opening, folder, write):
            break
        seen.append(_read(folder))
    after = _read(folder)
    assert seen
    assert after != before
    for files in seen:
        assert before.keys() <= files.keys() <= after.keys()
        for name, data in files.items():
            assert data in (before.get(name), after[name]), name


def _killed_at(opening, folder, write):
    """True if `write`, in a fork of this process, was killed as it opened that many files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of ours are not forked
        process = os.fork()
    if not process:
        _die_at(opening, folder)
        try:
            write()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0


def _die_at(opening, folder):
    really, left = builtins.open, [opening]

    def opened(file, mode="r", *given, **named):
        found = really(file, mode, *given, **named)
        if set(mode) & set("wax+") and isinstance(file, str | Path):
            left[0] -= Path(file).resolve().is_relative_to(folder.resolve())
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
        return found

    builtins.open = io.open = opened


def _read(folder):
    files = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    shown = (f for f in files if not any(p[0] == "." or p.endswith(".part") for p in f.parts))
    return {str(file): (folder / file).read_bytes() for file in shown}
