"""Recipes as YAML: where they are, how they are read and written, what is laid over them."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from gnomon.names import hint
from gnomon.recipe.checking import RecipeError, checked
from gnomon.recipe.sections import Recipe

_LONGEST = 2**18
"""Bytes of a recipe."""
_DEEPEST = 50
_MOST = 100_000
_TOO_DEEP = f"nested more than {_DEEPEST} deep"
_TOO_LONG = f"with its aliases written out it has more than {_MOST:,} values"


def load(path: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """The recipe in a file, or the one of that name that comes with gnomon, with overrides."""
    file = find(path)
    return from_dict(plain(file), overrides, name=str(file))


def plain(file: Path) -> dict[str, Any]:
    """The keys and values of a recipe's file, not yet checked."""
    with file.open("rb") as opened:
        text = opened.read(_LONGEST + 1)
    if len(text) > _LONGEST:
        raise RecipeError(f"{file}: more than {_LONGEST:,} bytes: no recipe is so long")
    return parsed(text, name=str(file))


def parsed(text: str | bytes, *, name: str) -> dict[str, Any]:
    """The keys and values of a recipe's text, not yet checked."""
    raw = _parsed(text, f"{name}:")
    if not isinstance(raw, dict):
        raise RecipeError(f"{name}: a recipe is a mapping with data, model, loss, train and eval")
    return raw


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
    return dumped(json.loads(json.dumps(asdict(recipe))))


def dumped(raw: dict[str, Any]) -> str:
    """Plain values as YAML that is read back the same."""
    # Escaped beyond ASCII: PyYAML writes some line breaks of Unicode bare and reads them as blanks.
    return yaml.dump(raw, Dumper=_Dumper, sort_keys=False)


def edited(text: str, overrides: Sequence[str]) -> str:
    """A recipe's text with `key=value` laid over it; its comments stay.

    A text in which a key is new is written anew, without comments.
    """
    wanted, found = laid_over(_parsed(text, "recipe:"), overrides), text
    try:
        for override in overrides:
            key, _, value = override.partition("=")
            node = _node_at(found, key.split("."))
            start, end = node.start_mark.index, node.end_mark.index
            end = start + len(found[start:end].rstrip())  # a block ends where the next key begins
            found = f"{found[:start].rstrip(' ')} {value}{found[end:]}"
        if _parsed(found, "recipe:") == wanted:
            return found
    except (LookupError, RecipeError):  # a new key, or a value that is no YAML inside a line
        pass
    return dumped(wanted)


def for_editors(text: str, file: Path) -> str:
    """A recipe's text as it is written to a file: with the line that names the schema to editors,
    where `gnomon ls schema > recipe.schema.json` put one beside the file."""
    schema = file.with_name("recipe.schema.json")
    return f"# yaml-language-server: $schema={schema.name}\n{text}" if schema.is_file() else text


def find(path: str | Path, others: Iterable[str] = ()) -> Path:
    """The recipe file: the path itself, else the one of that name that comes with gnomon.

    `others` are names that may have been meant, too.
    """
    wanted = Path(path)
    if wanted.is_file():
        return wanted
    shipped = configs()
    for name in (wanted.name, f"{wanted.name}.yaml"):
        if wanted.parent.name in ("", "configs") and name in shipped:
            return shipped[name]
    raise RecipeError(f"no recipe {str(path)!r}: {_instead(wanted, [*shipped, *others])}")


def _instead(wanted: Path, shipped: Iterable[str]) -> str:
    """What someone may have meant who named no recipe."""
    if "=" in wanted.name:
        return "an override comes after the recipe"
    if (wanted / "recipe.yaml").is_file():
        return f"that is a run; its recipe is {wanted / 'recipe.yaml'}"
    if wanted.is_dir():
        return "that is a directory; give a YAML file"
    known = [name.removesuffix(".yaml") for name in shipped]
    name = wanted.name.removesuffix(".yaml").removesuffix(".yml")
    return f"there is no such file; {hint(name, known, listing='gnomon ls configs')}"


@cache
def configs(folder: str = "") -> dict[str, Path]:
    """The recipes that come with gnomon, by file name; or those in a folder beside them."""
    package = Path(__file__).parent.parent
    for place in (package / "configs", package.parent / "configs"):  # a wheel; a clone
        if place.is_dir():
            return {file.name: file for file in sorted((place / folder).glob("*.yaml"))}
    return {}


def _parsed(text: str | bytes, what: str) -> Any:
    """The value of a YAML text; `what` begins the message where it is none."""
    try:
        whole = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        value = yaml.load(whole, _Loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise RecipeError(f"{what} not YAML: {error.problem}{where}") from error
    except RecursionError as error:
        raise RecipeError(f"{what} {_TOO_DEEP}") from error
    except UnicodeDecodeError as error:
        raise RecipeError(f"{what} not UTF-8 text: save it as UTF-8") from error
    except yaml.YAMLError as error:  # a character that YAML does not allow, such as NUL
        raise RecipeError(f"{what} not YAML: {str(error).splitlines()[0]}") from error
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # PyYAML's constructors fail so: on a 45th of May, on !!int without digits.
        raise RecipeError(f"{what} not YAML: {error!r}") from error
    _check_extent(value, what)
    return value


def _check_extent(whole: Any, what: str) -> None:
    """Refuse a thousand bytes of aliases to lists of aliases, which are gigabytes."""
    left, met = [(whole, 1)], 0
    while left:
        value, level = left.pop()
        met += 1
        if level > _DEEPEST or met > _MOST:
            raise RecipeError(f"{what} {_TOO_DEEP if level > _DEEPEST else _TOO_LONG}")
        if isinstance(value, dict | list):
            inner = value.values() if isinstance(value, dict) else value
            left += [(each, level + 1) for each in inner]


class _Loader(yaml.SafeLoader):
    """YAML 1.1 takes 2e-5 for a string and lets a repeated key win; here neither holds."""

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        if self.flow_level > _DEEPEST:  # before it is looked through for keys, which takes seconds
            raise yaml.scanner.ScannerError(None, None, _TOO_DEEP, self.get_mark())
        super().fetch_flow_collection_start(token)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                continue  # which is refused below
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} stands twice", key_node.start_mark
                )
            seen.add(key)
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
    *way, last = path.split(".", _DEEPEST)
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
    if not step.isdecimal() or len(step) > 9 or int(step) >= len(place):
        raise RecipeError(
            f"{path}: {step!r} is no place in a list of {len(place)} (counted from 0, such as"
            f" {path.partition(f'.{step}')[0]}.0)"
        )
    return int(step)


def _node_at(text: str, way: Sequence[str]) -> yaml.Node:
    """What stands at a key; LookupError where the key is new."""
    node = yaml.compose(text, Loader=_Loader)
    assert node is not None  # it was parsed before
    for step in way:
        inner: dict[str, yaml.Node] = {}
        if isinstance(node, yaml.MappingNode):
            inner = {key.value: each for key, each in node.value}
        elif isinstance(node, yaml.SequenceNode):
            inner = {str(place): each for place, each in enumerate(node.value)}
        node = inner[step]
    return node
