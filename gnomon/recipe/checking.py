"""Validation: plain values become a dataclass, or are refused by path and value.

sft.toml lists the fields of TRL's SFTConfig that `train.sft` may not set. Another key of the recipe
sets them, or they would write or send a run elsewhere, run code that came with a checkpoint, or
change gnomon's batches and answers. Other fields pass through: optimizers, clipping, schedules,
DeepSpeed, FSDP, compilation and so on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from fnmatch import fnmatchcase
from functools import cache
from reprlib import Repr
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from gnomon.files import read_toml
from gnomon.names import hint
from gnomon.terminal import printable

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


T = TypeVar("T")

_SFT_TABLE = read_toml(__file__, "sft.toml")

_adapter: Callable[..., Any] = cache(TypeAdapter)
"""Return a dataclass's validator, which is cached because making it takes longer than a check."""
_MAX_COMPLAINTS = 10
"""Largest number of complaints about one recipe in a message."""
# A value in a message is cut to a line, because it may be a pasted table.
_short = Repr()
_short.maxstring = _short.maxother = 100


# Pydantic's messages, and our messages that say what to type.
_PLAIN = (
    ("Input should be ", "give "),
    (", unable to parse string.*", ""),
    ("a valid integer", "a whole number"),
    ("a valid boolean", "true or false"),
    ("a valid number", "a number"),
    ("a valid string", "a text"),
    ("a valid (array|list|tuple)", "a list"),
    ("greater than or equal to", "at least"),
    ("greater than", "more than"),
    ("less than or equal to", "at most"),
)


class RecipeError(ValueError):
    """Recipe that cannot be run as written. The message names each key, its value and the way
    out."""


def validate(
    schema: type[T], raw: dict[str, Any], *, name: str | Callable[[str], str] = "recipe"
) -> T:
    """Make a dataclass from plain values. A RecipeError lists unknown keys and wrong types.

    Each line of the message starts with `name`, which may depend on the wrong key.
    """
    name_of: Callable[[str], str] = (lambda _: name) if isinstance(name, str) else name
    try:
        text = json.dumps(raw, default=str, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:  # in a file name, or half an emoji
        # The text of the value that ends at the bad character, from its opening quote on.
        value = re.split(r'(?<!\\)"', error.object[: error.end])[-1]
        raise RecipeError(
            f"{name_of('')}: {printable(value)}… is not UTF-8: if it is a file or a folder, rename"
            " it"
        ) from None
    except (RecursionError, TypeError, ValueError) as error:  # such as of a date as a key
        raise RecipeError(f"{name_of('')}: not plain text: {error}") from error
    try:
        # JSON's mode is strict about types, but accepts lists for tuples and dicts for
        # dataclasses.
        result: T = _adapter(schema).validate_json(text)
        return result
    except ValidationError as error:
        by_key: dict[str, list[ErrorDetails]] = {}
        for detail in error.errors():
            if detail["type"] == "too_short" and detail["input"]:
                continue  # pydantic counted only the items that are right
            by_key.setdefault(_path(raw, detail), []).append(detail)
        lines = [
            f"{name_of(path)}: {_complaint(schema, path, details)}"
            for path, details in by_key.items()
        ]
        if len(lines) > _MAX_COMPLAINTS:
            lines[_MAX_COMPLAINTS:] = [f"{name_of('')}: and {len(lines) - _MAX_COMPLAINTS} more"]
        # Not from pydantic's report of the same errors, which is a page long.
        raised = [detail.get("ctx", {}).get("error") for detail in error.errors()]
        cause = next((each for each in raised if isinstance(each, Exception)), None)
        raise RecipeError("\n".join(lines)) from cause


def build(schema: type[T], values: dict[str, Any]) -> T:
    """Build a dataclass from values that `validate` has already accepted."""
    result: T = _adapter(schema).validate_python(values, strict=False)
    return result


def section(schema: type, key: str) -> type | None:
    """Return the dataclass under a key, alone or in a list. None for a plain value."""
    return _dataclass_in(get_type_hints(schema)[key])


def choices(schema: type, key: str) -> tuple[Any, ...]:
    """Return the allowed values of a key. Empty if any value of its type is allowed."""
    # Annotations are texts here, because every file postpones their evaluation.
    hint = get_type_hints(schema)[key]
    # A union, such as `Literal[...] | None`, allows more than the listed values.
    return get_args(hint) if get_origin(hint) is Literal else ()


def _path(raw: Any, error: ErrorDetails) -> str:
    """Return the dotted key of an error, without the type that pydantic appends for a union."""
    steps: list[str] = []
    # A step that the values do not have is pydantic's name of a type, such as `tuple[str, ...]`.
    for step in error["loc"]:
        try:
            raw = raw[step]
        except (LookupError, TypeError):
            break
        steps.append(str(step))
    if error["type"] == "missing":  # the values cannot have it, and yet it is a key
        steps.append(str(error["loc"][-1]))
    return ".".join(steps)


def _complaint(root: type, path: str, errors: list[ErrorDetails]) -> str:
    """Describe the errors at one key. There are several if its value may have several types."""
    # If several types are possible, our message says more than pydantic's.
    error = max(errors, key=lambda error: error["type"] == "value_error")
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "unexpected_keyword_argument":
        # The last step is the unknown key. The steps before it lead to its section.
        *way, key = error["loc"]
        return f"{path}: no such key; {hint(str(key), _keys_at(root, way))}"
    if error["type"] == "missing":
        return f"{path}: it must be given"
    # From a __post_init__ that compares keys. Its message names them.
    if error["type"] == "value_error":
        return f"{path}: {message}" if path else message
    if error["type"] == "dataclass_type":
        message = f"give its keys, such as {path}.{_keys_at(root, error['loc'])[0]}"
    elif error["type"] == "less_than_equal":
        most = error["ctx"]["le"]  # pydantic would print 100000000 without separators
        message = f"give at most {int(most):,}" if most < 10**12 else f"give at most {most:g}"
    elif error["type"] in ("list_type", "tuple_type"):
        value = error["input"] if isinstance(error["input"], str) else "a"
        keys = _keys_at(root, error["loc"])  # of each item, such as those of data
        message = f"give a list, such as [{f'{{{keys[0]}: {value}}}' if keys else value}]"
    others = (
        other["msg"].removeprefix("Input should be ")
        for other in errors[1:]
        if other["type"] != "int_parsing_size"  # of a number that another type knows for too large
    )
    rule = " or ".join([message, *others])
    for words, plain in _PLAIN:
        rule = re.sub(words, plain, rule)
    return f"{path}: {_short.repr(error['input'])}: {rule[0].lower()}{rule[1:]}"


def _dataclass_in(hint: Any) -> type | None:
    """Return the first dataclass in a type, such as Source in tuple[Source, ...] | None."""
    if isinstance(hint, type) and is_dataclass(hint):
        return hint
    for inner in get_args(hint):
        dataclass_type = _dataclass_in(inner)
        if dataclass_type is not None:
            return dataclass_type
    return None


def _keys_at(root: type, loc: Iterable[int | str]) -> list[str]:
    """Return the keys of the dataclass at a place in a recipe."""
    schema: Any = root
    for step in loc:
        # A step that is not a field is a key of a mapping, whose values the schema describes.
        if schema and step in get_type_hints(schema):
            schema = section(schema, str(step))
    return [f.name for f in fields(schema)] if schema else []


def check_sft(fields: dict[str, Any]) -> None:
    """Refuse fields that `train.sft` may not set. Values are not printed, because some are
    tokens."""
    complaints = []
    for name in fields:
        way_out = sft_way_out(name)
        if way_out is not None:
            complaints.append(f"sft.{name}: {way_out}")
    if complaints:
        raise ValueError("; ".join(complaints))


def sft_way_out(name: str) -> str | None:
    """Return the way out for a refused field, such as "say train.max_steps". None for other
    fields."""
    for refused in _SFT_TABLE["refused"]:
        if any(fnmatchcase(name, field) for field in refused["fields"]):
            way_out: str = refused["instead"]
            return way_out.replace("{field}", name)
    return None
