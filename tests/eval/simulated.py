"""Models whose errors are known, seeds and pictures at random; measured by the kind's own code.

Model: at seed s and picture i an answer is right with probability σ(skill + a_s + b_i), a and b
normal; a wrong one lies 1 to 359 minutes off, near ones likelier, to either side.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import integrate, stats

from gnomon.answers.base.answer_type import ModelAnswer
from gnomon.answers.registry import TYPES
from gnomon.sample import Time

OFF = np.arange(1, 360)
CHANCES = 0.98**OFF / np.sum(0.98**OFF)


def _measured(off):
    """Measures of an answer that is that many minutes off."""
    value = Time(off % 720 * 60).hms
    return TYPES["time"].measures(Time(0), ModelAnswer(value, ""), 180.0)


_TABLE = {
    name: np.array([_measured(off)[name] for off in range(720)]) for name in ("exact", "charged")
}


@dataclass(frozen=True)
class Model:
    """Normal effects on the log odds of a right answer; `cells` are of one seed at one picture."""

    skill: float = 0.5
    seeds: float = 0.3
    pictures: float = 1.0
    cells: float = 0.0

    @cached_property
    def accuracy(self):
        """The truth: over all seeds and pictures."""
        spread = np.sqrt(self.seeds**2 + self.pictures**2 + self.cells**2)
        odds = stats.norm(self.skill, spread)
        return integrate.quad(lambda x: odds.pdf(x) / (1 + np.exp(-x)), -20, 20)[0]

    @property
    def truth(self):
        """Of each measure."""
        wrong = 1 - self.accuracy
        return {"exact": self.accuracy, "charged": wrong * float(np.sum(CHANCES * OFF))}

    def better_by(self, points):
        """The same model with so many points more of accuracy."""
        return replace(self, skill=_skill_of(self, self.accuracy + points / 100))


def answers(model, rng, k, pictures, *, asked=1):
    """Simulate each measure as [K, N] for k seeds, with `asked` questions per picture."""
    shown = np.repeat(pictures, asked) * model.pictures
    odds = model.skill + rng.normal(0, model.seeds, (k, 1)) + shown
    odds = odds + rng.normal(0, model.cells, (k, shown.size)) if model.cells else odds
    right = rng.random(odds.shape) < 1 / (1 + np.exp(-odds))
    off = OFF[np.searchsorted(np.cumsum(CHANCES)[:-1], rng.random(odds.shape))]
    side = rng.integers(2, size=odds.shape) * 2 - 1
    result = np.where(right, 0, side * off) % 720
    return {name: table[result] for name, table in _TABLE.items()}


def _skill_of(model, accuracy):
    low, high = -20.0, 20.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        below = replace(model, skill=middle).accuracy < accuracy
        low, high = (middle, high) if below else (low, middle)
    return low
