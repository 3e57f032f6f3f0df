"""Two models on the same samples: what differs, and whether that is more than luck."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from gnomon.eval.belief import lines
from gnomon.eval.crossed import Crossed, crossed
from gnomon.eval.figures import difference_text, figure, lowered, p_text
from gnomon.eval.scored import Scores
from gnomon.eval.significance import ALPHA, detectable, holm, mcnemar, sign_flip
from gnomon.eval.statistics import Estimate, wilson
from gnomon.sample import Box, Spots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gnomon.eval.kinds.base import Line
    from gnomon.eval.scored import Scored

    Floats: TypeAlias = NDArray[np.float64]

_Side: TypeAlias = "Mapping[int, Mapping[str, Scored]]"
"""Items by seed and id."""
Verdict: TypeAlias = Literal["better", "worse", "tied"]
Seeds: TypeAlias = "Mapping[int, Scores]"
"""The scores of one recipe's runs, by the seed of each."""


@dataclass(frozen=True, slots=True)
class BySeed:
    """One seed's run on either side, and the test of these two alone."""

    seed: int
    first: float
    second: float
    p: float
    test: str


@dataclass(frozen=True, slots=True)
class Difference:
    """The second model minus the first in one line of the summary, over the same items."""

    kind: str
    name: str
    label: str
    unit: str
    first: float
    second: float
    estimate: Estimate
    p: float
    test: str
    """What p is of."""
    adjusted: float
    """p after Holm's correction over `family` tests."""
    family: int
    detectable: float | None
    """The smallest difference that so many seeds and items show with a power of 80 %."""
    by_seed: tuple[BySeed, ...]
    """Where both sides have the same seeds."""
    better: Literal["higher", "lower"]

    @property
    def verdict(self) -> Verdict:
        """What is shown of the second model; "tied" where nothing is."""
        if not self.estimate.value or self.adjusted >= ALPHA:
            return "tied"
        return "better" if (self.estimate.value > 0) == (self.better == "higher") else "worse"


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences of two models, the most important of each kind first."""

    a: str
    b: str
    seeds: tuple[tuple[int, ...], tuple[int, ...]]
    """The seeds of either."""
    differences: tuple[Difference, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values, each difference with its verdict."""
        rows = [{**asdict(found), "verdict": found.verdict} for found in self.differences]
        return {"a": self.a, "b": self.b, "seeds": self.seeds, "differences": rows}

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict on each kind's first line, in words."""
        return tuple(self._sentence(found) for found in firsts(self.differences))

    def _sentence(self, found: Difference) -> str:
        first, second = (figure(mean, found.unit) for mean in (found.first, found.second))
        amount = difference_text(found.estimate, found.unit)
        shown = f"{lowered(found.label)} {second} against {first}, {amount}"
        shown += f", p {p_text(found.adjusted)} ({found.test}{_corrected(found)})"
        if found.verdict == "tied":
            return f"{self.b} and {self.a} are tied, nothing is shown: {shown}"
        return f"{self.b} is {found.verdict} than {self.a}: {shown}"


def compare(
    a: Scores | Seeds, b: Scores | Seeds, *, names: tuple[str, str] = ("a", "b")
) -> Comparison:
    """What b does better or worse than a, item by item; refused unless both have the same items.

    Either is one run, or several by seed. Every item counts: unread answers as wrong, or with what
    they are charged. With several seeds a line is judged by Student's t over seeds and pictures
    (`crossed`), with one by McNemar's exact test or sign flips over the items, which says nothing
    of other seeds. The first lines of all kinds are corrected together by Holm, the other lines
    of each kind among themselves.
    """
    return corrected([uncorrected(a, b, names=names)])[0]


def uncorrected(
    a: Scores | Seeds, b: Scores | Seeds, *, names: tuple[str, str] = ("a", "b")
) -> Comparison:
    """The same before any correction, for comparisons that are to be corrected together."""
    first, second = (_by_seed(side, name) for side, name in zip((a, b), names, strict=True))
    sides = [_items(side, name) for side, name in zip((first, second), names, strict=True)]
    items = next(iter(sides[0].values()))
    _check_same(items, next(iter(sides[1].values())), names)
    differences = []
    for kind in next(iter(first.values())).summaries:
        of_kind = [i for i, item in items.items() if item.kind == kind]
        for line in lines(kind, [items[i].measures for i in of_kind]):
            measured = [i for i in of_kind if _is_measured(line, i, sides)]
            if _is_compared(line) and measured:
                differences.append(_difference(kind, line, measured, sides))
    return Comparison(*names, (tuple(first), tuple(second)), tuple(differences))


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Holm's correction: over the first lines of all kinds and comparisons; over the others of
    one kind in one comparison."""
    found = {(i, d.kind, d.name): d for i, c in enumerate(comparisons) for d in c.differences}
    main = [(i, d.kind, d.name) for i, c in enumerate(comparisons) for d in firsts(c.differences)]
    families: dict[tuple[int, str] | None, list[tuple[int, str, str]]] = {None: main}
    for key in found:
        if key not in main:
            families.setdefault(key[:2], []).append(key)
    for keys in families.values():
        for key, p in zip(keys, holm([found[key].p for key in keys]), strict=True):
            found[key] = replace(found[key], adjusted=p, family=len(keys))
    return [
        replace(c, differences=tuple(found[i, d.kind, d.name] for d in c.differences))
        for i, c in enumerate(comparisons)
    ]


def firsts(differences: Sequence[Difference]) -> list[Difference]:
    """The first line of each kind: what its verdict rests on."""
    return list({d.kind: d for d in reversed(differences)}.values())[::-1]


def _corrected(found: Difference) -> str:
    return f", Holm over {found.family}" if found.family > 1 else ""


def _by_seed(side: Scores | Seeds, name: str) -> Seeds:
    if isinstance(side, Scores):
        return {0: side}
    if not side:
        raise ValueError(f"{name}: no run at all: give at least one seed's scores")
    return side


def _items(side: Seeds, name: str) -> dict[int, dict[str, Scored]]:
    """Each seed's items by id, made sure to be the same in all."""
    found = {s: {item.sample_id: item for item in scores.items} for s, scores in side.items()}
    (seed, first), *others = found.items()
    for other, items in others:
        _check_same(first, items, (f"{name}, seed {seed}", f"{name}, seed {other}"))
    return found


def _check_same(a: Mapping[str, Scored], b: Mapping[str, Scored], names: tuple[str, str]) -> None:
    for name, mine, other in ((names[0], a, b), (names[1], b, a)):
        only = [i for i in mine if i not in other]
        if only:
            shown = ", ".join(map(repr, only[:3])) + (", …" if len(only) > 3 else "")
            raise ValueError(
                f"not the same samples: {len(only)} of {len(mine)} are only in {name} ({shown}):"
                " compare runs that answered the same questions"
            )
    for sample_id, item in a.items():
        other_item = b[sample_id]
        # The same box has other pixels where another model saw the picture in another size.
        same = isinstance(item.truth, Box | Spots) or item.truth == other_item.truth
        if item.kind != other_item.kind or not same:
            raise ValueError(
                f"not the same samples: {sample_id!r} is {item.truth} in {names[0]} and"
                f" {other_item.truth} in {names[1]}"
            )


def _is_compared(line: Line) -> bool:
    return line.among == "all" and bool(line.better) and line.statistic in ("share", "mean")


def _is_measured(line: Line, item: str, sides: Sequence[_Side]) -> bool:
    """Whether every run has it: a belief may have been stored by some runs only."""
    return all(line.measure in items[item].measures for side in sides for items in side.values())


def _difference(kind: str, line: Line, ids: Sequence[str], sides: Sequence[_Side]) -> Difference:
    first, second = (_measured(line, ids, side) for side in sides)
    seeds = list(sides[0])
    paired = sides[0].keys() == sides[1].keys()
    if paired:
        second = second[[list(sides[1]).index(seed) for seed in seeds]]
    pictures = [item.picture or i for i, item in _one(sides[0], ids)]
    arms = [second - first] if paired or len(first) == len(second) == 1 else [second, -first]
    found = crossed(arms, pictures)
    p, test = _tested(line, found, first, second, pictures)
    return Difference(
        kind=kind,
        name=line.name,
        label=line.label,
        unit=line.unit,
        first=float(first.mean()),
        second=float(second.mean()),
        estimate=_closed(line, found),
        p=p,
        test=test,
        adjusted=p,
        family=1,
        detectable=detectable(found),
        by_seed=_each(line, seeds, first, second, pictures) if paired else (),
        better=line.better or "higher",
    )


def _measured(line: Line, ids: Sequence[str], side: _Side) -> Floats:
    """[K, N]: the line's measure of each seed's item."""
    return np.array([[items[i].measures[line.measure] for i in ids] for items in side.values()])


def _one(side: _Side, ids: Sequence[str]) -> list[tuple[str, Scored]]:
    items = next(iter(side.values()))
    return [(i, items[i]) for i in ids]


def _tested(
    line: Line, found: Crossed, first: Floats, second: Floats, pictures: Sequence[str]
) -> tuple[float, str]:
    """p and the test's name: over seeds where there are several, else over the items alone."""
    if found.se and min(len(first), len(second)) > 1:
        return found.p, "Student's t over seeds"
    return _over_items(line, first.mean(axis=0), second.mean(axis=0), pictures)


def _over_items(
    line: Line, first: Floats, second: Floats, pictures: Sequence[str]
) -> tuple[float, str]:
    """McNemar's exact test where answers are right or wrong, each to a picture of its own."""
    alone = len(set(pictures)) == len(pictures)
    if line.statistic == "share" and alone and set(first) | set(second) <= {0.0, 1.0}:
        return mcnemar(first == 1, second == 1), "McNemar's exact test"
    codes = np.unique(np.asarray(pictures), return_inverse=True)[1]
    return sign_flip(np.bincount(codes, second - first)), "sign flips"


def _each(
    line: Line, seeds: Sequence[int], first: Floats, second: Floats, pictures: Sequence[str]
) -> tuple[BySeed, ...]:
    return tuple(
        BySeed(seed, float(a.mean()), float(b.mean()), *_over_items(line, a, b, pictures))
        for seed, a, b in zip(seeds, first, second, strict=True)
    )


def _closed(line: Line, found: Crossed) -> Estimate:
    """Shares differ by a whole at most. Where none does, Wilson's interval of how many pictures
    may; means stay open."""
    value, n = found.estimate.value, found.pictures
    if line.statistic != "share":
        return found.estimate
    if found.estimate.low is not None and found.estimate.high is not None:
        ends = max(-1.0, found.estimate.low), min(1.0, found.estimate.high)
        return replace(found.estimate, low=ends[0], high=ends[1])
    if value not in (-1, 0, 1):
        return found.estimate
    differing = wilson(n * abs(int(value)), n)
    assert differing.low is not None
    assert differing.high is not None
    low, high = (-differing.high, differing.high) if not value else (differing.low, 1.0)
    ends = (-high, -low) if value < 0 else (low, high)
    return Estimate(value, *ends, f"Wilson, {n} pictures", found.estimate.n)
