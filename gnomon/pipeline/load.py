"""From a recipe's model section to a model, its processor and its family."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch
from peft import LoraConfig, PeftModel
from transformers import AutoConfig, set_seed

from gnomon.pipeline import families
from gnomon.pipeline.quantize import check_quantized, keep_trainable_on_cpu, nf4

if TYPE_CHECKING:
    from pathlib import Path

    from transformers import PreTrainedModel, ProcessorMixin

    from gnomon.pipeline.families.base import Family, Part
    from gnomon.recipe import Model, Train


ADAPTER, MODEL = "adapter", "model"
"""Where a run keeps what it trained: the adapter alone, or the whole model."""


@dataclass(frozen=True)
class Loaded:
    """A model with what goes with it."""

    model: PreTrainedModel
    processor: ProcessorMixin
    family: Family


def load(model: Model, *, seed: int = 0) -> Loaded:
    """The model of a recipe, in 4 bits or not, on the GPU where there is one."""
    path, family = resolve(model)
    dtype = getattr(torch, model.dtype)
    options: dict[str, Any] = {"dtype": dtype}
    if model.load_in_4bit:
        options["quantization_config"] = nf4(family, dtype)
    if torch.cuda.is_available():
        options["device_map"] = {"": torch.cuda.current_device()}
    set_seed(seed)  # a blank model draws its weights
    loaded = family.load_model(path, **options)
    if model.load_in_4bit and path != families.BLANK:
        check_quantized(loaded, family)
        keep_trainable_on_cpu(loaded)
    return Loaded(loaded, family.load_processor(path, model), family)


def load_trained(model: Model, run: Path) -> Loaded:
    """A run's model with what the run trained."""
    if (run / MODEL).is_dir():
        return load(replace(model, name=str(run / MODEL)))
    if not (run / ADAPTER).is_dir():
        raise ValueError(f"{run} holds no trained weights yet: `gnomon train` its recipe first")
    base = load(model)
    adapted = PeftModel.from_pretrained(base.model, run / ADAPTER)
    return replace(base, model=adapted.eval())


def fingerprint(run: Path) -> str:
    """A hash of what a run trained: answers of other weights are not mixed with these."""
    files = sorted(f for name in (ADAPTER, MODEL) for f in (run / name).glob("*.safetensors"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def resolve(model: Model) -> tuple[str, Family]:
    """Where the checkpoint is, and its family: as the recipe says, or as the checkpoint does."""
    path = families.locate(model.name)
    if model.family is not None or model.name in families.EMBEDDED:
        return path, families.create(model.family or "gnomon-tiny")
    try:
        return path, families.of_model_type(AutoConfig.from_pretrained(path).model_type)
    except OSError as error:
        raise ValueError(f"model.name: {path!r} cannot be opened: {error}") from error


def prepare_parts(loaded: Loaded, train: Train) -> LoraConfig | None:
    """Freeze or open each part as the recipe says; the adapters' settings, if there are any."""
    parts = _parts(loaded.family, train)
    adapted = [part.linear for part, way in parts if way == "lora"]
    full = [part.prefix for part, way in parts if way == "full"]
    if not adapted:
        for name, parameter in loaded.model.named_parameters():
            parameter.requires_grad_(_part_of(name, parts) in full)
        return None
    return _lora(loaded.model, train, adapted, full)


def _parts(family: Family, train: Train) -> list[tuple[Part, str]]:
    """The three parts, the projector before the vision tower that its name may lie in."""
    return [
        (family.projector, train.projector),
        (family.vision, train.vision),
        (family.language, train.language),
    ]


def _part_of(name: str, parts: list[tuple[Part, str]]) -> str:
    """The prefix of the part that a parameter belongs to; the head belongs to the language."""
    return next((p.prefix for p, _ in parts if name.startswith(p.prefix)), parts[-1][0].prefix)


def _lora(model: PreTrainedModel, train: Train, adapted: list[str], full: list[str]) -> LoraConfig:
    saved = [name for name, _ in model.named_modules() if f"{name}." in full]
    return LoraConfig(
        r=train.lora_r,
        lora_alpha=train.lora_alpha,
        lora_dropout=train.lora_dropout,
        target_modules="|".join(f"(?:{pattern})" for pattern in adapted),
        modules_to_save=saved or None,
        task_type="CAUSAL_LM",
    )
