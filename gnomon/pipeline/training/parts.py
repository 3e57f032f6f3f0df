"""Parts of a model that train: adapters, whole modules, learning rates, frozen towers.

A part is the language model, the vision tower or the projector between them. A recipe trains each
part in one of three modes: frozen, lora (by adapters) or full (its own weights).
"""

import re
from collections.abc import Callable, Iterable

from peft import LoraConfig, PeftModel
from torch.nn import ModuleList
from transformers import PreTrainedModel

from gnomon.names import hint
from gnomon.pipeline.families.base import Family, Part, linear_layers
from gnomon.pipeline.load import Loaded
from gnomon.recipe import Lora, Train

HOOK = "make_inputs_require_grads"
"""Name of transformers' hook that makes an embedding's output require a gradient."""
_PEFT_PREFIX = "base_model.model."
"""PEFT puts it before the names of the model that it wraps."""


def prepare_parts(loaded: Loaded, train: Train) -> LoraConfig | None:
    """Freeze each part or let it train, as the recipe says.

    Return the configuration of the adapters. None if no part has adapters.
    """
    unused = tuple(loaded.family.unused_modules(loaded.model.config))
    parts = [*(((prefix,), "frozen") for prefix in unused), *_modes(loaded.family, train)]
    # Unused modules come first in `parts`, so that no prefix below claims them.
    full = {part for part, mode in parts if mode == "full"}
    layers = _adapter_layers(loaded, train, unused)
    if not layers:
        for name, parameter in loaded.model.named_parameters():
            parameter.requires_grad_(_part_of(name, parts) in full)
        return None
    return _lora_config(train, layers, unused, _full_modules(loaded.model, parts, full))


def _modes(family: Family, train: Train) -> list[tuple[Part, str]]:
    """List the family's parts with the training mode of each.

    The projector comes before the vision tower, because its name may lie within the tower's.
    """
    parts = []
    for name in ("projector", "vision", "language"):
        part: Part | None = getattr(family, name)
        mode = getattr(train, name)
        if part is not None:
            parts.append((part, mode))
        elif mode != "frozen":
            why = "reads only text" if family.vision is None else "has no such part"
            raise ValueError(f"train.{name}: {mode!r}: {family.name} {why}: set it to frozen")
    return parts


def _adapter_layers(loaded: Loaded, train: Train, unused: tuple[str, ...]) -> dict[str, list[str]]:
    """List the linear layers of each part that trains by adapters, by the part's name."""
    layers: dict[str, list[str]] = {}
    for name in ("language", "vision", "projector"):
        if getattr(train, name) != "lora":
            continue
        linear = linear_layers(loaded.family, loaded.model, getattr(loaded.family, name))
        # If the output of a module is never used, an adapter on it would never get a gradient.
        layers[name] = [layer for layer in linear if not f"{layer}.".startswith(unused)]
        if not layers[name]:
            raise ValueError(
                f"train.{name}: 'lora': {loaded.family.name}'s {name} has no linear layers: set it"
                " to full or frozen"
            )
    available = {name.rpartition(".")[2] for names in layers.values() for name in names}
    for target in (train.lora and train.lora.target_modules) or ():
        if target not in available:
            raise ValueError(
                f"train.lora.target_modules: {target!r}: no linear layer of the parts with adapters"
                f" has that name; {hint(target, sorted(available))}"
            )
    return layers


def target_layers(layers: Iterable[str], lora: Lora | None) -> list[str]:
    """Select the layers that get adapters: all, unless the recipe lists target_modules."""
    targets = (lora and lora.target_modules) or ()
    return [name for name in layers if not targets or name.rpartition(".")[2] in targets]


def layer_pattern(layers: Iterable[str]) -> str:
    """Return a regular expression for exactly these layers, with the block's number left open.

    PEFT takes it as target_modules. A number at a name's end stays, because it distinguishes the
    layers of a Sequential from the activations between them.
    """
    numbered = (re.sub(r"\\\.\d+(?=\\\.)", lambda _: r"\.\d+", re.escape(n)) for n in layers)
    return "|".join(dict.fromkeys(numbered))


def _part_of(name: str, parts: list[tuple[Part, str]]) -> Part:
    """Return the part of a parameter. The head does not have its own prefix and belongs to
    language."""
    # Language is the last part of the list.
    return next((part for part, _ in parts if name.startswith(part)), parts[-1][0])


def _full_modules(
    model: PreTrainedModel, parts: list[tuple[Part, str]], full: set[Part]
) -> list[str]:
    """List the outermost modules that train whole, for PEFT's modules_to_save.

    If a projector inside a tower trains differently, the tower's other children are listed.
    """
    outermost: list[str] = []
    embedding, head = model.get_input_embeddings(), model.get_output_embeddings()
    # A tied head follows its embedding (see tie_head). PEFT would train a second copy of it.
    tied_head = head if head.weight is embedding.weight else None
    for name, module in model.named_modules():
        inside = name.startswith(tuple(f"{parent}." for parent in outermost))
        # PEFT cannot save a ModuleList, which lacks a forward method, so its children are listed
        # instead.
        if module is tied_head or inside or isinstance(module, ModuleList):
            continue
        parameters = module.named_parameters(prefix=name)
        owners = {_part_of(parameter, parts) for parameter, _ in parameters}
        if owners and owners <= full:
            outermost.append(name)
    return outermost


def _lora_config(
    train: Train, layers: dict[str, list[str]], unused: tuple[str, ...], full_modules: list[str]
) -> LoraConfig:
    """Build PEFT's configuration. A part with a different rank is an entry of rank_pattern."""
    lora = train.lora or Lora()
    all_layers = [name for names in layers.values() for name in names]
    # PEFT matches both patterns against whole names.
    excluded = [rf"{re.escape(name.rstrip('.'))}(\..*)?" for name in unused]
    return LoraConfig(
        r=train.lora_r,
        lora_alpha=train.lora_alpha,
        lora_dropout=train.lora_dropout,
        use_dora=lora.use_dora,
        use_rslora=lora.use_rslora,
        init_lora_weights=lora.init_lora_weights,
        rank_pattern={layer_pattern(layers[part]): rank for part, rank in (lora.r or {}).items()},
        target_modules=layer_pattern(target_layers(all_layers, lora)),
        exclude_modules="|".join(excluded) or None,
        modules_to_save=full_modules or None,
        # PEFT's generation methods depend on it. Vision-language models have the same methods.
        task_type="CAUSAL_LM",
    )


def learning_rates(family: Family, train: Train) -> Callable[[str], float] | None:
    """Return a function from a parameter's name to its highest learning rate.

    Names may have PEFT's prefix. None if all parameters have the same rate.
    """
    by_part = {getattr(family, name): rate for name, rate in (train.learning_rates or {}).items()}
    if not by_part:
        return None
    parts = _modes(family, train)

    def learning_rate_of(name: str) -> float:
        part = _part_of(name.removeprefix(_PEFT_PREFIX), parts)
        return by_part.get(part, train.learning_rate)

    return learning_rate_of


def train_only_language(model: PeftModel, family: Family, train: Train) -> None:
    """Freeze all adapters except the adapters of the language model."""
    parts = _modes(family, train)
    for name, parameter in model.named_parameters():
        part = _part_of(name.removeprefix(_PEFT_PREFIX), parts)
        parameter.requires_grad_("lora_" in name and part == family.language)


def spare_frozen_towers(model: PreTrainedModel, *, reentrant: bool = False) -> None:
    """Let gradients flow into a tower only as far as something in it trains.

    PEFT and activation checkpointing hook the inputs of every embedding, including the picture's
    patches. A whole backward pass then runs through a frozen vision tower in vain. Only reentrant
    checkpointing needs the hook, and only if something in the tower trains.
    """
    text_embedding = model.get_input_embeddings()
    for tower in model.modules():
        if not isinstance(tower, PreTrainedModel):
            continue
        if reentrant and any(parameter.requires_grad for parameter in tower.parameters()):
            continue
        try:
            embedding = tower.get_input_embeddings()
        except NotImplementedError:  # some towers have no embedding
            continue
        if embedding is None or embedding is text_embedding:
            continue
        for key, hook in list(embedding._forward_hooks.items()):
            if getattr(hook, "__name__", "") == HOOK:
                del embedding._forward_hooks[key]
