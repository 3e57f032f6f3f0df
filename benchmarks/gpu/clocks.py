"""Part d: models of about 50 million parameters that learn to read clocks from nothing."""

from __future__ import annotations

import math
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import transformers

from benchmarks.gpu.parts import Found, Setting
from gnomon import store
from gnomon.pipeline.families import BLANK, tiny
from gnomon.pipeline.load import load
from gnomon.pipeline.training.train import make_trainer
from gnomon.pipeline.training.validation import Validation
from gnomon.recipe import Eval, Loss, Model, Recipe, Source, Train

if TYPE_CHECKING:
    from collections.abc import Callable

    from transformers import Qwen2VLConfig

    from gnomon.sample import Sample
    from gnomon.store import Samples

WIDTH, LAYERS, HEADS = 576, 5, 12
"""Of language and vision; heads of 48 as gnomon-tiny's, whose rotation they share."""
EVERY = 50
"""Steps between two lines."""
PLAIN: dict[str, Any] = {
    "size": 84, "dials": ["round"], "hands": ["baton"], "numerals": ["arabic", "none"],
    "palettes": ["plain"], "backgrounds": ["plain"], "rotation": 0.0, "perspective": 0.0,
    "dial_size": [0.88, 0.96], "offset": 0.3, "second_hand": 0.0, "variety": 0.0, "shadow": 0.0,
    "split_by": "none",
}  # fmt: skip
"""Clocks that a model of no weights learns in few steps."""


def clocks(setting: Setting) -> Callable[[str], Found]:
    """A training with one loss and one seed; the pictures are drawn once, by all cores."""
    steps, batch, asked = (3, 4, 4) if setting.tiny else (300, 64, 512)
    source = Source(kind="clock", options=PLAIN)
    folder = setting.work / f"clocks-{steps * batch}"
    store.write(
        store.mixture([source], split="train", seed=0),
        folder,
        n=steps * batch,
        workers=1 if setting.tiny else None,
    )
    held_out = store.mixture([source], split="test", seed=0)[:asked]
    if not setting.tiny:
        tiny.config = larger  # type: ignore[assignment]

    def measure(case: str) -> Found:
        loss, _, seed = case.partition(", seed ")
        given = Recipe(
            data=(Source(path=str(folder)),),
            model=Model(name=BLANK, load_in_4bit=False, dtype="float32"),
            loss=Loss(name=loss),
            train=Train(
                max_steps=steps,
                learning_rate=5e-4,
                warmup_steps=steps // 6,
                per_device_train_batch_size=batch,
                language="full",
                vision="full",
                projector="full",
                logging_steps=1 if setting.tiny else EVERY,
                save_steps=10_000,
                dataloader_num_workers=0 if setting.tiny else min(8, (os.cpu_count() or 2) // 2),
            ),
            eval=Eval(batch_size=batch, max_new_tokens=12),
            seed=int(seed),
        )
        with tempfile.TemporaryDirectory(dir=setting.work) as run:
            return trained(given, store.open(folder), held_out, Path(run))

    return measure


def larger() -> Qwen2VLConfig:
    """gnomon-tiny's architecture, wider and deeper."""
    config = _small()
    text, vision = config.text_config, config.vision_config
    text.hidden_size, text.intermediate_size, text.num_hidden_layers = WIDTH, 1536, LAYERS
    text.num_attention_heads = text.num_key_value_heads = HEADS
    text.layer_types = None
    vision.depth, vision.embed_dim, vision.hidden_size, vision.num_heads = (
        LAYERS,
        WIDTH,
        WIDTH,
        HEADS,
    )
    text.initializer_range = vision.initializer_range = 0.03
    return transformers.Qwen2VLConfig(**config.to_dict())


_small = tiny.config


def trained(given: Recipe, samples: Samples, held_out: list[Sample], run: Path) -> Found:
    """Losses and accuracies as it learns, and what it answers at the end."""
    loaded = load(given.model, seed=given.seed)
    trainer = make_trainer(given, loaded, samples, run)
    trainer.args.save_strategy = transformers.trainer_utils.SaveStrategy.NO
    began = time.perf_counter()
    trainer.train()
    seconds = (time.perf_counter() - began) / given.train.max_steps
    lines = [line for line in trainer.state.log_history if "loss" in line]
    measured = Validation(loaded, tuple(held_out), given.eval.batch_size, given.eval.max_new_tokens)
    figures = measured(trainer.model)
    size = sum(p.numel() for p in trainer.model.parameters()) / 1e6
    first, last = lines[0]["ce"], lines[-1]["ce"]
    told = ", ".join(f"{name} {value:.3g}" for name, value in figures.items())
    learnt = last < first or given.train.max_steps < EVERY
    return Found(
        all(math.isfinite(line["loss"]) for line in lines) and learnt,
        f"ce {first:.3f} to {last:.3f}, {told}; {1e3 * seconds:.0f} ms a step, {size:.0f} M",
        [_line(line) for line in lines],
    )


def _line(line: dict[str, Any]) -> str:
    left_out = ("epoch", "step", "grad_norm", "learning_rate", "num_tokens", "entropy")
    figures = (f"{name} {value:.4g}" for name, value in line.items() if name not in left_out)
    return f"step {line['step']:>4}: {', '.join(figures)}"
