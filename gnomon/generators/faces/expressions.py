"""Drives: formulas such as `value * 10 % 1`, parsed by Python and evaluated exactly."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from gnomon.names import hint

# Numbers by the names that formulas may use: fractions, and floats where nothing is counted.
Quantities: TypeAlias = Mapping[str, Any]
_Formula: TypeAlias = Callable[[Quantities], Any]

_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda x: math.floor(x + (0.5 if isinstance(x, float) else Fraction(1, 2))),
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
        result: Fraction = _compiled(text)(quantities)
        return result
    except ZeroDivisionError:
        raise ValueError(f"{text!r} divides by 0") from None


def check_formula(text: str, names: Mapping[str, object]) -> None:
    """Raise a ValueError if a text is not a formula of these names."""
    _ = _compiled(text)
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


# What the compiled text may call besides.
_CALLED = {**_FUNCTIONS, "Fraction": Fraction, "power_of_ten": _power_of_ten, "rounded": round}


@lru_cache(maxsize=4096)
def _compiled(text: str) -> _Formula:
    constants: list[Any] = []
    source = formula_source(text, constants)
    return compile_source(f"lambda q: {source}", constants)


def compile_source(source: str, constants: list[Any]) -> Callable[..., Any]:
    """Compile Python's text of a function that uses these constants as `c`."""
    # The text is put together here, from checked formulas alone.
    function: Callable[..., Any] = eval(source, {**_CALLED, "c": constants})  # noqa: S307
    return function


def formula_source(text: str, constants: list[Any] | None = None) -> str:
    """Return Python's text of a formula, in which the quantities are called `q`.

    With a list of constants it is exact, and its numbers are appended to them. Otherwise, its
    numbers are floats, which is several times faster.
    """
    return _source(_parsed(text), text, constants)


def _source(node: ast.expr, text: str, constants: list[Any] | None) -> str:
    """Write a node as Python. Raise a ValueError for a node that is not listed here."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            if constants is None:
                return repr(float(number))
            # By its digits: 0.1 is a tenth here, not the nearest binary fraction.
            constants.append(Fraction(repr(number)))
            return f"c[{len(constants) - 1}]"
        case ast.Name(id=name) if name not in _FUNCTIONS:
            return f"q[{name!r}]"
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return f"(-{_source(inner, text, constants)})"
        case ast.BinOp(ast.Constant(value=10), ast.Pow(), exponent):
            return f"power_of_ten({_source(exponent, text, constants)})"
        case ast.BinOp(first, sign, second) if type(sign) in _SIGNS:
            first_text, second_text = (_source(n, text, constants) for n in (first, second))
            result = f"({first_text} {_SIGNS[type(sign)]} {second_text})"
            is_whole = isinstance(sign, ast.FloorDiv)
            return result if constants is None or not is_whole else f"Fraction({result})"
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as args, keywords=[]) if (
            name in _FUNCTIONS and (len(args) == 1) == (name not in ("min", "max"))
        ):
            inner_texts = ", ".join(_source(arg, text, constants) for arg in args)
            result, is_whole = f"{name}({inner_texts})", name in ("floor", "ceil", "round")
            return result if constants is None or not is_whole else f"Fraction({result})"
    raise ValueError(f"{text!r}: {ast.unparse(node)!r} is not allowed here: {_RULE}")
