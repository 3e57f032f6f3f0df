"""Do intervals cover, and does refusal keep its word? Calibrations of simulated models, counted.

    python -m benchmarks.calibration > benchmarks/results/calibration.txt

A simulated model sees the truth through noise that differs from picture to picture, believes to see
half as blurred as it does, and errs by a whole turn or a wrong word now and then. Its pictures come
from cameras, each with a slant of its own. 1,000 calibrations are drawn for each type of answer:
for pictures of the same cameras, and for pictures of new cameras.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, partial

import numpy as np

from gnomon.answers.base.number_range import NumberRange
from gnomon.answers.number.answer import NumberForm
from gnomon.eval.calibration import conformal
from gnomon.eval.calibration.estimates import BestAnswer
from gnomon.progress import track
from gnomon.sample import Number, Target, Text, Time

COVERAGE, WRONG = 0.9, 0.05
PICTURES_SEEN, FEW, MANY = 500, 12, 150
"""Pictures that a calibration has seen, and cameras: few for intervals, many for refusals."""
WORDS = ("empty", "low", "half", "full")
LEAST = np.log(1e-5)
"""Log-probability of a number, below which the search of a counter's does not come to it."""
CAMERAS, PICTURES = 300, 24
"""Cameras of the pool, and the most pictures of one."""


@dataclass(frozen=True)
class Kind:
    """A type of answer: its listed targets, the noise in its steps, and what is still right."""

    name: str
    targets: tuple[Target, ...]
    noise: float
    within: float
    numbers: NumberRange | None = None
    """Numbers of which a belief has the likeliest alone."""

    @cached_property
    def answers(self) -> tuple[str, ...]:
        return tuple(target.write() for target in self.targets)


KINDS = (
    Kind("numbers, 0 to 100", tuple(Number(Decimal(n)) for n in range(101)), 1.2, 2.0),
    Kind(
        "a dial, 0.0 to 9.9",
        tuple(Number(Decimal(n) / 10, cycle=Decimal(10)) for n in range(100)), 1.2, 0.2,
    ),
    Kind("times, round the clock", tuple(Time(60 * minute) for minute in range(720)), 1.6, 3.0),
    Kind("four words", tuple(Text(word, WORDS) for word in WORDS), 0.25, 0.0),
)  # fmt: skip


COUNTER = Kind(
    "a counter, 4 figures",
    tuple(Number(Decimal(n), digits=4) for n in range(10_000)), 1.2, 2.0,
    NumberForm(digits=4).number_range(),
)  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """Pictures of a pool, with what a calibration needs of each."""

    cameras: np.ndarray
    scores: np.ndarray
    """NaN where no interval is about the picture."""
    trusts: np.ndarray
    right: np.ndarray

    def __getitem__(self, places: np.ndarray) -> Rows:
        return Rows(
            self.cameras[places], self.scores[places], self.trusts[places], self.right[places]
        )


def simulate(kind: Kind, rng: np.random.Generator, cameras: int = CAMERAS) -> Rows:
    """Let the simulated model read the pictures of all cameras."""
    rows: list[tuple[int, float, float, bool]] = []
    n, answers = len(kind.targets), kind.answers
    is_cyclic = kind.targets[0].type_name in ("cyclic", "time")
    steps = np.arange(n)
    for camera in range(cameras):
        slant = rng.normal(0, kind.noise / 2)
        for _ in range(rng.integers(1, PICTURES + 1)):
            truth = int(rng.integers(n))
            blur = kind.noise * rng.lognormal(0, 0.7)
            sight = truth + slant + rng.normal(0, blur)
            if rng.random() < 0.01:
                sight += n / 2
            away = steps - sight
            if is_cyclic:
                away = (away + n / 2) % n - n / 2
            logits = -0.5 * (away / max(blur / 2, 0.3)) ** 2
            logits -= np.logaddexp.reduce(logits)
            target = kind.targets[truth]
            listed = steps if kind.numbers is None else np.flatnonzero(logits > LEAST)
            best = BestAnswer.of(
                {answers[place]: logits[place] for place in listed.tolist()},
                target.answer_form, "plain", "mean", kind.within, kind.numbers,
            )  # fmt: skip
            right = best.is_right(target, kind.within)
            rows.append((camera, best.nonconformity(target), best.trust, right))
    return Rows(*map(np.array, zip(*rows, strict=True)))


@dataclass(frozen=True)
class Outcome:
    """Means over many calibrations."""

    coverage: float
    error: float
    """Standard error of the coverage."""
    broken: float
    """Share of calibrations under which more of the answered were wrong than was allowed."""
    answered: float


def same_cameras(rows: Rows, rng: np.random.Generator, n: int, times: int) -> Outcome:
    """Calibrate on n pictures, and count on the rest of the pool."""
    covers, broken, answered = [], [], []
    for _ in range(times):
        order = rng.permutation(len(rows.scores))
        seen, rest = rows[order[:n]], rows[order[n:]]
        scores = scored(seen.scores)
        limit = conformal.limit(scores, range(len(scores)), COVERAGE)
        covers.append((scored(rest.scores) <= limit).mean())
        threshold = conformal.threshold_by_risk(seen.trusts, seen.right, WRONG)
        given = rest.trusts >= threshold
        answered.append(given.mean())
        broken.append(bool(given.any()) and (~rest.right[given]).mean() > WRONG)
    error = float(np.std(covers) / times**0.5)
    return Outcome(float(np.mean(covers)), error, float(np.mean(broken)), float(np.mean(answered)))


def new_cameras(rows: Rows, rng: np.random.Generator, n: int, times: int) -> tuple[float, float]:
    """Calibrate on the pictures of n cameras; return the coverage of another's, and its error."""
    covers = []
    rows = rows[~np.isnan(rows.scores)]
    ids = np.unique(rows.cameras)
    for _ in range(times):
        some = rng.permutation(ids)
        seen = rows[np.isin(rows.cameras, some[:n])]
        limit = conformal.limit(seen.scores, seen.cameras.tolist(), COVERAGE)
        # A camera counts as one, however many pictures it has.
        others = [rows.scores[rows.cameras == camera] <= limit for camera in some[n : n + 20]]
        covers.append(np.mean([other.mean() for other in others]))
    return float(np.mean(covers)), float(np.std(covers) / times**0.5)


def scored(scores: np.ndarray) -> np.ndarray:
    """Scores of the pictures that intervals are about."""
    return scores[~np.isnan(scores)]


@dataclass(frozen=True)
class Refusals:
    """Refusals by what many cameras showed, counted over all cameras, each as one."""

    answered: float
    """Share of the pictures that are answered."""
    broken: float
    """Share of calibrations under which more of the cameras' answers are wrong than was allowed."""
    broken_by_pictures: float
    """The same if each picture of a calibration counts as one, as if its camera had no other."""


def refusals(rows: Rows, rng: np.random.Generator, n: int, times: int) -> Refusals:
    """Calibrate on n cameras that are drawn from all, and count over all of them."""
    places = [np.flatnonzero(rows.cameras == camera) for camera in np.unique(rows.cameras)]
    answered, broken, by_pictures = [], [], []
    for _ in range(times):
        some = [places[number] for number in rng.integers(len(places), size=n)]
        groups = np.repeat(np.arange(n), [len(of_camera) for of_camera in some])
        seen = rows[np.concatenate(some)]
        threshold = conformal.threshold_by_risk(seen.trusts, seen.right, WRONG, groups.tolist())
        answered.append((rows.trusts >= threshold).mean())
        broken.append(error_of_cameras(rows, threshold) > WRONG)
        threshold = conformal.threshold_by_risk(seen.trusts, seen.right, WRONG)
        by_pictures.append(error_of_cameras(rows, threshold) > WRONG)
    return Refusals(*[float(np.mean(values)) for values in (answered, broken, by_pictures)])


def error_of_cameras(rows: Rows, threshold: float) -> float:
    """Mean of the cameras' shares of wrong answers; 0 if nothing is answered."""
    given = rows.trusts >= threshold
    if not given.any():
        return 0.0
    counts = np.bincount(rows.cameras[given])
    wrong = np.bincount(rows.cameras[given], ~rows.right[given])
    return float((wrong[counts > 0] / counts[counts > 0]).mean())


SIMULATIONS = {kind.name: partial(simulate, kind) for kind in KINDS} | {
    COUNTER.name: partial(simulate, COUNTER),
}


def table(times: int) -> list[str]:
    """Return the table, a row for each type of answer."""
    lines = [
        f"{times:,} calibrations each; intervals of {COVERAGE:.0%}; refusal at {WRONG:.0%} wrong",
        "",
        f"{'':<24}{f'same cameras, {PICTURES_SEEN} pictures':^38}"
        f"{f'a new one, {FEW} known':>22}{f'new ones, {MANY} known':>29}",
        f"{'':<24}{'covered':>15}{'answered':>11}{'too wrong':>12}{'covered':>22}"
        f"{'answered':>11}{'too wrong':>12}{'by pictures':>13}",
    ]
    for number, (name, simulation) in enumerate(track(SIMULATIONS.items(), desc="types")):
        rng = np.random.default_rng(number)
        rows = simulation(rng)
        same = same_cameras(rows, rng, PICTURES_SEEN, times)
        new, error = new_cameras(rows, rng, FEW, times)
        refused = refusals(rows, rng, MANY, times)
        covered = f"{same.coverage:.1%} ± {1.96 * same.error:.1%}"
        lines.append(
            f"{name:<24}{covered:>15}{same.answered:>11.0%}{same.broken:>12.1%}"
            f"{f'{new:.1%} ± {1.96 * error:.1%}':>22}"
            f"{refused.answered:>11.0%}{refused.broken:>12.1%}{refused.broken_by_pictures:>13.1%}"
        )
    return lines


def main(words: Sequence[str]) -> int:
    """Print the table."""
    times = int(words[0]) if words else 1000
    print("$ python -m benchmarks.calibration")
    print("\n".join(table(times)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
