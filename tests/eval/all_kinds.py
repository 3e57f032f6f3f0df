"""Runs of every kind of question, drawn by the generators, answered right, wrong and not at all."""

import random
from functools import cache
from math import log

from gnomon.dialect import Dialect
from gnomon.eval import RunResult, score
from gnomon.generators import create
from gnomon.sample import Prediction, Time

ASKED = [
    ("clock", {"size": 224}, 40),
    ("gauge", {}, 24),
    ("arithmetic", {}, 24),
    ("scene", {}, 24),
    ("chart", {"questions": ("table",)}, 12),
    ("chart", {"questions": ("compare", "trend")}, 16),
    ("text_spotting", {"questions": ("both",)}, 12),
]
RECIPE = """\
data:
- kind: clock
  options:
    size: 224
loss:
  name: ntil
train:
  steps: 400
"""
LOG = [
    {"step": s, "loss": 3 / s**0.5, "ce": 2 / s**0.5, "emd": 1 / s**0.5, "learning_rate": 1e-4}
    for s in range(10, 410, 10)
]
UNREAD = "I am sorry, but I cannot make out what is shown in this picture. " * 3


@cache
def samples():
    """Questions of every kind of target."""
    result = []
    for kind, options, n in ASKED:
        drawn = create(kind, split="test", **options)
        result += [drawn[i] for i in range(n)]
    return result


def run(name, skill, *, seed=0, **about):
    """Right with probability `skill`, now and then unreadable, else the next question's answer."""
    rng = random.Random(seed)
    given = [_answer(place, sample, skill, rng) for place, sample in enumerate(samples())]
    return RunResult(name, score(given, samples()), given, **about)


def two():
    """Before and after a training."""
    about = {"recipe_yaml": RECIPE, "versions": {"gnomon": "0.1.0", "torch": "2.13.0"}}
    about["asked"] = {"kind": "every kind", "samples": len(samples())}
    return [run("before", 0.25), run("after", 0.75, seed=1, log=LOG, **about)]


def _answer(place, sample, skill, rng):
    other, luck = samples()[(place + 1) % len(samples())], rng.random()
    if type(other.target) is not type(sample.target):
        other = samples()[place - 1]
    if luck > 0.95 or type(other.target) is not type(sample.target):
        text = UNREAD if place % 2 else ""
    else:
        of = sample if luck < skill else other
        text = Dialect().write(of.target, of.image.size if of.image else None)
    size = sample.image.size if sample.image else None
    settings = {"name": "gnomon-tiny", "max_new_tokens": 32}
    belief = _belief(sample.target, skill) if isinstance(sample.target, Time) else None
    return Prediction(sample.id, text, size, "plain", settings, belief)


def _belief(truth, skill):
    """Half of it near the truth, the more the better the model."""
    near = {(truth.seconds // 60 + late) % 720 for late in range(-3, 4)}
    share = {m: (skill / 7 if m in near else (1 - skill) / 713) for m in range(720)}
    return {Dialect().write(Time(60 * m)): log(p) for m, p in share.items()}
