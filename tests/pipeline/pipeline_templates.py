"""The chat templates of the well-known checkpoints, as far as this project knows them."""

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
CHAT = {
    "qwen2-vl": QWEN_VL,
    "qwen2.5-vl": QWEN_VL,
    "qwen2": QWEN,
    "llava": LLAVA,
    "llama": LLAMA,
    "mllama": MLLAMA,
}
