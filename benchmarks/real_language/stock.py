"""The same fine-tuning by TRL's own SFTTrainer, without gnomon's trainer, collator or losses.

Both train adapters of the language model alone: PEFT would copy a projector that trains beside
them. Both draw the same pictures, and transformers' sampler puts them into the same order.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.real_language import cells
from gnomon.pipeline.collate import write_answer
from gnomon.pipeline.families.base import linear_layers
from gnomon.pipeline.load import Loaded, load
from gnomon.pipeline.training.stream import drawn
from gnomon.pipeline.training.train import train_to_last_step
from gnomon.recipe import Recipe
from gnomon.runs.resolve import resolve
from gnomon.sample import Sample
from gnomon.store import mixture

STEPS = 60


def outcomes(photographs: Path, steps: int = STEPS) -> list[dict[str, Any]]:
    """Train both ways and ask both the plan's questions."""
    words = "train.projector=frozen", "train.learning_rates=null", f"train.max_steps={steps}"
    recipe = resolve(str(cells.HERE / "stage_two.yaml"), (*words, "seed=41")).recipe
    # TRL's collator takes no row without a picture.
    recipe = replace(recipe, data=tuple(s for s in recipe.data if s.kind != "arithmetic"))
    found = []
    for name, train in (("gnomon", _ours), ("SFTTrainer", _stock)):
        with tempfile.TemporaryDirectory() as folder:
            trainer = train(recipe, Path(folder))
            losses = [row["loss"] for row in trainer.state.log_history if "loss" in row]
            loaded = replace(load(recipe.model, seed=recipe.seed), model=trainer.model)
            found.append({"key": name, "losses": losses, **cells.ask_all(loaded, photographs)})
    return found


def _ours(recipe: Recipe, folder: Path) -> Any:
    samples = mixture(recipe.data, split="train", seed=recipe.seed)
    return train_to_last_step(recipe, samples, folder)


def _stock(recipe: Recipe, folder: Path) -> Any:
    from peft import LoraConfig
    from trl import SFTConfig, SFTTrainer

    loaded, settings = load(recipe.model, seed=recipe.seed), recipe.train
    samples = mixture(recipe.data, split="train", seed=recipe.seed)
    config = SFTConfig(
        output_dir=str(folder), max_steps=settings.max_steps,
        learning_rate=settings.learning_rate, lr_scheduler_type=settings.lr_scheduler_type,
        warmup_steps=settings.warmup_steps, weight_decay=settings.weight_decay,
        per_device_train_batch_size=settings.per_device_train_batch_size,
        logging_steps=settings.logging_steps, seed=recipe.seed, report_to=[], save_strategy="no",
        max_length=None, bf16=False, remove_unused_columns=False,
    )  # fmt: skip
    adapter = LoraConfig(
        r=settings.lora_r, lora_alpha=settings.lora_alpha, lora_dropout=settings.lora_dropout,
        target_modules=linear_layers(loaded.family, loaded.model, loaded.family.language),
    )  # fmt: skip
    trainer = SFTTrainer(
        model=loaded.model, args=config, processing_class=loaded.processor, peft_config=adapter,
        train_dataset=drawn(samples, settings.samples, lambda sample: _row(loaded, sample)),
    )  # fmt: skip
    trainer.train()
    return trainer


def _row(loaded: Loaded, sample: Sample) -> dict[str, Any]:
    """Write a sample as TRL's own rows with a picture."""
    answer = write_answer(loaded.family, loaded.processor, sample)
    question = [{"type": "image"}, {"type": "text", "text": sample.question}]
    return {
        "prompt": [{"role": "user", "content": question}],
        "completion": [{"role": "assistant", "content": [{"type": "text", "text": answer}]}],
        "images": [sample.image],
    }
