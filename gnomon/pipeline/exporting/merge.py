"""Merge of an adapter into its base: one model for plain transformers, checked against the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from peft.tuners.lora import LoraLayer
from torch.nn import functional
from transformers import PreTrainedModel

from gnomon.atomic import create_folder
from gnomon.pipeline.answering.local import generate_texts
from gnomon.pipeline.collate import IGNORED, Collator
from gnomon.pipeline.load import ADAPTER, Loaded, attach_adapter, load, load_trained, tie_head
from gnomon.pipeline.training.trainer import shift_labels
from gnomon.progress import track
from gnomon.recipe import Recipe
from gnomon.sample import Sample
from gnomon.shortage import name_full_disk

MAX_KL = 0.01
"""Nats a token by which the merged model may differ; rounding to bf16 costs far less."""


@dataclass(frozen=True)
class Agreement:
    """Comparison of the merged model with the run's own."""

    samples: int
    same: int
    """Number of answers that are the same to the letter."""
    kl: float
    """KL(run ‖ merged) in nats, the mean over the answers' tokens."""

    def __str__(self) -> str:
        return f"{self.same} of {self.samples} answers the same, KL {self.kl:.2g} nats a token"


def merge(
    recipe: Recipe, run: Path, out: Path, samples: Sequence[Sample], *, card: str = ""
) -> Agreement:
    """Write the merged model to `out`; nothing is written unless it answers as the run does.

    `card` is the text of its README.md, in which {agreement} is replaced by the comparison and
    {opening} by the code that opens the model.
    """
    if out.exists():
        raise FileExistsError(f"{out} is there already; nothing was merged")
    if not (run / ADAPTER).is_dir():
        raise ValueError(f"{run} holds no adapter: what it trained, if anything, is whole already")
    with create_folder(out) as part:
        with name_full_disk(out):
            _write_merged(recipe, run, part)
        agreement = _compare(recipe, run, part, samples)
        card = card.replace("{agreement}", str(agreement))
        card = card.replace("{opening}", _opening(part, out.name))
        (part / "README.md").write_text(card, encoding="utf-8")
    return agreement


def _opening(folder: Path, name: str) -> str:
    """Code that opens the model from the directory that holds it, in which it is called `name`."""
    processor = folder / "processor_config.json"
    has_processor = processor.is_file()
    model, reader = ("ImageTextToText", "Processor") if has_processor else ("CausalLM", "Tokenizer")
    text = _OPENING.format(name=name, model=model, reader=reader, short=reader.lower())
    # A checkpoint with a video part opens with AutoProcessor only if torchvision is installed.
    if has_processor and '"video_processor"' in processor.read_text(encoding="utf-8"):
        text += _OPENING_IN_PARTS.format(name=name)
    return text


_OPENING = """\
```python
from transformers import AutoModelFor{model}, Auto{reader}

model = AutoModelFor{model}.from_pretrained({name!r})
{short} = Auto{reader}.from_pretrained({name!r})
```
"""
_OPENING_IN_PARTS = """
`AutoProcessor` asks for torchvision; without it, open its parts:

```python
from transformers import AutoImageProcessor, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained({name!r})
image_processor = AutoImageProcessor.from_pretrained({name!r})
```
"""


def push(folder: Path, name: str) -> None:
    """Upload a model to the hub as a private repository, with the user's own hub token."""
    from huggingface_hub import HfApi

    hub = HfApi()
    hub.create_repo(name, private=True, exist_ok=True)
    hub.upload_folder(repo_id=name, folder_path=folder, commit_message="gnomon merge")


def _write_merged(recipe: Recipe, run: Path, folder: Path) -> None:
    base = load(recipe.model, seed=recipe.seed)
    if recipe.model.bits:
        base.model.dequantize()  # added to NF4 weights, the adapters would be rounded away
    model = attach_adapter(base.model, run / ADAPTER)
    # A head tied to an embedding that trained whole must follow it into the merged weights.
    tie_head(model)
    merge_adapters(model).save_pretrained(folder)
    base.processor.save_pretrained(folder)


@torch.no_grad()
def merge_adapters(model: PeftModel) -> PreTrainedModel:
    """Add the adapters to the base, in bf16; one layer at a time is in float32 for the sum."""
    for layer in model.modules():
        if isinstance(layer, LoraLayer):
            # A small update added to bf16 weights would be rounded away.
            layer.float().merge()
            # At once, so that at most one layer is held in float32.
            layer.to(torch.bfloat16)
    plain: PreTrainedModel = model.unload()
    return plain.to(torch.bfloat16)


def _compare(recipe: Recipe, run: Path, folder: Path, samples: Sequence[Sample]) -> Agreement:
    """Compare answers and probabilities of the run and of the merged model in a folder."""
    trained = load_trained(recipe.model, run, seed=recipe.seed)
    # The merged weights are opened as a user would open them: 16 bits, from disk.
    merged = load(
        replace(
            recipe.model,
            name=str(folder),
            load_in_4bit=False,
            load_in_8bit=False,
            family=trained.family.name,
        )
    )
    size, max_new_tokens = recipe.eval.batch_size, recipe.eval.max_new_tokens
    divergence, tokens, same = 0.0, 0, 0
    for start in track(range(0, len(samples), size), desc="checking", unit=" batches"):
        batch = samples[start : start + size]
        before = generate_texts(trained, batch, max_new_tokens=max_new_tokens)
        after = generate_texts(merged, batch, max_new_tokens=max_new_tokens)
        same += sum(a == b for a, b in zip(before, after, strict=True))
        expected = _answer_scores(trained, batch)
        divergence += _kl(expected, _answer_scores(merged, batch))
        tokens += len(expected)
    agreement = Agreement(len(samples), same, divergence / max(tokens, 1))
    if not agreement.kl <= MAX_KL:  # a KL of NaN is refused, too
        raise ValueError(
            f"the merged model does not answer as {run} does: {agreement}; nothing written"
        )
    return agreement


@torch.inference_mode()
def _answer_scores(loaded: Loaded, batch: Sequence[Sample]) -> torch.Tensor:
    """Log-probabilities at the answers' tokens, [P, V]: P of them in the batch, V vocabulary."""
    inputs = Collator(loaded.family, loaded.processor)([{"sample": sample} for sample in batch])
    labels = shift_labels(inputs.pop("labels"))
    device = loaded.model.device
    on_device: dict[str, Any] = {name: tensor.to(device) for name, tensor in inputs.items()}
    on_device["logits_to_keep"] = (labels != IGNORED).to(device)
    logits: torch.Tensor = loaded.model.eval()(**on_device, use_cache=False).logits
    return logits.float().log_softmax(-1)


def _kl(expected: torch.Tensor, actual: torch.Tensor) -> float:
    """Sum over tokens of Σ p · (log p − log q), p expected, from log-probabilities [P, V]."""
    return float(functional.kl_div(actual, expected, reduction="sum", log_target=True))
