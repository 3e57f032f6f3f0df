"""The command line, run in this process or in one of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from gnomon.commands import main

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


def loaded_by(*words: str) -> set[str]:
    """The modules that a command loads, run by itself."""
    code = (
        "import sys\nfrom gnomon.commands import main\n"
        f"try:\n    main({list(words)!r})\nexcept SystemExit:\n    pass\n"
        "print('LOADED', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("LOADED")[2].split())
