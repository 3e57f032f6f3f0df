"""Conversion of units whose factors are exact."""

from __future__ import annotations

from fractions import Fraction

from gnomon.generators.decimals import Scale, Sum, exact, pointed, positive
from gnomon.generators.rng import Rng

UNITS: dict[str, dict[str, str]] = {
    "length": {"mm": "0.001", "cm": "0.01", "m": "1", "km": "1000"},
    "imperial length": {"inches": "1", "feet": "12", "yards": "36"},
    "mass": {"mg": "0.001", "g": "1", "kg": "1000", "tonnes": "1000000"},
    "volume": {"ml": "0.001", "cl": "0.01", "litres": "1", "m³": "1000"},
    "area": {"cm²": "0.0001", "m²": "1", "hectares": "10000", "km²": "1000000"},
    "time": {"seconds": "1", "minutes": "60", "hours": "3600", "days": "86400"},
    "speed": {"m/s": "3.6", "km/h": "1"},
}
"""Each unit in the terms of one of its dimension."""


def conversion(rng: Rng, scale: Scale) -> Sum:
    """3.5 km in metres; only where the answer is a decimal that ends."""
    kind = rng.choice(tuple(UNITS))
    names = tuple(UNITS[kind])
    first = rng.integer(0, len(names) - 1)
    second = (first + rng.integer(1, len(names) - 1)) % len(names)
    old, new = names[first], names[second]
    factor = Fraction(UNITS[kind][old]) / Fraction(UNITS[kind][new])
    places = rng.integer(0, 2)
    # A multiple of the factor's denominator without its twos and fives leaves no endless decimal.
    whole = positive(rng, scale) * _endless(factor.denominator)
    given = pointed(whole, places)
    answer = _decimal(Fraction(given) * factor)
    asked = f"How many {new} are {given} {old}?"
    shown = _decimal(factor) if _endless(factor.denominator) == 1 else str(factor)
    steps = (f"{given} × {shown} = {answer}",)
    facts = {"given": given, "from": old, "to": new, "value": answer}
    return Sum(f"convert {given} {old} {new}", asked, exact(answer, new), steps, facts)


def _endless(denominator: int) -> int:
    """What is left of a denominator without its twos and fives."""
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator


def _decimal(value: Fraction) -> str:
    """A fraction whose denominator is made of twos and fives, as the decimal that it is."""
    places = 0
    while value.denominator != 1:
        value, places = value * 10, places + 1
    return pointed(value.numerator, places)
