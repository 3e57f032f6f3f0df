"""Every recipe that comes with gnomon runs as far as can be known without its model."""

from __future__ import annotations

import pytest

from gnomon import recipe, store, workflows


@pytest.mark.parametrize("name", recipe.configs())
def test_every_recipe_is_known_to_every_room_and_draws(name):
    opened = workflows.open_recipe(name)
    sample = store.mixture(opened.data, split="train", seed=opened.seed)[0]
    assert sample.question
    assert next(iter(workflows.Exam.of(opened))).question
