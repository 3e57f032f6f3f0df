"""The well-known checkpoints' true sizes, counted without a download."""

import pytest
import torch
import transformers
from quick import quick

from gnomon.pipeline import families

BILLIONS = {
    "meta-llama/Llama-3.2-1B-Instruct": 1.236,
    "meta-llama/Llama-3.2-3B-Instruct": 3.213,
    "meta-llama/Llama-3.1-8B-Instruct": 8.030,
    "meta-llama/Llama-3.2-11B-Vision-Instruct": 10.670,
    "Qwen/Qwen2.5-0.5B-Instruct": 0.494,
    "Qwen/Qwen2.5-1.5B-Instruct": 1.544,
    "Qwen/Qwen2.5-3B-Instruct": 3.086,
    "Qwen/Qwen2.5-7B-Instruct": 7.616,
    "llava-hf/llava-1.5-7b-hf": 7.063,
    "llava-hf/llava-1.5-13b-hf": 13.351,
    "Qwen/Qwen2-VL-2B-Instruct": 2.209,
    "Qwen/Qwen2-VL-7B-Instruct": 8.291,
    "Qwen/Qwen2.5-VL-3B-Instruct": 3.755,
    "Qwen/Qwen2.5-VL-7B-Instruct": 8.292,
    "Qwen/Qwen3-VL-2B-Instruct": 2.128,
    "Qwen/Qwen3-VL-4B-Instruct": 4.438,
    "Qwen/Qwen3-VL-8B-Instruct": 8.767,
    "Qwen/Qwen3.5-0.8B": 0.853,  # the files also hold a head for several tokens at once
    "Qwen/Qwen3.5-2B": 2.213,
    "Qwen/Qwen3.5-4B": 4.539,
    "Qwen/Qwen3.5-9B": 9.410,
    "google/gemma-3-4b-it": 4.300,
    "google/gemma-3-12b-it": 12.187,
    "google/gemma-3-27b-it": 27.432,
    "HuggingFaceM4/Idefics3-8B-Llama3": 8.462,
    "HuggingFaceTB/SmolVLM2-256M-Video-Instruct": 0.256485,
    "HuggingFaceTB/SmolVLM2-500M-Video-Instruct": 0.507482,
    "HuggingFaceTB/SmolVLM2-2.2B-Instruct": 2.246785,
    "OpenGVLab/InternVL3-1B-hf": 0.938,
    "OpenGVLab/InternVL3-2B-hf": 2.089,
    "OpenGVLab/InternVL3-8B-hf": 7.944,
    "OpenGVLab/InternVL3_5-1B-HF": 1.061,
    "OpenGVLab/InternVL3_5-2B-HF": 2.349,
    "OpenGVLab/InternVL3_5-4B-HF": 4.733,
    "OpenGVLab/InternVL3_5-8B-HF": 8.528,
    "google/gemma-4-E2B-it": 5.104,
    "google/gemma-4-E4B-it": 7.941,
    "google/gemma-4-31B-it": 31.273,
}
"""As the checkpoints' own files count them."""
KNOWN = {c: name for name in families.FAMILIES for c in families.create(name).sizes}
FIRST = {name: c for c, name in reversed(KNOWN.items())}.values()
"""One checkpoint of each family."""


def test_every_known_size_is_published():
    assert KNOWN.keys() == BILLIONS.keys()


@pytest.mark.parametrize("checkpoint", quick(BILLIONS, *FIRST))
def test_the_parameters_are_as_many_as_published(checkpoint):
    family = families.create(KNOWN[checkpoint])
    config = family.config(checkpoint)
    assert families.of_model_type(config.model_type).name == family.name
    kind = "AutoModelForImageTextToText" if family.vision else "AutoModelForCausalLM"
    with torch.device("meta"):
        model = getattr(transformers, kind).from_config(config)
    counted = sum(parameter.numel() for parameter in model.parameters())
    assert counted / 1e9 == pytest.approx(BILLIONS[checkpoint], rel=1e-3)
