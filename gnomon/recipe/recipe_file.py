"""Recipes as YAML: finding, reading, overriding, editing and writing them."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import cache
from io import StringIO
from pathlib import Path
from textwrap import shorten
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.composer import Composer, ComposerError
from ruamel.yaml.constructor import ConstructorError, SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import Node, ScalarNode
from ruamel.yaml.representer import SafeRepresenter
from ruamel.yaml.util import load_yaml_guess_indent

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
    """Read a recipe's file. The message about a file of another format names the format."""
    try:
        # A large file given by mistake, such as a zip archive or a photo, is refused by its first
        # bytes, before it is read completely.
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

    `of` says in a message whose keys are missing if the text is not a mapping.
    """
    raw = _parse_yaml(text, f"{name}:")
    if not isinstance(raw, dict):
        fault = "it is empty; " if raw is None else ""
        raise RecipeError(f"{name}: {fault}{of}")
    return raw


def line_of(text: str, keys: Sequence[str]) -> int | None:
    """Return the line of a key in a YAML text, counted from 1. None if the text does not have the
    key."""
    values, line = _commented_yaml().load(text), 0
    try:
        for step in keys:
            if isinstance(values, CommentedSeq):
                line, values = values.lc.item(int(step))[0], values[int(step)]
            else:
                line, values = values.lc.key(step)[0], values[step]
    except (AttributeError, LookupError, ValueError):  # a plain value, a new key, or no number
        return None
    return line + 1


def override(raw: dict[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Set each `key=value` in plain values, in place, such as data.0.options.size=112."""
    for text in overrides:
        path, equals, value = text.partition("=")
        if not equals or not path:
            raise RecipeError(
                f"{text!r}: write an override as key=value without blanks, such as"
                " train.max_steps=9; and name only one recipe, kind, file or folder"
            )
        *keys, last = path.split(".")
        section: Any = raw
        for step in keys:
            if isinstance(section, dict) and section.get(step) is None:
                _set_value(section, step, {})  # a section that is left out, or written as null
            section = section[_key(step, section, path)]
            if not isinstance(section, dict | list):
                raise RecipeError(f"{path}: {step!r} holds {section!r}, which has no keys")
        _set_value(section, _key(last, section, path), _parse_yaml(value, f"{path}: the value is"))
    return raw


def _set_value(section: Any, key: Any, value: Any) -> None:
    """Set a value. A new key is inserted before the last, which holds the comments that follow
    it."""
    if isinstance(section, CommentedMap) and key not in section:
        section.insert(max(len(section) - 1, 0), key, value)
    else:
        section[key] = value


def _key(step: str, section: dict[str, Any] | list[Any], path: str) -> Any:
    if isinstance(section, dict):
        return step
    # Compared as text: int() would take ' 1', '１' and '-1'.
    if step not in map(str, range(len(section))):
        raise RecipeError(
            f"{path}: {step!r} is not a position in a list of {len(section)}, counted from 0"
        )
    return int(step)


def resolve_paths(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Put a recipe's folder before each path that exists there, except its model's. Return the
    values.

    Other paths stay relative to the working directory. The values need not be valid.
    """
    if folder == Path():  # the working directory: paths stay as they were written
        return values
    section = values.get("eval")
    if isinstance(section, dict) and isinstance(section.get("guard"), str | list):
        guard = section["guard"]
        files = [guard] if isinstance(guard, str) else guard
        section["guard"] = [_resolve_path(file, folder) for file in files]
    train = values.get("train")
    grpo = train.get("grpo") if isinstance(train, dict) else None
    if isinstance(grpo, dict) and "start" in grpo:
        grpo["start"] = _resolve_path(grpo["start"], folder)
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
    """Resolve a text that looks like a path. A bare word is a built-in name, never a folder."""
    return _resolve_path(entry, folder) if re.search("[./]", str(entry)) else entry


def _resolve_path(value: Any, folder: Path) -> Any:
    """Return the place of a relative path next to the recipe, or any other value unchanged."""
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
    """Write out a recipe with every default. Parsing and validating it gives the same recipe."""
    return dump(plain_values(recipe))


def plain_values(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe's keys and values as JSON and YAML have them, with lists in place of
    tuples."""
    values: dict[str, Any] = json.loads(json.dumps(asdict(recipe)))
    return values


def dump(raw: dict[str, Any]) -> str:
    """Write plain values as YAML that parses to the same values."""
    return _write(_plain_yaml(), raw)


def edit(text: str, overrides: Sequence[str]) -> str:
    """Set each `key=value` in a recipe's text, and keep its comments."""
    yaml = _commented_yaml()
    document, indent, offset = load_yaml_guess_indent(text, yaml=yaml)
    yaml.indent(sequence=indent or 2, offset=offset or 0)
    result = _write(yaml, override(document, overrides))
    # ruamel.yaml changes blanks in some texts after | or >. Values matter more than comments.
    if re.search("[|>]", text) and _commented_yaml().load(result) != document:
        return dump(override(_parse_yaml(text, "recipe:"), overrides))
    return result


def with_schema_line(text: str, file: Path) -> str:
    """Put a line above a recipe's text that names the JSON Schema to editors.

    This happens only if `gnomon ls schema > recipe.schema.json` wrote the schema next to the file.
    """
    schema = file.with_name("recipe.schema.json")
    return f"# yaml-language-server: $schema={schema.name}\n{text}" if schema.is_file() else text


def find(path: str | Path, more_names: Iterable[str] = ()) -> Path:
    """Return the path itself if it is a file, otherwise the shipped recipe of this name.

    `more_names` are further names of shipped recipes, for the suggestion after a misspelt name.
    """
    file = Path(path)
    if file.exists() and not file.is_dir():
        return file
    shipped = configs()
    # Users of a clone type a name with configs/ before it. Elsewhere this is a wrong path.
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
    """Parse a YAML text to its value. `what` starts the message about an invalid text."""
    try:
        return _plain_yaml().load(text)
    except MarkedYAMLError as error:
        # The library counts lines and columns from 0, editors from 1.
        mark = error.problem_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        # In {…}, a question mark or a colon ends a text without quotes.
        advice = (
            ": close the bracket, or put quotes around a text that contains such a character"
            if "expected ','" in str(error.problem)
            else ""
        )
        raise RecipeError(f"{what} not YAML: {error.problem}{where}{advice}") from error
    except (YAMLError, AttributeError, LookupError, TypeError, ValueError) as error:
        # Constructors fail on a 45th of May and on !!int without digits.
        raise RecipeError(f"{what} not YAML: {shorten(str(error), 200)}") from error


def _decode(data: bytes, what: str) -> str:
    """Decode UTF-8. `what` starts the message about invalid bytes."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = _other_format(data) or f"not UTF-8 text ({error}): save it as UTF-8"
        raise RecipeError(f"{what} {reason}") from error


_FORMATS = (
    (
        (b"PK\x03\x04",),
        "a zip archive, perhaps a spreadsheet: unpack it, or save the table as CSV",
    ),
    ((b"\x1f\x8b", b"BZh", b"\xfd7zXZ"), "a compressed file: unpack it"),
    ((b"PAR1",), "a Parquet file: give it a name that ends in .parquet"),
    (
        (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"II*\0", b"MM\0*"),
        "a picture: give a table of labels, or a folder with metadata.csv",
    ),
    ((b"%PDF",), "a PDF: give a text file"),
    ((b"\xff\xfe", b"\xfe\xff"), "text in UTF-16: save it as UTF-8"),
)
"""Magic bytes of files that are not recipes or tables, and the advice for each."""


def _other_format(data: bytes) -> str | None:
    """Return the format of a file by its first bytes, with advice. None if it is a text file."""
    return next((advice for beginnings, advice in _FORMATS if data.startswith(beginnings)), None)


class _Composer(Composer):
    """Composer that refuses deep nesting, and short texts with aliases that would expand to
    gigabytes.

    Values are counted while nodes are composed, because constructing them takes the memory.
    """

    def __init__(self, loader: YAML) -> None:
        super().__init__(loader)
        self._values = 0
        self._extents: dict[Node, int] = {}

    def compose_node(self, parent: Node | None, index: Any) -> Node:
        event, before = self.parser.peek_event(), self._values
        if self.depth >= _MAX_DEPTH:
            raise ComposerError(None, None, _TOO_DEEP, event.start_mark)
        node: Node = super().compose_node(parent, index)
        # An alias counts as its whole value. An alias inside its own node counts as the maximum.
        is_alias = isinstance(event, AliasEvent)
        self._values += self._extents.get(node, _MAX_VALUES) if is_alias else 1
        # Number of values in each node that has an anchor.
        self._extents.setdefault(node, self._values - before)
        if self._values > _MAX_VALUES:
            raise ComposerError(None, None, _TOO_LONG, event.start_mark)
        return node


class _Constructor(SafeConstructor):
    """Constructor that refuses a repeated key, and reads a number with leading zeros as a text."""

    def check_mapping_key(
        self, _: Node, key_node: Node, mapping: dict[Any, Any], key: Any, __: Any
    ) -> bool:
        if key in mapping:
            problem = f"the key {str(key)!r} is given twice"
            raise ConstructorError(None, None, problem, key_node.start_mark)
        return True

    def construct_integer(self, node: ScalarNode) -> int | str:
        if re.match(r"[-+]?0[\d_]", node.value):
            return str(node.value)
        return self.construct_yaml_int(node)


_Constructor.add_constructor("tag:yaml.org,2002:int", _Constructor.construct_integer)


class _Representer(SafeRepresenter):
    """Quotes words that readers of YAML 1.1, such as PyYAML, take for true or false."""

    def represent_str(self, data: str) -> Any:
        style = "'" if data.lower() in {"on", "off", "yes", "no", "y", "n"} else None
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Representer.add_representer(str, _Representer.represent_str)


def _plain_yaml() -> Any:
    """Return a reader and writer of plain values in YAML 1.2: 10:30 and `no` are texts."""
    yaml: Any = YAML(typ="safe", pure=True)
    yaml.Composer, yaml.Constructor = _Composer, _Constructor
    yaml.Representer = _Representer
    yaml.default_flow_style = yaml.sort_base_mapping_type_on_output = False
    yaml.allow_unicode = False  # ruamel.yaml writes some line breaks of Unicode as if they were \n
    yaml.width = _MAX_BYTES  # where ruamel.yaml folds a quoted text it may add a blank
    return yaml


def _commented_yaml() -> Any:
    """Return a reader and writer that keeps comments, quotes and the lines of keys."""
    yaml: Any = YAML()
    yaml.Composer = _Composer
    yaml.preserve_quotes = True
    yaml.width = _MAX_BYTES
    return yaml


def _write(yaml: Any, values: Any) -> str:
    stream = StringIO()
    yaml.dump(values, stream)
    return stream.getvalue()
