"""Part a: losses, objective and training steps of small models, compared with the CPU's.

Two results differ by ‖result − expected‖ / ‖expected‖, of a value or of a whole gradient.

Losses and objective are computed in float32 whatever the logits are, so each value, and each
gradient before it is rounded to the logits' precision, is compared with the CPU's float64 of the
same logits. A step in float32 is compared with the CPU's in float32. In bfloat16 and in 4 bits
there is no fixed limit, for how rounding grows depends on the model: the GPU's gradient may be
twice as far from the CPU's in float32 as the CPU's gradient in that precision is.
"""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from benchmarks.gpu import worker
from benchmarks.gpu.parts import FAMILY_NAMES, OBJECTIVES, PRECISIONS, Outcome, Setting
from gnomon.losses import Objective, create

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from gnomon.losses import NumericVocab

VALUE = 1e-5
"""Limit of values: sums of some thousand terms in float32, each within 6e-8, in another order."""
GRADIENT = {"float32": 1e-5, "bfloat16": 4e-3}
"""Limit of gradients of logits; a bfloat16 is rounded by up to 2e-3 of itself."""
HIDDEN = {"float32": 1e-4, "bfloat16": 2e-2}
"""Limit through a product with a head, which bfloat16 rounds once more, forward and backward."""
STEP = {"float32": 1e-3, "4 bits, float32": 3e-2}
"""Limit of a gradient in float32: ten times what the order of a CPU's sums makes (tests/pipeline),
and a tenth of what TF32, with its 10 bits, would make of these models. Over a base in 4 bits
adapters and their gradients are bfloat16, and now and then a weight lies between two of the 16
values."""
MAX_RATIO = 2.0
"""Limit of a gradient in bfloat16, as a multiple of the CPU's difference from float32."""
LOSS = {"float32": 1e-4, "4 bits, float32": 5e-3, "bfloat16": 2e-2, "4 bits": 2e-2}
"""Limit of a step's loss; bfloat16 moves those of small models by up to 4e-3 on a CPU."""


def device_of(setting: Setting) -> torch.device:
    """Return the device, with TF32 switched off, so that float32 is float32."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    return torch.device("cpu" if setting.cpu else "cuda")


def difference(result: Tensor, expected: Tensor) -> float:
    """Return the difference relative to `expected`; NaN is within no limit."""
    result, expected = result.detach().double().cpu(), expected.detach().double().cpu()
    return float((result - expected).norm() / expected.norm().clamp(min=1e-30))


def verdict(*checks: tuple[str, float, float]) -> Outcome:
    """Judge names, each with its difference and the largest that holds."""
    text = ", ".join(f"{name} off by {off:.1e} (at most {most:.2g})" for name, off, most in checks)
    return Outcome(all(off <= most for _, off, most in checks), text)


def losses(setting: Setting) -> Callable[[str], Outcome]:
    """Prepare a loss or the objective on random logits: its value and its gradient."""
    device = device_of(setting)
    rows = 8 if setting.tiny else 64

    def measure(case: str) -> Outcome:
        if case.startswith("objective"):
            _, way, precision = case.split(", ")
            return objective(way, precision, device, rows)
        name, vocab, precision = case.split(", ")
        return loss(name, vocab, precision, device, rows)

    return measure


def loss(name: str, vocab_name: str, precision: str, device: torch.device, rows: int) -> Outcome:
    vocab, labels, logits = random_batch(vocab_name, rows, precision)
    expected = with_gradient(create(name, vocab), logits.double(), labels)
    result = with_gradient(create(name, vocab), logits.to(device), labels.to(device))
    return verdict(
        ("value", difference(result[0], expected[0]), VALUE),
        ("gradient", difference(result[1], expected[1]), GRADIENT[precision]),
    )


def objective(way: str, precision: str, device: torch.device, rows: int) -> Outcome:
    """Compare the total of cross-entropy and SMMD, and its gradient of logits or hidden states."""
    vocab, labels, logits = random_batch("many digits", rows, precision)
    options: dict[str, Any] = {
        "ce_ratio": {"balance": "ce_ratio"},
        "numeric mass": {"numeric_mass": 0.5},
    }
    total = Objective(create("smmd", vocab), **options.get(way, {}))
    assert way in OBJECTIVES
    if way != "hidden states":
        expected = with_gradient(total, logits.double(), labels)
        result = with_gradient(total, logits.to(device), labels.to(device))
        limits = VALUE, GRADIENT[precision]
    else:
        states, head = logits[..., :64], logits[:, :, :].flatten(0, 1)[:64].T / 8
        expected = with_gradient(in_chunks(total, head.double()), states.double(), labels)
        result = with_gradient(
            in_chunks(total, head.to(device)), states.to(device), labels.to(device)
        )
        limits = HIDDEN[precision], HIDDEN[precision]
    return verdict(
        ("total", difference(result[0], expected[0]), limits[0]),
        ("gradient", difference(result[1], expected[1]), limits[1]),
    )


def in_chunks(total: Objective, head: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the objective of hidden states, with 100 rows at a time through the head."""

    def value(hidden: Tensor, labels: Tensor) -> Tensor:
        mask = labels != -100
        rows = total.rows_from_hidden(hidden[mask], labels[mask], lambda h: h @ head.T, chunk=100)
        spans = total.spans(labels)
        return total.combine(total.sums(rows, spans), total.counts(labels, spans))

    return value


def random_batch(vocab_name: str, rows: int, precision: str) -> tuple[NumericVocab, Tensor, Tensor]:
    """Labels with numbers in all forms, and logits [rows, 48, vocab] that every precision holds.

    No two logits of a position are equal: which of two is the largest depends on the device.
    """
    import toy_vocabularies

    vocab: NumericVocab = toy_vocabularies.VOCABULARIES[vocab_name]()
    generator = torch.Generator().manual_seed(0)
    labels = toy_vocabularies.random_labels(vocab_name, rows, 48, generator)
    # Multiples of 1/16: bfloat16 holds them all for vocabularies of up to 512 tokens.
    order = torch.rand(*labels.shape, vocab.size, generator=generator).argsort(-1)
    return vocab, labels, ((order - vocab.size // 2) / 16).to(getattr(torch, precision))


def with_gradient(
    value: Callable[[Tensor, Tensor], Tensor], inputs: Tensor, labels: Tensor
) -> tuple[Tensor, Tensor]:
    """Return a value and its gradient with respect to the inputs."""
    inputs = inputs.clone().requires_grad_()
    total = value(inputs, labels)
    return total, torch.autograd.grad(total, inputs)[0]


def steps(setting: Setting) -> Callable[[str], Outcome]:
    """Prepare a training step of each small model; a process without a GPU takes the same steps."""
    device_of(setting)
    folder = Path(tempfile.mkdtemp(prefix="steps-", dir=setting.work))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    words = [*worker.COMMAND[:-1], "benchmarks.gpu.same", str(folder)]
    cpu = worker.environment(Setting(True, setting.tiny, setting.work))
    references = subprocess.Popen(words, env=cpu)

    def measure(case: str) -> Outcome:
        name, precision = case.removeprefix("step of ").split(", ", 1)
        expected = wait_for(folder / f"{name}.pt", references)
        result = step(name, folder / name, precision, folder)
        return compare(result, expected, precision)

    return measure


def wait_for(file: Path, writer: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Load a file of the process without a GPU as soon as it is written."""
    while not file.exists():
        if writer.poll() is not None and not file.exists():
            raise RuntimeError(
                f"the CPU's process ended with {writer.returncode} before {file.name}"
            )
        time.sleep(0.1)
    steps: dict[str, Any] = torch.load(file)
    return steps


def compare(result: dict[str, Any], expected: dict[str, Any], precision: str) -> Outcome:
    """Compare loss and gradient of a step with the CPU's, which `expected` has by precision."""
    exact = expected["4 bits, float32" if precision.startswith("4") else "float32"]
    on_cpu = difference(expected[precision]["gradient"], exact["gradient"])
    return verdict(
        ("loss", difference(result["loss"], exact["loss"]), LOSS[precision]),
        (
            "gradient",
            difference(result["gradient"], exact["gradient"]),
            STEP.get(precision, MAX_RATIO * on_cpu),
        ),
    )


def step(name: str, folder: Path, precision: str, out: Path) -> dict[str, Tensor]:
    """Take one LoRA step, with adapters drawn on the CPU; return its loss and gradient."""
    import pipeline_toys
    import small_models

    from gnomon.pipeline.load import load
    from gnomon.pipeline.training.parts import prepare_parts
    from gnomon.recipe import Model, Train

    dtype = "bfloat16" if precision in ("bfloat16", "4 bits") else "float32"
    loaded = load(Model(name=str(folder), dtype=dtype, load_in_4bit=precision.startswith("4")))
    boxed = pipeline_toys.boxed
    pictures = [pipeline_toys.CLOCKS[0], pipeline_toys.SUMS[0], boxed(1), pipeline_toys.CLOCKS[1]]
    texts = [pipeline_toys.SUMS[i] for i in range(4)]
    gradients = pipeline_toys.Gradients()
    trainer = pipeline_toys.ours(
        loaded,
        pictures if name in small_models.SEEING else texts,
        out,
        sft={"per_device_train_batch_size": 4},
        peft_config=prepare_parts(loaded, Train(lora_r=4)),
        numeric_loss="smmd",
        callbacks=[gradients],
    )
    generator = torch.Generator().manual_seed(1)
    for _, parameter in sorted(trainer.model.named_parameters()):
        if parameter.requires_grad:  # an adapter begins with a half of zeros
            weight = 0.02 * torch.randn(parameter.shape, generator=generator)
            parameter.data.copy_(weight)
    trainer.train()
    (by_name,) = gradients.found
    return {
        "loss": torch.tensor(trainer.state.log_history[0]["loss"]),
        "gradient": torch.cat([by_name[name].float().cpu().flatten() for name in sorted(by_name)]),
    }


def round_weights(checkpoint: Path) -> Path:
    """Round weights to bfloat16: else 4 bits of these and those would be two models."""
    from safetensors.torch import load_file, save_file

    file = checkpoint / "model.safetensors"
    weights = {name: tensor.bfloat16().float() for name, tensor in load_file(file).items()}
    save_file(weights, file, metadata={"format": "pt"})
    return checkpoint


def main(folder: Path) -> None:
    """Build every small model and write a step of it in each precision, without a GPU."""
    import sys

    sys.path[:0] = [str(worker.SMALL_MODELS)]
    import small_models

    assert not torch.cuda.is_available()
    for name in FAMILY_NAMES:
        round_weights(small_models.build(name, folder / name))
        by_precision = {p: step(name, folder / name, p, folder / "cpu") for p in PRECISIONS}
        torch.save(by_precision, folder / f"{name}.part")
        (folder / f"{name}.part").rename(folder / f"{name}.pt")


if __name__ == "__main__":
    import sys

    main(Path(sys.argv[1]))
