"""Datasets, collators and models that are TRL's own: ours gives TRL's own loss."""

import copy

import datasets
import numpy as np
import peft
import pytest
import torch
import transformers
from pipeline_toys import CLOCKS, assert_close, copied, grad_steps, settings
from trl import SFTTrainer

from gnomon.pipeline.training.trainer import NumericSFTTrainer

pytestmark = pytest.mark.slow

TEXTS = datasets.Dataset.from_dict(
    {
        "prompt": ["What is 2 + 2?", "What is 30 * 41?", "Say 0.5.", "What is 7?"],
        "completion": [" 4", " 1230", " 0.5", " seven"],
    }
)
ANSWERS = ["10:08", "03:59:07", "1", "12:00"]
PICTURES = datasets.Dataset.from_list(
    [
        {
            "image": CLOCKS[i].image,
            "prompt": [{"role": "user", "content": "What time is it?"}],
            "completion": [{"role": "assistant", "content": answer}],
        }
        for i, answer in enumerate(ANSWERS)
    ]
)
"""As TRL wants pictures: prompt, completion and image."""
SMALL = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "head_dim": 8,
         "num_attention_heads": 4, "num_key_value_heads": 2, "bos_token_id": None}  # fmt: skip
EXPERTS = {"output_router_logits": True, "router_aux_loss_coef": 0.5, "num_local_experts": 4}


def model_of(blank, kind, **options):
    tokenizer = blank.processor.tokenizer
    shape = {**SMALL, "vocab_size": len(tokenizer) + 3, "eos_token_id": tokenizer.eos_token_id}
    config = getattr(transformers, f"{kind}Config")(**shape, **options)
    torch.manual_seed(0)
    return getattr(transformers, f"{kind}ForCausalLM")(config)


def trainer_of(kind, blank, model, out, *, data=TEXTS, sft=None, **options):
    changes = {
        "per_device_train_batch_size": 2,
        "gradient_accumulation_steps": 2,
        "remove_unused_columns": True,
        "dataset_kwargs": None,
        **(sft or {}),
    }
    return kind(
        model=copy.deepcopy(model),
        args=settings(out, **changes),
        train_dataset=data,
        processing_class=blank.processor.tokenizer if data is TEXTS else blank.processor,
        **options,
    )


def assert_as_stock(blank, model, out, *, rows=None, **options):
    """The same loss and gradient, with `rows` through the head at a time where they are given."""
    lines, gradients = grad_steps(trainer_of(SFTTrainer, blank, model, out, **options))
    trainer = trainer_of(NumericSFTTrainer, blank, model, out, **options)
    if rows is not None:
        trainer.logits_at_once = rows * trainer._vocab_size
    ours, found = grad_steps(trainer)
    assert ours[0]["loss"] == pytest.approx(lines[0]["loss"], rel=1e-5)
    assert_close(found[0], gradients[0])
    return lines[0], ours[0]


@pytest.mark.parametrize("data", [TEXTS, PICTURES], ids=["texts", "pictures"])
@pytest.mark.parametrize("window", [(4, 1), (1, 4)], ids=["4x1", "1x4"])
def test_trls_own_datasets_and_collators_give_trls_own_loss(blank, tmp_path, data, window):
    size, windows = window
    sft = {"per_device_train_batch_size": size, "gradient_accumulation_steps": windows}
    options = {"data": data, "sft": sft}
    _, ours = assert_as_stock(blank, blank.model, tmp_path, **options)
    options |= {"numeric_loss": "ntil", "weight": 0.5}
    trainer = trainer_of(NumericSFTTrainer, blank, blank.model, tmp_path, **options)
    (numeric,), _ = grad_steps(trainer)
    assert numeric["ce"] == pytest.approx(ours["ce"], rel=1e-6)
    parts = numeric["emd"] + 0.2 * numeric["relative"] + 0.2 * numeric["magnitude"]
    assert numeric["emd"] > 0
    assert numeric["loss"] == pytest.approx(numeric["ce"] + 0.5 * parts, rel=1e-5)


@pytest.mark.parametrize("rows", [None, 2], ids=["at once", "in chunks"])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("Llama", {}),
        ("Gemma2", {"final_logit_softcapping": 3.0}),
        ("Cohere", {"logit_scale": 0.25}),
        ("Granite", {"logits_scaling": 4.0}),
    ],
    ids=["Llama", "Gemma2", "Cohere", "Granite"],
)
def test_what_a_model_does_to_its_logits_is_in_the_loss(blank, tmp_path, kind, options, rows):
    """Rows in chunks go by way of the head's output, which Gemma would take for logits to cap."""
    assert_as_stock(blank, model_of(blank, kind, **options), tmp_path, rows=rows)


def test_logits_changed_in_a_way_that_no_config_tells_are_refused(blank, tmp_path):
    class Loud(transformers.LlamaForCausalLM):
        def forward(self, *args, logits_to_keep=0, **kwargs):
            found = super().forward(*args, logits_to_keep=logits_to_keep, **kwargs)
            found.logits = found.logits * 2
            return found

    plain = model_of(blank, "Llama")
    loud = Loud(plain.config)
    trainer = trainer_of(NumericSFTTrainer, blank, loud, tmp_path)
    trainer.logits_at_once = 2 * trainer._vocab_size
    with pytest.raises(ValueError, match=r"Loud changes the logits.*logits_at_once"):
        trainer.train()


def test_a_model_that_gives_all_logits_or_none_trains_the_same(blank, tmp_path):
    class Plain(transformers.LlamaForCausalLM):
        def forward(self, input_ids=None, attention_mask=None, use_cache=None):
            return super().forward(input_ids, attention_mask=attention_mask, use_cache=use_cache)

    model = model_of(blank, "Llama")
    plain = Plain(model.config)
    plain.load_state_dict(model.state_dict())
    whole = {"sft": {"gradient_accumulation_steps": 1, "per_device_train_batch_size": 4}}
    found = [
        grad_steps(trainer_of(NumericSFTTrainer, blank, m, tmp_path, numeric_loss="ntil", **whole))
        for m in (model, plain)
    ]
    (lines, gradients), (others, theirs) = found
    assert others[0]["loss"] == pytest.approx(lines[0]["loss"], rel=1e-6)
    assert_close(theirs[0], gradients[0])


def test_experts_that_are_balanced_are_refused(blank, tmp_path):
    model = model_of(blank, "Mixtral", **EXPERTS)
    with pytest.raises(ValueError, match="output_router_logits"):
        trainer_of(NumericSFTTrainer, blank, model, tmp_path)


@pytest.mark.parametrize("kind", [peft.PromptTuningConfig, peft.PrefixTuningConfig])
@pytest.mark.parametrize("rows", [None, 2], ids=["at once", "in chunks"])
def test_tokens_that_are_set_before_each_row_are_no_answer(blank, tmp_path, kind, rows):
    options = {"peft_config": kind(task_type="CAUSAL_LM", num_virtual_tokens=3)}
    model = model_of(blank, "Qwen2", initializer_range=0.3)
    assert_as_stock(blank, model, tmp_path, rows=rows, **options)


@pytest.mark.parametrize(
    "sft",
    [
        {"padding_free": True},
        {"packing": True, "max_length": 64},
        {"packing": True, "packing_strategy": "wrapped", "max_length": 8},
    ],
    ids=["padding free", "packed", "cut into chunks of which some have no answer"],
)
def test_packed_rows_give_trls_own_loss(blank, tmp_path, sft):
    sft = {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 1, **sft}
    assert_as_stock(blank, model_of(blank, "Qwen2"), tmp_path, sft=sft)


def test_compute_metrics_and_predict_are_given_every_tokens_logits(blank, tmp_path):
    seen = []

    def measured(found):
        seen.append((found.predictions.shape, found.label_ids.shape))
        scored = found.label_ids[:, 1:] != -100
        right = found.predictions[:, :-1].argmax(-1) == found.label_ids[:, 1:]
        return {"right": right[scored].mean()}

    model = copied(blank).model
    trainer = trainer_of(
        NumericSFTTrainer, blank, model, tmp_path, numeric_loss="ntil", compute_metrics=measured
    )
    figures = trainer.evaluate(TEXTS)
    assert figures["eval_right"] == pytest.approx(figures["eval_mean_token_accuracy"])
    trainer.compute_metrics = None
    predictions = trainer.predict(trainer.train_dataset)
    ((logits, labels),) = seen
    assert logits == (*labels, trainer._vocab_size) == predictions.predictions.shape
    assert np.isfinite(predictions.predictions).all()


BEST = {
    "eval_strategy": "steps",
    "eval_steps": 1,
    "save_strategy": "steps",
    "save_steps": 1,
    "load_best_model_at_end": True,
    "greater_is_better": False,
}


def test_the_best_by_one_of_several_evaluations_is_taken(blank, tmp_path):
    """The second evaluation once wrote NaN over the first one's loss, and no best was found."""
    sft = BEST | {"metric_for_best_model": "eval_first_loss", "max_steps": 2}
    model = model_of(blank, "Qwen2")
    sets = {"first": TEXTS, "second": TEXTS.select(range(2))}
    trainer = trainer_of(NumericSFTTrainer, blank, model, tmp_path, sft=sft, eval_dataset=sets)
    trainer.train()
    log = trainer.state.log_history
    losses = [line["eval_first_loss"] for line in log if "eval_first_loss" in line]
    assert len(losses) == 2
    assert trainer.state.best_metric == min(losses)
