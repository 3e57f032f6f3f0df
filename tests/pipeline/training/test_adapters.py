"""What a recipe may say of the adapters and of how the base is held, down to what is merged."""

from dataclasses import replace

import pytest
import torch
from peft import PeftModel
from peft.tuners.lora import LoraLayer
from pipeline_toys import UNEVEN
from toy_runs import SOURCES, are_same, changed, recipe_of, run_of, trainer_of, weights_of
from transformers import AutoModelForImageTextToText

from gnomon.pipeline.exporting.merge import merge
from gnomon.pipeline.families.base import encode
from gnomon.pipeline.load import load, load_trained
from gnomon.pipeline.planning.budget import part_sizes
from gnomon.pipeline.planning.shapes import measure_shapes
from gnomon.pipeline.quantize import keep_trainable_on_cpu, quantization_config, quantized_layers
from gnomon.pipeline.training.log import LogFile
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.recipe import Eval, Lora, Model, Train

NF4, INT8, PLAIN = (
    {},
    {"load_in_4bit": False, "load_in_8bit": True},
    {"load_in_4bit": False, "dtype": "float32"},
)
WAYS = {
    "dora beside nf4": (NF4, Lora(use_dora=True)),
    "dora in float32": (PLAIN, Lora(use_dora=True, init_lora_weights="orthogonal")),
    "int8": (INT8, Lora(use_rslora=True, init_lora_weights="gaussian")),
    "nf4, quantised once": (
        {"bnb_4bit_use_double_quant": False},
        Lora(target_modules=("q_proj", "down_proj", "qkv"), r={"vision": 2}),
    ),
}
# Of LLM.int8() on a CPU, and of PEFT's old name for a function of transformers.
pytestmark = [
    pytest.mark.filterwarnings("ignore:MatMul8bitLt"),
    pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"),
]


def with_adapters(checkpoint, model, lora, **more):
    settings = {"samples": 8, "learning_rate": 1e-2, "per_device_train_batch_size": 4}
    vision = "lora" if lora and lora.r else "frozen"
    settings |= {"gradient_accumulation_steps": 1, "lora_dropout": 0.0, "vision": vision, **more}
    recipe = recipe_of(checkpoint, model=model, lora=lora, **settings)
    return replace(recipe, data=SOURCES[:1], eval=Eval(batch_size=3, max_new_tokens=4))


def stop_in_the_third(_, __, state, *___, **____):
    if state.global_step == 3:
        raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_it_trains_resumes_opens_in_plain_peft_and_merges(way, checkpoint, tmp_path, monkeypatch):
    # LLM.int8() also rounds what goes into a layer, and a merged model does not.
    rate = 5e-3 if way == "int8" else 1e-2
    recipe = with_adapters(checkpoint, *WAYS[way], learning_rate=rate)
    run_of(recipe, tmp_path / "whole")
    with monkeypatch.context() as stopped:
        stopped.setattr(LogFile, "on_step_end", stop_in_the_third)
        with pytest.raises(KeyboardInterrupt):
            run_of(recipe, tmp_path / "killed")
    run_of(recipe, tmp_path / "killed")
    assert are_same(weights_of(tmp_path / "killed"), weights_of(tmp_path / "whole"))
    ours = load_trained(recipe.model, tmp_path / "whole")
    assert bool(quantized_layers(ours.model)) == (recipe.model.bits is not None)
    quantization = quantization_config(ours.family, recipe.model) if recipe.model.bits else None
    plain = AutoModelForImageTextToText.from_pretrained(
        checkpoint, dtype=getattr(torch, recipe.model.dtype), quantization_config=quantization
    )
    keep_trainable_on_cpu(plain)
    # gnomon leaves adapters in the base's dtype; PEFT's float32 would round in other places.
    plain = PeftModel.from_pretrained(
        plain, tmp_path / "whole" / "adapter", autocast_adapter_dtype=False
    ).eval()
    batch = encode(ours.processor, ["What time is it?"], [None], side="right")
    with torch.no_grad():
        found, expected = (model(**batch).logits.float() for model in (plain, ours.model))
        with plain.disable_adapter():
            bare = plain(**batch).logits.float()
    assert (found - expected).abs().max() < 0.05 * (found - bare).abs().max()
    agreement = merge(recipe, tmp_path / "whole", tmp_path / "merged", UNEVEN[:6])
    assert agreement.kl < 0.01


@pytest.mark.parametrize("way", WAYS)
def test_the_plan_counts_what_peft_trains(way, checkpoint):
    recipe = with_adapters(checkpoint, *WAYS[way])
    loaded = load(recipe.model)
    parts = part_sizes(measure_shapes(loaded.family, loaded.model), recipe.model, recipe.train)
    model = PeftModel(loaded.model, prepare_parts(loaded, recipe.train))
    assert sum(part.trained for part in parts) == sum(
        p.numel() for p in model.parameters() if p.requires_grad
    )


@pytest.mark.slow
def test_peft_is_told_what_the_recipe_says(checkpoint, tmp_path):
    recipe = with_adapters(checkpoint, *WAYS["nf4, quantised once"])
    model = trainer_of(recipe, tmp_path).model
    quantized = [m.weight.quant_state for m in model.modules() if hasattr(m, "quant_type")]
    nested = {state.nested for state in quantized}
    layers = {n: m for n, m in model.named_modules() if isinstance(m, LoraLayer)}
    assert nested <= {False}
    assert {name.rpartition(".")[2] for name in layers} == {"q_proj", "down_proj", "qkv"}
    assert all(m.scaling["default"] == 32 / m.r["default"] for m in layers.values())


def test_rslora_scales_by_the_root_of_the_rank(checkpoint):
    loaded = load(Model(name=str(checkpoint)))
    told = prepare_parts(loaded, Train(lora_r=9, lora=Lora(use_rslora=True)))
    model = PeftModel(loaded.model, told)
    assert {m.scaling["default"] for m in model.modules() if isinstance(m, LoraLayer)} == {32 / 3}


@pytest.mark.slow
def test_the_first_step_of_adam_is_as_long_as_its_part_s_rate(checkpoint, tmp_path):
    """Adam's first step is the learning rate, whatever the slope: 1e-2, the tower's 1e-4."""
    recipe = with_adapters(
        checkpoint, PLAIN, Lora(r={"vision": 2}), learning_rates={"vision": 1e-4}
    )
    trainer = trainer_of(changed(recipe, max_steps=1, lr_scheduler_type="constant"), tmp_path)
    before = {n: p.detach().clone() for n, p in trainer.model.named_parameters() if "lora_B" in n}
    trainer.train()
    after = dict(trainer.model.named_parameters())
    moved = {name: (after[name] - start).abs().max().item() for name, start in before.items()}
    towers = {n for n in moved if ".visual." in n}
    assert 0 < len(towers) < len(moved)
    for name, far in moved.items():
        assert far == pytest.approx(1e-4 if name in towers else 1e-2, rel=0.02), name


def test_a_layer_or_an_attention_that_is_not_there_is_named(checkpoint):
    loaded = load(Model(name=str(checkpoint), attn_implementation="eager"))
    assert loaded.model.config._attn_implementation == "eager"
    with pytest.raises(ValueError, match=r"'q_prj': no linear layer .* did you mean q_proj"):
        prepare_parts(loaded, Train(lora=Lora(target_modules=("q_prj",))))
    with pytest.raises(ValueError, match=r"model\.name: .* cannot be opened: FlashAttention2"):
        load(Model(name=str(checkpoint), attn_implementation="flash_attention_2"))
    with pytest.raises(ValueError, match=r"attn_implementation=\"sdap\"` is not supported"):
        load(Model(name=str(checkpoint), attn_implementation="sdap"))
