"""Registry of kinds. KINDS maps each name to its class, which is loaded on demand."""

import re
from pathlib import Path
from typing import Any

from gnomon import names
from gnomon.generators.base import Generator, Split

KINDS = {
    "arithmetic": "gnomon.generators.arithmetic.generator:Arithmetic",
    "chart": "gnomon.generators.chart.generator:Chart",
    "clock": "gnomon.generators.clock.generator:Clock",
    "counter": "gnomon.generators.counter.generator:Counter",
    "face": "gnomon.generators.faces.generator:Face",
    "gauge": "gnomon.generators.gauge.generator:Gauge",
    "mixture": "gnomon.generators.mixture:Mixture",
    "scene": "gnomon.generators.scene.generator:Scene",
    "text_spotting": "gnomon.generators.text_spotting.generator:TextSpotting",
    "word_problem": "gnomon.generators.word_problem.generator:WordProblem",
}

_FACES = Path(__file__).parent / "faces"
# Keys of a description that recipes do not have.
_DESCRIBED = {"parts", "body", "readings", "value"}


def load(name: str) -> type[Generator]:
    """Load the class of a kind, or of the user's `module:Class`."""
    base = "gnomon.generators.base:Generator"
    command = "gnomon ls generators"
    cls: type[Generator] = names.load(KINDS, name, what="generator", command=command, base=base)
    if not names.is_place(name):
        return cls
    location = KINDS.setdefault(cls.kind, name)  # as ids and manifests call it
    if location != name and load(location) is not cls:
        raise ValueError(f"{name}: its kind {cls.kind!r} is taken by {location}: rename the kind")
    return cls


def is_kind(name: str) -> bool:
    """Return True for the name of a kind, and for a user's `module:Class` if it is not a file
    name."""
    return name in KINDS or (names.is_place(name) and not Path(name).exists())


def is_description(name: str) -> bool:
    """Return True for a YAML file that describes an instrument."""
    file = Path(name)
    if file.suffix not in (".yaml", ".yml") or not file.is_file():
        return False
    from gnomon import recipe

    # Keys start their lines. The file is not parsed here because this happens right afterwards.
    keys = re.findall(r"^(\w+):", recipe.read_text(file), re.MULTILINE)
    return not _DESCRIBED.isdisjoint(keys)


def description_files() -> dict[str, Path]:
    """Return the shipped descriptions by name."""
    return {file.stem: file for file in sorted((_FACES / "descriptions").glob("*.yaml"))}


def description_to_copy(name: str) -> Path | None:
    """Return the description that `gnomon cp` copies. `face` is a commented start."""
    return _FACES / "start.yaml" if name == "face" else description_files().get(name)


def create(kind: str, *, split: Split = "train", seed: int = 0, **options: Any) -> Generator:
    """Make a generator: gen[i] is Sample i, iteration is endless, gen.key(i) is the meaning.

    Options are plain values, as in YAML. Unknown options are refused by name.
    """
    # Imported here because `gnomon ls` lists kinds without pydantic.
    from gnomon.recipe import validate

    cls = load(kind)
    return validate(cls, {"split": split, "seed": seed, **options}, name=kind)
