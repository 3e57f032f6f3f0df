"""Ranges and choices of a description, from which each picture draws.

A plan is mounts from the plain values of YAML and the dataclass that they are for. It draws plain
values again, one for each field: a number from a range, an item from a list, or a formula's result.
"""

from __future__ import annotations

import dataclasses
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, Protocol

from gnomon.generators.faces.expressions import (
    Quantities,
    check_formula,
    compile_source,
    formula_source,
)  # fmt: skip
from gnomon.names import hint

# Metadata of a field that holds a formula, which is computed once the value is known.
DRIVE = "drive"


class Chooser(Protocol):
    """The methods of `Rng` that a plan needs. `EndChooser` tries the ends of all ranges instead."""

    def uniform(self, low: float, high: float) -> float: ...
    def integer(self, low: int, high: int) -> int: ...
    def choice(self, items: Sequence[Any]) -> Any: ...
    def chance(self, probability: float) -> bool: ...


@dataclass(frozen=True)
class EndChooser:
    """Takes one end of every range and the n-th item of every list."""

    share: float
    index: int = 0

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) * self.share

    def integer(self, low: int, high: int) -> int:
        return high if self.share > 0.5 else low

    def choice(self, items: Sequence[Any]) -> Any:
        return items[self.index % len(items)]

    def chance(self, probability: float) -> bool:
        return probability >= 1 or (probability > 0 and self.share < 0.5)


class Varied(ABC):
    """A node of a plan: a value, range, list or formula from which each picture draws.

    Nodes write themselves as Python, which is compiled once and draws several times as fast as a
    walk through the nodes.
    """

    @abstractmethod
    def source(self, constants: list[Any]) -> str:
        """Return Python's text that draws from the chooser `r` with the quantities `q`.

        Values that have no text are appended to the constants, which the text calls `c`.
        """

    @cached_property
    def draw(self) -> Callable[[Chooser, Quantities], Any]:
        """Return the value of this node, with a value drawn for each range and list in it."""
        constants: list[Any] = []
        return compile_source(f"lambda r, q: {self.source(constants)}", constants)

    def parts(self) -> Iterator[Varied]:
        """Iterate over the child nodes."""
        return iter(())

    @property
    def is_fixed(self) -> bool:
        """True if each draw returns the same value."""
        return False

    @property
    def most_choices(self) -> int:
        """Length of the longest list in this node and the nodes below it."""
        return max((part.most_choices for part in self.parts()), default=1)


@dataclass(frozen=True)
class FixedValue(Varied):
    """A value that is the same in all pictures."""

    value: Any

    def source(self, constants: list[Any]) -> str:
        return _constant(self.value, constants)

    @property
    def is_fixed(self) -> bool:
        return True


@dataclass(frozen=True)
class RangeOf(Varied):
    """A random number between two ends."""

    low: Varied
    high: Varied
    is_whole: bool

    def source(self, constants: list[Any]) -> str:
        ends = f"({self.low.source(constants)}, {self.high.source(constants)})"
        # Four decimals: finer differences show nowhere, and facts stay short.
        return f"r.integer{ends}" if self.is_whole else f"rounded(r.uniform{ends}, 4)"

    def parts(self) -> Iterator[Varied]:
        return iter((self.low, self.high))


@dataclass(frozen=True)
class ItemOf(Varied):
    """A random item of a list."""

    items: tuple[Varied, ...]

    def source(self, constants: list[Any]) -> str:
        return _chosen("r.choice({items})", self.items, constants)

    def parts(self) -> Iterator[Varied]:
        return iter(self.items)

    @property
    def most_choices(self) -> int:
        return max(len(self.items), *(item.most_choices for item in self.items))


@dataclass(frozen=True)
class FormulaOf(Varied):
    """A number that a formula computes from the drawn quantities."""

    text: str
    is_whole: bool = False
    is_exact: bool = False

    def source(self, constants: list[Any]) -> str:
        if self.is_whole:
            return f"floor({formula_source(self.text, constants)})"
        if self.is_exact:
            return formula_source(self.text, constants)
        return f"float({formula_source(self.text)})"


@dataclass(frozen=True)
class StepOf(Varied):
    """A random multiple of a step, as an exact fraction."""

    first: Fraction
    step: Fraction
    count: int

    def source(self, constants: list[Any]) -> str:
        first, step = (_constant(number, constants) for number in (self.first, self.step))
        return f"{first} + r.integer(0, {self.count - 1}) * {step}"


@dataclass(frozen=True)
class QuantitiesOf(Varied):
    """Quantities that are drawn one after the other, unless the quantities have them already."""

    values: Mapping[str, Varied]

    def source(self, constants: list[Any]) -> str:
        draws = (
            f"{name!r} in q or q.__setitem__({name!r}, {value.source(constants)})"
            for name, value in self.values.items()
        )
        return f"[{', '.join(draws)}]"


@dataclass(frozen=True)
class ValueByWord(Varied):
    """A value for each word of a choice, such as the numerals' height for each sort of numerals."""

    name: str
    values: tuple[Varied, ...]

    def source(self, constants: list[Any]) -> str:
        return _chosen(f"{{items}}[int(q[{self.name!r}])]", self.values, constants)

    def parts(self) -> Iterator[Varied]:
        return iter(self.values)


@dataclass(frozen=True)
class ValueByChance(Varied):
    """A value for a share of the pictures, and another value for the rest."""

    chance: Varied
    then: Varied
    otherwise: Varied

    def source(self, constants: list[Any]) -> str:
        chance, then, otherwise = (part.source(constants) for part in self.parts())
        return f"({then} if r.chance({chance}) else {otherwise})"

    def parts(self) -> Iterator[Varied]:
        return iter((self.chance, self.then, self.otherwise))

    @property
    def most_choices(self) -> int:
        return max(2, super().most_choices)


@dataclass(frozen=True)
class FieldsOf(Varied):
    """A mapping whose values vary."""

    values: Mapping[str, Varied]

    @cached_property
    def varying(self) -> FieldsOf:
        """The keys whose values vary."""
        values = {key: value for key, value in self.values.items() if not value.is_fixed}
        return FieldsOf(values)

    def source(self, constants: list[Any]) -> str:
        pairs = (f"{key!r}: {value.source(constants)}" for key, value in self.values.items())
        return f"{{{', '.join(pairs)}}}"

    def parts(self) -> Iterator[Varied]:
        return iter(self.values.values())


@dataclass(frozen=True)
class ItemsOf(Varied):
    """A list whose values vary."""

    values: tuple[Varied, ...]

    def source(self, constants: list[Any]) -> str:
        return f"[{', '.join(value.source(constants) for value in self.values)}]"

    def parts(self) -> Iterator[Varied]:
        return iter(self.values)


def _constant(value: Any, constants: list[Any]) -> str:
    constants.append(value)
    return f"c[{len(constants) - 1}]"


def _chosen(choice: str, items: Sequence[Varied], constants: list[Any]) -> str:
    """Write a choice among items. Items that vary are functions, so that one alone is drawn."""
    # Tuples need not be converted again for each picture.
    values = [
        tuple(item.value) if isinstance(item.value, list) else item.value
        for item in items
        if isinstance(item, FixedValue)
    ]
    if len(values) == len(items):
        return choice.format(items=_constant(values, constants))
    return choice.format(items=_constant([item.draw for item in items], constants)) + "(r, q)"


def plan(
    schema: Any, raw: Any, names: Mapping[str, object], fault: Callable[[str, str], ValueError],
    path: str = "",
) -> Varied:  # fmt: skip
    """Build the plan that draws values of type `schema` from the description's text `raw`.

    `names` has the names that formulas may use, and the words of each choice.
    `fault(path, message)` makes the error for a range or a formula that cannot be drawn from. All
    other faults are found when a draw is validated.
    """

    def below(inner: Any, value: Any, key: object) -> Varied:
        return plan(inner, value, names, fault, f"{path}.{key}".strip("."))

    if isinstance(raw, dict) and "by" in raw:
        return _by_word(below, schema, raw, names, fault, path)
    if isinstance(raw, dict) and {"chance", "then"} <= raw.keys():
        if raw.keys() - {"chance", "then", "else"}:
            raise fault(path, "it has the keys chance, then and else")
        otherwise = below(schema, raw.get("else"), "else")
        return ValueByChance(
            _number(float, raw["chance"], names, fault, f"{path}.chance"),
            below(schema, raw["then"], "then"),
            otherwise,
        )
    if isinstance(raw, str) and raw in _words(schema):
        return FixedValue(raw)  # a word beside numbers is no formula
    for candidate in _alternatives(schema):
        if dataclasses.is_dataclass(candidate) and isinstance(raw, dict):
            hints = _hints(candidate)
            fields = {k: below(hints.get(k, Any), value, k) for k, value in raw.items()}
            return _simplified(FieldsOf(fields), raw)
        if candidate in (float, int) and not isinstance(raw, bool):
            return _number(candidate, raw, names, fault, path)
        if (candidate in (str, bool) or typing.get_origin(candidate) is Literal) and isinstance(
            raw, list
        ):
            if not raw:
                raise fault(path, "[] gives nothing to draw from: list at least one")
            return ItemOf(tuple(below(candidate, item, n) for n, item in enumerate(raw)))
        origin, inner = typing.get_origin(candidate), typing.get_args(candidate)
        if origin is tuple and isinstance(raw, list):
            kinds = [inner[0]] * len(raw) if inner[-1] is ... else inner
            if len(kinds) != len(raw):
                return FixedValue(raw)  # validation says how many there must be
            values = [below(kind, value, n) for n, (kind, value) in enumerate(zip(kinds, raw))]  # noqa: B905
            return _simplified(ItemsOf(tuple(values)), raw)
    return FixedValue(raw)


def _by_word(
    below: Callable[[Any, Any, object], Varied], schema: Any, raw: Mapping[str, Any],
    names: Mapping[str, object], fault: Callable[[str, str], ValueError], path: str,
) -> Varied:  # fmt: skip
    """Plan a value for each word. Unlisted words take the value of `else`, or the word itself."""
    words = names.get(raw["by"])
    if not isinstance(words, tuple):
        choices = [name for name, words in names.items() if isinstance(words, tuple)]
        raise fault(f"{path}.by", f"{raw['by']!r} is not a choice; {hint(str(raw['by']), choices)}")
    for key in raw:
        if key not in (*words, "by", "else"):
            raise fault(f"{path}.{key}", f"no such word; {hint(str(key), list(words))}")
    values = [
        below(schema, raw.get(word, raw.get("else", word)), word if word in raw else "else")
        for word in words
    ]
    return ValueByWord(raw["by"], tuple(values))


def _number(
    kind: type, raw: Any, names: Mapping[str, object], fault: Callable[[str, str], ValueError],
    path: str,
) -> Varied:  # fmt: skip
    if isinstance(raw, str):
        try:
            check_formula(raw, names)
        except ValueError as error:
            raise fault(path, str(error)) from None
        return FormulaOf(raw, is_whole=kind is int)
    if not isinstance(raw, list):
        return FixedValue(raw)
    if len(raw) != 2 or not all(
        isinstance(end, int | float | str) and not isinstance(end, bool) for end in raw
    ):
        raise fault(path, f"{raw!r}: give a number, or a range of two, such as [0.1, 0.2]")
    numbers = [end for end in raw if isinstance(end, int | float)]
    if numbers != sorted(numbers) or (kind is int and any(isinstance(n, float) for n in numbers)):
        raise fault(path, f"{raw!r}: the lower end of a range comes first")
    low, high = (_number(kind, end, names, fault, path) for end in raw)
    return RangeOf(low, high, is_whole=kind is int)


def _simplified(varied: Varied, raw: Any) -> Varied:
    return FixedValue(raw) if all(part.is_fixed for part in varied.parts()) else varied


def _alternatives(schema: Any) -> list[Any]:
    """List the types of a union, without None and without the limits of `Annotated`."""
    if typing.get_origin(schema) is typing.Annotated:
        return _alternatives(typing.get_args(schema)[0])
    if typing.get_origin(schema) in (typing.Union, UnionType):
        return [a for t in typing.get_args(schema) if t is not NoneType for a in _alternatives(t)]
    return [schema]


def _words(schema: Any) -> list[Any]:
    """List the words that a type permits."""
    kinds = [kind for kind in _alternatives(schema) if typing.get_origin(kind) is Literal]
    return [word for kind in kinds for word in typing.get_args(kind)]


def _hints(schema: Any) -> dict[str, Any]:
    """Return types by field. A drive has type Any, since it is computed later from the value."""
    hints = typing.get_type_hints(schema, include_extras=True)
    return {f.name: Any if f.metadata.get(DRIVE) else hints[f.name]
            for f in dataclasses.fields(schema)}  # fmt: skip


@lru_cache(maxsize=4096)
def as_fraction(number: float) -> Fraction:
    """Convert a number exactly as YAML writes it: 0.1 becomes 1/10."""
    return Fraction(repr(number))
