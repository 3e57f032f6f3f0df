"""Which kinds there are: KINDS maps each name to its class, loaded when asked for."""

from __future__ import annotations

from typing import Any

from gnomon import names
from gnomon.generators.base import Generator, Split

KINDS = {
    "arithmetic": "gnomon.generators.arithmetic.generator:Arithmetic",
    "chart": "gnomon.generators.chart.generator:Chart",
    "clock": "gnomon.generators.clock.generator:Clock",
    "gauge": "gnomon.generators.gauge.generator:Gauge",
    "mixture": "gnomon.generators.mixture:Mixture",
    "scene": "gnomon.generators.scene.generator:Scene",
    "text_spotting": "gnomon.generators.text_spotting.generator:TextSpotting",
    "word_problem": "gnomon.generators.word_problem.generator:WordProblem",
}


def load(name: str) -> type[Generator]:
    """The class of generators of that name."""
    found: type[Generator] = names.load(
        KINDS, name, what="generator", listing="gnomon ls generators"
    )
    if names.is_place(name):
        if found.kind in KINDS and KINDS[found.kind] != name:
            raise ValueError(f"{name}: its kind is {found.kind!r}, which gnomon has: rename it")
        KINDS[found.kind] = name  # as ids and manifests call it
    return found


def known(name: str) -> bool:
    """Whether it is the name of a kind, or the place of a user's own."""
    return name in KINDS or names.is_place(name)


def create(kind: str, *, split: Split = "train", seed: int = 0, **options: Any) -> Generator:
    """The generator of that kind: gen[i] is Sample i, iterating is endless, gen.key(i) its meaning.

    Options come as plain values, as YAML has them; what a kind does not know is refused by name.
    """
    from gnomon.recipe import checked

    cls = load(kind)
    return checked(cls, {"split": split, "seed": seed, **options}, name=kind)
