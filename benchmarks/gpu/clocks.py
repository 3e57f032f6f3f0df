"""Part d: models of about 50 million random parameters that learn to read clocks."""

from __future__ import annotations

import math
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import transformers

from benchmarks.gpu.parts import Outcome, Setting
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
"""Shape of language and vision; heads of 48 as gnomon-tiny has, whose rotation they share."""
LINE_STEPS = 50
"""Steps between two lines."""
PLAIN: dict[str, Any] = {
    "size": 84, "dials": ["round"], "hands": ["baton"], "numerals": ["arabic", "none"],
    "palettes": ["plain"], "backgrounds": ["plain"], "rotation": 0.0, "perspective": 0.0,
    "dial_size": [0.88, 0.96], "offset": 0.3, "second_hand": 0.0, "variety": 0.0, "shadow": 0.0,
    "split_by": "none",
}  # fmt: skip
"""Options of clocks that an untrained model learns in few steps."""


def clocks(setting: Setting) -> Callable[[str], Outcome]:
    """Prepare a training with one loss and one seed; all draw their pictures from one dataset."""
    steps, batch, questions = (3, 4, 4) if setting.tiny else (300, 64, 512)
    source = Source(kind="clock", options=PLAIN)
    folder = setting.work / f"clocks-{steps * batch}"
    store.write(
        store.mixture([source], split="train", seed=0),
        folder,
        n=steps * batch,
        workers=1 if setting.tiny else None,
    )
    held_out = store.mixture([source], split="test", seed=0)[:questions]
    # The family builds its blank model by this function.
    if not setting.tiny:
        tiny.config = larger  # type: ignore[assignment]

    def measure(case: str) -> Outcome:
        loss, _, seed = case.partition(", seed ")
        recipe = Recipe(
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
                logging_steps=1 if setting.tiny else LINE_STEPS,
                save_steps=10_000,  # more than there are: checkpoints would count in the time
                dataloader_num_workers=0 if setting.tiny else min(8, (os.cpu_count() or 2) // 2),
            ),
            eval=Eval(batch_size=batch, max_new_tokens=12),
            seed=int(seed),
        )
        with tempfile.TemporaryDirectory(dir=setting.work) as run:
            return train(recipe, store.open(folder), held_out, Path(run))

    return measure


def larger() -> Qwen2VLConfig:
    """Return a config of gnomon-tiny's architecture, wider and deeper."""
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


def train(recipe: Recipe, samples: Samples, held_out: list[Sample], run: Path) -> Outcome:
    """Train; return the losses on the way and the figures of the answers at the end."""
    loaded = load(recipe.model, seed=recipe.seed)
    trainer = make_trainer(recipe, loaded, samples, run)
    trainer.args.save_strategy = transformers.trainer_utils.SaveStrategy.NO
    start = time.perf_counter()
    trainer.train()
    seconds = (time.perf_counter() - start) / recipe.train.max_steps
    lines = [line for line in trainer.state.log_history if "loss" in line]
    validation = Validation(
        loaded, tuple(held_out), recipe.eval.batch_size, recipe.eval.max_new_tokens
    )
    figures = validation(trainer.model)
    size = sum(p.numel() for p in trainer.model.parameters()) / 1e6
    first, last = lines[0]["ce"], lines[-1]["ce"]
    answers = ", ".join(f"{name} {value:.3g}" for name, value in figures.items())
    # In the three steps of --tiny nothing is learnt.
    has_learnt = last < first or recipe.train.max_steps < LINE_STEPS
    return Outcome(
        all(math.isfinite(line["loss"]) for line in lines) and has_learnt,
        f"ce {first:.3f} to {last:.3f}, {answers}; {1e3 * seconds:.0f} ms a step, {size:.0f} M",
        [_line(line) for line in lines],
    )


def _line(line: dict[str, Any]) -> str:
    unused = ("epoch", "step", "grad_norm", "learning_rate", "num_tokens", "entropy")
    figures = (f"{name} {value:.4g}" for name, value in line.items() if name not in unused)
    return f"step {line['step']:>4}: {', '.join(figures)}"
