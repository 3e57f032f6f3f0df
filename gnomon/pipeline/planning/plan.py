"""Parameters, tokens, memory and steps of a training before it starts, and recipes that fit."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import prod
from pathlib import Path
from statistics import mean
from typing import Any

from gnomon.pipeline import families
from gnomon.pipeline.checkpoint import locate_checkpoint, open_processor, try_load, with_dtype
from gnomon.pipeline.collate import coverage_text
from gnomon.pipeline.families.auto import Auto
from gnomon.pipeline.families.base import Config, Family, known_config
from gnomon.pipeline.planning import budget
from gnomon.pipeline.planning.budget import GIB, Memory, PartSize, Sizer, TokenCounts
from gnomon.pipeline.planning.shapes import stored_shapes
from gnomon.recipe import Recipe, flatten, override, plain_values, validate
from gnomon.store.samples import Samples, evenly_spaced, train_size

FEWEST_PIXELS = 256 * 256
"""Smallest picture side. With less, the numerals of a dial run together."""
_SAMPLES = 64
"""Number of samples whose tokens are counted: enough for their mean, and about a second for most
processors."""
_GUESSED = 16
"""Number of drawn samples whose tokens are guessed: drawing them takes longer than all the rest."""
_HEADROOM = 0.95
"""Share of the memory that a fitted recipe may take, because the estimate is not exact."""


@dataclass(frozen=True)
class Plan:
    """Estimate of a training."""

    recipe: Recipe
    dtype: str | None
    """Floating-point type on the planned machine."""
    samples: int
    """Number of training samples."""
    family: Family
    parts: list[PartSize]
    tokens: list[TokenCounts]
    """Token counts of some samples, evenly spaced."""
    counted: bool
    """True if the tokenizer counted the tokens, False if they are estimated from the letters."""
    coverage: dict[str, float] | None
    """Share of the answers' digits that the numeric loss sees, by type of answer."""
    memory: Memory
    available: float
    """Bytes of free memory of the machine, or as the user states."""
    way_out: str
    """Overrides with which it would fit, or an empty string."""
    cut: str = ""
    """Sentence about answers that are longer than the generation limit, or an empty string."""
    shrunk: str = ""
    """Sentence about pictures that the model sees much smaller, or an empty string."""
    given_up: list[str] | None = None
    """Sentences about the changes that made the recipe fit. None if it is planned as it is."""

    @property
    def fits(self) -> bool:
        return self.memory.total <= self.available

    @property
    def steps(self) -> int:
        """Number of optimizer steps."""
        train = self.recipe.train
        if train.max_steps > 0:
            return train.max_steps
        # Rounded up, because the last step takes the remaining samples.
        return int(-(-self.samples * train.num_train_epochs // train.step_size))

    @property
    def _facts(self) -> Mapping[str, str]:
        """Facts that were discovered in the checkpoint, if its family is auto."""
        return self.family.facts if isinstance(self.family, Auto) else {}

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain values: memory in bytes, tokens per sample."""
        return {
            "model": self.recipe.model.name,
            "family": self.family.name,
            "found": dict(self._facts),
            "parts": [part.to_json() for part in self.parts],
            "tokens": {
                "counted": self.counted,
                "mean": self._mean_tokens(),
                "most": self._most_tokens(),
            },
            "coverage": self.coverage,
            "memory": {**asdict(self.memory), "total": self.memory.total, "there": self.available},
            "fits": self.fits,
            "way_out": self.way_out,
            "given_up": self.given_up,
            "steps": self.steps,
        }

    def _mean_tokens(self) -> dict[str, float]:
        return {
            "all": mean(counts.total for counts in self.tokens),
            "picture": mean(counts.picture for counts in self.tokens),
            "answer": mean(counts.answer for counts in self.tokens),
        }

    def _most_tokens(self) -> int:
        return max(each.total for each in self.tokens)

    def __str__(self) -> str:
        train = self.recipe.train
        tokens, about = self._mean_tokens(), "" if self.counted else "about "
        lines = [f"{self.recipe.model.name} ({self.family.name})", ""]
        lines.append(f"{'part':<9}  {'parameters':<10}  {'trained':<16}  held in")
        lines += [self._part_line(part) for part in self.parts]
        lines.append("")
        if facts := self._facts:
            lines.append("found     (model.auto overrides these values)")
            lines += [f"          {name:<9}  {text}" for name, text in facts.items()]
            lines.append("")
        lines.append(
            f"tokens    {about}{tokens['all']:.0f} a sample, at most {self._most_tokens()};"
            f" {tokens['picture']:.0f} of the picture, {tokens['answer']:.0f} of the answer"
        )
        if self.shrunk:
            lines.append(f"shrunk    {self.shrunk}")
        if self.cut:
            lines.append(f"cut       {self.cut}")
        if self.coverage is not None:
            lines.append(f"digits    the numeric loss sees {coverage_text(self.coverage)}")
        if self.recipe.loss.spread:
            lines.append(
                f"spread    answers are drawn from a bell of {self.recipe.loss.spread:g} steps"
                " around the truth, except for texts"
            )
        lines += self._memory_lines()
        lines += [f"given up  {each}" for each in self.given_up or ()]
        sizes = f"{train.per_device_train_batch_size} × {train.gradient_accumulation_steps}"
        unit = "samples" if train.method == "sft" else "sampled answers"
        return "\n".join([*lines, f"steps     {self.steps:,} of {sizes} {unit}"])

    def _part_line(self, part: PartSize) -> str:
        trained = {"frozen": "no", "lora": f"{_short(part.trained)} by LoRA", "full": "whole"}
        precision = str(self.dtype)
        if part.quantised:
            rest = _short(part.parameters - part.quantised)
            precision = f"{self.recipe.model.bits} bits, {rest} of it {precision}"
        return (
            f"{part.name:<9}  {_short(part.parameters):<10}  {trained[part.mode]:<16}  {precision}"
        )

    def _memory_lines(self) -> list[str]:
        total, available = self.memory.total / GIB, self.available / GIB
        verdict = "it fits" if self.fits else "IT DOES NOT FIT"
        parts = asdict(self.memory).items()
        lines = [
            f"memory    about {total:.1f} of {available:.1f} GiB: {verdict}",
            f"          ({', '.join(f'{size / GIB:.1f} {name}' for name, size in parts)})",
        ]
        if self.way_out:
            lines += ["          it would fit with", f"            {self.way_out}"]
        elif not self.fits:
            lines.append("          no setting here makes it fit: take a smaller model")
        return lines


def plan(
    recipe: Recipe,
    samples: Samples,
    *,
    config_only: bool = False,
    available: float | None = None,
    fit: bool = False,
) -> Plan:
    """Plan a recipe's training on `samples`. With `fit`, plan a changed recipe that fits.

    `config_only` opens no file of a well-known checkpoint. `available` is the memory to plan for,
    in bytes, instead of the free memory of this machine.
    """
    # Memory given by hand is a GPU's, where the dtype differs from this CPU.
    dtype = with_dtype(recipe.model, gpu=None if available is None else True).dtype
    family, config = _family_and_config(recipe, config_only=config_only)
    n = train_size(samples, recipe.train.samples)
    # Not the first samples, because a table may be sorted, with its largest pictures at its end.
    most = _GUESSED if config_only and samples.n_distinct is None else _SAMPLES
    some = [samples[index] for index in evenly_spaced(n, most)]
    coverage, cut, shrunk = None, "", ""
    if config_only:
        tokens = [budget.guess_tokens(family, config, recipe, sample) for sample in some]
    else:
        tokens, coverage = budget.count_tokens(family, config, recipe, some)
        _, processor = open_processor(recipe.model)
        cut = budget.cut_answers_warning(family, processor, some, recipe.max_new_tokens)
        shrunk = budget.shrunk_pictures_warning(family, processor, some)
    if available is None:
        available = _free_memory()
    stored = stored_shapes().get(recipe.model.name) if config_only else None
    sizer = Sizer(family, config, tokens, stored)

    def estimate(changed: Recipe) -> tuple[list[PartSize], Memory]:
        return sizer(replace(changed, model=replace(changed.model, dtype=dtype)))

    def fits(changed: Recipe, limit: float) -> bool:
        return estimate(changed)[1].total <= limit

    given_up, way_out = None, ""
    if fit or not fits(recipe, available):
        pixels = 0
        if family.has_pixel_limits:
            pixels = max((prod(size) for each in tokens for size in each.sizes), default=0)
            pixels = min(pixels, recipe.model.max_pixels or pixels)
        with_headroom = partial(fits, limit=_HEADROOM * available)
        smaller, concessions = fit_recipe(recipe, with_headroom, pixels=pixels)
        if fit:
            recipe, given_up = smaller, concessions
        elif fits(smaller, available):
            way_out = " ".join(overrides_between(recipe, smaller))
    parts, memory = estimate(recipe)
    return Plan(
        recipe=recipe,
        dtype=dtype,
        samples=n,
        family=family,
        parts=parts,
        tokens=sizer.tokens(recipe),
        counted=not config_only,
        coverage=coverage,
        memory=memory,
        available=available,
        way_out=way_out,
        cut=cut,
        shrunk=shrunk,
        given_up=given_up,
    )


def well_known() -> dict[str, Family]:
    """Checkpoints that can be planned without opening them, with their families."""
    every_family = [families.create(name) for name in families.FAMILIES]
    return {checkpoint: family for family in every_family for checkpoint in family.sizes}


def _family_and_config(recipe: Recipe, *, config_only: bool) -> tuple[Family, Config]:
    """Return the model's family and configuration, without opening a file if `config_only`."""
    name = recipe.model.name
    if config_only:
        checkpoints = well_known()
        if name in checkpoints:
            return checkpoints[name], known_config(checkpoints[name], name)
        if name not in families.EMBEDDED and not Path(families.locate(name)).is_dir():
            raise ValueError(
                f"model.name: {name!r}: gnomon does not know its size: leave out --config-only, or"
                f" name one of {', '.join(checkpoints)}"
            )
    from transformers import AutoConfig

    path, family = locate_checkpoint(recipe.model)
    folder = families.TINY if path == families.BLANK else path
    return family, try_load(name, lambda: AutoConfig.from_pretrained(folder))


def _free_memory() -> float:
    """Return the free bytes of the GPU, or of this machine if it has none."""
    import psutil
    import torch

    if torch.cuda.is_available():
        # (free, total) of the device. Memory of other processes is not free.
        return float(torch.cuda.mem_get_info()[0])
    return float(psutil.virtual_memory().available)


def _short(count: int) -> str:
    """Format a count with about three digits: 7.07 B, 40.37 M, 12.00 k."""
    for size, name in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.2f} {name}"
    return str(count)


def fit_recipe(
    recipe: Recipe, fits: Callable[[Recipe], bool], *, pixels: int
) -> tuple[Recipe, list[str]]:
    """Return the recipe with the largest batch that fits, and sentences about its concessions.

    A step keeps its number of samples. Concessions are made one after the other, each only if not
    even one sample at a time fits without it. If nothing fits, the smallest recipe is returned.
    `pixels` is the area of the largest picture, or 0 if the model has no pixel limits.
    """
    step = recipe.train.step_size
    # The fastest first: all samples of a step together, and nothing computed twice.
    recipe = _with_batch(_changed(recipe, "train.activation_checkpointing=false"), step, step)
    if fits(recipe):
        return recipe, []
    given_up: dict[str, str] = {}
    # The first attempt makes no concession, because a smaller batch may be enough.
    for words, name, cost in [("", "", ""), *_concessions(recipe, pixels)]:
        recipe = _with_batch(_changed(recipe, *words.split()), 1, step)
        # By name, because the second shrinking of pictures replaces the first.
        given_up |= {name: cost} if name else {}
        if fits(recipe):
            recipe = _largest_batch(recipe, fits, step)
            break
    batch = recipe.train.per_device_train_batch_size
    if batch < step:
        given_up = {f"{step} samples at once": f"a step is {step // batch} of {batch}", **given_up}
    if recipe.train.activation_checkpointing and batch < recipe.eval.batch_size:
        # A step then holds so little that answering in larger batches would need more memory than
        # the step.
        recipe = _changed(recipe, f"eval.batch_size={batch}")
    return recipe, [f"{name}: {cost}" for name, cost in given_up.items()]


def overrides_between(before: Recipe, after: Recipe, always: tuple[str, ...] = ()) -> list[str]:
    """List the overrides that turn one recipe into another, as commands take them.

    Keys that end in one of `always` are listed even if they do not change.
    """
    old = flatten(asdict(before))
    return [
        f"{key}={json.dumps(value)}"
        for key, value in flatten(asdict(after)).items()
        if value != old.get(key) or key.endswith(always)
    ]


def _concessions(recipe: Recipe, pixels: int) -> Iterator[tuple[str, str, str]]:
    """Yield overrides that save memory, with their costs, the cheapest first."""
    yield (
        "train.activation_checkpointing=true",
        "activations",
        "they are computed twice (checkpointing), which takes about a third more time",
    )
    if not recipe.model.bits and recipe.train.language != "full":
        yield (
            "model.load_in_4bit=true",
            "16 bits",
            "the language model's linear layers are held in 4 bits",
        )
    for share in (2, 4):
        if pixels // share >= FEWEST_PIXELS:
            cost = f"pictures are shrunk to 1/{share} of their pixels"
            yield f"model.max_pixels={pixels // share}", "pixels", cost


def _largest_batch(recipe: Recipe, fits: Callable[[Recipe], bool], step: int) -> Recipe:
    """Return the recipe with the largest batch that fits and divides a step, or with 1 if none
    fits."""
    # Only divisors of the step keep its number of samples. From the largest down, the first that
    # fits is the fastest.
    for size in range(step, 1, -1):
        if step % size == 0 and fits(_with_batch(recipe, size, step)):
            return _with_batch(recipe, size, step)
    return _with_batch(recipe, 1, step)


def _with_batch(recipe: Recipe, size: int, step: int) -> Recipe:
    accumulation = f"train.gradient_accumulation_steps={step // size}"
    return _changed(recipe, f"train.per_device_train_batch_size={size}", accumulation)


def _changed(recipe: Recipe, *overrides: str) -> Recipe:
    """Apply overrides, checked like those of a command."""
    return validate(Recipe, override(plain_values(recipe), overrides))
