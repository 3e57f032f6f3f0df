"""Drives: formulas such as `value * 10 % 1`, parsed by Python and evaluated exactly."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from gnomon.names import hint

# Numbers by the names that formulas may use: fractions, and floats where nothing is counted.
Quantities: TypeAlias = Mapping[str, Any]
_Formula: TypeAlias = Callable[[Quantities], Any]

_SIGNS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: operator.mod,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "floor": lambda x: Fraction(math.floor(x)),
    "ceil": lambda x: Fraction(math.ceil(x)),
    "round": lambda x: Fraction(math.floor(x + Fraction(1, 2))),
    "min": min,
    "max": max,
}
_LONGEST = 200
_HIGHEST_POWER = 12
_RULE = (
    "write numbers, names, + - * / // %, powers of 10 and brackets, and"
    f" {', '.join(_FUNCTIONS)}, such as value * 10 % 1"
)


def evaluate(text: str, quantities: Quantities) -> Fraction:
    """Evaluate a formula exactly."""
    try:
        result: Fraction = _compiled(text, Fraction)(quantities)
        return result
    except ZeroDivisionError:
        raise ValueError(f"{text!r} divides by 0") from None


def evaluate_float(text: str, quantities: Quantities) -> float:
    """Evaluate a formula in floats, which is several times faster."""
    try:
        return float(_compiled(text, float)(quantities))
    except ZeroDivisionError:
        raise ValueError(f"{text!r} divides by 0") from None


def check_formula(text: str, names: Mapping[str, object]) -> None:
    """Raise a ValueError if a text is not a formula of these names."""
    _ = _compiled(text, Fraction)
    for name in formula_names(text):
        if name not in names:
            raise ValueError(f"{text!r}: no quantity is called {name!r}; {hint(name, list(names))}")


def formula_names(text: str) -> list[str]:
    """List the names that a formula uses, except functions."""
    nodes = ast.walk(_parsed(text))
    return [n.id for n in nodes if isinstance(n, ast.Name) and n.id not in _FUNCTIONS]


def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise ValueError(f"{text[:30]!r}…: a formula has at most {_LONGEST} characters")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{text!r} is not a formula: {_RULE}") from None


def _power_of_ten(exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > _HIGHEST_POWER:
        raise ValueError(
            f"10 ** {float(exponent):g}: give a whole number from -{_HIGHEST_POWER} to"
            f" {_HIGHEST_POWER}"
        )
    return Fraction(10) ** int(exponent)


@lru_cache(maxsize=4096)
def _compiled(text: str, number_type: Callable[[Any], Any]) -> _Formula:
    return _compile(_parsed(text), text, number_type)


def _compile(node: ast.expr, text: str, number_type: Callable[[Any], Any]) -> _Formula:
    """Compile a node to a function. Raise a ValueError for a node that is not listed here."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            # By its digits: 0.1 is a tenth here, not the nearest binary fraction.
            constant = number_type(repr(number))
            return lambda _: constant
        case ast.Name(id=name) if name not in _FUNCTIONS:
            if number_type is float:
                return lambda quantities: float(quantities[name])
            return lambda quantities: quantities[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            negated = _compile(inner, text, number_type)
            return lambda quantities: -negated(quantities)
        case ast.BinOp(ast.Constant(value=10), ast.Pow(), exponent_node):
            exponent = _compile(exponent_node, text, Fraction)
            return lambda quantities: _power_of_ten(exponent(quantities))
        case ast.BinOp(first_node, sign, second_node) if type(sign) in _SIGNS:
            first = _compile(first_node, text, number_type)
            second = _compile(second_node, text, number_type)
            work = _SIGNS[type(sign)]
            return lambda quantities: work(first(quantities), second(quantities))
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as args, keywords=[]) if (
            name in _FUNCTIONS and (len(args) == 1) == (name not in ("min", "max"))
        ):
            inner_formulas = [_compile(arg, text, number_type) for arg in args]
            function = _FUNCTIONS[name]
            return lambda quantities: function(*(f(quantities) for f in inner_formulas))
    raise ValueError(f"{text!r}: {ast.unparse(node)!r} is not allowed here: {_RULE}")
