"""Part c: QLoRA steps at true size, compared with stock TRL and with the estimate of `plan`.

The configuration is the checkpoint's; its weights are drawn on the device, one at a time, as the
loader asks for them, so that nothing is read or written and a layer is in 4 bits before the next
one is there. The tokenizer is a small one of the same kind, so a question has more tokens than
the checkpoint's own would make of it; the head has its true width.
"""

from __future__ import annotations

import gc
import os
import statistics
import warnings
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import torch
import transformers

from benchmarks import train_step
from benchmarks.gpu.parts import Outcome, Setting
from benchmarks.gpu.worker import reason
from gnomon import generators
from gnomon.pipeline import families
from gnomon.pipeline.checkpoint import locate_checkpoint
from gnomon.pipeline.collate import Collator
from gnomon.pipeline.families.base import Family, known_config
from gnomon.pipeline.load import load
from gnomon.pipeline.planning.budget import GIB, Sizer, count_tokens
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.pipeline.training.settings import sft_config
from gnomon.pipeline.training.stream import drawn
from gnomon.recipe import Model, Recipe, Source, Train

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.sample import Sample

WAYS = (train_step.STOCK, train_step.FUNC, train_step.OURS, "ours, CE + NTIL")
IDS = ("image_token_id", "image_token_index", "video_token_id", "vision_start_token_id",
       "vision_end_token_id", "bos_token_id", "eos_token_id", "pad_token_id")  # fmt: skip
"""Keys of a configuration that depend on the tokenizer."""


def sizes(setting: Setting) -> Callable[[str], Outcome]:
    """Prepare all ways of a checkpoint, in one process, each with a fresh model."""
    batch, rounds, side = (2, 1, 84) if setting.tiny else (4, 5, 448)
    clocks = generators.create("clock", size=side, split_by="none")
    samples = [clocks[i] for i in range(batch)]

    def measure(checkpoint: str) -> Outcome:
        name = next(f for f in families.FAMILIES if checkpoint in families.create(f).sizes)
        with TemporaryDirectory(dir=setting.work) as work:
            folder = Path(work) / "checkpoint"
            if setting.tiny:
                import small_models

                small_models.build(name, folder)
            else:
                without_weights(name, checkpoint, folder)
            recipe = Recipe(
                data=(Source(kind="clock"),),
                model=Model(name=str(folder)),
                train=Train(
                    samples=batch * (rounds + 1),
                    max_steps=rounds + 1,
                    per_device_train_batch_size=batch,
                    logging_steps=1000,
                ),
            )
            return compare(recipe, samples, Path(work), not setting.cpu)

    return measure


@dataclass(frozen=True)
class Cost:
    """Time and memory of the steps after the first."""

    seconds: list[float]
    loss: float
    """Loss of the first step."""
    tokens: int
    peak: float
    """GiB that torch's tensors take at most."""
    device: float
    """GiB in use on the device, with those that CUDA and the allocator reserve."""

    @property
    def step(self) -> float:
        return statistics.median(self.seconds)


def compare(recipe: Recipe, samples: Sequence[Sample], work: Path, cuda: bool) -> Outcome:
    """Measure the ways in turn; an exception of one is a line of its own."""
    costs: dict[str, Cost] = {}
    lines: list[str] = []
    has_failed = False
    for way in WAYS:
        try:
            costs[way] = cost(way, recipe, samples, work / "run", cuda)
            lines.append(line(way, costs))
        except Exception as error:
            has_failed = True
            lines.append(f"{way:<26} FAILED {reason(error)}")
        # The next way begins with an empty GPU, so that its peak is its own.
        gc.collect()
        if cuda:
            torch.cuda.empty_cache()
    text, ours = plan(recipe, samples), costs.get(WAYS[-1])
    if ours is not None:
        text += f"; ours {_step(ours)}, {_peak(ours, cuda)}, {ours.tokens} tokens a batch"
    # The last way adds a numeric loss, the first three are all the cross-entropy.
    is_equal = are_equal(*(costs[way].loss for way in WAYS[:3] if way in costs))
    if not is_equal:
        text = f"losses differ; {text}"
    return Outcome(is_equal and not has_failed, text, lines)


def are_equal(*losses: float) -> bool:
    """True if the first step's cross-entropies agree as far as bfloat16 logits can."""
    return all(abs(loss - losses[0]) <= 0.01 * losses[0] for loss in losses)  # never for NaN


def line(way: str, costs: dict[str, Cost]) -> str:
    """Write the cost of a way, and its share of the costs of the first two ways."""
    cost = costs[way]
    shares = [
        f"{cost.step / other.step:.0%} of {name}'s time, {cost.peak / other.peak:.0%} of its memory"
        if other.peak
        else f"{cost.step / other.step:.0%} of {name}'s time"
        for name, other in costs.items()
        if name in WAYS[:2] and name != way
    ]
    figures = f"{way:<26} {_step(cost)}, {_peak(cost, bool(cost.peak))}, loss {cost.loss:.3f}"
    return "; ".join([figures, *shares])


def _step(cost: Cost) -> str:
    low, high = min(cost.seconds), max(cost.seconds)
    return f"{cost.step:.3f} s a step ({low:.3f} to {high:.3f})"


def _peak(cost: Cost, cuda: bool) -> str:
    if not cuda:
        return "memory n/a"
    return f"{cost.peak:.2f} GiB at the peak ({cost.device:.2f} taken on the device)"


def cost(way: str, recipe: Recipe, samples: Sequence[Sample], run: Path, cuda: bool) -> Cost:
    """Take optimizer steps on one batch; the first is a warm-up."""
    with random_weights():
        loaded = load(recipe.model, seed=recipe.seed)
    batch = Collator(loaded.family, loaded.processor)([{"sample": s} for s in samples])
    kind, options = train_step.WAYS[way]
    args = sft_config(recipe, run)
    args.save_strategy = transformers.trainer_utils.SaveStrategy.NO
    args.disable_tqdm = True
    steps = StepTimer()
    rows = [samples[i % len(samples)] for i in range(recipe.train.samples or 0)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # compute_loss_func is deprecated
        trainer = kind(
            model=loaded.model,
            args=args,
            train_dataset=drawn(rows, len(rows)),
            data_collator=lambda _: dict(batch),
            processing_class=loaded.processor,
            peft_config=prepare_parts(loaded, recipe.train),
            callbacks=[steps],
            **options,
        )
    if cuda:
        gc.collect()
        torch.cuda.empty_cache()  # memory of the loader
        torch.cuda.reset_peak_memory_stats()
    trainer.train()
    peak = device = 0.0
    if cuda:
        free, total = torch.cuda.mem_get_info()
        peak, device = torch.cuda.max_memory_allocated() / GIB, (total - free) / GIB
    loss = trainer.state.log_history[0]["loss"]
    return Cost(steps.seconds[1:], loss, batch["input_ids"].numel(), peak, device)


class StepTimer(transformers.TrainerCallback):
    """Seconds from the end of an optimizer step to that of the next, the GPU's work included."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._last = 0.0

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self._last = train_step.now()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        now = train_step.now()
        self.seconds.append(now - self._last)
        self._last = now


def plan(recipe: Recipe, samples: Sequence[Sample]) -> str:
    """Write the memory that `gnomon plan` estimates."""
    path, family = locate_checkpoint(recipe.model)
    config = transformers.AutoConfig.from_pretrained(path)
    tokens, _ = count_tokens(family, config, recipe, samples)
    _, memory = Sizer(family, config, tokens)(recipe)
    parts = ("weights", "training", "activations", "answers", "rest")
    shares = ", ".join(f"{getattr(memory, part) / GIB:.2f} {part}" for part in parts)
    return f"planned {memory.total / GIB:.2f} GiB ({shares})"


def without_weights(name: str, checkpoint: str, folder: Path) -> None:
    """Write a checkpoint's configuration with a small tokenizer of its kind."""
    import small_models

    tokenizer = small_models.tokenizer_of(name)
    processor = small_models.processor_of(name, tokenizer, small_models.TRUE_PICTURES[name])
    config, small = (
        known_config(families.create(name), checkpoint),
        small_models.config_of(name, tokenizer),
    )
    for true, toy in ((config, small), (config.get_text_config(), small.get_text_config())):
        for key in IDS:
            if hasattr(true, key) and hasattr(toy, key):
                setattr(true, key, getattr(toy, key))
    config.save_pretrained(folder)
    processor.save_pretrained(folder)


class random_weights:  # noqa: N801 - reads as a with statement
    """Let every family draw the weights of a folder that has none."""

    def __enter__(self) -> None:
        self._load_model = Family.load_model

        def load_model(family: Family, path: str, **options: Any) -> Any:
            if any(name.endswith(".safetensors") for name in os.listdir(path)):
                return self._load_model(family, path, **options)
            return random_model(path, **options)

        Family.load_model = load_model  # type: ignore[method-assign, assignment]

    def __exit__(self, *_: object) -> None:
        Family.load_model = self._load_model  # type: ignore[method-assign]


def random_model(path: str, **options: Any) -> Any:
    """Load random weights as `from_pretrained` loads a checkpoint, with the same options."""
    config = transformers.AutoConfig.from_pretrained(path)
    with torch.device("meta"):
        bare = transformers.AutoModelForImageTextToText.from_config(config)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    # named_parameters has one of two tied weights: from_pretrained unties two that differ.
    stored, tensors = bare.state_dict(), [*bare.named_parameters(), *bare.named_buffers()]
    weights = {
        name: Weight(name, tensor.shape, options["dtype"], device)
        for name, tensor in tensors
        if name in stored
    }
    return type(bare).from_pretrained(None, config=config, state_dict=weights, **options)


@dataclass(frozen=True)
class Weight:
    """Weight that is drawn when the loader slices it, as a safetensors file is read then."""

    name: str
    shape: torch.Size
    dtype: torch.dtype
    device: torch.device

    def __getitem__(self, _: object) -> torch.Tensor:
        new = torch.empty(self.shape, dtype=self.dtype, device=self.device)
        if self.name.endswith(".bias"):
            return new.zero_()
        if len(self.shape) == 1 and not self.name.endswith("embedding"):
            return new.fill_(1.0)  # norms, and Mllama's gates, open
        return new.normal_(0.0, 0.02)
