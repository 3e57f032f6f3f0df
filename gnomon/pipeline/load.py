"""A recipe's model loaded with its processor, before or after a run's training."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gnomon.pipeline import _bitsandbytes  # noqa: F401 - before transformers may import it

# isort: split
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from gnomon.files import content_hash
from gnomon.pipeline import checkpoint, families
from gnomon.pipeline.families.base import Family, Processor, tokenizer_of
from gnomon.recipe import Model
from gnomon.store.reading.run_folder import RunFolder

_PROCESSOR_FILES = (
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "chat_template.jinja",
    "chat_template.json",
    "preprocessor_config.json",
    "processor_config.json",
)
"""Files that turn pictures and words into a model's input, and its output into words."""
_TRAINING_ARGUMENTS = "training_args.bin"
"""A file of transformers' trainer, whose module takes seconds to import."""
_WEIGHT_SUFFIXES = (".safetensors", ".bin", ".pt", ".pth")


@contextmanager
def inference(model: PreTrainedModel) -> Iterator[None]:
    """Switch dropout and gradients off for a while, even in the middle of a training.

    inference_mode is not used, because its tensors may not enter a later training step.
    """
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)


@dataclass(frozen=True)
class Loaded:
    """Model with its processor and its family."""

    model: PreTrainedModel
    processor: Processor
    family: Family
    weights: str | None = None
    """Hash of the weights, as `fingerprint` computes it. None if the caller did not ask for it."""

    @property
    def tokenizer(self) -> PreTrainedTokenizerBase:
        return tokenizer_of(self.processor)


def load(model: Model, *, seed: int = 0) -> Loaded:
    """Load a recipe's untrained model, quantized if the recipe says so, onto the GPU if there is
    one.

    `seed` draws the weights of a blank model.
    """
    path, family = checkpoint.locate_checkpoint(model)
    model = checkpoint.with_dtype(model)
    if model.bits and path == families.BLANK:
        way_out = f"set model.load_in_{model.bits}bit=false"
        raise ValueError(f"{path} has no weights to quantise yet: {way_out}")
    options: dict[str, Any] = {"dtype": getattr(torch, str(model.dtype))}
    if model.bits:
        # Imported here, because bitsandbytes takes seconds that most readers do not need.
        from gnomon.pipeline import quantize

        # Quantized layer by layer while loading, because the whole model in 16 bits may not fit.
        options["quantization_config"] = quantize.quantization_config(family, model)
    if model.attn_implementation:
        options["attn_implementation"] = model.attn_implementation
    if torch.cuda.is_available():
        from accelerate import PartialState

        # Each launched process holds a whole copy. "auto" would spread one copy over all GPUs.
        options["device_map"] = {"": PartialState().local_process_index}
    # A blank model draws its weights here, and a training its adapters. set_seed of transformers
    # would import PEFT.
    torch.manual_seed(seed)
    base = checkpoint.try_load(model.name, lambda: family.load_model(path, **options))
    if model.bits:
        quantize.check_quantized(base, family)
        quantize.keep_trainable_on_cpu(base)
    return Loaded(base, checkpoint.load_processor(path, family, model), family)


def load_trained(model: Model, run: Path, *, seed: int = 0) -> Loaded:
    """Load a recipe's model with the weights that a run trained. `seed` is the run's."""
    # A model that was trained whole is a separate checkpoint.
    folder = RunFolder(run)
    if folder.model.is_dir():
        base = load(replace(model, name=str(folder.model)))
        return replace(base, weights=fingerprint(model, run))
    if not folder.adapter.is_dir():
        raise ValueError(f"{run} holds no trained weights yet: `gnomon train` its recipe first")
    from gnomon.pipeline import quantize
    from gnomon.pipeline.adapter import attach_adapter, tie_head

    base = load(model, seed=seed)
    adapted = attach_adapter(base.model, folder.adapter)
    quantize.cast_adapter(adapted)
    tie_head(adapted)
    return replace(base, model=adapted.eval(), weights=fingerprint(model, run))


def fingerprint(model: Model, run: Path | None = None) -> str | None:
    """Hash the answering weights, so answers of other weights are never mixed with theirs.

    They are a run's weights and, under an adapter, those of the base model if it lies in a folder.
    Files beside the weights that change answers count as well: the tokenizer, the chat template and
    the processor. None for an untrained model of the hub, and for an untrained blank model.
    """
    folders = [] if run is None else [f for f in RunFolder(run).weight_folders if f.is_dir()]
    if run is not None and not any(map(_weight_files, folders)):
        raise ValueError(
            f"{run} holds no weights ({', '.join(_WEIGHT_SUFFIXES)}) in adapter or model"
        )
    if run is None or RunFolder(run).model not in folders:
        folders.append(Path(families.locate(model.name)))
    hashes = [content_hash(file) for folder in folders for file in _weight_files(folder)]
    texts = [folder / name for folder in folders for name in _PROCESSOR_FILES]
    parts = [*hashes, *(f"{file.name} {content_hash(file)}" for file in texts if file.is_file())]
    digest = hashlib.sha256("".join(parts).encode())
    return digest.hexdigest()[:16] if hashes else None  # 64 bits tell weights apart


def _weight_files(folder: Path) -> list[Path]:
    """List a folder's weight files in the order of their names."""
    files = [file for file in folder.glob("*") if file.suffix in _WEIGHT_SUFFIXES]
    # training_args.bin has the suffix of weights but contains paths and dates.
    return sorted(file for file in files if file.name != _TRAINING_ARGUMENTS)
