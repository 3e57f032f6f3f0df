from dataclasses import replace

import bitsandbytes as bnb
import pytest
import torch
from peft import PeftModel, get_peft_model
from pipeline_toys import BLANK

from gnomon.names import UnknownNameError
from gnomon.pipeline import families, quantize
from gnomon.pipeline.adapter import tie_head
from gnomon.pipeline.checkpoint import locate_checkpoint, with_dtype
from gnomon.pipeline.load import fingerprint, load, load_trained
from gnomon.pipeline.quantize import check_quantized, quantized_layers
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.recipe import Model, Train


@pytest.fixture(scope="module")
def in_4_bits(checkpoint):
    return load(Model(name=str(checkpoint), dtype="float32"))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_recipes_precision_holds_for_all_that_is_not_in_4_bits(checkpoint, dtype):
    loaded = load(Model(name=str(checkpoint), dtype=dtype)).model
    kept = {p.dtype for p in loaded.parameters() if not isinstance(p, bnb.nn.Params4bit)}
    assert kept == {getattr(torch, dtype)}
    layer = loaded.get_submodule(quantized_layers(loaded)[0])
    assert layer.compute_dtype == getattr(torch, dtype)
    assert layer.weight.quant_state.nested
    assert layer.weight.quant_type == "nf4"


@pytest.mark.parametrize(("gpu", "dtype"), [(False, "float32"), (True, "bfloat16")])
def test_without_a_dtype_the_machine_has_its_own(gpu, dtype, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    assert with_dtype(Model()).dtype == dtype
    assert with_dtype(Model(dtype="float16")).dtype == "float16"


@pytest.mark.parametrize(
    ("skipped", "message"),
    [
        # `visual` anchors at the path's start, so it skips nothing of `model.visual`.
        ("visual", r"qwen2-vl: \d+ layers should not be quantised.*visual"),
        ("model", "no layer is quantised"),
    ],
)
def test_a_family_whose_skip_list_misses_is_refused(checkpoint, monkeypatch, skipped, message):
    monkeypatch.setattr(quantize, "modules_in_16_bits", lambda _: (skipped, "lm_head"))
    with pytest.raises(ValueError, match=message):
        load(Model(name=str(checkpoint), dtype="float32"))


def test_a_head_in_4_bits_is_refused(in_4_bits, monkeypatch):
    monkeypatch.setattr(in_4_bits.model, "lm_head", bnb.nn.Linear4bit(64, 64))
    with pytest.raises(ValueError, match=r"1 layers should not be quantised, .*\['lm_head'\]"):
        check_quantized(in_4_bits.model, in_4_bits.family)


def test_a_blank_model_is_the_seeds(blank):
    again, other = load(BLANK, seed=0).model, load(BLANK, seed=1).model
    pairs = zip(blank.model.parameters(), again.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    assert not torch.equal(other.lm_head.weight, again.lm_head.weight)


def test_a_blank_model_in_4_bits_is_refused():
    """There is nothing to quantise yet: it would silently come back whole."""
    with pytest.raises(ValueError, match=r"gnomon-tiny-blank has no weights.*load_in_4bit=false"):
        load(replace(BLANK, load_in_4bit=True))


def test_a_name_says_where_and_which_family(checkpoint):
    for model, path, family in (
        (Model(name="gnomon-tiny"), families.TINY, "gnomon-tiny"),
        (BLANK, "gnomon-tiny-blank", "gnomon-tiny"),
        (replace(BLANK, family="qwen2-vl"), "gnomon-tiny-blank", "qwen2-vl"),
        (Model(name=str(checkpoint)), checkpoint, "qwen2-vl"),
        (Model(name=str(checkpoint), family="gnomon-tiny"), checkpoint, "gnomon-tiny"),
    ):
        place, found = locate_checkpoint(model)
        assert (place, found.name) == (str(path), family)


def test_a_name_or_a_family_that_is_nothing_is_refused_by_key(checkpoint):
    for name in ("gnomon-tny", "./nowhere", "/no/where", "a/b/c"):
        message = f"model.name: '{name}' is not a directory, a hub id"
        with pytest.raises(UnknownNameError, match=message):
            locate_checkpoint(Model(name=name))
    with pytest.raises(UnknownNameError, match="unknown family 'qwen2vl': did you mean qwen2-vl"):
        locate_checkpoint(Model(name=str(checkpoint), family="qwen2vl"))


def of_part(name):
    if ".merger." in name:
        return "projector"
    return "vision" if ".visual." in name else "language"


def ways(**given):
    return Train(**{"language": "frozen", "vision": "frozen", "projector": "frozen", **given})


def opened(loaded, train):
    """The model as the trainer gets it, its settings for adapters, and what may train."""
    config = prepare_parts(loaded, train)
    model = loaded.model if config is None else get_peft_model(loaded.model, config)
    return model, config, {n for n, p in model.named_parameters() if p.requires_grad}


@pytest.mark.parametrize(
    "given",
    [
        {"vision": "full", "projector": "full"},
        {"language": "full", "vision": "full", "projector": "full"},
    ],
    ids=lambda given: "+".join(given),
)
def test_full_parts_train_whole_and_nothing_else_does(fresh, given):
    model, config, trainable = opened(fresh, ways(**given))
    assert config is None
    assert not isinstance(model, PeftModel)
    assert trainable == {n for n, _ in model.named_parameters() if of_part(n) in given}


def test_a_full_projector_beside_lora_is_saved_with_the_adapter(fresh):
    model, config, trainable = opened(fresh, ways(language="lora", projector="full"))
    assert config.modules_to_save == ["model.visual.merger"]
    whole = {name for name in trainable if "lora_" not in name}
    expected = dict(model.get_base_model().model.visual.merger.modules_to_save["default"]
                    .named_parameters())  # fmt: skip
    assert len(whole) == len(expected)
    assert all(of_part(name) == "projector" for name in whole)
    assert {of_part(name) for name in trainable - whole} == {"language"}


@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
def test_the_head_trains_with_a_full_language_model_beside_lora(fresh, tied):
    if not tied:
        fresh.model.config.tie_word_embeddings = False
        head = fresh.model.get_output_embeddings()
        head.weight = torch.nn.Parameter(head.weight.detach().clone())
    model, _, _ = opened(fresh, ways(language="full", vision="lora"))
    tie_head(model)
    head, words = model.get_output_embeddings().weight, model.get_input_embeddings().weight
    assert head.requires_grad
    assert words.requires_grad
    assert (head is words) == tied


def test_adapters_have_the_recipes_settings(fresh):
    config = prepare_parts(fresh, Train(lora_r=4, lora_alpha=7, lora_dropout=0.25))
    assert (config.r, config.lora_alpha, config.lora_dropout) == (4, 7, 0.25)


def test_a_run_without_weights_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"holds no trained weights yet: `gnomon train`"):
        load_trained(BLANK, tmp_path)
    with pytest.raises(ValueError, match=r"holds no weights \(.safetensors, .bin"):
        fingerprint(BLANK, tmp_path)


@pytest.mark.parametrize("file", ["a.safetensors", "adapter_model.bin"])
def test_a_fingerprint_is_of_the_weights_alone(tmp_path, file):
    """An adapter in a .bin was once the hash of nothing, as was every other."""
    (tmp_path / "adapter").mkdir()
    (tmp_path / "adapter" / file).write_bytes(b"one")
    first = fingerprint(BLANK, tmp_path)
    (tmp_path / "adapter" / "README.md").write_text("words")
    (tmp_path / "adapter" / "training_args.bin").write_bytes(b"settings")
    assert fingerprint(BLANK, tmp_path) == first
    (tmp_path / "adapter" / file).write_bytes(b"two")
    second = fingerprint(BLANK, tmp_path)
    assert second != first
    # Under an adapter the weights of a model in a folder answer, too.
    (tmp_path / "base").mkdir()
    answering = []
    for content in (b"three", b"fours"):
        (tmp_path / "base" / file).write_bytes(content)
        answering.append(fingerprint(replace(BLANK, name=str(tmp_path / "base")), tmp_path))
    assert len({second, *answering}) == 3


@pytest.mark.parametrize("config", ["[" * 50_000, '{"model_type": "qwen2_vl", "text_config": 5}'])
def test_an_odd_configuration_is_told_by_its_model(tmp_path, config):
    (tmp_path / "config.json").write_text(config)
    with pytest.raises(ValueError, match=r"model\.name: '.*' cannot be opened: "):
        load(Model(name=str(tmp_path), load_in_4bit=False))
