"""Small models of architectures that have no family file here, with their checkpoints' templates.

The templates are those of the checkpoints named beside them, without tools, videos and systems.
"""

import torch
import transformers
from small_models import MROPE, TEXT, TOWER, _special, llama2
from transformers import AutoTokenizer
from transformers.models.glm4v.image_processing_pil_glm4v import Glm4vImageProcessorPil
from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil
from transformers.models.idefics2.image_processing_pil_idefics2 import Idefics2ImageProcessorPil
from transformers.models.llava_onevision.image_processing_pil_llava_onevision import (
    LlavaOnevisionImageProcessorPil,
)
from transformers.models.ovis2.image_processing_pil_ovis2 import Ovis2ImageProcessorPil

from gnomon.pipeline.families import TINY
from gnomon.pipeline.families._processors import assemble

CHAT = {
    # HuggingFaceM4/idefics2-8b
    "idefics2": (
        "{% for message in messages %}{{message['role'].capitalize()}}"
        "{% if message['content'][0]['type'] == 'image' %}{{':'}}{% else %}{{': '}}{% endif %}"
        "{% for line in message['content'] %}"
        "{% if line['type'] == 'text' %}{{line['text']}}"
        "{% elif line['type'] == 'image' %}{{ '<image>' }}{% endif %}{% endfor %}"
        "<end_of_utterance>\n{% endfor %}"
        "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"
    ),
    # zai-org/GLM-4.1V-9B-Thinking
    "glm4v": (
        "[gMASK]<sop>\n{%- for msg in messages %}{%- if msg.role == 'user' %}\n<|user|>{{ '\n' }}"
        "{%- if msg.content is string %}{{ msg.content }}{%- else %}"
        "{%- for item in msg.content %}{%- if item.type == 'image' or 'image' in item %}"
        "<|begin_of_image|><|image|><|end_of_image|>"
        "{%- elif item.type == 'text' %}{{ item.text }}{%- endif %}{%- endfor %}{%- endif %}"
        "{%- elif msg.role == 'assistant' %}\n<|assistant|>\n{{ msg.content }}{%- endif %}"
        "{%- endfor %}\n{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
    ),
    # CohereLabs/aya-vision-8b
    "aya_vision": (
        "{{ bos_token }}{% for message in messages %}<|START_OF_TURN_TOKEN|>"
        "{{ '<|USER_TOKEN|>' if message.role == 'user' else"
        " '<|CHATBOT_TOKEN|><|START_RESPONSE|>' }}"
        "{% if message.content is string %}{{ message.content }}{% else %}"
        "{% for item in message.content %}{% if item.type == 'text' %}{{ item.text }}"
        "{% elif item.type == 'image' %}<image>{% endif %}{% endfor %}{% endif %}"
        "{{ '<|END_RESPONSE|>' if message.role == 'assistant' }}<|END_OF_TURN_TOKEN|>{% endfor %}"
        "{% if add_generation_prompt %}"
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_RESPONSE|>{% endif %}"
    ),
    # thisisiron/Ovis2-1B-hf
    "ovis2": (
        "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n'}}"
        "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
        "{% for content in message['content'] %}"
        "{% if content['type'] == 'image' %}{{ '<image>\n' }}"
        "{% elif content['type'] == 'text' %}{{ content['text'] }}{% endif %}"
        "{% endfor %}{% endif %}{{'<|im_end|>\n'}}{% endfor %}"
        "{% if add_generation_prompt %}{{'<|im_start|>assistant\n' }}{% endif %}"
    ),
    # llava-hf/llava-onevision-qwen2-0.5b-ov-hf
    "llava_onevision": (
        "{% for message in messages %}{{'<|im_start|>' + message['role'] + ' '}}"
        "{% for content in message['content'] | selectattr('type', 'equalto', 'image') %}"
        "{{ '<image>' }}{% endfor %}"
        "{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}"
        "{{ '\n' + content['text'] }}{% endfor %}{{'<|im_end|>'}}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
    ),
}
SIGLIP = {
    "model_type": "siglip_vision_model",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 56,
    "patch_size": 14,
    "vision_use_head": False,
    "initializer_range": 0.1,
}


def build(name, folder):
    """Write a small checkpoint of that model_type; where it is."""
    torch.manual_seed(0)
    config, processor = MODELS[name]()
    model = transformers.AutoModelForImageTextToText.from_config(config)
    for key, parameter in model.named_parameters():
        if key.endswith(("probe", "image_newline", "latents")):  # drawn with ones, or not at all
            torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _tokenizer(*tokens, end=None, start=None):
    tokenizer = AutoTokenizer.from_pretrained(TINY)
    tokenizer.add_special_tokens({"extra_special_tokens": list(tokens)})
    tokenizer.eos_token = end or tokenizer.eos_token
    if start:
        tokenizer.bos_token = start
    return tokenizer


def _ids(tokenizer, *tokens):
    return tokenizer.convert_tokens_to_ids(list(tokens))


def _text(tokenizer, model_type, **more):
    return {"model_type": model_type, **TEXT, **_special(tokenizer), **more}


def _idefics2():
    """Mistral's tokenizer, SigLIP of its own, and a resampler that makes eight tokens a picture."""
    tokenizer = llama2()
    pictures = Idefics2ImageProcessorPil(size={"shortest_edge": 28, "longest_edge": 112})
    processor = transformers.Idefics2Processor(
        pictures, tokenizer, image_seq_len=8, chat_template=CHAT["idefics2"]
    )
    vision = {k: v for k, v in SIGLIP.items() if k not in ("model_type", "vision_use_head")}
    perceiver = {"resampler_n_latents": 8, "resampler_depth": 2, "resampler_n_heads": 4,
                 "resampler_head_dim": 16, "num_key_value_heads": 2, "hidden_size": 64}  # fmt: skip
    return transformers.Idefics2Config(
        text_config=_text(tokenizer, "mistral", head_dim=16),
        vision_config={**vision, "image_size": 112},
        perceiver_config=perceiver,
        image_token_id=processor.image_token_id,
    ), processor


def _glm4v():
    """The end of an answer is in no template: the tokenizer's own."""
    tokens = ["[gMASK]", "<sop>", "<|user|>", "<|assistant|>", "<|begin_of_image|>",
              "<|image|>", "<|end_of_image|>", "<|begin_of_video|>", "<|video|>",
              "<|end_of_video|>"]  # fmt: skip
    tokenizer = _tokenizer(*tokens, end="<|endoftext|>")
    pixels = {"shortest_edge": 112 * 112, "longest_edge": 2 * 112 * 112}
    pictures = Glm4vImageProcessorPil(size=pixels)
    start, image, end, video = _ids(tokenizer, *tokens[4:7], "<|video|>")
    rope = {**MROPE, "partial_rotary_factor": 1.0}
    return transformers.Glm4vConfig(
        text_config={**TEXT, **_special(tokenizer), "rope_parameters": rope},
        vision_config={**TOWER, "image_size": 112, "initializer_range": 0.1},
        image_token_id=image,
        image_start_token_id=start,
        image_end_token_id=end,
        video_token_id=video,
    ), assemble(transformers.Glm4vProcessor, pictures, tokenizer, chat_template=CHAT["glm4v"])


def _aya_vision():
    """Cohere's language model, which scales its logits, and up to three tiles of a picture."""
    tokens = ["<BOS_TOKEN>", "<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|USER_TOKEN|>",
              "<|CHATBOT_TOKEN|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<image>",
              "<|START_OF_IMG|>", "<|END_OF_IMG|>", "<|IMG_PATCH|>", "TILE",
              "TILE_GLOBAL"]  # fmt: skip
    tokenizer = _tokenizer(*tokens, end="<|END_OF_TURN_TOKEN|>", start="<BOS_TOKEN>")
    pictures = GotOcr2ImageProcessorPil(
        size={"height": 56, "width": 56}, crop_to_patches=True, min_patches=1, max_patches=3
    )
    processor = transformers.AyaVisionProcessor(
        pictures, tokenizer, patch_size=14, img_size=56, downsample_factor=2,
        chat_template=CHAT["aya_vision"],
    )  # fmt: skip
    (image,) = _ids(tokenizer, "<|IMG_PATCH|>")
    return transformers.AyaVisionConfig(
        text_config=_text(tokenizer, "cohere2", sliding_window=4096, head_dim=16),
        vision_config=SIGLIP,
        image_token_index=image,
    ), processor


def _ovis2():
    """Pictures are words of a vocabulary of their own; tiles, each between its own tokens."""
    tokens = ["<image>", "<IMG_ATOM>", "<IMG_START>", "<IMG_GRID>", "<IMG_COL>", "<IMG_ROW>",
              "<IMG_END>"]  # fmt: skip
    tokenizer = _tokenizer(*tokens)
    pictures = Ovis2ImageProcessorPil(
        size={"height": 56, "width": 56}, crop_to_patches=True, max_patches=3
    )
    processor = transformers.Ovis2Processor(
        pictures, tokenizer, image_seq_length=4, chat_template=CHAT["ovis2"]
    )
    atom, *indicators = _ids(tokenizer, *tokens[1:])
    vision = {k: v for k, v in SIGLIP.items() if k not in ("model_type", "vision_use_head")}
    return transformers.Ovis2Config(
        text_config=_text(tokenizer, "qwen2"),
        vision_config={**vision, "vocab_size": 64, "hidden_stride": 2},
        image_token_id=atom,
        visual_indicator_token_ids=indicators,
        vocab_size=len(tokenizer),
        hidden_size=64,
    ), processor


def _llava_onevision():
    """Any resolution: the whole picture and its tiles, with a newline after each row."""
    tokenizer = _tokenizer("<image>", "<video>")
    grid = [[56, 56], [56, 112], [112, 56], [112, 112]]
    pictures = LlavaOnevisionImageProcessorPil(
        size={"height": 56, "width": 56}, image_grid_pinpoints=grid
    )
    image, video = _ids(tokenizer, "<image>", "<video>")
    return transformers.LlavaOnevisionConfig(
        text_config=_text(tokenizer, "qwen2"),
        vision_config=SIGLIP,
        image_token_index=image,
        video_token_index=video,
        image_grid_pinpoints=grid,
    ), assemble(
        transformers.LlavaOnevisionProcessor, pictures, tokenizer, num_image_tokens=16,
        vision_feature_select_strategy="full",
        chat_template=CHAT["llava_onevision"],
    )  # fmt: skip


MODELS = {
    "idefics2": _idefics2,
    "glm4v": _glm4v,
    "aya_vision": _aya_vision,
    "ovis2": _ovis2,
    "llava_onevision": _llava_onevision,
}
