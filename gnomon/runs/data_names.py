"""Names of kinds, data and recipes on the command line, told apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from gnomon import generators
from gnomon.names import UnknownNameError
from gnomon.names import check as check_known
from gnomon.recipe import Recipe, RecipeError
from gnomon.store.user_data.lines import SUFFIXES


def is_data(name: str) -> bool:
    """True for a kind or what lies on disk, false for a recipe that draws or reads samples."""
    return is_on_disk(name) or generators.is_kind(name)


def is_on_disk(name: str) -> bool:
    """True for a user's own file, a folder or a dataset.

    A kind or a recipe that comes with gnomon goes before a folder of the same name.
    """
    path = Path(name)
    # Cheap tests first: the names of shipped recipes need every family to be imported.
    if not (path.is_dir() or path.suffix.lower() in SUFFIXES) or generators.is_kind(name):
        return False
    from gnomon.runs import shipped

    if name in shipped.names():
        return False
    if not path.exists():
        raise RecipeError(f"{name}: there is no such file")
    return True


def split_overrides(overrides: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the overrides of a recipe's sections, and those that configure the data."""
    sections = [section.name for section in fields(Recipe)]
    of_recipe = [word for word in overrides if re.split("[.=]", word)[0] in sections]
    return of_recipe, [word for word in overrides if word not in of_recipe]


def check_name_is_known(name: str) -> None:
    """Refuse a bare name that is neither a kind nor a recipe that comes with gnomon."""
    path = Path(name)
    # A path, a file name or an override in the wrong place gets a message of its own later.
    if path.name == name and not path.suffix and not path.exists() and "=" not in name:
        from gnomon.runs import shipped

        names = [*generators.KINDS, *shipped.names()]
        try:
            check_known(names, name, what="generator or recipe", command="gnomon ls")
        except UnknownNameError as error:
            raise UnknownNameError(f"{error}; nor is there a file or folder {name!r}") from None
