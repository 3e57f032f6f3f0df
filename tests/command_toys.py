"""The command line, run in this process or in one of its own, and runs as it leaves them."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gnomon import recipe
from gnomon.commands import main
from gnomon.eval.scoring import predictions
from gnomon.runs.exam import Exam
from gnomon.runs.versions import kind_versions
from gnomon.sample import Prediction, Sample

if TYPE_CHECKING:
    from pathlib import Path

SMALL = """
data:
  - kind: clock
    options: {size: 84, rotation: 5.0}
  - kind: arithmetic
    weight: 0.5
loss: {name: ntil}
train: {samples: 24, per_device_train_batch_size: 4, learning_rate: 1e-3, save_steps: 2, \
logging_steps: 1, max_steps: 4, vision: lora}
eval: {samples: 12, batch_size: 6, max_new_tokens: 8}
"""


def small(folder: Path, more: str = "") -> Path:
    """A recipe of a few steps."""
    file = folder / "small.yaml"
    file.write_text(SMALL + more)
    return file


def gnomon(*words: object) -> int:
    """The exit code of one command."""
    try:
        return main([str(word) for word in words])
    except SystemExit as stop:  # argparse leaves so
        return int(stop.code or 0)


def gnomon_process(*words: object, before: str = "", **options: Any) -> subprocess.CompletedProcess:
    """Run a command in a process of its own, after other lines of Python."""
    code = f"import sys\n{before}\nfrom gnomon.commands import main\nsys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, **{"capture_output": True, "text": True} | options)


def loaded_by(*words: object) -> set[str]:
    """The modules that a command loads, run by itself."""
    at_exit = "import atexit\natexit.register(lambda: print('LOADED', *sys.modules))"
    done = gnomon_process(*words, before=at_exit)
    return set(done.stdout.rpartition("LOADED")[2].split())


def on_a_terminal(
    *words: object, streams: tuple[str, ...] = ("stdin", "stdout", "stderr"), **options: Any
) -> tuple[int, bytes]:
    """The exit code of a command, and the bytes that it writes to a terminal of 80 columns."""
    screen, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [sys.executable, "-m", "gnomon", *map(str, words)]
    pipes = {"stdout": subprocess.PIPE} | dict.fromkeys(streams, end)
    with subprocess.Popen(command, **pipes, **options) as process:
        os.close(end)
        output = b""
        try:
            while more := os.read(screen, 4096):
                output += more
        except OSError:  # how Linux says that nobody holds the other side any more
            pass
        assert "stdout" in streams or process.stdout.read() != b""
    os.close(screen)
    return process.returncode, output


def finished_run(
    folder: Path,
    values: dict[str, Any],
    answers: Mapping[str, Callable[[Sample], str]],
    *,
    size: tuple[int, int] = (84, 84),
    settings: Mapping[str, Any] | None = None,
) -> Path:
    """A run's directory of a recipe, as `gnomon run` leaves it without its weights.

    `answers` has the names of the files and what each says of a sample.
    """
    opened = recipe.validate(recipe.Recipe, values)
    folder.mkdir(parents=True)
    (folder / "recipe.yaml").write_text(recipe.to_yaml(opened))
    exam = Exam.of(opened)
    asked = {**asdict(opened.model), "weights": "w", "max_new_tokens": 32, **(settings or {})}
    about = {"exam": exam.to_json(), "data": exam.pool.describe(), "versions": {"gnomon": "0"}}
    about["kinds"] = kind_versions(exam.sources)
    for name, answer in answers.items():
        file = folder / "predictions" / f"{name}.jsonl"
        rows = [Prediction(s.id, answer(s), size, "plain", asked) for s in exam]
        predictions.append(file, rows)
        file.with_suffix(".about.json").write_text(json.dumps(about))
    return folder
