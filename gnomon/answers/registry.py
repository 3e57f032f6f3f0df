"""The types of answers. A folder of this package joins by its line in TYPE_PATHS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache, partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from gnomon.answers.base.answer_type import AnswerType, Value
from gnomon.answers.base.target import AnswerForm, Target, Unlabelled
from gnomon.answers.number.answer import form_with_decimals
from gnomon.answers.text.answer import Text
from gnomon.answers.unreadable.answer import Unreadable
from gnomon.answers.unreadable.read import is_refusal

if TYPE_CHECKING:
    from pydantic import TypeAdapter

TYPE_PATHS = (
    "gnomon.answers.time.measure:TYPES",
    "gnomon.answers.number.measure:TYPES",
    "gnomon.answers.box.measure:TYPES",
    "gnomon.answers.boxes.measure:TYPES",
    "gnomon.answers.text.measure:TYPES",
    "gnomon.answers.spots.measure:TYPES",
    "gnomon.answers.table.measure:TYPES",
    "gnomon.answers.unreadable.measure:TYPES",
)
"""Import path, `module:name`, of each folder's types, in the order of reports.

A folder may have several: dials of 12 and of 24 hours are never averaged together.
"""


TYPES: dict[str, AnswerType] = {
    type_name: answer_type
    for path in TYPE_PATHS
    for type_name, answer_type in resolve_name(path).items()
}
"""Each type of answer by its name."""

TARGETS = {answer_type.target.name: answer_type.target for answer_type in TYPES.values()}
"""Classes of answers by their name in files."""

COLUMN_TARGETS = [name for name, target in TARGETS.items() if "from_label" in vars(target)]
"""Names of the targets that a column of a user's own file can hold."""


def metric_import_paths() -> dict[str, str]:
    """Import path of each metric's public function; `gnomon.eval` exports them by name."""
    functions = []
    for answer_type in TYPES.values():
        for metric in answer_type.metrics:
            functions += [metric.compute, metric.public_function]
    return _import_paths(functions)


def reader_import_paths() -> dict[str, str]:
    """Import path of each type's public readers; `gnomon.eval` exports them by name."""
    return _import_paths(reader for answer_type in TYPES.values() for reader in answer_type.readers)


def _import_paths(functions: Iterable[Callable[..., Any] | None]) -> dict[str, str]:
    paths = {}
    for function in functions:
        # Metrics hold partials, such as `within` for 5 minutes on a dial of 24 hours.
        while isinstance(function, partial):
            function = function.func
        # Python's own, such as operator.eq, need no listing.
        if function and function.__module__ != "_operator":
            paths[function.__name__] = f"{function.__module__}:{function.__name__}"
    return paths


def is_listed(target: Target) -> bool:
    """True if an answer is among the possible answers of its form.

    If its value is not known, it is enough that the form has possible answers.
    """
    values = _listed_values(target.answer_form)
    if not target.is_readable:
        return bool(values)
    return TYPES[target.type_name].value_of(target) in values


@cache
def _listed_values(form: AnswerForm) -> frozenset[Value]:
    return frozenset(map(TYPES[form.type_name].value_of, form.possible_answers()))


def may_be_refusal(truth: Target) -> bool:
    """Return True if the truth or one of its choices is itself a word for "unreadable"."""
    return isinstance(truth, Text) and any(map(is_refusal, (truth.text, *truth.choices)))


def target_to_json(target: Target) -> dict[str, Any]:
    """Return a plain dict that `target_from_json` turns back into the same target."""
    return {"type": target.name, **target.to_json()}


def target_from_json(row: dict[str, Any]) -> Target:
    """Return the target that `target_to_json` wrote; raise a ValueError for any other row."""
    from pydantic import ValidationError

    if not isinstance(row, dict):
        raise ValueError(f"{row!r} is not an object that holds a target")
    # A copy: rows may be shared.
    values = dict(row)
    name = values.pop("type", None)
    if name == Unlabelled.name:
        return Unlabelled(form_from_json(values.get("form")))
    if not isinstance(name, str) or name not in TARGETS:
        raise ValueError(f"target type {name!r}: expected one of {', '.join(TARGETS)}")
    target = TARGETS[name]
    # pydantic ignores unknown fields, so the fields of a newer gnomon would be lost silently.
    extra = values.keys() - {f.name for f in fields(target)}  # type: ignore[arg-type]
    if extra:
        raise ValueError(f"a {name} target has no field {', '.join(sorted(extra))}")
    if target is Unreadable:
        return Unreadable(form_from_json(values.get("form")))
    try:
        return _adapter(target).validate_python(values)
    except ValidationError as error:
        # One fault is enough to find the line; pydantic's own text is several lines long.
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise ValueError(f"{name} target {row!r}: {key}: {first['msg']}") from error


def form_to_json(form: AnswerForm) -> dict[str, Any]:
    """Return a plain dict that `form_from_json` turns back into the same form.

    It is the dict of an answer of that form.
    """
    return {"type": form.name, **form.to_json()}


def form_from_json(row: Any) -> AnswerForm:
    """Return the form that `form_to_json` wrote; raise a ValueError for any other row."""
    if isinstance(row, dict):
        # A datasets.Dataset of several types gives every row the fields of all types, as None.
        row = {name: value for name, value in row.items() if value is not None}
    return form_with_decimals(target_from_json(row))


@cache
def _adapter(target: type[Target]) -> TypeAdapter[Target]:
    from pydantic import TypeAdapter

    return TypeAdapter(target)
