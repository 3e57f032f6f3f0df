"""The run whose adapter a reinforcement learning trains further."""

import os
from pathlib import Path

from gnomon.recipe import Recipe, RecipeError
from gnomon.store.reading.run_folder import RunFolder

_KEY = "train.grpo.start"


def start_of(recipe: Recipe) -> Path | None:
    """Return the run that the training starts from. None if it starts from the model as it came."""
    grpo = recipe.train.grpo
    return None if grpo is None or grpo.start is None else Path(grpo.start)


def check_start(recipe: Recipe) -> None:
    """Raise a RecipeError if the adapter of the start does not fit the recipe.

    The adapter goes on with its own settings, so other settings in the recipe would mislead.
    """
    path = start_of(recipe)
    if path is None:
        return
    folder = RunFolder(path)
    if folder.model.is_dir():
        raise RecipeError(
            f"{_KEY}: {path} holds a whole model and no adapter: set model.name={folder.model}, and"
            f" leave {_KEY} out"
        )
    if not folder.adapter.is_dir():
        raise RecipeError(f"{_KEY}: {path} holds no trained adapter: train a run there first")
    from gnomon.runs.run import Run  # and with it the reader of pictures, which few plans need

    before = Run(path).recipe
    if before.train.language != "lora":
        raise RecipeError(f"{_KEY}: the language model of {path} has no adapters: train some first")
    pairs = {
        "model.name": (_place(before.model.name), _place(recipe.model.name)),
        "train.lora_r": (before.train.rank("language"), recipe.train.rank("language")),
        "train.lora_alpha": (before.train.lora_alpha, recipe.train.lora_alpha),
    }
    for key, (old, new) in pairs.items():
        if old != new:
            raise RecipeError(f"{key}={new}: {path} has {old}: set {key}={old}")


def _place(name: str) -> str:
    """Return the folder that a model's name stands for, or the name of a hub's model."""
    return os.path.realpath(name) if Path(name).is_dir() else name
