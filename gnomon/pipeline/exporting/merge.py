"""An adapter and its base as one model that plain transformers opens, checked before it is kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from peft.tuners.lora import LoraLayer
from peft.utils import ModulesToSaveWrapper
from peft.utils.integrations import dequantize_bnb_weight
from torch.nn import functional
from transformers import PreTrainedModel

from gnomon.pipeline.answering.predict import answer
from gnomon.pipeline.collate import IGNORED, Collator
from gnomon.pipeline.load import ADAPTER, Loaded, load, load_trained
from gnomon.pipeline.quantize import QUANTIZED
from gnomon.pipeline.training.trainer import aligned
from gnomon.progress import track
from gnomon.recipe import Recipe
from gnomon.sample import Sample

MOST_KL = 0.01
"""Nats a token that the merged model may differ by; rounding to bf16 costs far less."""


@dataclass(frozen=True)
class Agreement:
    """How near the merged model is to the run's own."""

    samples: int
    same: int
    """Answers that are the same to the letter."""
    kl: float
    """KL(run ‖ merged), the mean over the answers' tokens, in nats."""

    def __str__(self) -> str:
        return f"{self.same} of {self.samples} answers the same, KL {self.kl:.2g} nats a token"


def merge(
    recipe: Recipe, run: Path, out: Path, samples: Sequence[Sample], *, card: str = ""
) -> Agreement:
    """Write the merged model; nothing is left at `out` unless it answers as the run does.

    `card` is its README.md, in which {agreement} stands for what was found and {opening} for the
    lines that open the model.
    """
    if out.exists():
        raise FileExistsError(f"{out} is there already; nothing was merged")
    if not (run / ADAPTER).is_dir():
        raise ValueError(f"{run} holds no adapter: what it trained, if anything, is whole already")
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        _write(load_trained(recipe.model, run, seed=recipe.seed), part)
        found = _compared(recipe, run, part, samples)
        card = card.replace("{agreement}", str(found)).replace("{opening}", _told(part, out.name))
        (part / "README.md").write_text(card, encoding="utf-8")
        part.rename(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return found


def _lines(folder: Path, name: str) -> list[str]:
    """Python that opens the model, called `name`, from the directory that holds it.

    Where its processor has a part for videos, which AutoProcessor opens with torchvision alone, a
    second piece does without.
    """
    processor = folder / "processor_config.json"
    if not processor.is_file():
        return [_TEXT.format(name=name)]
    videos = "video_processor" in json.loads(processor.read_text(encoding="utf-8"))
    return [piece.format(name=name) for piece in ([_WHOLE, _APART] if videos else [_WHOLE])]


def _told(folder: Path, name: str) -> str:
    """The same for a card."""
    without = "\n\n`AutoProcessor` asks for torchvision; without it, open its parts:\n\n"
    return without.join(f"```python\n{piece}```" for piece in _lines(folder, name))


_TEXT = """\
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained({name!r})
tokenizer = AutoTokenizer.from_pretrained({name!r})
"""
_WHOLE = """\
from transformers import AutoModelForImageTextToText, AutoProcessor

model = AutoModelForImageTextToText.from_pretrained({name!r})
processor = AutoProcessor.from_pretrained({name!r})
"""
_APART = """\
from transformers import AutoImageProcessor, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained({name!r})
image_processor = AutoImageProcessor.from_pretrained({name!r})
"""


def push(folder: Path, name: str) -> None:
    """Upload a model to the hub as a private repository, with the token that huggingface holds."""
    from huggingface_hub import HfApi

    hub = HfApi()
    hub.create_repo(name, private=True, exist_ok=True)
    hub.upload_folder(repo_id=name, folder_path=folder, commit_message="gnomon merge")


def _write(trained: Loaded, folder: Path) -> None:
    model = merged(trained.model)
    model.save_pretrained(folder)
    trained.processor.save_pretrained(folder)


@torch.no_grad()
def merged(model: PeftModel) -> PreTrainedModel:
    """The base with the adapters added, in bf16; what it was made of is taken apart.

    Layer by layer, so that no more than one is ever in float32. Into NF4 itself the adapters would
    be rounded away.
    """
    plain: PreTrainedModel = model.get_base_model()
    made = [name for name, module in plain.named_modules() if _is_made(module)]
    for name in made:
        way, _, last = name.rpartition(".")
        if last != "base_layer":  # what an adapter wraps goes with it
            setattr(plain.get_submodule(way), last, _plain(plain.get_submodule(name)))
    _forget_quantization(plain)
    plain.to(torch.bfloat16)
    return plain


def _is_made(module: torch.nn.Module) -> bool:
    """Whether a module is adapted, trained beside the base, or quantised."""
    return isinstance(module, (LoraLayer, ModulesToSaveWrapper, *QUANTIZED))


def _plain(layer: torch.nn.Module) -> torch.nn.Module:
    if isinstance(layer, ModulesToSaveWrapper):
        whole: torch.nn.Module = layer.modules_to_save["default"]
        return whole
    base = layer.get_base_layer() if isinstance(layer, LoraLayer) else layer
    assert isinstance(base, torch.nn.Linear), f"{type(base).__name__}: only linear layers adapt"
    if not isinstance(layer, LoraLayer):
        return _linear(base, _weight(base))
    down, up = layer.lora_A["default"].weight, layer.lora_B["default"].weight
    weight = _weight(base) + layer.scaling["default"] * (up.float() @ down.float())
    if layer.use_dora["default"]:  # the length of each row is trained apart
        length = layer.lora_magnitude_vector["default"].weight.float()
        weight *= (length / torch.linalg.vector_norm(weight, dim=1))[:, None]
    return _linear(base, weight)


def _weight(layer: torch.nn.Linear) -> torch.Tensor:
    """A layer's weight in float32, out of 4 or 8 bits where it is in them."""
    if isinstance(layer, QUANTIZED):
        weight: torch.Tensor = dequantize_bnb_weight(
            layer.weight, state=getattr(layer, "state", None)
        )
        return weight.float()
    return layer.weight.data.float()


def _linear(like: torch.nn.Linear, weight: torch.Tensor) -> torch.nn.Linear:
    """A layer of that weight, with the bias that `like` has."""
    out_features, in_features = weight.shape
    layer = torch.nn.Linear(in_features, out_features, bias=like.bias is not None, device="meta")
    layer.weight = torch.nn.Parameter(weight.to(torch.bfloat16), requires_grad=False)
    if like.bias is not None:
        layer.bias = torch.nn.Parameter(like.bias.data.to(torch.bfloat16), requires_grad=False)
    return layer


def _forget_quantization(model: PreTrainedModel) -> None:
    """So that it is saved, and opened again, as the plain model that it now is."""
    if getattr(model, "is_quantized", False):
        model.is_quantized = False
        model.is_loaded_in_4bit = model.is_loaded_in_8bit = False
        model.hf_quantizer = None
        model.quantization_method = None
        del model.config.quantization_config
    model.config.dtype = torch.bfloat16
    model._hf_peft_config_loaded = False


def _compared(recipe: Recipe, run: Path, folder: Path, samples: Sequence[Sample]) -> Agreement:
    own = load_trained(recipe.model, run, seed=recipe.seed)
    plain = load(
        replace(recipe.model, name=str(folder), load_in_4bit=False, family=own.family.name)
    )
    size, longest = recipe.eval.batch_size, recipe.eval.max_new_tokens
    divergence, tokens, same = 0.0, 0, 0
    for start in track(range(0, len(samples), size), desc="checking", unit=" batches"):
        batch = samples[start : start + size]
        answers = [answer(who, batch, max_new_tokens=longest) for who in (own, plain)]
        same += sum(a == b for a, b in zip(*answers, strict=True))
        first, second = (_answer_scores(who, batch) for who in (own, plain))
        divergence += _kl(first, second)
        tokens += len(first)
    found = Agreement(len(samples), same, divergence / max(tokens, 1))
    if not found.kl <= MOST_KL:  # NaN is no agreement either
        raise ValueError(
            f"the merged model does not answer as {run} does: {found}; nothing written"
        )
    return found


@torch.inference_mode()
def _answer_scores(loaded: Loaded, batch: Sequence[Sample]) -> torch.Tensor:
    """Log-probabilities at the answers' tokens, [P, V]."""
    inputs = Collator(loaded.family, loaded.processor)([{"sample": sample} for sample in batch])
    labels = aligned(inputs.pop("labels"))
    device = loaded.model.device
    moved: dict[str, Any] = {name: tensor.to(device) for name, tensor in inputs.items()}
    kept = (labels != IGNORED).to(device)
    logits: torch.Tensor = loaded.model.eval()(**moved, use_cache=False, logits_to_keep=kept).logits
    return logits.float().log_softmax(-1)


def _kl(first: torch.Tensor, second: torch.Tensor) -> float:
    """The sum over tokens of Σ p · (log p − log q)."""
    return float(functional.kl_div(second, first, reduction="sum", log_target=True))
