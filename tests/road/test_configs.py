"""Every recipe that comes with gnomon runs as far as can be known without its model."""

from __future__ import annotations

import pytest

from gnomon import recipe, road, store


@pytest.mark.parametrize("name", recipe.configs())
def test_every_recipe_is_known_to_every_room_and_draws(name):
    opened = road.open_recipe(name)
    sample = store.mixture(opened.data, split="train", seed=opened.seed)[0]
    assert sample.question
    assert next(iter(road.Exam.of(opened))).question
