"""A recipe: the whole of a run in one YAML file, checked before anything is spent."""

from gnomon.recipe.checking import RecipeError, checked, choices, section
from gnomon.recipe.files import configs, find, flat, from_dict, laid_over, load, plain, to_yaml
from gnomon.recipe.sections import (
    STRICT,
    AutoFamily,
    BoxFormat,
    Columns,
    Eval,
    Lora,
    Loss,
    Model,
    Part,
    Recipe,
    Source,
    Train,
)

__all__ = [
    "STRICT",
    "AutoFamily",
    "BoxFormat",
    "Columns",
    "Eval",
    "Lora",
    "Loss",
    "Model",
    "Part",
    "Recipe",
    "RecipeError",
    "Source",
    "Train",
    "checked",
    "choices",
    "configs",
    "find",
    "flat",
    "from_dict",
    "laid_over",
    "load",
    "plain",
    "section",
    "to_yaml",
]
