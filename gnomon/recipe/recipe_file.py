"""Recipes as YAML: finding, reading, overriding, editing and writing them."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from textwrap import shorten
from typing import Any

import yaml

from gnomon import files
from gnomon.names import hint
from gnomon.recipe.checking import RecipeError
from gnomon.recipe.sections import Recipe

_MAX_BYTES = 2**18  # of a recipe
_MAX_DEPTH = 50  # levels of nesting
_MAX_VALUES = 100_000  # after aliases are written out
# Options of kinds that take built-in names or paths.
_FILE_OPTIONS = ("backgrounds", "fonts", "palettes", "description")
_RECIPE = (
    "a recipe is a mapping with data, model, loss, train and eval, and a table's name ends in .csv,"
    " .tsv, .json, .jsonl or .parquet"
)
_TOO_DEEP = f"nested more than {_MAX_DEPTH} deep"
_TOO_LONG = f"with its aliases written out it has more than {_MAX_VALUES:,} values"


def read(file: Path) -> bytes:
    """Read a recipe's file; one of another format is refused, and the message names the format."""
    try:
        # A large file given by mistake, such as a zip archive or a photo, is refused by its first
        # bytes, before it is read whole.
        with files.open_bytes(file) as beginning:
            other = _other_format(beginning.read(8))
        if other:
            raise RecipeError(f"{file}: {other}")
        return files.read_bytes(file, "a recipe", limit=_MAX_BYTES)
    except ValueError as error:
        raise RecipeError(str(error)) from error


def read_text(file: Path) -> str:
    """Read a recipe's file as text, without a byte order mark."""
    return _decode(read(file), f"{file}:")


def parse_file(file: Path) -> dict[str, Any]:
    """Parse a recipe's file to plain keys and values, not yet validated."""
    return parse(read_text(file), name=str(file))


def parse(text: str, *, name: str, of: str = _RECIPE) -> dict[str, Any]:
    """Parse a recipe's YAML to plain keys and values, not yet validated.

    `of` says what the keys must be if the text is no mapping.
    """
    raw = _parse_yaml(text, f"{name}:")
    if not isinstance(raw, dict):
        fault = "it is empty; " if raw is None else ""
        raise RecipeError(f"{name}: {fault}{of}")
    return raw


def line_of(text: str, keys: Sequence[str]) -> int | None:
    """Return the line of a key in a YAML text, counted from 1; None if the text has no such key."""
    try:
        *section, last = keys
        node = _node_at(text, section)
    except ValueError:
        return 1
    except LookupError:
        return None
    if isinstance(node, yaml.MappingNode):
        lines = [key.start_mark.line + 1 for key, _ in node.value if key.value == last]
        return lines[0] if lines else None
    try:
        return _node_at(text, keys).start_mark.line + 1
    except LookupError:
        return None


def override(raw: dict[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Set each `key=value` in plain values, in place, such as data.0.options.size=112."""
    for text in overrides:
        path, equals, value = text.partition("=")
        if not equals or not path:
            raise RecipeError(
                f"{text!r}: an override is key=value without blanks, such as train.max_steps=9"
            )
        *keys, last = path.split(".")
        section: Any = raw
        for step in keys:
            if isinstance(section, dict) and section.get(step) is None:
                section[step] = {}  # a section that is left out, or written as null
            section = section[_key(step, section, path)]
            if not isinstance(section, dict | list):
                raise RecipeError(
                    f"{path}: {step!r} holds {section!r}, which has no keys of its own"
                )
        section[_key(last, section, path)] = _parse_yaml(value, f"{path}: the value is")
    return raw


def _key(step: str, section: dict[str, Any] | list[Any], path: str) -> Any:
    if isinstance(section, dict):
        return step
    # Compared as text: int() would take ' 1', '１' and '-1'.
    if step not in map(str, range(len(section))):
        raise RecipeError(
            f"{path}: {step!r} is no place in a list of {len(section)}, counted from 0"
        )
    return int(step)


def resolve_paths(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Put a recipe's folder before each path of its sources that exists there; return the values.

    Other paths stay as they are, for the working directory. The values need not be valid.
    """
    if folder == Path():  # the working directory: paths stay as they were written
        return values
    section = values.get("eval")
    lists = [values.get("data"), section.get("data") if isinstance(section, dict) else None]
    sources = [source for each in lists if isinstance(each, list) for source in each]
    for source in sources:
        if not isinstance(source, dict):
            continue
        for key in ("path", "pictures"):
            if key in source:
                source[key] = _resolve_path(source[key], folder)
        options = source.get("options")
        if not isinstance(options, dict):
            continue
        for key in _FILE_OPTIONS:
            if isinstance(options.get(key), list):
                options[key] = [_resolve_name(entry, folder) for entry in options[key]]
            elif isinstance(options.get(key), str):
                options[key] = _resolve_name(options[key], folder)
    return values


def _resolve_name(entry: Any, folder: Path) -> Any:
    """Resolve what looks like a path; a bare word is a built-in name, and no folder is meant."""
    return _resolve_path(entry, folder) if re.search("[./]", str(entry)) else entry


def _resolve_path(value: Any, folder: Path) -> Any:
    """Return where a relative path lies beside the recipe; any other value as it is."""
    if not isinstance(value, str) or not value or Path(value).is_absolute():
        return value
    try:
        return str(folder / value) if (folder / value).exists() else value
    except (OSError, ValueError):  # a name that is too long, or with a null byte
        return value


def flatten(value: Any, path: str = "") -> dict[str, Any]:
    """Return nested values by their dotted keys: the inverse of `override`."""
    if not isinstance(value, dict | list | tuple):
        return {path: value}
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    values: dict[str, Any] = {}
    for key, inner in pairs:
        values |= flatten(inner, f"{path}.{key}" if path else str(key))
    return values


def to_yaml(recipe: Recipe) -> str:
    """Write out a recipe with every default; parsed and validated, it is the same recipe."""
    return dump(plain_values(recipe))


def plain_values(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe's keys and values as JSON and YAML have them: lists in place of tuples."""
    values: dict[str, Any] = json.loads(json.dumps(asdict(recipe)))
    return values


def dump(raw: dict[str, Any]) -> str:
    """Write plain values as YAML that parses to the same values."""
    # Escaped beyond ASCII: PyYAML writes some line breaks of Unicode bare and reads them as blanks.
    return yaml.dump(raw, Dumper=_Dumper, sort_keys=False)


def edit(text: str, overrides: Sequence[str]) -> str:
    """Set each `key=value` in a recipe's text; its comments stay.

    A text in which a key is new is written anew, without comments.
    """
    # An edited text must parse to these values; otherwise it is written anew.
    values, changed = override(_parse_yaml(text, "recipe:"), overrides), text
    try:
        for item in overrides:
            key, _, value = item.partition("=")
            # Positions move with each edit, so the text is parsed anew.
            node = _node_at(changed, key.split("."))
            start, end = node.start_mark.index, node.end_mark.index
            # A block's node ends where the next key begins: comments between them stay.
            end = start + len(changed[start:end].rstrip())
            changed = f"{changed[:start].rstrip(' ')} {value}{changed[end:]}"
        if _parse_yaml(changed, "recipe:") == values:
            return changed
    except (LookupError, RecipeError):  # a new key, or a value that is no YAML inside a line
        pass
    return dump(values)


def with_schema_line(text: str, file: Path) -> str:
    """Put a line that names the JSON Schema to editors above a recipe's text.

    Only where `gnomon ls schema > recipe.schema.json` wrote the schema beside the file.
    """
    schema = file.with_name("recipe.schema.json")
    return f"# yaml-language-server: $schema={schema.name}\n{text}" if schema.is_file() else text


def find(path: str | Path, more_names: Iterable[str] = ()) -> Path:
    """Return the path itself if it is a file, else the recipe of that name that comes with gnomon.

    `more_names` are further names of shipped recipes, for the suggestion where one is misspelled.
    """
    file = Path(path)
    if file.exists() and not file.is_dir():
        return file
    shipped = configs()
    # With configs/ before it, a name is what users of a clone type; elsewhere it is a wrong path.
    for name in (file.name, f"{file.name}.yaml"):
        if file.parent.name in ("", "configs") and name in shipped:
            return shipped[name]
    if (file / "recipe.yaml").is_file():
        raise RecipeError(f"that is a run; its recipe is {file / 'recipe.yaml'}")
    names = [name.removesuffix(".yaml") for name in (*shipped, *more_names)]
    near = hint(file.name.removesuffix(".yaml"), names, command="gnomon ls configs")
    raise RecipeError(f"no recipe {str(path)!r}: there is no such file; {near}")


@cache
def configs(folder: str = "") -> dict[str, Path]:
    """Return the recipes in configs/, or in a folder of it, by file name."""
    package = Path(__file__).parent.parent
    for path in (package / "configs", package.parent / "configs"):  # a wheel; a clone
        if path.is_dir():
            return {file.name: file for file in sorted((path / folder).glob("*.yaml"))}
    return {}


def _parse_yaml(text: str, what: str) -> Any:
    """Parse a YAML text to its value; `what` begins the message where it is no YAML."""
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        # PyYAML counts lines and columns from 0, editors from 1.
        mark = error.problem_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        # A question mark or a colon ends a text in {…} that has no quotes.
        advice = (
            ": close the bracket, or put quotes around a text that has such a sign"
            if "expected ','" in str(error.problem)
            else ""
        )
        raise RecipeError(f"{what} not YAML: {error.problem}{where}{advice}") from error
    except (yaml.YAMLError, AttributeError, LookupError, TypeError, ValueError) as error:
        # As PyYAML's constructors fail: on a 45th of May, on !!int without digits.
        raise RecipeError(f"{what} not YAML: {shorten(str(error), 200)}") from error


def _decode(data: bytes, what: str) -> str:
    """Decode UTF-8; `what` begins the message where it is none."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = _other_format(data) or f"no UTF-8 text ({error}): save it as UTF-8"
        raise RecipeError(f"{what} {reason}") from error


_FORMATS = (
    (
        (b"PK\x03\x04",),
        "a zip archive, as spreadsheets are, too: unpack it, or save the table as CSV",
    ),
    ((b"\x1f\x8b", b"BZh", b"\xfd7zXZ"), "a compressed file: unpack it"),
    ((b"PAR1",), "a Parquet file: give it a name that ends in .parquet"),
    (
        (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"II*\0", b"MM\0*"),
        "a picture: give a table of labels, or a folder with metadata.csv",
    ),
    ((b"%PDF",), "a PDF, and a recipe is a text file"),
    ((b"\xff\xfe", b"\xfe\xff"), "text in UTF-16: save it as UTF-8"),
)
"""Beginnings of files that are given by mistake, and what to do."""


def _other_format(data: bytes) -> str | None:
    """Return the format that a file begins as, and what to do with it; None for a text."""
    return next((advice for beginnings, advice in _FORMATS if data.startswith(beginnings)), None)


class _Loader(yaml.SafeLoader):
    """YAML without its surprises.

    YAML 1.1 takes 2e-5 for a string, 10:30 for 630 and 010 for 8, and lets a repeated key win; here
    none of these holds. Deep nesting is refused, and so are a thousand bytes of aliases to lists of
    aliases, which are gigabytes.
    """

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._level = self._values = 0
        self._extents: dict[yaml.Node, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        # Counted while nodes are composed: constructing them is what takes the memory.
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]  # PyYAML's
        before = self._values
        self._level += 1
        if self._level > _MAX_DEPTH:
            raise yaml.composer.ComposerError(None, None, _TOO_DEEP, event.start_mark)
        node = super().compose_node(parent, index)
        assert node is not None
        # An alias counts as all that it stands for; one inside its own node, as the maximum.
        is_alias = isinstance(event, yaml.AliasEvent)
        self._values += self._extents.get(node, _MAX_VALUES) if is_alias else 1
        # Number of values in each node that an alias may stand for.
        self._extents.setdefault(node, self._values - before)
        if self._values > _MAX_VALUES:
            raise yaml.composer.ComposerError(None, None, _TOO_LONG, event.start_mark)
        self._level -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        names = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in names:
                problem = f"the key {name!r} is given twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            names.add(name)
        return super().construct_mapping(node, deep)


_FLOAT = re.compile(r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)[eE][-+]?\d+")
# YAML 1.1 wants a point in a number with an exponent, so it reads 2e-5 as a text.
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+0123456789."))
_NO_NUMBER = re.compile(r".*:|[-+]?0[\d_]")  # a time such as 10:30, or a leading zero


def _integer(loader: _Loader, node: yaml.ScalarNode) -> int | str:
    if _NO_NUMBER.match(node.value):
        return str(node.value)
    return int(loader.construct_yaml_int(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _integer)


class _Dumper(yaml.SafeDumper):
    """Quotes the strings that `_Loader` would take for numbers."""


_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+0123456789."))


def _node_at(text: str, keys: Sequence[str]) -> yaml.Node:
    """Return the node at a key; LookupError where the key is new."""
    node = yaml.compose(text, Loader=_Loader)
    assert node is not None  # it was parsed before
    for step in keys:
        inner: dict[str, yaml.Node] = {}
        if isinstance(node, yaml.MappingNode):
            inner = {key.value: each for key, each in node.value}
        elif isinstance(node, yaml.SequenceNode):
            inner = {str(index): each for index, each in enumerate(node.value)}
        node = inner[step]
    return node
