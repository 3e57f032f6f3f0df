"""Chat templates and picture settings of the well-known checkpoints, as far as we know them.

`pytest -m hub` compares them with the repositories' own.
"""

QWEN_VL = """\
{% for message in messages %}\
{% if loop.first and message['role'] != 'system' %}<|im_start|>system
You are a helpful assistant.<|im_end|>
{% endif %}<|im_start|>{{ message['role'] }}
{% if message['content'] is string %}{{ message['content'] }}<|im_end|>
{% else %}{% for content in message['content'] %}\
{% if content['type'] == 'image' or 'image' in content or 'image_url' in content %}\
<|vision_start|><|image_pad|><|vision_end|>\
{% elif 'text' in content %}{{ content['text'] }}{% endif %}{% endfor %}<|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
QWEN3_VL = """\
{%- for message in messages %}\
{{- '<|im_start|>' + message['role'] + '\\n' }}\
{%- if message['content'] is string %}{{- message['content'] }}\
{%- else %}{%- for content in message['content'] %}\
{%- if content['type'] == 'image' or 'image' in content or 'image_url' in content %}\
{{- '<|vision_start|><|image_pad|><|vision_end|>' }}\
{%- elif 'text' in content %}{{- content['text'] }}{%- endif %}\
{%- endfor %}{%- endif %}\
{{- '<|im_end|>\\n' }}\
{%- endfor %}\
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""
QWEN3_5 = """\
{%- for message in messages %}\
{{- '<|im_start|>' + message['role'] + '\\n' }}\
{%- set said = namespace(text='') %}\
{%- if message['content'] is string %}{%- set said.text = message['content'] %}\
{%- else %}{%- for content in message['content'] %}\
{%- if content['type'] == 'image' or 'image' in content or 'image_url' in content %}\
{%- set said.text = said.text + '<|vision_start|><|image_pad|><|vision_end|>' %}\
{%- elif 'text' in content %}{%- set said.text = said.text + content['text'] %}{%- endif %}\
{%- endfor %}{%- endif %}\
{{- said.text | trim + '<|im_end|>\\n' }}\
{%- endfor %}\
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}\
{%- if enable_thinking is defined and enable_thinking is false %}\
{{- '<think>\\n\\n</think>\\n\\n' }}\
{%- else %}{{- '<think>\\n' }}{%- endif %}{%- endif %}"""
QWEN = """\
{%- for message in messages %}\
{%- if loop.first and message['role'] != 'system' %}\
{{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.' }}\
{{- '<|im_end|>\\n' }}\
{%- endif %}\
{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}\
{%- endfor %}\
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""
LLAVA = """\
{% for message in messages %}\
{% if message['role'] != 'system' %}{{ message['role'].upper() + ': ' }}{% endif %}\
{% for content in message['content'] | selectattr('type', 'equalto', 'image') %}{{ '<image>\\n' }}\
{% endfor %}\
{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}\
{{ content['text'] + ' ' }}\
{% endfor %}\
{% endfor %}\
{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"""
HEADER = """\
{{- bos_token }}\
{%- if not date_string is defined %}\
{%- if strftime_now is defined %}{%- set date_string = strftime_now('%d %b %Y') %}\
{%- else %}{%- set date_string = '26 Jul 2024' %}{%- endif %}\
{%- endif %}"""
SYSTEM = """\
{{- '<|start_header_id|>system<|end_header_id|>\\n\\n' }}\
{{- 'Cutting Knowledge Date: December 2023\\n' }}\
{{- 'Today Date: ' + date_string + '\\n\\n<|eot_id|>' }}"""
START = "{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}"
LLAMA = (
    HEADER
    + SYSTEM
    + """\
{%- for message in messages %}\
{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' }}\
{{- message['content'] | trim + '<|eot_id|>' }}\
{%- endfor %}\
{%- if add_generation_prompt %}"""
    + START
    + "{%- endif %}"
)
MLLAMA = (
    HEADER
    + """\
{%- set seen = namespace(images=false) %}\
{%- for message in messages %}{%- for content in message['content'] %}\
{%- if content['type'] == 'image' %}{%- set seen.images = true %}{%- endif %}\
{%- endfor %}{%- endfor %}\
{%- if not seen.images %}"""
    + SYSTEM
    + """\
{%- endif %}\
{%- for message in messages %}\
{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' }}\
{%- if message['content'] is string %}{{- message['content'] }}\
{%- else %}{%- for content in message['content'] %}\
{%- if content['type'] == 'image' %}{{- '<|image|>' }}\
{%- elif content['type'] == 'text' %}{{- content['text'] }}{%- endif %}\
{%- endfor %}{%- endif %}\
{{- '<|eot_id|>' }}\
{%- endfor %}\
{%- if add_generation_prompt %}"""
    + START
    + "{%- endif %}"
)
GEMMA3 = """\
{{ bos_token }}\
{%- for message in messages -%}\
{{ '<start_of_turn>' + ('model' if message['role'] == 'assistant' else message['role']) + '\\n' }}\
{%- if message['content'] is string -%}{{ message['content'] | trim }}\
{%- else -%}{%- for item in message['content'] -%}\
{%- if item['type'] == 'image' -%}{{ '<start_of_image>' }}\
{%- elif item['type'] == 'text' -%}{{ item['text'] | trim }}{%- endif -%}\
{%- endfor -%}{%- endif -%}\
{{ '<end_of_turn>\\n' }}\
{%- endfor -%}\
{%- if add_generation_prompt -%}{{ '<start_of_turn>model\\n' }}{%- endif -%}"""
IDEFICS3 = """\
{% for message in messages %}{{ message['role'] | capitalize }}\
{% if message['content'][0]['type'] == 'image' %}{{ ':' }}{% else %}{{ ': ' }}{% endif %}\
{% for line in message['content'] %}\
{% if line['type'] == 'text' %}{{ line['text'] }}\
{% elif line['type'] == 'image' %}{{ '<image>' }}{% endif %}{% endfor %}<end_of_utterance>
{% endfor %}{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"""
INTERNVL = """\
{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}\
{% if message['content'] is string %}{{ message['content'] }}\
{% else %}{% for content in message['content'] %}\
{% if content['type'] == 'image' %}{{ '<IMG_CONTEXT>\\n' }}\
{% elif content['type'] == 'text' %}{{ content['text'] }}{% endif %}{% endfor %}{% endif %}\
{{ '<|im_end|>\\n' }}{% endfor %}\
{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""
GEMMA4 = """\
{{ bos_token }}\
{%- if enable_thinking is defined and enable_thinking -%}\
{{ '<|turn>system\\n<|think|><turn|>\\n' }}\
{%- endif -%}\
{%- for message in messages -%}\
{{ '<|turn>' + ('model' if message['role'] == 'assistant' else message['role']) + '\\n' }}\
{%- if message['content'] is string -%}{{ message['content'] | trim }}\
{%- else -%}{%- for item in message['content'] -%}\
{%- if item['type'] == 'text' -%}{{ item['text'] | trim }}\
{%- elif item['type'] == 'image' -%}{{ '\\n\\n<|image|>\\n\\n' }}{%- endif -%}\
{%- endfor -%}{%- endif -%}\
{{ '<turn|>\\n' }}\
{%- endfor -%}\
{%- if add_generation_prompt -%}{{ '<|turn>model\\n' }}\
{%- if not enable_thinking | default(false) -%}{{ '<|channel>thought\\n<channel|>' }}{%- endif -%}\
{%- endif -%}"""
CHAT = {
    "gemma4": GEMMA4,
    "gemma3": GEMMA3,
    "qwen2-vl": QWEN_VL,
    "qwen2.5-vl": QWEN_VL,
    "qwen3-vl": QWEN3_VL,
    "qwen3.5": QWEN3_5,
    "qwen2": QWEN,
    "llava": LLAVA,
    "llama": LLAMA,
    "mllama": MLLAMA,
    "idefics3": "<|begin_of_text|>" + IDEFICS3,
    "smolvlm": "<|im_start|>" + IDEFICS3,
    "internvl": INTERNVL,
}
CLIP = {
    "image_mean": [0.48145466, 0.4578275, 0.40821073],
    "image_std": [0.26862954, 0.26130258, 0.27577711],
}
QWEN_PIXELS = {
    "size": {"shortest_edge": 56 * 56, "longest_edge": 28 * 28 * 16_384},
    "patch_size": 14,
    "temporal_patch_size": 2,
    "merge_size": 2,
    "resample": 3,
    **CLIP,
}
HALVES = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
QWEN3_PIXELS = {
    "size": {"shortest_edge": 65_536, "longest_edge": 16_777_216},
    "patch_size": 16,
    "temporal_patch_size": 2,
    "merge_size": 2,
    "resample": 3,
    **HALVES,
}
IMAGENET = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
SIGLIP = {"resample": 1, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
PICTURES = {
    "gemma4": {"patch_size": 16, "max_soft_tokens": 280, "pooling_kernel_size": 3, "resample": 3},
    "gemma3": {"size": {"height": 896, "width": 896}, "resample": 2, **HALVES},
    "qwen2-vl": QWEN_PIXELS,
    "qwen2.5-vl": QWEN_PIXELS,
    "qwen3-vl": QWEN3_PIXELS,
    "qwen3.5": QWEN3_PIXELS,
    "llava": {
        "size": {"shortest_edge": 336},
        "crop_size": {"height": 336, "width": 336},
        "do_center_crop": True,
        "resample": 3,
        **CLIP,
    },
    "mllama": {
        "size": {"height": 560, "width": 560},
        "max_image_tiles": 4,
        "resample": 2,
        **CLIP,
    },
    "idefics3": {
        "size": {"longest_edge": 4 * 364},
        "max_image_size": {"longest_edge": 364},
        "do_image_splitting": True,
        **SIGLIP,
    },
    "smolvlm": {
        "size": {"longest_edge": 2048},
        "max_image_size": {"longest_edge": 512},
        "do_image_splitting": True,
        **SIGLIP,
    },
    "internvl": {
        "size": {"height": 448, "width": 448},
        "min_patches": 1,
        "max_patches": 12,
        "resample": 3,
        **IMAGENET,
    },
}
LLAVA_PROCESSOR = {
    "patch_size": 14,
    "num_additional_image_tokens": 1,
    "vision_feature_select_strategy": "default",
}
