"""Training of a recipe into a run: load, train, save. A killed run resumes."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import transformers
from peft import PeftModel
from torch.optim.lr_scheduler import LambdaLR
from transformers.trainer import TRAINER_STATE_NAME
from trl import GRPOConfig, SFTConfig

from gnomon.atomic import rename_new
from gnomon.losses import CE
from gnomon.pipeline.adapter import tie_head
from gnomon.pipeline.collate import COVERAGE_SAMPLES, Collator, coverage_text, digit_coverage
from gnomon.pipeline.families.base import tokenizer_of
from gnomon.pipeline.load import Loaded, load
from gnomon.pipeline.training import log as training_log
from gnomon.pipeline.training.parts import learning_rates, prepare_parts
from gnomon.pipeline.training.resuming import SaveWhenInterrupted, last_checkpoint, remove_old
from gnomon.pipeline.training.run_trainer import RunTrainer
from gnomon.pipeline.training.settings import name_sft_fields, training_config
from gnomon.pipeline.training.stream import Epoch, drawn
from gnomon.pipeline.training.trainer import NumericSFTTrainer
from gnomon.pipeline.training.trial import try_out
from gnomon.pipeline.training.validation import validation_of
from gnomon.progress import note, warn
from gnomon.recipe import Recipe
from gnomon.sample import Sample
from gnomon.shortage import add_path_to_disk_error
from gnomon.store.reading.augmented import augmented, spread_sample
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.samples import Samples, evenly_spaced, train_size


def fine_tune(
    recipe: Recipe, samples: Samples, run: Path, *, config: SFTConfig | GRPOConfig | None = None
) -> Path:
    """Train as a recipe says, and return the place of the weights in the run's directory.

    A finished run is left unchanged. A run that was killed before saving its weights saves them.
    `config` is the recipe's configuration of TRL if the caller has built it already.
    """
    for weights in RunFolder(run).weight_folders:
        if weights.is_dir():
            return weights
    trainer = train_to_last_step(recipe, samples, run, config=config)
    weights = save_weights(trainer, run)
    if trainer.accelerator.is_main_process:
        if isinstance(trainer, NumericSFTTrainer):
            _warn_of_label_entropy(recipe, trainer, samples)
        if "save_total_limit" not in (recipe.train.sft or {}):
            _remove_spare_checkpoints(trainer)
    return weights


def _remove_spare_checkpoints(trainer: RunTrainer) -> None:
    """Keep the last and the best checkpoint of a finished run, and say how to free both."""
    state, folder = trainer.state, Path(trainer.args.output_dir)
    steps = {state.global_step, state.best_global_step}
    remove_old(
        folder, 1, {each for step in steps if (each := folder / f"checkpoint-{step}").is_dir()}
    )
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    if size:
        note(
            f"{folder} holds {size / 1e6:,.0f} MB, which are needed only to train more steps"
            " (train.max_steps): delete it to free them"
        )


def _warn_of_label_entropy(recipe: Recipe, trainer: NumericSFTTrainer, samples: Samples) -> None:
    """Warn if the training only learned how frequent the labels are."""
    n = train_size(samples, recipe.train.samples)
    indices = evenly_spaced(n, training_log.ENTROPY_SAMPLES)
    # The trained labels, because spread labels have more entropy.
    width, seed = recipe.loss.spread, recipe.seed
    labelled = [spread_sample(samples[index], width, seed, index, 0) for index in indices]
    history = trainer.state.log_history
    message = training_log.label_entropy_warning(trainer.data_collator, labelled, history)
    if message:
        ways_out = ["more steps", "another learning rate"]
        if recipe.train.vision == "frozen":
            ways_out.append("train.vision=lora")
        warn(f"{message}; try {', '.join(ways_out[:-1])}, or {ways_out[-1]}")


class StopBelow(transformers.TrainerCallback):  # type: ignore[misc]
    """Callback that ends a training at the first log line with a lower cross-entropy."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def on_log(self, _: Any, __: Any, control: Any, *, logs: dict[str, float], **___: Any) -> None:
        control.should_training_stop |= logs.get(CE, self.threshold) < self.threshold


class EpochCounter(transformers.TrainerCallback):  # type: ignore[misc]
    """Callback that keeps the number of the epoch for augmented and spread samples.

    After resuming, it is the epoch in which the training was interrupted.
    """

    def __init__(self, epoch: Epoch) -> None:
        self.epoch = epoch

    def on_epoch_begin(
        self, _: Any, state: transformers.TrainerState, *__: Any, **___: Any
    ) -> None:
        # Resuming in the middle of an epoch starts with a fraction, such as 1.25.
        self.epoch.number = int(state.epoch or 0)


class FirstRate(transformers.TrainerCallback):  # type: ignore[misc]
    """Callback that starts at the schedule's learning rate.

    A checkpoint has the rate of its own schedule, which is 0 at its end. If the run was extended,
    transformers would take one step at that rate.
    """

    def on_train_begin(self, *_: Any, lr_scheduler: Any = None, **__: Any) -> None:
        if isinstance(lr_scheduler, LambdaLR):
            scheduled = lr_scheduler.base_lrs, lr_scheduler.lr_lambdas
            for group, base, factor in zip(
                lr_scheduler.optimizer.param_groups, *scheduled, strict=True
            ):
                group["lr"] = base * factor(lr_scheduler.last_epoch)


def train_to_last_step(
    recipe: Recipe,
    samples: Samples,
    run: Path,
    *,
    config: SFTConfig | GRPOConfig | None = None,
    stop: StopBelow | None = None,
) -> RunTrainer:
    """Train to the last step, from the beginning or from a checkpoint. Return the trainer."""
    config = config or training_config(recipe, run)  # before the weights, since it refuses settings
    loaded = load(recipe.model, seed=recipe.seed)
    with name_sft_fields(recipe, "get_process_log_level"):
        trainer = make_trainer(recipe, loaded, samples, run, config=config)
    if stop is not None:
        trainer.add_callback(stop)
    check_can_be_sharded(recipe, trainer, samples)
    if isinstance(trainer, NumericSFTTrainer):
        report_coverage(recipe, trainer, loaded, samples)
    last = last_checkpoint(
        Path(config.output_dir),
        adapter=isinstance(trainer.model, PeftModel),
        processes=config.world_size,
        takes_best=config.load_best_model_at_end,
        sharded=trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled,
        quiet=not trainer.accelerator.is_main_process,
    )
    if last is not None and is_last_step(last, recipe):
        # If resumed at its end, transformers would take one more step.
        load_finished(trainer, last, RunFolder(run).log)
    else:
        saving = SaveWhenInterrupted(config.world_size)
        trainer.add_callback(saving)
        with (
            name_sft_fields(recipe, "create_optimizer", "create_scheduler", "apply_liger_kernel"),
            saving,
        ):
            trainer.train(resume_from_checkpoint=last and str(last))
    return trainer


def save_weights(trainer: RunTrainer, run: Path) -> Path:
    """Save the adapter or model into the run's directory, completely or not at all. Return its
    folder.

    PEFT's draft of a README.md is left out, because it would stay after a kill.
    """
    folder = RunFolder(run)
    weights = folder.adapter if isinstance(trainer.model, PeftModel) else folder.model
    # Renamed when complete, so a kill leaves no half adapter under its name.
    part = weights.with_name(weights.name + ".part")
    if trainer.accelerator.is_main_process:
        shutil.rmtree(part, ignore_errors=True)
    trainer.accelerator.wait_for_everyone()
    # Tokenizers save the padding of their last call.
    reset_padding(trainer)
    try:
        with add_path_to_disk_error(run):
            trainer.save_model(str(part))
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)  # a full disk gets its room back
        raise
    if trainer.accelerator.is_main_process:
        (part / "README.md").unlink(missing_ok=True)
        rename_new(part, weights)
    trainer.accelerator.wait_for_everyone()
    return weights


def reset_padding(trainer: RunTrainer) -> None:
    """Keep the last batch's padding out of tokenizer.json, because a resumed run may not have had
    it."""
    backend = getattr(tokenizer_of(trainer.processing_class), "backend_tokenizer", None)
    if backend is not None:
        backend.no_padding()
        backend.no_truncation()


def check_can_be_sharded(
    recipe: Recipe, trainer: RunTrainer, samples: Samples | Sequence[Sample]
) -> None:
    """Refuse settings that would fail under FSDP after hours, or in the middle of a step."""
    if not trainer.is_fsdp_enabled:
        return
    way_out = "launch with configs/accelerate/ddp.yaml"
    if recipe.model.load_in_4bit:
        raise ValueError(
            f"model.load_in_4bit: FSDP cannot shard layers in 4 bits: set it to false, or {way_out}"
        )
    n = train_size(samples, recipe.train.samples)
    # A process without a picture would skip the vision tower, whose weights the others wait for.
    some = (samples[index] for index in evenly_spaced(n, COVERAGE_SAMPLES))
    if len({sample.image is None for sample in some}) > 1:
        raise ValueError(
            "data: some samples have pictures and others do not, but FSDP needs the same modules"
            f" in all processes: leave out the sources without pictures, or {way_out}"
        )


def report_coverage(
    recipe: Recipe, trainer: NumericSFTTrainer, loaded: Loaded, samples: Samples
) -> None:
    """Print the share of the answers' digits that the numeric loss sees. None at all is an
    error."""
    loss = trainer.objective.loss
    if loss is None:
        return
    n = train_size(samples, recipe.train.samples)
    some = [samples[index] for index in evenly_spaced(n, COVERAGE_SAMPLES)]
    shares = digit_coverage(loss.vocab, loaded.family, loaded.processor, some)
    if trainer.accelerator.is_main_process:
        note(f"digits that {recipe.loss.name} sees: {coverage_text(shares)}")


def is_last_step(checkpoint: Path, recipe: Recipe) -> bool:
    """Return True if no training follows this checkpoint, because all steps or all patience are
    spent."""
    state = transformers.TrainerState.load_from_json(checkpoint / TRAINER_STATE_NAME)
    stopping = state.stateful_callbacks.get(transformers.EarlyStoppingCallback.__name__, {})
    spent = stopping.get("attributes", {}).get("early_stopping_patience_counter", 0)
    patience = recipe.train.patience
    # A checkpoint counts to the steps that its recipe had. The run may have been extended since.
    steps = max(state.max_steps, recipe.train.max_steps)
    return bool(state.global_step >= steps or (patience and spent >= patience))


def load_finished(trainer: RunTrainer, checkpoint: Path, log: Path) -> None:
    """Load the weights of a finished training: the best weights if they are known, else the last.

    If the process was killed at the end, the log is completed and old checkpoints are removed.
    """
    state = transformers.TrainerState.load_from_json(checkpoint / TRAINER_STATE_NAME)
    best = checkpoint.with_name(f"checkpoint-{state.best_global_step}")
    chosen = best if trainer.args.load_best_model_at_end and best.is_dir() else checkpoint
    # Only weights: no step follows, so no optimizer is built.
    trainer._load_from_checkpoint(str(chosen))
    if trainer.accelerator.is_main_process:
        training_log.LogFile(log).repair(state.log_history)
        remove_old(checkpoint.parent, trainer.args.save_total_limit, {checkpoint, chosen})


def make_trainer(
    recipe: Recipe,
    loaded: Loaded,
    samples: Samples,
    run: Path,
    *,
    config: SFTConfig | GRPOConfig | None = None,
) -> RunTrainer:
    """Build the trainer of a recipe, with its model's parts frozen or given adapters."""
    try_out(loaded, samples)
    adapters = prepare_parts(loaded, recipe.train)
    config = config or training_config(recipe, run)
    validation = validation_of(recipe, loaded, run)
    patience = recipe.train.patience
    stopping = [] if patience is None else [transformers.EarlyStoppingCallback(patience)]
    n = train_size(samples, recipe.train.samples)
    training = augmented(samples, recipe.data, seed=recipe.seed, spread=recipe.loss.spread)
    settings: dict[str, Any] = {
        "model": loaded.model,
        "args": config,
        "eval_dataset": validation and drawn(validation.samples, len(validation.samples)),
        "processing_class": loaded.processor,
        "peft_config": adapters,
        "validation": validation,
        "learning_rate_of": learning_rates(loaded.family, recipe.train),
        "callbacks": [FirstRate(), training_log.LogFile(RunFolder(run).log), *stopping],
    }
    build: Callable[..., RunTrainer] = _numeric_trainer
    if isinstance(config, GRPOConfig):
        from gnomon.pipeline.training.grpo import reward_trainer as build  # few trainings need it
    trainer = build(recipe, loaded, training, n, settings)
    tie_head(trainer.model)
    # The trainer has one of the two callbacks, which would print beside our bar.
    for printing in (transformers.ProgressCallback, transformers.PrinterCallback):
        trainer.remove_callback(printing)
    trainer.add_callback(training_log.Progress())
    return trainer


def _numeric_trainer(
    recipe: Recipe, loaded: Loaded, training: Samples, n: int, settings: dict[str, Any]
) -> NumericSFTTrainer:
    epoch = Epoch()
    settings["callbacks"].insert(0, EpochCounter(epoch))
    # Longest text that the model was made for. None if its config does not say.
    context = getattr(loaded.model.config.get_text_config(), "max_position_embeddings", None)
    return NumericSFTTrainer(
        **settings,
        train_dataset=drawn(training, n, epoch=epoch),
        data_collator=Collator(
            loaded.family,
            loaded.processor,
            max_length=settings["args"].max_length or context,
            has_final_labels=recipe.loss.on == "answer",
        ),
        numeric_loss=recipe.loss.name,
        loss_options=recipe.loss.options,
        weight=recipe.loss.weight,
        balance=recipe.loss.balance,
        schedule=recipe.loss.schedule,
        warmup=recipe.loss.warmup,
        numeric_mass=recipe.loss.numeric_mass,
    )
