"""gnomon-tiny: the Qwen2-VL architecture at about 4 million parameters, made by this project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.pipeline.families import BLANK, TINY
from gnomon.pipeline.families.base import Processor
from gnomon.pipeline.families.qwen2_vl import Qwen2VL
from gnomon.recipe import Model

if TYPE_CHECKING:
    from transformers import PreTrainedModel, Qwen2VLConfig


WIDTH, HEADS = 192, 4
SEEING, SPEAKING = 5, 3
"""Layers of the vision tower, and of the language."""
SIDE = 112
"""Every picture is resized to about this side: 16 tokens."""


class GnomonTiny(Qwen2VL):
    """The embedded model: small enough to fine-tune on two cores while one waits."""

    name: ClassVar[str] = "gnomon-tiny"
    model_types: ClassVar[tuple[str, ...]] = ()
    sizes: ClassVar[Mapping[str, dict[str, Any]]] = {}

    def load_processor(self, path: str | Path, model: Model) -> Processor:
        return super().load_processor(TINY if str(path) == BLANK else path, model)

    def load_model(self, path: str | Path, **options: Any) -> PreTrainedModel:
        if str(path) == BLANK:
            return blank().to(options["dtype"])
        return quickened(super().load_model(path, **options))


def blank() -> PreTrainedModel:
    """The model before it has learnt anything."""
    from transformers import Qwen2VLForConditionalGeneration

    return quickened(Qwen2VLForConditionalGeneration(config()))


def quickened(model: PreTrainedModel) -> PreTrainedModel:
    """The same model, at half the time a step on a CPU: it computes all pictures at once."""
    from gnomon.pipeline.families import _at_once

    tower = model.model.visual
    tower.patch_embed.__class__ = _at_once.Patches
    for block in tower.blocks:
        block.attn.__class__ = _at_once.Attention
    return model


def config() -> Qwen2VLConfig:
    """The architecture: vision and language of the same width."""
    from transformers import AutoTokenizer
    from transformers import Qwen2VLConfig as Config

    tokenizer = AutoTokenizer.from_pretrained(TINY)
    ids = {
        "image_token_id": "<|image_pad|>",
        "video_token_id": "<|video_pad|>",
        "vision_start_token_id": "<|vision_start|>",
        "vision_end_token_id": "<|vision_end|>",
    }
    end = tokenizer.convert_tokens_to_ids(GnomonTiny.end)
    return Config(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": WIDTH,
            "intermediate_size": 512,
            "num_hidden_layers": SPEAKING,
            "num_attention_heads": HEADS,
            "num_key_value_heads": HEADS,
            "max_position_embeddings": 1024,
            "initializer_range": 0.06,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10_000.0,
                "mrope_section": [8, 8, 8],
            },
            "bos_token_id": None,
            "eos_token_id": end,
            "pad_token_id": tokenizer.pad_token_id,
            "tie_word_embeddings": True,
        },
        vision_config={
            "depth": SEEING,
            "embed_dim": WIDTH,
            "hidden_size": WIDTH,
            "num_heads": HEADS,
            "mlp_ratio": 4,
            "initializer_range": 0.06,
        },
        tie_word_embeddings=True,
        **{name: tokenizer.convert_tokens_to_ids(token) for name, token in ids.items()},
    )


def make_processor(folder: Path) -> None:
    """Write the tokenizer and picture settings: byte pairs learnt from questions, digits alone."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    from gnomon.pipeline.families._processors import Qwen2VLProcessor

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\d| ?\p{L}+|[^\p{L}\d]"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        _questions(),
        trainers.BpeTrainer(
            vocab_size=1024 - len(SPECIALS),
            show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIALS])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=GnomonTiny.end,
        pad_token="<|endoftext|>",  # noqa: S106
        model_max_length=1024,
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template, fast.response_template = CHAT, ANSWER
    Qwen2VLProcessor(pictures(), fast, chat_template=CHAT).save_pretrained(folder)


def pictures() -> Any:
    """What resizes and cuts the pictures."""
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    area = SIDE * SIDE
    return Qwen2VLImageProcessorPil(size={"shortest_edge": area, "longest_edge": area})


def adopt(run: Path) -> None:
    """Put a run's weights in bf16 into the package, with the recipe and the log that made them."""
    import shutil

    import torch
    from transformers import AutoModelForImageTextToText

    model = AutoModelForImageTextToText.from_pretrained(run / "model", dtype=torch.bfloat16)
    model.save_pretrained(TINY)
    for name in ("recipe.yaml", "log.jsonl", "versions.json"):
        shutil.copy(run / name, TINY / name)


def _questions() -> list[str]:
    """What the generators ask, and words that questions about pictures are made of."""
    from gnomon import generators

    asked = [g[i].question for g in map(generators.create, generators.KINDS) for i in range(300)]
    return asked + WORDS.split("\n") * 20


SPECIALS = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
    "<|box_start|>",
    "<|box_end|>",
)
CHAT = (
    "{% for message in messages %}<|im_start|>"
    "{% if message.content is string %}{{ message.content }}{% else %}"
    "{% for part in message.content %}"
    "{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part.text }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>{% endif %}"
)
ANSWER = {
    "start_anchor": "<|im_start|>",
    "fields": {"content": {"content": "text", "close": ["<|im_end|>", "<|endoftext|>"]}},
    "defaults": {"role": "assistant"},
}
"""Where an answer lies; `transformers serve` takes Qwen2-VL's otherwise, and answers begin with
<|im_start|>, for no "assistant" follows it here."""
WORDS = """\
What is the value of the bar? Answer with a number.
Which bar is the highest? Which line is the lowest? How many points are above the line?
What is the difference between the first and the second? What is the sum, the mean, the total?
Read the gauge, the meter, the scale, the thermometer. Give the value with its unit.
Where is the red circle? Where is the blue square, the green triangle? Give its box.
Where is the text? Read the text. Find the word in the picture and give its box.
How many hours and minutes until the next hour? Which clock shows the later time?
How much does each one cost? How many are left over? Show the working, then the answer.
Say whether it is valid or not. Answer yes or no. Answer in words. Answer in percent."""

if __name__ == "__main__":
    import sys
    from pathlib import Path

    adopt(Path(sys.argv[1])) if sys.argv[1:] else make_processor(TINY)
