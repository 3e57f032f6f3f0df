"""Which settings would make a recipe fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.recipe import Recipe


def ways_out(recipe: Recipe, fits: Callable[[Recipe], bool]) -> list[str]:
    """Single changes that make it fit; where none does, the first few together that do."""

    single = [" ".join(words) for words, changed in _knobs(recipe) if fits(changed)]
    if single:
        return single
    together: list[str] = []
    while knobs := _knobs(recipe):
        words, recipe = knobs[0]
        together += words
        if fits(recipe):
            return [" ".join(together)]
    return []


def _knobs(recipe: Recipe) -> list[tuple[list[str], Recipe]]:
    """Changes that save memory and are not made yet, the cheapest for the outcome first."""
    model, train = recipe.model, recipe.train
    batch, steps = train.per_device_train_batch_size, train.gradient_accumulation_steps
    found: list[tuple[list[str], Recipe]] = []
    if not train.activation_checkpointing:
        changed = replace(train, activation_checkpointing=True)
        found.append((["train.activation_checkpointing=true"], replace(recipe, train=changed)))
    if batch > 1:
        changed = replace(
            train, per_device_train_batch_size=1, gradient_accumulation_steps=steps * batch
        )
        words = [
            "train.per_device_train_batch_size=1",
            f"train.gradient_accumulation_steps={steps * batch}",
        ]
        found.append((words, replace(recipe, train=changed)))
    if not model.load_in_4bit and train.language != "full":
        changed_model = replace(model, load_in_4bit=True)
        found.append((["model.load_in_4bit=true"], replace(recipe, model=changed_model)))
    if train.vision != "frozen" and (train.language, train.projector) != ("frozen", "frozen"):
        changed = replace(train, vision="frozen")
        found.append((["train.vision=frozen"], replace(recipe, train=changed)))
    return found
