"""Quantization by bitsandbytes: which layers are in 4 or 8 bits, and a guard for its CPU defect."""

from gnomon.pipeline import _bitsandbytes  # noqa: F401 - before bitsandbytes itself
from gnomon.pipeline.families.base import linear_layers

# isort: split
import bitsandbytes as bnb
import torch
from transformers import BitsAndBytesConfig, PreTrainedModel

from gnomon.pipeline.families.base import Family
from gnomon.recipe import Model

QUANTIZED = (bnb.nn.Linear4bit, bnb.nn.Linear8bitLt)


def quantization_config(family: Family, model: Model) -> BitsAndBytesConfig:
    """Configure QLoRA's NF4, or LLM.int8(), for the language layers only."""
    return BitsAndBytesConfig(
        load_in_4bit=model.load_in_4bit,
        load_in_8bit=model.load_in_8bit,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=model.bnb_4bit_use_double_quant,
        bnb_4bit_compute_dtype=getattr(torch, str(model.dtype)),
        # Despite its name, the key also applies to 4 bits.
        llm_int8_skip_modules=list(modules_in_16_bits(family)),
    )


def modules_in_16_bits(family: Family) -> tuple[str, ...]:
    """Return the modules that are not quantized: all but the language model.

    The head is among them, because a list replaces the library's default, which has it.
    """
    vision, projector = family.vision or (), family.projector or ()
    outside = [name for name in projector if not name.startswith(vision)]
    names = (*vision, *outside, *family.unused_parts)
    return (*(name.rstrip(".") for name in names), family.head)


def quantized_layers(model: torch.nn.Module) -> list[str]:
    """List the names of the layers in 4 or 8 bits."""
    return [name for name, module in model.named_modules() if isinstance(module, QUANTIZED)]


def check_quantized(model: PreTrainedModel, family: Family) -> None:
    """Refuse a model whose quantized layers are not exactly the language's linear layers.

    A skip pattern without a match raises no error, and the tower would also be quantized.
    """
    actual = set(quantized_layers(model))
    expected = set(linear_layers(family, model, family.language))
    if not actual:
        raise ValueError(f"{family.name}: no layer is quantised, although model.load_in_* is true")
    differences = (
        (actual - expected, "should not be quantised"),
        (expected - actual, "are not"),
    )
    for layers, fault in differences:
        if layers:
            raise ValueError(
                f"{family.name}: {len(layers)} layers {fault}, such as {sorted(layers)[:3]}:"
                " modules_in_16_bits and the language part must say the same"
            )


def keep_trainable_on_cpu(model: torch.nn.Module) -> None:
    """Keep the first evaluation from repacking 4-bit layers in place.

    On a CPU with AVX512-BF16, this repacking silently leaves later training without gradients, or
    with wrong gradients. A merge would give wrong weights.
    """
    for module in model.modules():
        if isinstance(module, bnb.nn.Linear4bit):
            # bitsandbytes asks this flag before it repacks.
            module.support_avx512bf16_for_cpu = False


def cast_adapter(model: torch.nn.Module) -> None:
    """Cast adapters of a quantized base to bf16, but to float32 in a float32 model.

    TRL casts them and whole modules to bf16. A float32 model cannot compute with such modules, and
    processors without AVX-512 multiply bf16 about fifty times as slowly. PEFT loads adapters as
    float32 however they were saved, so a resumed run and its answers would differ. DoRA's
    magnitudes stay float32, because a step is too small to move them in bf16.
    """
    if not quantized_layers(model):
        return
    from peft.utils import ModulesToSaveWrapper  # takes seconds, and only adapters need it

    dtype = torch.float32 if model.dtype == torch.float32 else torch.bfloat16
    for name, parameter in model.named_parameters():
        if "lora_" in name and "lora_magnitude_vector" not in name:
            parameter.data = parameter.data.to(dtype)
    for module in model.modules():
        # A module that trains whole keeps the dtype of the module that it copies.
        if isinstance(module, ModulesToSaveWrapper):
            original_dtype = next(module.original_module.parameters()).dtype
            module.modules_to_save.to(original_dtype)
