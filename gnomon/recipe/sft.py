"""The fields of TRL's SFTConfig that `train.sft` may not set; sft.toml has them.

They are set by another key of the recipe, or they would write or send a run elsewhere, run code
that came with a checkpoint, or change batches and answers that gnomon makes itself. What is not
listed passes through: optimizers, clipping, schedules, DeepSpeed, FSDP, compilation and so on.
"""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def check(given: dict[str, Any]) -> None:
    """Refuse what is not for `train.sft` to say; values are not shown, for some are tokens."""
    told = [f"sft.{name}: {way_out}" for name in given if (way_out := instead(name))]
    if told:
        raise ValueError("; ".join(told))


def instead(name: str) -> str | None:
    """How a refused field is said otherwise; None for one that passes through."""
    for refused in _TABLE["refused"]:
        if any(fnmatchcase(name, field) for field in refused["fields"]):
            way_out: str = refused["instead"]
            return way_out.replace("{field}", name)
    return None
