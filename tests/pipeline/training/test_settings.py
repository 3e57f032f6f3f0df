"""Which of TRL's settings a recipe may pass on."""

from __future__ import annotations

import re
from dataclasses import fields
from types import SimpleNamespace

import pytest
from trl import SFTConfig

from gnomon.pipeline.training.settings import evaluation_settings, sft_config
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


def test_a_misspelt_schedule_is_told_with_those_there_are(tmp_path):
    recipe = validate(
        Recipe, {"data": [{"kind": "clock"}], "train": {"lr_scheduler_type": "cosin"}}
    )
    with pytest.raises(ValueError, match=r"cosin is not a valid SchedulerType, .* 'cosine'"):
        sft_config(recipe, tmp_path)
