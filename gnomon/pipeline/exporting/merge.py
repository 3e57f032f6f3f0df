"""Merge of an adapter into its base: one model for plain transformers, checked against the run."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from peft.tuners.lora import LoraLayer
from torch.nn import functional
from transformers import PreTrainedModel

from gnomon.atomic import create_folder
from gnomon.pipeline.adapter import attach_adapter, tie_head
from gnomon.pipeline.answering.local import PLAIN_DECODING, generate_texts
from gnomon.pipeline.checkpoint import locate_checkpoint
from gnomon.pipeline.collate import IGNORED, Collator
from gnomon.pipeline.families import releases
from gnomon.pipeline.load import Loaded, load, load_trained
from gnomon.pipeline.training.head import supports_logits_to_keep
from gnomon.pipeline.training.trainer import shift_labels
from gnomon.progress import track
from gnomon.recipe import Recipe
from gnomon.sample import Sample
from gnomon.shortage import add_path_to_disk_error
from gnomon.store.reading.run_folder import RunFolder

MAX_KL = 0.01
"""Largest allowed difference of the merged model in nats per token. Rounding to bf16 costs far
less."""


@dataclass(frozen=True)
class MergeCheck:
    """Comparison of the merged model with the run's model."""

    samples: int
    same: int
    """Number of answers with identical text."""
    kl: float
    """KL(run ‖ merged) in nats, the mean over the answers' tokens."""

    def __str__(self) -> str:
        return f"{self.same} of {self.samples} answers the same, KL {self.kl:.2g} nats a token"


def merge(
    recipe: Recipe, run: Path, out: Path, samples: Sequence[Sample], *, card: str = ""
) -> MergeCheck:
    """Write the merged model to `out`. Nothing is written unless it answers as the run does.

    `card` is the text of its README.md. {agreement} in it is replaced by the comparison, and
    {opening} by code that asks the model a question of `samples`.
    """
    if out.exists():
        raise FileExistsError(f"{out} already exists; nothing was merged")
    if not RunFolder(run).adapter.is_dir():
        raise ValueError(f"{run} holds no adapter: a model that was trained whole needs no merge")
    with create_folder(out) as part:
        with add_path_to_disk_error(out):
            _write_merged(recipe, run, part)
        agreement = _compare(recipe, run, part, samples)
        card = card.replace("{agreement}", str(agreement))
        if "{opening}" in card:
            example = next((sample for sample in samples if sample.images), samples[0])
            _, family = locate_checkpoint(recipe.model)
            code = _question_code(part, out.name, example, family.template_options)
            card = card.replace("{opening}", code)
        (part / "README.md").write_text(card, encoding="utf-8")
    return agreement


def _question_code(folder: Path, name: str, sample: Sample, options: Mapping[str, Any]) -> str:
    """Return code that opens the model as `name` and asks it a sample's question about pictures.

    `options` are the options of the chat template. Without a template, the code only opens the
    model.
    """
    file = folder / "processor_config.json"
    # transformers opens a processor with a video part only if torchvision is installed.
    is_ours = file.is_file() and '"video_processor"' in file.read_text(encoding="utf-8")
    model, reader = "CausalLM", "Tokenizer"
    if file.is_file():
        model, reader = "ImageTextToText", "Processor"
    opening = "processor_of" if is_ours else f"Auto{reader}.from_pretrained"
    imports = ["from gnomon.pipeline import processor_of"] if is_ours else []
    imports += ["from PIL import Image"] if sample.images else []
    classes = [f"AutoModelFor{model}", *([] if is_ours else [f"Auto{reader}"])]
    lines = [
        *imports,
        f"from transformers import {', '.join(classes)}",
        "",
        f'model = AutoModelFor{model}.from_pretrained("{name}")',
        f'processor = {opening}("{name}")',
    ]
    if (folder / "chat_template.jinja").is_file():
        question = json.dumps(sample.question, ensure_ascii=False)
        parts = []
        for n in range(len(sample.images)):
            picture = f'Image.open("picture{n or ""}.png").convert("RGB")'
            parts.append(f'    {{"type": "image", "image": {picture}}},')
        if parts:
            parts.append(f'    {{"type": "text", "text": {question}}},')
            question = "\n".join(["[", *parts, "]"])
        options = {"tokenize": True, "return_dict": True, "return_tensors": "pt", **options}
        words = ", ".join(f"{key}={value!r}" for key, value in options.items())
        # Pixels get the model's precision. The token ids stay as they are.
        cast = ".to(model.dtype)" if parts else ""
        lines += _QUESTION_CODE.format(content=question, options=words, cast=cast).splitlines()
    text = "\n".join(["```python", *lines, "```", ""])
    return text + (_WITHOUT_GNOMON if is_ours else "")


_QUESTION_CODE = """\
content = {content}
chat = [{{"role": "user", "content": content}}]
inputs = processor.apply_chat_template(
    chat, add_generation_prompt=True, {options}
){cast}
answer = model.generate(**inputs, max_new_tokens=32)[0, inputs["input_ids"].shape[1] :]
print(processor.decode(answer, skip_special_tokens=True))
"""
_WITHOUT_GNOMON = """
`gnomon` is in the distribution gnomon-vlm: run `pip install ".[train]"` in its clone. If
torchvision is installed, `AutoProcessor.from_pretrained` also opens the processor, and gnomon is
not needed.
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
    model = attach_adapter(base.model, RunFolder(run).adapter)
    # A head tied to an embedding that trained whole must follow it into the merged weights.
    tie_head(model)
    merged = merge_adapters(model)
    # Greedy as it was measured, so `generate` and servers give the most likely answer.
    if merged.generation_config is not None:
        merged.generation_config.update(**PLAIN_DECODING)
    merged.save_pretrained(folder)
    base.processor.save_pretrained(folder)


@torch.no_grad()
def merge_adapters(model: PeftModel) -> PreTrainedModel:
    """Add the adapters to the base, in bf16. One layer at a time is in float32 for the sum."""
    for layer in model.modules():
        if isinstance(layer, LoraLayer):
            # A small update added to bf16 weights would be rounded away.
            layer.float().merge()
            # Converted back immediately, so at most one layer is in float32.
            layer.to(torch.bfloat16)
    plain: PreTrainedModel = model.unload()
    return plain.to(torch.bfloat16)


def _compare(recipe: Recipe, run: Path, folder: Path, samples: Sequence[Sample]) -> MergeCheck:
    """Compare answers and probabilities of the run and of the merged model in a folder."""
    trained = load_trained(recipe.model, run, seed=recipe.seed)
    # The merged weights are opened as a user would open them: 16 bits, from disk.
    merged = load(
        replace(
            recipe.model,
            name=str(folder),
            load_in_4bit=False,
            load_in_8bit=False,
            family=recipe.model.family or trained.family.name,  # the user's own, as module:Class
        )
    )
    size, max_new_tokens = recipe.eval.batch_size, recipe.max_new_tokens
    divergence, tokens, same = 0.0, 0, 0
    for start in track(range(0, len(samples), size), desc="checking", unit=" batches"):
        batch = samples[start : start + size]
        before = generate_texts(trained, batch, max_new_tokens=max_new_tokens)
        after = generate_texts(merged, batch, max_new_tokens=max_new_tokens)
        same += sum(a == b for a, b in zip(before, after, strict=True))
        expected = _answer_scores(trained, batch)
        divergence += _kl(expected, _answer_scores(merged, batch))
        tokens += len(expected)
    agreement = MergeCheck(len(samples), same, divergence / max(tokens, 1))
    if not agreement.kl <= MAX_KL:  # a KL of NaN is refused, too
        raise ValueError(
            f"the merged model does not answer as {run} does: {agreement}; nothing was written"
        )
    return agreement


@torch.inference_mode()
def _answer_scores(loaded: Loaded, batch: Sequence[Sample]) -> torch.Tensor:
    """Return the log-probabilities at the answers' tokens, [P, V]: P of them in the batch, V
    vocabulary."""
    inputs = Collator(loaded.family, loaded.processor)([{"sample": sample} for sample in batch])
    labels = shift_labels(inputs.pop("labels"))
    device = loaded.model.device
    on_device: dict[str, Any] = {name: tensor.to(device) for name, tensor in inputs.items()}
    answer = (labels != IGNORED).to(device)
    head = loaded.model.get_output_embeddings()
    model = loaded.model.eval()
    logits: torch.Tensor
    if supports_logits_to_keep(model):
        with releases.only_answer_rows(head, answer) as arguments:
            logits = model(**on_device, **arguments, use_cache=False).logits
    else:
        logits = model(**on_device, use_cache=False).logits[answer]
    return logits.float().log_softmax(-1)


def _kl(expected: torch.Tensor, actual: torch.Tensor) -> float:
    """Return the sum over tokens of Σ p · (log p − log q), p expected, from log-probabilities [P,
    V]."""
    return float(functional.kl_div(actual, expected, reduction="sum", log_target=True))
