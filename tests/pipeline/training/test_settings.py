"""Which of TRL's settings a recipe may pass on."""

import re
from dataclasses import fields
from types import SimpleNamespace

import pytest
from toy_runs import changed
from trl import SFTConfig

from gnomon.pipeline.training.settings import CHECKPOINTING, evaluation_settings, sft_config
from gnomon.recipe import Recipe, checking, validate

FIELDS = {field.name for field in fields(SFTConfig) if field.init}
ELSEWHERE = re.compile(
    "hub|push|upload|remote|token$|dir$|space_id|bucket_id|url|kwargs$|^resume|path"
)
"""What a field is called that writes or sends elsewhere, or runs what comes from there."""
HARMLESS = {"activation_checkpointing_kwargs", "gradient_checkpointing_kwargs",
            "lr_scheduler_kwargs"}  # fmt: skip
A_USERS = {"save_total_limit", "dataloader_pin_memory", "dataloader_persistent_workers",
           "logging_first_step"}  # fmt: skip
"""What gnomon sets and a recipe may set otherwise: speed, and how much is kept."""


def test_no_field_that_leads_elsewhere_is_passed_on():
    """A release of TRL that has a new one fails here."""
    found = {name for name in FIELDS if ELSEWHERE.search(name) and not checking.sft_way_out(name)}
    assert found <= HARMLESS, "say what becomes of it in recipe/sft.toml, or here"


def test_no_field_that_gnomon_sets_is_passed_on(tmp_path, monkeypatch):
    given = {}
    monkeypatch.setattr(
        "gnomon.pipeline.training.settings.SFTConfig",
        lambda **said: given.update(said) or SimpleNamespace(n_gpu=1),
    )
    recipe = validate(Recipe, {"data": [{"kind": "clock"}], "train": {"eval_steps": 5}})
    sft_config(recipe, tmp_path)
    assert given.keys() >= evaluation_settings(recipe).keys() | {"output_dir", "learning_rate"}
    assert {name for name in given if not checking.sft_way_out(name)} == A_USERS


def test_what_is_refused_is_known_to_trl():
    """But for what TRL no longer has or older ones call otherwise, and a recipe may say."""
    refused = {field for row in checking._SFT_TABLE["refused"] for field in row["fields"]}
    unknown = {field for field in refused if "*" not in field} - FIELDS
    assert unknown <= {"warmup_ratio", "activation_checkpointing"}


def test_trls_settings_are_the_recipes(recipe, tmp_path):
    """TRL checkpoints activations by default; a recipe's False must reach the model."""
    settings = sft_config(recipe, tmp_path)
    for name in ("max_steps", "learning_rate", "per_device_train_batch_size", "save_steps"):
        assert getattr(settings, name) == getattr(recipe.train, name)
    assert settings.max_length is None
    assert settings.report_to in ("none", [])
    assert not settings.bf16
    assert not settings.fp16
    assert settings.output_dir == str(tmp_path / "checkpoints")
    for wanted in (False, True):
        settings = sft_config(changed(recipe, activation_checkpointing=wanted), tmp_path)
        assert getattr(settings, CHECKPOINTING) is settings.gradient_checkpointing is wanted
    sft = {"optim": "sgd", "max_grad_norm": 0.5}
    settings = sft_config(changed(recipe, sft=sft), tmp_path)
    assert (settings.optim, settings.max_grad_norm) == ("sgd", 0.5)


def test_a_key_that_trl_has_not_is_refused_by_name(recipe, tmp_path):
    with pytest.raises(ValueError, match=r"train.sft.max_gradnorm: 0.5: .* max_grad_norm"):
        sft_config(changed(recipe, sft={"max_gradnorm": 0.5}), tmp_path)


def test_a_misspelt_schedule_is_told_with_those_there_are(recipe, tmp_path):
    with pytest.raises(ValueError, match=r"cosin is not a valid SchedulerType, .* 'cosine'"):
        sft_config(changed(recipe, lr_scheduler_type="cosin"), tmp_path)
