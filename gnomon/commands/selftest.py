"""A self-test of fine-tuning on this machine."""

from pathlib import Path


def selftest(model: str = "gnomon-tiny", *overrides: str, out: Path = Path("runs/selftest")) -> int:
    """Check that fine-tuning works on this machine with your model, in minutes.

    Examples:
        gnomon selftest
        gnomon selftest Qwen/Qwen2-VL-2B-Instruct model.dtype=float16

    model MODEL: a checkpoint or a hub id (default: the embedded model gnomon-tiny)
    overrides key=value: keys of its recipe, such as train.max_steps=200
    out DIR: an empty directory, or the directory of an earlier self-test (runs/selftest)
    """
    from gnomon.runs.selftest import passes_all

    if "=" in model:  # no MODEL, and an override in its place
        model, overrides = "gnomon-tiny", (model, *overrides)
    return 0 if passes_all(model, overrides, out) else 1
