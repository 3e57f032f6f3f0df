"""Systems of earlier papers that gnomon does not train, small and with random weights.

MiniCPM-V is trained: test_auto.py has it.
"""

import json

import pytest
import transformers
from small_models import GEMMA3_TOKENS, gemma, qwen2
from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

from gnomon.pipeline.checkpoint import locate_checkpoint
from gnomon.recipe import Model

SMALL = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
         "num_attention_heads": 4}  # fmt: skip


def test_paligemma_has_no_chat_template(tmp_path):
    tokenizer = gemma(GEMMA3_TOKENS)
    tokenizer.chat_template = None
    tokenizer.add_special_tokens({"extra_special_tokens": ["<image>"]})
    pictures = SiglipImageProcessorPil(size={"height": 56, "width": 56})
    pictures.image_seq_length = 16
    processor = transformers.PaliGemmaProcessor(pictures, tokenizer)
    config = transformers.PaliGemmaConfig(
        text_config={**SMALL, "model_type": "gemma", "num_key_value_heads": 2, "head_dim": 16,
                     "vocab_size": len(tokenizer)},
        vision_config={**SMALL, "model_type": "siglip_vision_model", "image_size": 56,
                       "patch_size": 14, "vision_use_head": False},
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        projection_dim=64,
    )  # fmt: skip
    transformers.PaliGemmaForConditionalGeneration(config).save_pretrained(tmp_path)
    processor.save_pretrained(tmp_path)
    model = transformers.AutoModelForImageTextToText.from_pretrained(tmp_path)
    assert type(model).__name__ == "PaliGemmaForConditionalGeneration"
    with pytest.raises(ValueError, match="cannot be opened: it has no chat template"):
        locate_checkpoint(Model(name=str(tmp_path)))


def test_yi_vl_is_in_llavas_first_format(tmp_path):
    tokenizer = qwen2()
    tokenizer.save_pretrained(tmp_path)
    config = transformers.LlamaConfig(**SMALL, vocab_size=len(tokenizer))
    transformers.LlamaForCausalLM(config).save_pretrained(tmp_path)
    file = tmp_path / "config.json"
    theirs = {"model_type": "llava", "architectures": ["LlavaLlamaForCausalLM"],
              "mm_projector_type": "mlp2x_gelu_Norm"}  # fmt: skip
    file.write_text(json.dumps(json.loads(file.read_text()) | theirs))
    with pytest.raises(ValueError, match="in the first format of LLaVA, like Yi-VL"):
        locate_checkpoint(Model(name=str(tmp_path)))
