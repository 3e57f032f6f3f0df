"""List of parts, their jobs and cases. A job is one process, a case one line of the results.

Nothing heavy is imported here; the functions that measure are loaded in the process of a job.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gnomon.losses import KINDS
from gnomon.pipeline.families import AUTO, FAMILIES

ROOT = Path(__file__).parents[2]
FAMILY_NAMES = [name for name in FAMILIES if name not in (AUTO, "gnomon-tiny")]
PRECISIONS = ("float32", "bfloat16", "4 bits", "4 bits, float32")
"""Precisions of a model; 4 bits are computed with in bfloat16 unless float32 is named."""
CHECKPOINTS = (
    "Qwen/Qwen2-VL-2B-Instruct",
    "Qwen/Qwen3-VL-4B-Instruct",
    "Qwen/Qwen2-VL-7B-Instruct",
    "llava-hf/llava-1.5-7b-hf",
    "meta-llama/Llama-3.2-11B-Vision-Instruct",
)
VOCABULARIES = ("one digit", "many digits")
OBJECTIVES = ("fixed", "ce_ratio", "numeric mass", "hidden states")


@dataclass(frozen=True)
class Setting:
    """Device, size and folder of all measurements."""

    cpu: bool
    tiny: bool
    work: Path
    """Folder of the pictures that several jobs read."""

    @property
    def words(self) -> list[str]:
        """Options of the command line that make this setting."""
        flags = [f"--{name}" for name in ("cpu", "tiny") if getattr(self, name)]
        return [*flags, "--work", str(self.work)]


@dataclass(frozen=True)
class Outcome:
    """Result of a case: its verdict, the rest of its line, and the lines below."""

    ok: bool
    text: str
    details: list[str] = field(default_factory=list)


def jobs() -> dict[str, dict[str, list[str]]]:
    """Return the jobs of each part and their cases, in the order in which they are measured."""
    losses = [
        *(f"{k}, {v}, {d}" for k in KINDS for v in VOCABULARIES for d in ("float32", "bfloat16")),
        *(f"objective, {way}, {d}" for way in OBJECTIVES for d in ("float32", "bfloat16")),
    ]
    steps = [f"step of {name}, {precision}" for name in FAMILY_NAMES for precision in PRECISIONS]
    return {
        "a": {
            "losses": losses,
            "steps": steps,
            "kills": ["kill and resume, 4 bits", "kill and resume, all weights"],
        },
        "c": {f"size {checkpoint}": [checkpoint] for checkpoint in CHECKPOINTS},
    }


MEASURE = {
    "losses": "benchmarks.gpu.same:losses",
    "steps": "benchmarks.gpu.same:steps",
    "kills": "benchmarks.gpu.killed:kills",
    "size": "benchmarks.gpu.sizes:sizes",
}
"""Functions that prepare a job and return the one that measures a case, by the job's first word."""
