"""Every option of every kind, found in its fields, refuses what is outside its range by name."""

import math
from dataclasses import fields
from functools import partial
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from case_tables import table

from gnomon.generators import KINDS, create, load
from gnomon.generators.base import _limits, check_range
from gnomon.recipe import RecipeError
from gnomon.runs.name_lists import docstrings

FREE = {"seed": "low high", "problem": "high"}
"""Whole numbers without an end, on one side or both."""


def alternatives(hint: Any) -> list[Any]:
    """The types of which an option may be one."""
    if get_origin(hint) in (None, tuple, Literal):
        return [hint]
    return [kind for kind in get_args(hint) if kind is not NoneType]


def refused(name: str, hint: Any) -> list[Any]:
    """Values that no option of that type may take."""
    if get_origin(hint) is Literal:
        return ["nonsense", 7, ""]
    if hint is bool:
        return ["maybe", 3]
    if hint is str:
        return ["nonsense", "nonsense.yaml", "", 3]
    if hint in (int, float):
        ends = {"low": -(10**6), "high": 10**9}
        beyond = [end for side, end in ends.items() if side not in FREE.get(name, "")]
        odd = [math.nan, math.inf, -math.inf] if hint is float else []
        return [*beyond, *odd, "words", [1, 2, 3]]
    if get_origin(hint) is tuple:
        inner, *others = get_args(hint)
        if others == [...]:
            return [[], ["nonsense"], "words", [3]]
        falling = [0.0 if inner is float else 5, -1]
        return [[-(10**6), 10**6], [10**6, 10**6], falling, [1], "words"]
    raise AssertionError(f"{name}: {hint} is a new type of option; say here what it refuses")


def options() -> list[tuple[str, str, Any]]:
    """Each kind's options with what they must refuse."""
    found = []
    for kind in KINDS:
        cls = load(kind)
        hints = get_type_hints(cls)
        for option in fields(cls):
            kinds = alternatives(hints[option.name])
            bad = [value for one in kinds for value in refused(option.name, one)]
            found += [(kind, option.name, value) for value in bad]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_values_outside_an_options_range_are_refused_by_its_name(kind):
    for of, name, value in options():
        if of == kind:
            with pytest.raises(ValueError, match=name) as told:
                create(kind, **{name: value})
            assert str(told.value).strip(), (name, value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_range_is_the_one_that_its_help_states_and_holds_both_ends(kind):
    helps = docstrings(load(kind))
    for name, limit in _limits(load(kind)).items():
        if not isinstance(limit, partial) or limit.func is not check_range:
            continue
        low, high = limit.keywords["low"], limit.keywords["high"]
        limit(name, [low, high])
        beyond = [low - 0.01, [high, low], *([high + 0.01] if math.isfinite(high) else [])]
        for value in beyond:
            with pytest.raises(ValueError, match=name):
                limit(name, value)
        if (low, high) != (0, 1) and math.isfinite(high):
            assert f"{low:.10g} to {high:.10g}" in helps[name].replace(",", ""), name


@pytest.mark.parametrize("kind", KINDS)
def test_misspelt_options_are_refused_with_the_nearest(kind):
    for option in fields(load(kind)):
        with pytest.raises(RecipeError, match=f"no such key; did you mean.*{option.name}"):
            create(kind, **{option.name + "s_": 1})
    with pytest.raises(RecipeError, match="split"):
        create(kind, split="training")


@pytest.mark.parametrize("kind", KINDS)
def test_a_split_that_is_none_is_refused_with_those_that_are(kind):
    """Clock(split="valid") drew nothing for ever, or said that its styles were too few."""
    with pytest.raises(ValueError, match="split='valid': give one of train, val, test"):
        load(kind)(split="valid")


@table(__file__, "refused_options")
def test_impossible_options_are_refused_by_name(row):
    """RecipeError, which a mixture's parts raise, is a ValueError."""
    with pytest.raises(ValueError, match=row["message"]):
        create(row["kind"], **row["options"])
