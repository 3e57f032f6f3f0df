"""The JSON Schema of recipes, with which editors complete and check them."""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from gnomon import generators, losses, recipe
from gnomon.answers import registry
from gnomon.generators.base import Generator
from gnomon.pipeline import families
from gnomon.runs.name_lists import docstrings
from gnomon.store.benchmarks import BENCHMARKS

_SCHEMA_NAMES: dict[tuple[str, str], Iterable[str]] = {
    ("Source", "kind"): generators.KINDS,
    ("MixturePart", "kind"): generators.KINDS,  # of a mixture
    ("Source", "benchmark"): BENCHMARKS,
    ("Columns", "kind"): registry.COLUMN_TARGETS,
    ("Model", "family"): families.FAMILIES,
    ("Loss", "name"): (losses.CE, *losses.KINDS),
}
"""Names that a key takes besides a user's module:Class, by dataclass and key."""


def recipe_schema() -> dict[str, Any]:
    """Return the JSON Schema of recipes.

    It has all keys with types, defaults and docstrings, and the options of each kind.
    """
    kinds = {name: generators.load(name) for name in generators.KINDS}
    roots: tuple[type, ...] = (recipe.Recipe, *kinds.values())
    schemas, shared = TypeAdapter.json_schemas(
        [(root, "validation", TypeAdapter(root)) for root in roots]
    )
    parts: dict[str, Any] = shared["$defs"]
    for part in {part for root in roots for part in _parts(root)}:
        for name, text in docstrings(part).items():
            parts[part.__name__]["properties"][name]["description"] = text
    # Names stay suggestions: a key of these also takes a user's own module:Class.
    for (name, key), choices in _SCHEMA_NAMES.items():
        _choose(parts[name]["properties"][key], sorted(choices))
    for kind in set(kinds.values()):
        for field in fields(Generator):  # split and seed are not among a recipe's options
            del parts[kind.__name__]["properties"][field.name]
    for name, kind in kinds.items():
        # No field chooses a type in JSON Schema, so each kind is a rule: if this kind, its options.
        options = {"anyOf": [{"$ref": f"#/$defs/{kind.__name__}"}, {"type": "null"}]}
        is_kind = {"properties": {"kind": {"const": name}}, "required": ["kind"]}
        for holder in ("Source", "MixturePart"):
            rules = parts[holder].setdefault("allOf", [])
            rules.append({"if": is_kind, "then": {"properties": {"options": options}}})
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        **schemas[recipe.Recipe, "validation"],
        **shared,
    }


def _parts(root: type) -> Iterator[type]:
    """Yield a dataclass and the dataclasses of its sections, all levels down."""
    yield root
    for field in fields(root):
        if part := recipe.section(root, field.name):
            yield from _parts(part)


def _choose(value: dict[str, Any], names: list[str]) -> None:
    """Restrict a text to these names and a user's module:Class."""
    either = [{"enum": names}, {"type": "string", "pattern": ":"}]
    if value.pop("type", None):
        value["anyOf"] = either
    else:
        value["anyOf"] = [*either, *(rule for rule in value["anyOf"] if rule != {"type": "string"})]
