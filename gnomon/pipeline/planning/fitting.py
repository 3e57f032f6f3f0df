"""Search for the settings with which a recipe fits into memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict

from gnomon.recipe import Recipe, flatten, override, plain_values, validate

FEWEST_PIXELS = 256 * 256
"""Pictures are not shrunk further: a dial's numerals run together."""


def fit_recipe(
    recipe: Recipe, fits: Callable[[Recipe], bool], *, pixels: int
) -> tuple[Recipe, list[str]]:
    """Return the recipe with the largest batch that fits, and sentences about what it lost.

    A step keeps its number of samples. Concessions are made one after the other, each only if not
    even one sample at a time fits without it; if nothing fits, the smallest recipe is returned.
    `pixels`: those of the largest picture, 0 if the model has no pixel limits.
    """
    step = recipe.train.step_size
    # The fastest first: all samples of a step at once, and nothing computed twice.
    recipe = _with_batch(_changed(recipe, "train.activation_checkpointing=false"), step, step)
    if fits(recipe):
        return recipe, []
    given_up: dict[str, str] = {}
    # The first concession is none: a smaller batch alone may fit.
    for words, name, cost in [("", "", ""), *_concessions(recipe, pixels)]:
        recipe = _with_batch(_changed(recipe, *words.split()), 1, step)
        # By name: the second shrinking of pictures replaces the first.
        given_up |= {name: cost} if name else {}
        if fits(recipe):
            recipe = _largest_batch(recipe, fits, step)
            break
    batch = recipe.train.per_device_train_batch_size
    if batch < step:
        given_up = {f"{step} samples at once": f"a step is {step // batch} of {batch}", **given_up}
    if recipe.train.activation_checkpointing and batch < recipe.eval.batch_size:
        # A step then holds so little that answering larger batches would need more than it.
        recipe = _changed(recipe, f"eval.batch_size={batch}")
    return recipe, [f"{name}: {cost}" for name, cost in given_up.items()]


def overrides_between(before: Recipe, after: Recipe, always: tuple[str, ...] = ()) -> list[str]:
    """List the overrides that make one recipe of another, as commands take them.

    Keys that end in one of `always` are listed even if they do not change.
    """
    old = flatten(asdict(before))
    return [
        f"{key}={json.dumps(value)}"
        for key, value in flatten(asdict(after)).items()
        if value != old.get(key) or key.endswith(always)
    ]


def _concessions(recipe: Recipe, pixels: int) -> Iterator[tuple[str, str, str]]:
    """Yield overrides that save memory, what each gives up and at what cost; cheapest first."""
    yield (
        "train.activation_checkpointing=true",
        "activations",
        "they are computed twice (checkpointing), in about a third more time",
    )
    if not recipe.model.bits and recipe.train.language != "full":
        yield "model.load_in_4bit=true", "16 bits", "the language model's linear layers are in 4"
    for share in (2, 4):
        if pixels // share >= FEWEST_PIXELS:
            cost = f"pictures are shrunk to 1/{share} of theirs"
            yield f"model.max_pixels={pixels // share}", "pixels", cost


def _largest_batch(recipe: Recipe, fits: Callable[[Recipe], bool], step: int) -> Recipe:
    """Return the recipe with the largest batch that fits and divides a step; with 1 if none."""
    # Only divisors of the step keep its number of samples.
    # From the largest down: the first that fits is the fastest.
    for size in range(step, 1, -1):
        if step % size == 0 and fits(_with_batch(recipe, size, step)):
            return _with_batch(recipe, size, step)
    return _with_batch(recipe, 1, step)


def _with_batch(recipe: Recipe, size: int, step: int) -> Recipe:
    accumulation = f"train.gradient_accumulation_steps={step // size}"
    return _changed(recipe, f"train.per_device_train_batch_size={size}", accumulation)


def _changed(recipe: Recipe, *overrides: str) -> Recipe:
    """Apply overrides, checked as those of a command."""
    return validate(Recipe, override(plain_values(recipe), overrides))
