"""Recipes that come with gnomon: files in configs/, and KIND-MODEL-24gb made of a kind's base.

A model is called as its checkpoint is, in small letters: any that a family knows the sizes of has
its recipes.
"""

import re
from functools import cache
from pathlib import Path

from gnomon import recipe
from gnomon.pipeline import families

MEMORIES = ("24gb", "80gb")
_OVERLAYS = "overlays.yaml"


@cache
def models() -> dict[str, str]:
    """Return the checkpoints that take pictures by their short names in recipes."""
    checkpoints = {}
    for name in families.FAMILIES:
        family = families.create(name)
        if family.vision:
            checkpoints.update({_short(checkpoint): checkpoint for checkpoint in family.sizes})
    return checkpoints


def bases() -> dict[str, Path]:
    """Return the files of `configs/bases` by kind."""
    files = recipe.configs("bases")
    return {file.stem: file for name, file in files.items() if name != _OVERLAYS}


@cache
def names() -> tuple[str, ...]:
    """Return the names of all recipes that come with gnomon, including those for each model."""
    composed = (f"{base}-{model}-{gb}" for base in bases() for model in models() for gb in MEMORIES)
    return (*(name.removesuffix(".yaml") for name in recipe.configs()), *composed)


def read(path: str | Path) -> tuple[str, str]:
    """Return the file's name and the text of a recipe, unparsed, by its path or shipped name."""
    file = Path(path)
    name = file.name.removesuffix(".yaml")
    # A file of the user's by that name goes first, so a copy can be changed and run.
    is_composed = name in names() and f"{name}.yaml" not in recipe.configs()
    if is_composed and not file.is_file() and file.parent.name in ("", "configs"):
        return f"{name}.yaml", _composed(name)
    # names() imports all families, for the hint at what a misspelled name may mean.
    file = recipe.find(path, names())
    return str(file), recipe.read_text(file)


def of_model(checkpoint: str) -> str:
    """Return the text of a recipe that trains a checkpoint on clocks."""
    text = bases()["clock"].read_text(encoding="utf-8")
    return recipe.edit(text, [f"model.name={checkpoint}"])


def _composed(name: str) -> str:
    """Compose the recipe KIND-MODEL-24gb from the base of the kind and its overlays."""
    base, _, rest = name.partition("-")
    overlays = recipe.parse_file(recipe.configs("bases")[_OVERLAYS])
    overrides = []
    # Applied in the file's order: a later line wins over an earlier one.
    for pattern, words in overlays.items():
        if re.fullmatch(pattern, name):
            overrides += words
    checkpoint = models()[rest.rpartition("-")[0]]
    text = recipe.edit(
        bases()[base].read_text(encoding="utf-8"), [f"model.name={checkpoint}", *overrides]
    )
    return f"# First: gnomon plan {name}   (--config-only needs no download)\n{text}"


def _short(checkpoint: str) -> str:
    """Shorten a hub id to a name in recipes: Qwen/Qwen2-VL-2B-Instruct is qwen2-vl-2b."""
    # Endings such as "Instruct" do not distinguish the checkpoints of a family.
    return re.sub(r"(-(instruct|it|hf|chat))+$", "", checkpoint.rpartition("/")[2].lower())
