"""Part c: QLoRA steps at true size beside stock TRL, and beside what `plan` says of them.

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
from benchmarks.gpu.parts import Found, Setting
from benchmarks.gpu.worker import reason
from gnomon import generators
from gnomon.pipeline import families
from gnomon.pipeline.checkpoint import resolve
from gnomon.pipeline.collate import Collator
from gnomon.pipeline.families.base import Family
from gnomon.pipeline.load import load
from gnomon.pipeline.planning.budget import GIB, Sizer
from gnomon.pipeline.planning.tokens import count_tokens
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
"""What a configuration says of the tokenizer."""


def sizes(setting: Setting) -> Callable[[str], Found]:
    """All ways of a checkpoint in one process, each with a model of its own."""
    batch, rounds, side = (2, 1, 84) if setting.tiny else (4, 5, 448)
    clocks = generators.create("clock", size=side, split_by="none")
    samples = [clocks[i] for i in range(batch)]

    def measure(checkpoint: str) -> Found:
        name = next(f for f in families.FAMILIES if checkpoint in families.create(f).sizes)
        with TemporaryDirectory(dir=setting.work) as work:
            folder = Path(work) / "checkpoint"
            if setting.tiny:
                import small_models

                small_models.build(name, folder)
            else:
                without_weights(name, checkpoint, folder)
            given = Recipe(
                data=(Source(kind="clock"),),
                model=Model(name=str(folder)),
                train=Train(
                    samples=batch * (rounds + 1),
                    max_steps=rounds + 1,
                    per_device_train_batch_size=batch,
                    logging_steps=1000,
                ),
            )
            return compared(given, samples, Path(work), not setting.cpu)

    return measure


@dataclass(frozen=True)
class Cost:
    """Of the steps after the first."""

    seconds: list[float]
    loss: float
    """Of the first step."""
    tokens: int
    peak: float
    """GiB that torch held at once."""
    device: float
    """GiB that are taken on the device, with what CUDA and the allocator keep."""

    @property
    def step(self) -> float:
        return statistics.median(self.seconds)


def compared(given: Recipe, samples: Sequence[Sample], work: Path, cuda: bool) -> Found:
    """The ways in turn; what one of them cannot do is a line of its own."""
    found: dict[str, Cost] = {}
    lines: list[str] = []
    failed = []
    for way in WAYS:
        try:
            found[way] = cost(way, given, samples, work / "run", cuda)
            lines.append(line(way, found))
        except Exception as error:
            failed.append(way)
            lines.append(f"{way:<26} FAILED {reason(error)}")
        gc.collect()
        if cuda:
            torch.cuda.empty_cache()
    said, ours = planned(given, samples), found.get(WAYS[-1])
    if ours is not None:
        said += f"; ours {_step(ours)}, {_peak(ours, cuda)}, {ours.tokens} tokens a batch"
    same = alike(*(found[way].loss for way in WAYS[:3] if way in found))
    return Found(not failed and same, said if same else f"losses differ; {said}", lines)


def alike(*losses: float) -> bool:
    """Whether the first step's cross-entropies are one, as far as bfloat16 logits can say."""
    return all(abs(loss - losses[0]) <= 0.01 * losses[0] for loss in losses)  # never of NaN


def line(way: str, found: dict[str, Cost]) -> str:
    """What a way costs, and its share of what the others cost that were measured before."""
    cost = found[way]
    shares = [
        f"{cost.step / other.step:.0%} of {name}'s time, {cost.peak / other.peak:.0%} of its memory"
        if other.peak
        else f"{cost.step / other.step:.0%} of {name}'s time"
        for name, other in found.items()
        if name in WAYS[:2] and name != way
    ]
    told = f"{way:<26} {_step(cost)}, {_peak(cost, bool(cost.peak))}, loss {cost.loss:.3f}"
    return "; ".join([told, *shares])


def _step(cost: Cost) -> str:
    low, high = min(cost.seconds), max(cost.seconds)
    return f"{cost.step:.3f} s a step ({low:.3f} to {high:.3f})"


def _peak(cost: Cost, cuda: bool) -> str:
    if not cuda:
        return "memory n/a"
    return f"{cost.peak:.2f} GiB at the peak ({cost.device:.2f} taken on the device)"


def cost(way: str, given: Recipe, samples: Sequence[Sample], run: Path, cuda: bool) -> Cost:
    """Optimizer steps on one batch, the first of them to warm up."""
    with weights_drawn():
        loaded = load(given.model, seed=given.seed)
    batch = Collator(loaded.family, loaded.processor)([{"sample": s} for s in samples])
    kind, options = train_step.WAYS[way]
    args = sft_config(given, run)
    args.save_strategy = transformers.trainer_utils.SaveStrategy.NO
    args.disable_tqdm = True
    steps = WaitedFor()
    rows = [samples[i % len(samples)] for i in range(given.train.samples or 0)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # compute_loss_func is deprecated
        trainer = kind(
            model=loaded.model,
            args=args,
            train_dataset=drawn(rows, len(rows)),
            data_collator=lambda _: dict(batch),
            processing_class=loaded.processor,
            peft_config=prepare_parts(loaded, given.train),
            callbacks=[steps],
            **options,
        )
    if cuda:
        gc.collect()
        torch.cuda.empty_cache()  # the loader's
        torch.cuda.reset_peak_memory_stats()
    trainer.train()
    peak = device = 0.0
    if cuda:
        free, total = torch.cuda.mem_get_info()
        peak, device = torch.cuda.max_memory_allocated() / GIB, (total - free) / GIB
    loss = trainer.state.log_history[0]["loss"]
    return Cost(steps.seconds[1:], loss, batch["input_ids"].numel(), peak, device)


class WaitedFor(transformers.TrainerCallback):
    """How long each optimizer step took, from one's end to the next, the GPU waited for."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._last = 0.0

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self._last = train_step.now()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        now = train_step.now()
        self.seconds.append(now - self._last)
        self._last = now


def planned(given: Recipe, samples: Sequence[Sample]) -> str:
    """What `gnomon plan` says of the memory."""
    path, family = resolve(given.model)
    config = transformers.AutoConfig.from_pretrained(path)
    tokens, _ = count_tokens(family, config, given, samples)
    _, memory = Sizer(family, config, tokens)(given)
    parts = ("weights", "training", "activations", "answers", "rest")
    told = ", ".join(f"{getattr(memory, part) / GIB:.2f} {part}" for part in parts)
    return f"planned {memory.total / GIB:.2f} GiB ({told})"


def without_weights(name: str, checkpoint: str, folder: Path) -> None:
    """A checkpoint's configuration with a small tokenizer of its kind."""
    import small_models

    tokenizer = small_models.tokenizer_of(name)
    processor = small_models.processor_of(name, tokenizer, small_models.TRUE_PICTURES[name])
    config, small = (
        families.create(name).config(checkpoint),
        small_models.config_of(name, tokenizer),
    )
    for true, toy in ((config, small), (config.get_text_config(), small.get_text_config())):
        for key in IDS:
            if hasattr(true, key) and hasattr(toy, key):
                setattr(true, key, getattr(toy, key))
    config.save_pretrained(folder)
    processor.save_pretrained(folder)


class weights_drawn:  # noqa: N801 - read as a with statement
    """Whatever family loads a folder without weights gets them drawn; one with weights is read."""

    def __enter__(self) -> None:
        self._own = Family.load_model

        def load_model(family: Family, path: str, **options: Any) -> Any:
            if any(name.endswith(".safetensors") for name in os.listdir(path)):
                return self._own(family, path, **options)
            return random_model(path, **options)

        Family.load_model = load_model  # type: ignore[method-assign, assignment]

    def __exit__(self, *_: object) -> None:
        Family.load_model = self._own  # type: ignore[method-assign]


def random_model(path: str, **options: Any) -> Any:
    """What from_pretrained makes of a checkpoint of random weights that is nowhere."""
    config = transformers.AutoConfig.from_pretrained(path)
    with torch.device("meta"):
        bare = transformers.AutoModelForImageTextToText.from_config(config)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    # Of tied weights one: from_pretrained unties two that differ.
    kept, own = bare.state_dict(), [*bare.named_parameters(), *bare.named_buffers()]
    weights = {
        name: Weight(name, tensor.shape, options["dtype"], device)
        for name, tensor in own
        if name in kept
    }
    return type(bare).from_pretrained(None, config=config, state_dict=weights, **options)


@dataclass(frozen=True)
class Weight:
    """Drawn when it is asked for, as a slice of a safetensors file is read."""

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
