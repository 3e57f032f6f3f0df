"""What a recipe will take, before anything is spent: parameters, tokens, memory, steps, time."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import prod
from pathlib import Path
from statistics import mean
from typing import Any

import psutil
import torch
from transformers import AutoConfig, PretrainedConfig, PreTrainedModel, TrainerCallback

from gnomon.pipeline import families
from gnomon.pipeline.checkpoint import opened, resolve
from gnomon.pipeline.families.base import Family
from gnomon.pipeline.load import load
from gnomon.pipeline.planning import budget
from gnomon.pipeline.planning.budget import GIB, Memory, PartSize
from gnomon.pipeline.planning.tokens import Tokens, counted, guessed
from gnomon.pipeline.planning.ways import fitted, overrides
from gnomon.pipeline.training.train import make_trainer
from gnomon.recipe import Recipe
from gnomon.sample import Size
from gnomon.store.reading.samples import Samples, train_size

LOOKED_AT = 64
"""Samples whose tokens are counted."""


@dataclass(frozen=True)
class Plan:
    """All that is known before the first step."""

    recipe: Recipe
    samples: int
    """How many are trained on."""
    family: str
    found: Mapping[str, str]
    """What was found out of a checkpoint whose family is not known here."""
    parts: list[PartSize]
    pictures: list[Size]
    """Their sizes in the samples that were looked at, by area."""
    tokens: list[Tokens]
    counted: bool
    """Whether the tokens were counted by the tokenizer; guessed from the letters otherwise."""
    coverage: dict[str, float] | None
    """The share of each kind's answer digits that the numeric loss sees."""
    memory: Memory
    there: float
    """Bytes of memory that the machine, or the user, says there are."""
    step: float | None
    """Seconds a step, measured."""
    way_out: str
    """Overrides with which it would fit; empty where none would do."""
    given_up: list[str] | None = None
    """What the recipe was made to fit by, in words; None where it is planned as it stands."""

    @property
    def fits(self) -> bool:
        """Whether the estimate is within what is there."""
        return self.memory.total <= self.there

    @property
    def steps(self) -> int:
        """Optimizer steps."""
        train = self.recipe.train
        if train.max_steps > 0:
            return train.max_steps
        batch = train.per_device_train_batch_size * train.gradient_accumulation_steps
        return int(-(-self.samples * train.num_train_epochs // batch))

    def to_json(self) -> dict[str, Any]:
        """The same as plain values: memory in bytes, time in seconds, the tokens of a sample."""
        return {
            "model": self.recipe.model.name,
            "family": self.family,
            "found": dict(self.found),
            "parts": [asdict(part) for part in self.parts],
            "tokens": {
                "counted": self.counted,
                "mean": {
                    name: mean(getattr(tokens, name) for tokens in self.tokens)
                    for name in ("all", "picture", "answer")
                },
                "most": max(tokens.all for tokens in self.tokens),
            },
            "coverage": self.coverage,
            "memory": {**asdict(self.memory), "total": self.memory.total, "there": self.there},
            "fits": self.fits,
            "way_out": self.way_out,
            "given_up": self.given_up,
            "steps": self.steps,
            "seconds_a_step": self.step,
        }

    def __str__(self) -> str:
        told = [
            self._model(),
            *self._found(),
            *self._pictures(),
            self._tokens(),
            *self._cut(),
            *self._coverage(),
        ]
        return "\n".join([*told, self._memory(), *self._given_up(), self._time()])

    def _model(self) -> str:
        rows = [
            (p.name, _many(p.parameters), _held(p, self.recipe.model.dtype), _way(p))
            for p in self.parts
        ]
        rows.insert(0, ("part", "parameters", "held in", "trained"))
        wide = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = [
            "  ".join(c.ljust(w) for c, w in zip(row, wide, strict=True)).rstrip() for row in rows
        ]
        return "\n".join([f"{self.recipe.model.name} ({self.family})", "", *lines, ""])

    def _found(self) -> list[str]:
        lines = [f"          {name:<9}  {text}" for name, text in self.found.items()]
        return ["found     (model.auto says it otherwise)", *lines, ""] if lines else []

    def _pictures(self) -> list[str]:
        if not self.pictures:
            return []
        ends = dict.fromkeys(f"{w} × {h}" for w, h in (self.pictures[0], self.pictures[-1]))
        return [f"pictures  {' to '.join(ends)} pixels"]

    def _tokens(self) -> str:
        def each(name: str) -> str:
            return f"{mean(getattr(tokens, name) for tokens in self.tokens):.0f}"

        about, most = "" if self.counted else "about ", max(tokens.all for tokens in self.tokens)
        return (
            f"tokens    {about}{each('all')} a sample, at most {most}; {each('picture')} of the"
            f" picture, {each('answer')} of the answer"
        )

    def _cut(self) -> list[str]:
        """Whether answers like those of training would be cut where the model is measured."""
        limit = self.recipe.eval.max_new_tokens
        cut = sum(tokens.answer - 1 > limit for tokens in self.tokens)  # its end need not be told
        if not cut or not self.counted:
            return []
        return [
            f"cut       {cut} of {len(self.tokens)} answers are longer than"
            f" eval.max_new_tokens={limit}, and such are cut when the model is measured"
        ]

    def _coverage(self) -> list[str]:
        if self.coverage is None:
            return []
        shares = ", ".join(f"{100 * share:.0f} % ({kind})" for kind, share in self.coverage.items())
        return [f"digits    the numeric loss sees {shares} of the answers'"]

    def _memory(self) -> str:
        m = self.memory
        named = ", ".join(
            f"{getattr(m, name) / GIB:.1f} {name}"
            for name in ("weights", "training", "activations", "answers", "rest")
        )
        verdict = "it fits" if self.fits else "IT DOES NOT FIT"
        told = f"memory    about {m.total / GIB:.1f} of {self.there / GIB:.1f} GiB: {verdict}\n"
        told += f"          ({named})"
        if self.fits:
            return told
        if self.given_up is not None:
            return f"{told}\n          that is the least it can need: take a smaller model"
        if not self.way_out:
            return f"{told}\n          no setting here makes it fit: take a smaller model"
        return f"{told}\n          it would with\n            {self.way_out}"

    def _given_up(self) -> list[str]:
        said = self.given_up or []
        return [f"{'given up' if i == 0 else '':<8}  {each}" for i, each in enumerate(said)]

    def _time(self) -> str:
        train = self.recipe.train
        batch = f"{train.per_device_train_batch_size} × {train.gradient_accumulation_steps} samples"
        told = f"steps     {self.steps:,} of {batch}"
        if self.step is None:
            return told
        return f"{told}; about {_duration(self.steps * self.step)} at {self.step:.2f} s a step"


def plan(
    recipe: Recipe,
    samples: Samples,
    *,
    config_only: bool = False,
    there: float | None = None,
    measured: bool = True,
    fit: bool = False,
) -> Plan:
    """Plan a recipe's training on `samples`; with `fit` that of the recipe which fits.

    `config_only` opens neither weights nor tokenizer of a checkpoint whose sizes are known;
    `there` is the memory in bytes to plan for, in place of this machine's; without `measured` no
    step is taken.
    """
    family, config = _opened(recipe, config_only=config_only)
    n = train_size(samples, recipe.train.samples)
    drawn = [samples[index] for index in range(min(LOOKED_AT, n))]
    if config_only:
        tokens, coverage = [guessed(family, config, recipe, sample) for sample in drawn], None
    else:
        tokens, coverage = counted(family, config, recipe, drawn)
    there = _memory_there() if there is None else there
    sizer = _Sizer(family, config, tokens)

    def fits(changed: Recipe, most: float = there) -> bool:
        return sizer(changed)[1].total <= most

    room, given_up, way_out = fits(recipe), None, ""
    if fit or not room:
        pixels = max((prod(size) for each in tokens for size in each.sizes), default=None)
        if not family.takes_limits:
            pixels = None
        elif pixels is not None:
            pixels = min(pixels, recipe.model.max_pixels or pixels)
        with_room = partial(fits, most=0.95 * there)  # an estimate, after all
        smaller, said = fitted(recipe, with_room, pixels=pixels)
        if fit:
            recipe, given_up, room = smaller, said, fits(smaller)
        elif fits(smaller):
            way_out = overrides(recipe, smaller)
    parts, memory = sizer(recipe)
    return Plan(
        recipe=recipe,
        samples=n,
        family=family.name,
        found=family.found(),
        parts=parts,
        pictures=sorted((image.size for s in drawn for image in s.images), key=prod),
        tokens=sizer.tokens(recipe),
        counted=not config_only,
        coverage=coverage,
        memory=memory,
        there=there,
        step=_measured(recipe, samples) if room and measured and not config_only else None,
        way_out=way_out,
        given_up=given_up,
    )


def known_sizes() -> dict[str, Family]:
    """The checkpoints that are planned without being opened, and their families."""
    known = map(families.create, families.FAMILIES)
    return {checkpoint: family for family in known for checkpoint in family.sizes}


def _opened(recipe: Recipe, *, config_only: bool) -> tuple[Family, PretrainedConfig]:
    """The family and the configuration, from what the family knows where nothing is opened."""
    name = recipe.model.name
    if config_only:
        if (known := known_sizes().get(name)) is not None:
            return known, known.config(name)
        if name not in families.EMBEDDED and not Path(families.locate(name)).is_dir():
            raise ValueError(
                f"model.name: {name!r}: its size is not known here; leave out --config-only, or"
                f" name one of {', '.join(known_sizes())}"
            )
    path, family = resolve(recipe.model)
    place = path if path != families.BLANK else families.TINY
    return family, opened(name, lambda: AutoConfig.from_pretrained(place))


class _Sizer:
    """Parts and memory of a recipe; the batch is taken to be all of the longest sample.

    What does not depend on the batch takes seconds for a large model, and is kept.
    """

    def __init__(self, family: Family, config: PretrainedConfig, tokens: Sequence[Tokens]) -> None:
        self._family, self._config, self._tokens = family, config, tokens
        self._kept: dict[str, tuple[PreTrainedModel, list[PartSize], float]] = {}

    def __call__(self, recipe: Recipe) -> tuple[list[PartSize], Memory]:
        family, tokens, model, train = self._family, self.tokens(recipe), recipe.model, recipe.train
        alone = replace(train, per_device_train_batch_size=1, gradient_accumulation_steps=1)
        key = repr((model, alone))
        if key not in self._kept:
            built = budget.bare(family, self._config, model)
            parts = budget.sizes(family, built, model, train)
            longest = max(t.all for t in tokens)
            kept = budget.language_activations(built, family, train, longest)
            self._kept[key] = built, parts, kept
        built, parts, kept = self._kept[key]
        answer, looked_at = max(t.answer for t in tokens), max(t.patches for t in tokens)
        return parts, budget.memory(
            family, built, parts, model, train, kept=kept, answer=answer, looked_at=looked_at
        )

    def tokens(self, recipe: Recipe) -> list[Tokens]:
        """Those of each sample, where its picture is as large as the recipe lets it be."""
        return [each.seen(self._family, self._config, recipe.model) for each in self._tokens]


def _memory_there() -> float:
    """Of the GPU, or of this machine where there is none: what is free now."""
    if torch.cuda.is_available():
        return float(torch.cuda.mem_get_info()[0])
    return float(psutil.virtual_memory().available)


def _measured(recipe: Recipe, samples: Samples) -> float:
    """Seconds of an optimizer step: the mean of two, after one that warms up."""
    short = replace(
        recipe, train=replace(recipe.train, max_steps=3, save_steps=10_000, logging_steps=10_000)
    )
    steps = StepTimes()
    with tempfile.TemporaryDirectory() as folder:
        loaded = load(recipe.model, seed=recipe.seed)
        trainer = make_trainer(short, loaded, samples, Path(folder))
        trainer.add_callback(steps)
        trainer.train()
    return mean(steps.seconds[1:])


class StepTimes(TrainerCallback):  # type: ignore[misc]
    """How long each optimizer step took, its data included."""

    now = staticmethod(time.perf_counter)

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._last = 0.0

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self._last = self.now()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        now = self.now()
        self.seconds.append(now - self._last)
        self._last = now


def _many(count: int) -> str:
    for size, name in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.2f} {name}"
    return str(count)


def _held(part: PartSize, dtype: str) -> str:
    few = part.in_4_bits + part.in_8_bits
    if not few:
        return dtype
    return f"{'NF4' if part.in_4_bits else 'int8'}, {_many(part.parameters - few)} of it {dtype}"


def _way(part: PartSize) -> str:
    if part.way == "frozen":
        return "no"
    return f"{_many(part.trained)} by LoRA" if part.way == "lora" else "whole"


def _duration(seconds: float) -> str:
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{seconds:.0f} s"
