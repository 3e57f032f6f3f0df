"""Trained adapters, loaded onto their model with every weight in its place."""

import warnings
from collections.abc import Sequence
from pathlib import Path

from gnomon.pipeline import _bitsandbytes  # noqa: F401 - before PEFT, which imports bitsandbytes

# isort: split
import peft
from safetensors import safe_open
from transformers import PreTrainedModel

from gnomon.pipeline import checkpoint
from gnomon.recipe.sections import LARGEST_RANK


def attach_adapter(
    model: PreTrainedModel, folder: Path, *, trainable: bool = False
) -> peft.PeftModel:
    """Load the adapter in a folder onto the model. Refused unless every weight finds its place.

    PEFT would leave out weights under other names with a warning, and the base alone would answer.
    """

    def load_adapter() -> peft.PeftModel:
        _check_ranks(folder)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Found missing adapter keys")
            # As a Path, because PEFT would look for a string on the hub.
            return peft.PeftModel.from_pretrained(model, folder, is_trainable=trainable)

    adapted = checkpoint.try_load(str(folder), load_adapter, key="the adapter")
    names = checkpoint.try_load(str(folder), lambda: _weight_names(folder), key="the adapter")
    # By default PEFT would ask the hub for the base's config, to see whether its vocabulary grew.
    expected = peft.utils.get_peft_model_state_dict(adapted, save_embedding_layers=False).keys()
    differences = (("they lack", expected - names), ("the model lacks", names - expected))
    faults = [f"{verb} {_first_two(sorted(keys))}" for verb, keys in differences if keys]
    if faults:
        raise checkpoint.ModelNotHereError(
            f"the adapter: the weights in {str(folder)!r} do not match this model:"
            f" {'; '.join(faults)}. They belong to another model, or another program renamed them"
        )
    return adapted


def _check_ranks(folder: Path) -> None:
    """Refuse ranks that would fill the memory, before any weight of the file is read."""
    config = peft.PeftConfig.from_pretrained(folder)
    patterns = getattr(config, "rank_pattern", None) or {}
    for rank in (getattr(config, "r", 0), *patterns.values()):
        if isinstance(rank, int) and rank > LARGEST_RANK:
            raise ValueError(f"r={rank} is above the limit of {LARGEST_RANK:,}")


def _weight_names(folder: Path) -> set[str]:
    """List the names of an adapter's weights on disk. A safetensors file is read only up to the
    end of its header."""
    # Older adapters are pickles, which must be read completely.
    file = folder / peft.utils.SAFETENSORS_WEIGHTS_NAME
    if not file.is_file():
        return set(peft.utils.load_peft_weights(str(folder), device="cpu"))
    with safe_open(file, framework="pt") as weights:
        return set(weights.keys())


def _first_two(names: Sequence[str]) -> str:
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f"{', '.join(names[:2])}{more}"


def tie_head(model: PreTrainedModel | peft.PeftModel) -> None:
    """Tie the head to the embedding again if PEFT trains a copy of the embedding.

    PEFT copies a module that trains whole. A head tied to it would keep the original weight.
    """
    originals = [
        m.original_module for m in model.modules() if isinstance(m, peft.utils.ModulesToSaveWrapper)
    ]
    head = model.get_output_embeddings()
    # By identity: tied weights are one tensor, equal weights are two.
    if any(head.weight is weight for module in originals for weight in module.parameters()):
        head.weight = model.get_input_embeddings().weight
