"""Commands of gnomon that are killed, or refused by the disk, at the n-th operation on a file."""

from __future__ import annotations

import errno
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

from reply_server import answer, reply_server

HERE = Path(__file__).parent
_HEADER = struct.Struct("5i")
"""count, at, what, error, struck: the beginning of the shim's plan."""
_PATH = 4000
_LONGEST = 300.0
"""Seconds after which a command hangs."""


@dataclass(frozen=True)
class Strike:
    """Something that goes wrong at one operation of a command."""

    what: str
    """kill; tear: half of a write, then killed; ENOSPC or EIO, once; full: ENOSPC from then on;
    stop: held up until another command has run."""
    at: int
    """The operation, counted from 1; 0 for none."""

    @property
    def code(self) -> tuple[int, int]:
        """The shim's numbers of it: what, and errno."""
        kinds = {"none": 0, "kill": 1, "tear": 2, "full": 4, "stop": 5}
        number = getattr(errno, self.what, errno.ENOSPC)
        return kinds.get(self.what, 3), number

    @property
    def kills(self) -> bool:
        return self.what in ("kill", "tear")

    def __str__(self) -> str:
        return f"{self.what} at {self.at}"


NONE = Strike("none", 0)


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    """Its exit code; the negative number of a signal."""
    text: str
    """All that it printed."""
    operations: list[tuple[str, str]] = field(default_factory=list)
    """Name and path, below the root, of each operation."""
    struck: bool = False
    seconds: float = 0.0
    hung: bool = False

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL and not self.hung


@dataclass(frozen=True)
class Plan:
    """The file that the shim maps, and its log beside it."""

    file: Path

    @property
    def log(self) -> Path:
        return self.file.with_name("log")

    @property
    def operations(self) -> list[tuple[str, str]]:
        """Name and path, below the root, of each operation that was counted."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return [(name, path) for name, _, path in (line.partition(" ") for line in lines)]

    @property
    def struck(self) -> bool:
        """True once the operation came at which to strike."""
        return bool(_HEADER.unpack_from(self.file.read_bytes())[4])


class Injector:
    """A warm process that runs commands of gnomon under the shim, one at a time."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        scratch.mkdir(parents=True, exist_ok=True)
        shim = compile_shim(scratch)
        # The language of messages, and the size of a terminal, shall not matter.
        settings = {"LD_PRELOAD": str(shim), "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}
        settings |= {"TQDM_DISABLE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "warm.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **settings, "HF_HUB_OFFLINE": "1"},
        )
        self._await("ready")

    def close(self) -> None:
        """End the warm process."""
        self._process.communicate()

    def __enter__(self) -> Injector:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self,
        words: Sequence[str],
        folder: Path,
        strike: Strike = NONE,
        *,
        root: Path | None = None,
        meanwhile: Callable[[], Any] | None = None,
    ) -> Outcome:
        """Run one command in `folder`, struck at an operation below `root` (default: `folder`).

        `meanwhile` is called once a command that is to be stopped has stopped.
        """
        with self.plan(root or folder, strike) as plan:
            output = plan.file.with_name("output")
            began = time.monotonic()
            command = {"words": list(words), "folder": str(folder)}
            self._send(json.dumps({**command, "output": str(output), "plan": str(plan.file)}))
            process = self._await("started")
            hung: list[bool] = []
            timer = Timer(_LONGEST, lambda: (hung.append(True), os.killpg(process, signal.SIGKILL)))
            timer.start()
            message = self._message()
            while "stopped" in message:
                if meanwhile is not None:
                    meanwhile()
                self._send(json.dumps("go on"))
                message = self._message()
            timer.cancel()
            _await_end_of_group(process)
            return Outcome(
                code=message["ended"],
                text=output.read_text(errors="replace"),
                operations=plan.operations,
                struck=plan.struck,
                seconds=time.monotonic() - began,
                hung=bool(hung),
            )

    @contextmanager
    def plan(self, root: Path, strike: Strike) -> Iterator[Plan]:
        """What the shim reads, and writes into, for one command."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as place:
            plan = Plan(Path(place) / "plan")
            paths = (os.fsencode(path).ljust(_PATH, b"\0") for path in (root, plan.log))
            what, number = strike.code
            header = _HEADER.pack(0, strike.at, what, number, 0)
            plan.file.write_bytes(header + b"".join(paths))
            yield plan

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _message(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ChildProcessError("the warm process died")
        message: dict[str, Any] = json.loads(line)
        return message

    def _await(self, name: str) -> int:
        message = self._message()
        assert name in message, message
        return int(message[name])


@contextmanager
def server_of_one_answer() -> Iterator[str]:
    """The URL of a server that says 10:10 to everything."""
    models = {"data": [{"id": "m"}]}
    with reply_server(lambda asked: (200, models) if asked is None else answer("10:10")) as server:
        yield server.url


def compile_shim(folder: Path) -> Path:
    """The shim as a library, compiled into a folder."""
    library = folder / "shim.so"
    if not library.exists():
        words = ["cc", "-shared", "-fPIC", "-O2", "-o", library, HERE / "shim.c", "-ldl"]
        subprocess.run(list(map(str, words)), check=True, capture_output=True)
    return library


def _await_end_of_group(group: int) -> None:
    """Wait for the worker processes of one that died: they leave a moment after it."""
    end = time.monotonic() + 60
    while _lives(group):
        if time.monotonic() > end:
            raise TimeoutError(f"process group {group} goes on after its first process died")
        time.sleep(0.01)


def _lives(group: int) -> bool:
    """True while a process of the group runs; one that has ended and nobody waits for does not."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of_group = stat.read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(of_group) == group and state != "Z":
            return True
    return False
