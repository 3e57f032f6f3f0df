"""One recipe, one run: load, train, save; a killed run goes on from its last checkpoint."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import datasets
import torch
from peft import PeftModel
from transformers import ProgressCallback, TrainerCallback
from transformers.trainer import TRAINER_STATE_NAME
from trl import SFTConfig

from gnomon.losses import CE, NumericVocab, create
from gnomon.pipeline.collate import Collator
from gnomon.pipeline.load import ADAPTER, MODEL, Loaded, load, prepare_parts
from gnomon.pipeline.trainer import NumericSFTTrainer

if TYPE_CHECKING:
    from gnomon.losses import NumericLoss
    from gnomon.recipe import Recipe
    from gnomon.store.samples import Samples

LOG = "log.jsonl"


def train(recipe: Recipe, samples: Samples, run: Path) -> Path:
    """Train as the recipe says and save into the run's directory; where the weights are.

    A finished run is left as it is: resumed at its end, transformers would take one more step.
    """
    for finished in (run / ADAPTER, run / MODEL):
        if finished.is_dir():
            return finished
    loaded = load(recipe.model, seed=recipe.seed)
    trainer = make_trainer(recipe, loaded, samples, run)
    trainer.train(resume_from_checkpoint=last_checkpoint(Path(trainer.args.output_dir)))
    weights = run / (ADAPTER if isinstance(trainer.model, PeftModel) else MODEL)
    part = weights.with_name(weights.name + ".part")
    if trainer.accelerator.is_main_process:
        shutil.rmtree(part, ignore_errors=True)
    trainer.accelerator.wait_for_everyone()
    trainer.save_model(str(part))
    if trainer.accelerator.is_main_process:
        part.rename(weights)  # whole or absent: a kill while saving leaves no half
    return weights


def last_checkpoint(folder: Path) -> str | None:
    """The last whole one: its state is written last, so one without was cut short by a kill."""
    whole = [file.parent for file in folder.glob(f"checkpoint-*/{TRAINER_STATE_NAME}")]
    return str(max(whole, key=lambda c: int(c.name.rpartition("-")[2]))) if whole else None


def make_trainer(recipe: Recipe, loaded: Loaded, samples: Samples, run: Path) -> NumericSFTTrainer:
    """The trainer of a recipe, ready to be started."""
    adapters = prepare_parts(loaded, recipe.train)
    args = arguments(recipe, run)
    trainer = NumericSFTTrainer(
        model=loaded.model,
        args=args,
        train_dataset=drawn(samples, recipe.train.samples),
        data_collator=Collator(
            loaded.family,
            loaded.processor,
            max_length=args.max_length or context_of(loaded),
            final_answer=recipe.loss.final_answer_only,
        ),
        processing_class=loaded.processor,
        peft_config=adapters,
        numeric_loss=numeric_loss(recipe, loaded),
        weight=recipe.loss.weight,
        balance=recipe.loss.balance,
        schedule=recipe.loss.schedule,
        warmup=recipe.loss.warmup,
        numeric_mass=recipe.loss.numeric_mass,
        callbacks=[LogFile(run / LOG)],
    )
    trainer.remove_callback(ProgressCallback)
    trainer.add_callback(Progress())
    return trainer


def context_of(loaded: Loaded) -> int | None:
    """How many tokens the model was made for; None where its config does not say."""
    config = loaded.model.config.get_text_config()
    length: int | None = getattr(config, "max_position_embeddings", None)
    return length


def arguments(recipe: Recipe, run: Path) -> SFTConfig:
    """TRL's settings of a recipe; `train.sft` has the last word."""
    train = recipe.train
    same = ("num_train_epochs", "max_steps", "learning_rate", "lr_scheduler_type", "warmup_steps",
            "weight_decay", "per_device_train_batch_size", "gradient_accumulation_steps",
            "activation_checkpointing", "save_steps", "logging_steps", "max_length",
            "dataloader_num_workers")  # fmt: skip
    settings: dict[str, Any] = {name: getattr(train, name) for name in same}
    settings |= {
        "output_dir": str(run / "checkpoints"),
        "seed": recipe.seed,
        "bf16": False,  # the weights have the recipe's dtype; nothing is cast on the way
        "fp16": False,
        "report_to": "none",
        "save_total_limit": 2,
        "remove_unused_columns": False,
        "dataset_kwargs": {"skip_prepare_dataset": True},
        "dataloader_persistent_workers": train.dataloader_num_workers > 0,
        "dataloader_pin_memory": torch.cuda.is_available(),
        "logging_first_step": True,
    }
    return SFTConfig(**{**settings, **(train.sft or {})})


def drawn(samples: Samples, n: int) -> datasets.Dataset:
    """The first n samples as the dataset that TRL wants, each read or drawn when asked for."""
    index = datasets.Dataset.from_dict({"index": range(n)})
    return index.with_transform(partial(_draw, samples))


def _draw(samples: Samples, rows: dict[str, list[int]]) -> dict[str, list[Any]]:
    return {"sample": [samples[index] for index in rows["index"]]}


def numeric_loss(recipe: Recipe, loaded: Loaded) -> NumericLoss | None:
    """The recipe's loss for this model's tokenizer and the width of its head; None for `ce`."""
    if recipe.loss.name == CE:
        return None
    width = loaded.model.get_output_embeddings().weight.shape[0]
    vocab = NumericVocab.from_tokenizer(loaded.tokenizer, size=width)
    return create(recipe.loss.name, vocab, **(recipe.loss.options or {}))


class Progress(ProgressCallback):  # type: ignore[misc]
    """One bar that says how the loss stands, where transformers prints a line each time."""

    def on_log(self, *_: Any, logs: dict[str, float], **__: Any) -> None:
        shown = {name: value for name, value in logs.items() if name in ("loss", "ce")}
        if self.training_bar is not None and shown:
            self.training_bar.set_postfix(shown)


class LogFile(TrainerCallback):  # type: ignore[misc]
    """Every line of the log, as JSON lines beside the run; a resumed run drops what it repeats."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def on_train_begin(self, _: Any, state: Any, *__: Any, **___: Any) -> None:
        if not state.is_world_process_zero:
            return
        lines = self.path.read_text().splitlines(keepends=True) if self.path.exists() else []
        whole = [line for line in lines if line.endswith("\n")]  # a kill may cut the last one
        kept = [line for line in whole if _stays(json.loads(line), state.global_step)]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(kept))

    def on_log(self, _: Any, state: Any, *__: Any, logs: dict[str, float], **___: Any) -> None:
        if state.is_world_process_zero:
            with self.path.open("a") as file:
                file.write(json.dumps({"step": state.global_step, **logs}) + "\n")


def _stays(row: dict[str, Any], step: int) -> bool:
    """Whether a line of the log is not about to be written again: later steps, and the summary."""
    return row["step"] <= step and "train_runtime" not in row
