"""A recipe's model loaded with its processor, before or after a run's training."""

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gnomon.pipeline import _bitsandbytes  # noqa: F401 - before PEFT, which imports bitsandbytes

# isort: split
import peft
import torch
from accelerate import PartialState
from safetensors import safe_open
from transformers import PreTrainedModel, PreTrainedTokenizerBase, set_seed
from transformers.trainer import TRAINING_ARGS_NAME

from gnomon.files import content_hash
from gnomon.pipeline import checkpoint, families, quantize
from gnomon.pipeline.families.base import Family, Processor, tokenizer_of
from gnomon.recipe import Model
from gnomon.recipe.sections import LARGEST_RANK
from gnomon.store.reading.run_folder import RunFolder

_WEIGHT_SUFFIXES = (".safetensors", ".bin", ".pt", ".pth")


@contextmanager
def inference(model: PreTrainedModel) -> Iterator[None]:
    """Switch dropout and gradients off for a while, even in the middle of a training.

    No inference_mode: a tensor made in it may not enter a later training step.
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
    """A model with the processor and the family that go with it."""

    model: PreTrainedModel
    processor: Processor
    family: Family
    weights: str | None = None
    """Hash of the weights, as `fingerprint` computes it; None if the caller did not ask for it."""

    @property
    def tokenizer(self) -> PreTrainedTokenizerBase:
        return tokenizer_of(self.processor)


def load(model: Model, *, seed: int = 0) -> Loaded:
    """Load a recipe's model as it came, quantized if the recipe says so, onto the GPU if any.

    `seed` draws the weights of a blank model.
    """
    path, family = checkpoint.locate_checkpoint(model)
    model = checkpoint.with_dtype(model)
    if model.bits and path == families.BLANK:
        way_out = f"set model.load_in_{model.bits}bit=false"
        raise ValueError(f"{path} has no weights to quantise yet: {way_out}")
    options: dict[str, Any] = {"dtype": getattr(torch, str(model.dtype))}
    if model.bits:
        # Quantized while it is loaded, layer by layer: the whole in 16 bits may not fit.
        options["quantization_config"] = quantize.quantization_config(family, model)
    if model.attn_implementation:
        options["attn_implementation"] = model.attn_implementation
    if torch.cuda.is_available():
        # Each launched process holds a whole copy; "auto" would spread one over all GPUs.
        options["device_map"] = {"": PartialState().local_process_index}
    set_seed(seed)  # a blank model draws its weights here
    base = checkpoint.try_load(model.name, lambda: family.load_model(path, **options))
    if model.bits:
        quantize.check_quantized(base, family)
        quantize.keep_trainable_on_cpu(base)
    return Loaded(base, checkpoint.load_processor(path, family, model), family)


def load_trained(model: Model, run: Path, *, seed: int = 0) -> Loaded:
    """Load a recipe's model with what a run trained; `seed` is the run's."""
    # A model that was trained whole is a checkpoint of its own.
    folder = RunFolder(run)
    if folder.model.is_dir():
        base = load(replace(model, name=str(folder.model)))
        return replace(base, weights=fingerprint(model, run))
    if not folder.adapter.is_dir():
        raise ValueError(f"{run} holds no trained weights yet: `gnomon train` its recipe first")
    base = load(model, seed=seed)
    adapted = attach_adapter(base.model, folder.adapter)
    quantize.cast_adapter(adapted)
    tie_head(adapted)
    return replace(base, model=adapted.eval(), weights=fingerprint(model, run))


def attach_adapter(model: PreTrainedModel, folder: Path) -> peft.PeftModel:
    """Load the adapter in a folder onto the model; refused unless every weight finds its place.

    PEFT leaves out weights under other names with a warning: the base alone would answer.
    """

    def load_adapter() -> peft.PeftModel:
        _check_ranks(folder)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Found missing adapter keys")
            # As a Path: PEFT would look for a string on the hub.
            return peft.PeftModel.from_pretrained(model, folder)

    adapted = checkpoint.try_load(str(folder), load_adapter, key="the adapter")
    names = checkpoint.try_load(str(folder), lambda: _weight_names(folder), key="the adapter")
    # By default PEFT would ask the hub for the base's config, to see if its vocabulary grew.
    expected = peft.utils.get_peft_model_state_dict(adapted, save_embedding_layers=False).keys()
    differences = (("it lacks", expected - names), ("it has", names - expected))
    faults = [f"{verb} {_first_two(sorted(keys))}" for verb, keys in differences if keys]
    if faults:
        raise checkpoint.ModelNotHereError(
            f"the adapter: {str(folder)!r} has other weights than this model's adapters:"
            f" {'; '.join(faults)}. It belongs to another model, or another program renamed them"
        )
    return adapted


def _check_ranks(folder: Path) -> None:
    """Refuse ranks that would fill the memory before any weight of the file is looked at."""
    config = peft.PeftConfig.from_pretrained(folder)
    patterns = getattr(config, "rank_pattern", None) or {}
    for rank in (getattr(config, "r", 0), *patterns.values()):
        if isinstance(rank, int) and rank > LARGEST_RANK:
            raise ValueError(f"r={rank}: more than {LARGEST_RANK:,}")


def _weight_names(folder: Path) -> set[str]:
    """Names of an adapter's weights on disk; in a safetensors file, its header alone is read."""
    # Older adapters are pickles, which have to be read whole.
    file = folder / peft.utils.SAFETENSORS_WEIGHTS_NAME
    if not file.is_file():
        return set(peft.utils.load_peft_weights(str(folder), device="cpu"))
    with safe_open(file, framework="pt") as weights:
        return set(weights.keys())


def _first_two(names: Sequence[str]) -> str:
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f"{', '.join(names[:2])}{more}"


def fingerprint(model: Model, run: Path | None = None) -> str | None:
    """Hash the weights that answer, so that answers of other weights are not mixed with theirs.

    They are a run's and, under an adapter, those of the model in a folder that it was trained on.
    None for a model of the hub, or a blank one, that nothing was trained on.
    """
    folders = [] if run is None else [f for f in RunFolder(run).weight_folders if f.is_dir()]
    if run is not None and not any(map(_weight_files, folders)):
        raise ValueError(
            f"{run} holds no weights ({', '.join(_WEIGHT_SUFFIXES)}) in adapter or model"
        )
    if run is None or RunFolder(run).model not in folders:
        folders.append(Path(families.locate(model.name)))
    hashes = [content_hash(file) for folder in folders for file in _weight_files(folder)]
    digest = hashlib.sha256("".join(hashes).encode())
    return digest.hexdigest()[:16] if hashes else None  # 64 bits tell weights apart


def _weight_files(folder: Path) -> list[Path]:
    """List a folder's files of weights in the order of their names."""
    files = [file for file in folder.glob("*") if file.suffix in _WEIGHT_SUFFIXES]
    # training_args.bin has a weight's suffix and holds paths and dates.
    return sorted(file for file in files if file.name != TRAINING_ARGS_NAME)


def tie_head(model: PreTrainedModel | peft.PeftModel) -> None:
    """Tie the head again to the embedding if PEFT trains a copy of the embedding.

    PEFT copies a module that trains whole; a head tied to it would keep the original weight.
    """
    originals = [
        m.original_module for m in model.modules() if isinstance(m, peft.utils.ModulesToSaveWrapper)
    ]
    head = model.get_output_embeddings()
    # By identity: tied weights are one tensor, equal ones are two.
    if any(head.weight is weight for module in originals for weight in module.parameters()):
        head.weight = model.get_input_embeddings().weight
