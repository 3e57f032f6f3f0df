"""Recipes as YAML: where they are, how they are read and written, what is laid over them."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from gnomon.names import hint
from gnomon.recipe.checking import RecipeError, checked
from gnomon.recipe.sections import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def load(path: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """The recipe in a file, or the one of that name that comes with gnomon, with overrides."""
    file = find(path)
    raw = _parsed(file.read_text(encoding="utf-8"), f"{file}:")
    if not isinstance(raw, dict):
        raise RecipeError(f"{file}: a recipe is a mapping with data, model, loss, train and eval")
    return from_dict(raw, overrides, name=str(file))


def from_dict(
    raw: dict[str, Any], overrides: Sequence[str] = (), *, name: str = "recipe"
) -> Recipe:
    """A checked recipe of plain values; RecipeError lists everything that is wrong, at once."""
    return checked(Recipe, laid_over(raw, overrides), name=name)


def laid_over(raw: dict[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Plain values with `key=value` laid over them, in place."""
    for override in overrides:
        key, _, value = override.partition("=")
        if value.startswith(("[", "{")) and not value.endswith(("]", "}")):
            raise RecipeError(
                f"{key}: the value is not YAML: {value!r} breaks off; quote an override with blanks"
            )
        _lay_over(raw, override)
    return raw


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """Nested values by their dotted keys: the inverse of laying over."""
    if not isinstance(value, dict | list | tuple):
        return {path: value}
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    found: dict[str, Any] = {}
    for key, inner in pairs:
        found |= flat(inner, f"{path}.{key}" if path else str(key))
    return found


def to_yaml(recipe: Recipe) -> str:
    """The recipe with every default written out; `load` reads it back the same."""
    plain = json.loads(json.dumps(asdict(recipe)))
    # Escaped beyond ASCII: PyYAML writes some line breaks of Unicode bare and reads them as blanks.
    return yaml.dump(plain, Dumper=_Dumper, sort_keys=False)


def find(path: str | Path) -> Path:
    """The recipe file: the path itself, else the one of that name that comes with gnomon."""
    wanted = Path(path)
    if wanted.is_file():
        return wanted
    shipped = configs()
    for name in (wanted.name, f"{wanted.name}.yaml"):
        if wanted.parent.name in ("", "configs") and name in shipped:
            return shipped[name]
    raise RecipeError(f"no recipe {str(path)!r}: {_instead(wanted, shipped)}")


def _instead(wanted: Path, shipped: Iterable[str]) -> str:
    """What someone may have meant who named no recipe."""
    if "=" in wanted.name:
        return "an override comes after the recipe"
    if (wanted / "recipe.yaml").is_file():
        return f"that is a run; its recipe is {wanted / 'recipe.yaml'}"
    if wanted.is_dir():
        return "that is a directory; give a YAML file"
    known = [name.removesuffix(".yaml") for name in shipped]
    name = wanted.name.removesuffix(wanted.suffix)
    return f"there is no such file; {hint(name, known, listing='gnomon ls configs')}"


@cache
def configs() -> dict[str, Path]:
    """The recipes that come with gnomon, by file name."""
    package = Path(__file__).parent.parent
    for folder in (package / "configs", package.parent / "configs"):  # a wheel; a clone
        if folder.is_dir():
            return {file.name: file for file in sorted(folder.glob("*.yaml"))}
    return {}


def _parsed(text: str, what: str) -> Any:
    """The value of a YAML text; `what` begins the message where it is none."""
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise RecipeError(f"{what} not YAML: {error.problem}{where}") from error
    except yaml.YAMLError as error:  # a character that YAML does not allow, such as NUL
        raise RecipeError(f"{what} not YAML: {str(error).splitlines()[0]}") from error


class _Loader(yaml.SafeLoader):
    """YAML 1.1 takes 2e-5 for a string and lets a repeated key win; here neither holds."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} stands twice", node.start_mark
                )
        return super().construct_mapping(node, deep)


_FLOAT = re.compile(r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)[eE][-+]?\d+")
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+0123456789."))


class _Dumper(yaml.SafeDumper):
    """Quotes the strings that `_Loader` would take for numbers."""


_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+0123456789."))


def _lay_over(raw: dict[str, Any], override: str) -> None:
    """Set one dotted key, such as train.learning_rate=2e-5 or data.0.options.size=112."""
    path, equals, text = override.partition("=")
    if not equals or not path:
        raise RecipeError(
            f"{override!r}: an override is key=value without blanks, such as train.max_steps=100"
        )
    *way, last = path.split(".")
    place: Any = raw
    for step in way:
        if isinstance(place, list):
            place = place[_index(step, place, path)]
        else:
            if place.get(step) is None:
                place[step] = {}
            place = place[step]
        if not isinstance(place, dict | list):
            raise RecipeError(f"{path}: {step!r} holds {place!r}, which has no keys of its own")
    value = _parsed(text, f"{path}: the value is")
    place[_index(last, place, path) if isinstance(place, list) else last] = value


def _index(step: str, place: list[Any], path: str) -> int:
    if not step.isdecimal() or int(step) >= len(place):
        raise RecipeError(
            f"{path}: {step!r} is no place in a list of {len(place)} (counted from 0, such as"
            f" {path.partition(f'.{step}')[0]}.0)"
        )
    return int(step)
