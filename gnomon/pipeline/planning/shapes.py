"""Sizes of a model's layers, and the memory that autograd saves of a forward pass, measured or
stored.

They are measured on the meta device, where tensors have shapes and no contents. For well-known
checkpoints both are stored in shapes.json, because transformers' modelling files take seconds to
import. Write it anew after sizes.yaml has changed: `python -m gnomon.pipeline.planning.shapes`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gnomon.pipeline import families
from gnomon.pipeline.families.base import Config, Family, Part, known_config, linear_layers
from gnomon.recipe import Model

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

_FILE = Path(__file__).with_suffix(".json")
_WIDTHS = {2: "bfloat16", 4: "float32"}
"""Bytes of a number, and a dtype of that width."""
_CASES = (
    *((mode, width, width) for mode in ("frozen", "lora", "full") for width in _WIDTHS),
    ("lora", 2, 4),
)
"""Measured configurations of a checkpoint: the language's training, and widths of model and
adapters."""
CHUNK = 64
"""Tokens that the recurrent layers of Qwen3.5 compute at a time. They pad to a multiple of it."""
_RANK = 16
"""Rank of the measured adapters. Activations grow linearly with it."""
_LENGTHS = (4 * CHUNK, 4 * CHUNK + 1, 20 * CHUNK)
"""Tokens of the three samples from which the stored activations are computed."""


class Layer(NamedTuple):
    """Linear layers with the same name and size in a part of a model."""

    name: str
    """Last component of the module's name, as in train.lora.target_modules."""
    inputs: int
    outputs: int
    n: int
    """Number of such layers in the part."""


@dataclass(frozen=True)
class Shapes:
    """Sizes that do not depend on a recipe."""

    parameters: Mapping[str, int]
    """Number of parameters by part. "head" is everything outside the parts, including an audio
    tower."""
    trainable_head: int
    """Number of parameters outside the parts that train with the language model, without an audio
    tower."""
    layers: Mapping[str, Sequence[Layer]]
    """Linear layers by part."""


class StoredActivations(NamedTuple):
    """Bytes that autograd saves of one sample."""

    per_token: float
    per_padded: float
    """Bytes for each token of the sample padded to whole chunks. 0 without recurrent layers."""
    constant: float


class Stored(NamedTuple):
    """Stored sizes of a well-known checkpoint."""

    shapes: Shapes
    activations: Mapping[str, StoredActivations]
    """Keys are a training mode of the language and the width of a number of the model. With LoRA
    they also have the width of a number of the adapters, as in "lora 2 4". The rank is 0."""

    def saved_bytes(
        self, *, mode: str, rank: int, width: int, tokens: int, adapter_width: int
    ) -> float:
        """Return the bytes that the language model saves of one sample for its backward pass."""
        line = self.activations[_activations_key(mode, width, adapter_width)]
        adapters = 0
        if mode == "lora":  # each saves the output of its first matrix, of `rank` numbers a token
            n = sum(layer.n for layer in self.shapes.layers["language"])
            adapters = rank * adapter_width * n
        padded = -(-tokens // CHUNK) * CHUNK
        return tokens * (line.per_token + adapters) + padded * line.per_padded + line.constant


def _activations_key(mode: str, width: int, adapter_width: int) -> str:
    return f"{mode} {width}" + (f" {adapter_width}" if mode == "lora" else "")


@cache
def stored_shapes() -> Mapping[str, Stored]:
    """Read the stored sizes, by checkpoint."""
    return {
        checkpoint: Stored(
            Shapes(
                values["parameters"],
                values["trainable_head"],
                {part: [Layer(*row) for row in rows] for part, rows in values["layers"].items()},
            ),
            {key: StoredActivations(*line) for key, line in values["activations"].items()},
        )
        for checkpoint, values in json.loads(_FILE.read_text(encoding="utf-8")).items()
    }


def build_on_meta(family: Family, config: Config, dtype: str) -> PreTrainedModel:
    """Build the model without contents, with an attention whose activations can be counted."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForImageTextToText

    auto = AutoModelForCausalLM if family.vision is None else AutoModelForImageTextToText
    with torch.device("meta"):
        model: PreTrainedModel = auto.from_config(config, dtype=getattr(torch, dtype))
    return model


def measure_shapes(family: Family, model: PreTrainedModel) -> Shapes:
    """Count the parameters and linear layers of each part."""
    rest = {name: parameter.numel() for name, parameter in model.named_parameters()}
    parameters, layers = {}, {}
    # The projector comes first, because its names may lie within the vision tower's.
    for name in ("projector", "vision", "language"):
        part: Part | None = getattr(family, name)
        if part is None:
            continue
        # Everything outside the parts counts as the head.
        parameters[name] = sum(rest.pop(key) for key in list(rest) if key.startswith(part))
        sizes: Counter[tuple[str, int, int]] = Counter()
        for path in linear_layers(family, model, part):
            layer = model.get_submodule(path)
            sizes[path.rpartition(".")[2], layer.in_features, layer.out_features] += 1
        layers[name] = [Layer(*size, n) for size, n in sizes.items()]
    unused = tuple(family.unused_modules(model.config))  # Gemma 4's audio tower
    trainable = sum(n for name, n in rest.items() if not name.startswith(unused))
    # Language first, as the plan prints them.
    parameters = dict(reversed(parameters.items()))
    if rest:
        parameters["head"] = sum(rest.values())
    return Shapes(parameters, trainable, layers)


def measure_saved_bytes(
    family: Family,
    model: PreTrainedModel,
    *,
    mode: str,
    rank: int,
    tokens: int,
    adapter_width: int | None = None,
) -> float:
    """Run the language model on the meta device, and add up what autograd saves of one sample.

    Each storage counts once, and parameters do not count. The model is changed: with `mode` "lora"
    it gets adapters, of the model's own width unless `adapter_width` names another.
    """
    import torch

    if mode == "lora":
        dtype = getattr(torch, _WIDTHS[adapter_width]) if adapter_width else model.dtype
        _add_adapters(model, linear_layers(family, model, family.language), rank, dtype)
    elif mode == "full":
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(name.startswith(family.language))
    # Weights are in memory anyway, and a view of a weight has the same storage.
    parameters = {parameter.untyped_storage()._cdata for parameter in model.parameters()}
    # By the storage's address, because a tensor and its views are saved once.
    saved: dict[int, torch.UntypedStorage] = {}

    def note_saved(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage._cdata not in parameters:
            saved[storage._cdata] = storage  # referenced, so that its address is not used again
        return tensor

    _count_attention(model)
    language = model.get_submodule(family.language[0].rstrip("."))
    with torch.autograd.graph.saved_tensors_hooks(note_saved, lambda tensor: tensor):
        language.train()(**_language_inputs(family, model, tokens))
    return float(sum(storage.nbytes() for storage in saved.values()))


def _add_adapters(
    model: PreTrainedModel, layers: Sequence[str], rank: int, dtype: torch.dtype
) -> None:
    """Freeze the model and add LoRA to these layers, computed as in PEFT, which imports slowly."""
    from torch.nn import Linear, Sequential

    options: dict[str, Any] = {"device": "meta", "dtype": dtype}

    def add_update(layer: Any, inputs: tuple[torch.Tensor], output: torch.Tensor) -> Any:
        update = layer.lora(inputs[0].to(dtype))  # each adapter casts its input for itself
        return (output + update).to(output.dtype)

    model.requires_grad_(False)
    for name in layers:
        layer = model.get_submodule(name)
        down = Linear(layer.in_features, rank, bias=False, **options)
        up = Linear(rank, layer.out_features, bias=False, **options)
        layer.lora = Sequential(down, up)
        layer.register_forward_hook(add_update)


def _language_inputs(family: Family, model: PreTrainedModel, tokens: int) -> dict[str, Any]:
    """Return inputs of the language model for one sample, on the meta device."""
    import torch

    config = model.config.get_text_config()

    def empty(*shape: int) -> torch.Tensor:
        return torch.empty(1, *shape, dtype=model.dtype, device="meta")

    inputs: dict[str, Any] = {
        "inputs_embeds": empty(tokens, config.hidden_size).requires_grad_(),
        # Four-dimensional, because transformers would otherwise look into a mask without
        # contents.
        "attention_mask": torch.empty(1, 1, tokens, tokens, dtype=torch.bool, device="meta"),
        "use_cache": False,
    }
    width = getattr(config, "hidden_size_per_layer_input", 0)
    if width:  # Gemma 4 has an embedding for each layer
        inputs["per_layer_inputs"] = empty(tokens, config.num_hidden_layers, width)
    if hasattr(config, "cross_attention_layers"):  # Llama-3.2-Vision
        _, patches = family.image_cost(model.config, (1, 1), Model())
        inputs["cross_attention_states"] = empty(patches, config.hidden_size)
    return inputs


def _count_attention(model: PreTrainedModel) -> None:
    """Let the model attend as a fused kernel does, which saves no matrix of attention weights.

    A fused kernel saves its inputs, its output and one number per row. The meta device lacks such a
    kernel.
    """
    import torch
    from transformers import AttentionInterface

    class Fused(torch.autograd.Function):
        @staticmethod
        def forward(
            ctx: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
        ) -> torch.Tensor:
            out = torch.empty_like(query)
            rows = torch.empty(query.shape[:-1], dtype=torch.float32, device=query.device)
            ctx.save_for_backward(query, key, value, out, rows)
            return out

        @staticmethod
        def backward(_: Any, *__: Any) -> Any:
            raise AssertionError("only shapes are counted")

    def attend(
        _: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *__: Any, **___: Any
    ) -> tuple[torch.Tensor, None]:
        out: torch.Tensor = Fused.apply(query, key, value)  # type: ignore[no-untyped-call]  # torch's own
        return out.transpose(1, 2), None

    AttentionInterface.register("gnomon_counted", attend)
    model.config.get_text_config()._attn_implementation = "gnomon_counted"


def measure_stored(family: Family, checkpoint: str) -> Stored:
    """Measure a well-known checkpoint for shapes.json."""
    config = known_config(family, checkpoint)
    # The dtype does not change any shape.
    shapes = measure_shapes(family, build_on_meta(family, config, "bfloat16"))
    n = sum(layer.n for layer in shapes.layers["language"])
    activations = {}
    for mode, width, adapter_width in _CASES:
        whole, longer, longest = (
            measure_saved_bytes(
                family,
                build_on_meta(family, config, _WIDTHS[width]),
                mode=mode,
                rank=_RANK,
                tokens=tokens,
                adapter_width=adapter_width,
            )
            for tokens in _LENGTHS
        )
        # One token more than whole chunks adds one token, and a chunk of padded tokens.
        slope = (longest - whole) / (_LENGTHS[2] - _LENGTHS[0])
        per_padded = (longer - whole - slope) / (CHUNK - 1)
        adapters = _RANK * adapter_width * n if mode == "lora" else 0
        activations[_activations_key(mode, width, adapter_width)] = StoredActivations(
            slope - per_padded - adapters, per_padded, whole - slope * _LENGTHS[0]
        )
    return Stored(shapes, activations)


def main() -> None:
    """Write shapes.json: a line for each well-known checkpoint."""
    lines = []
    for name in families.FAMILIES:
        family = families.create(name)
        for checkpoint in family.sizes:
            stored = measure_stored(family, checkpoint)
            values = {**asdict(stored.shapes), "activations": stored.activations}
            lines.append(f"{json.dumps(checkpoint)}: {json.dumps(values)}")
    _FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
