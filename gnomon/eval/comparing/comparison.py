"""Comparison of two models on the same samples: differences, and which are more than luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any, TypeAlias

from gnomon.answers.base.metric import Line
from gnomon.answers.registry import TYPES
from gnomon.eval.belief import lines
from gnomon.eval.comparing.difference import Difference, Side, estimate_difference
from gnomon.eval.comparing.guessing import ChanceTest, compare_with_chance
from gnomon.eval.formatting import difference_text, figure, lower_first, p_text
from gnomon.eval.scoring.runs import ScoredAnswer, Scores
from gnomon.eval.stats.significance import holm

Seeds: TypeAlias = "Mapping[int, Scores]"
"""Scores of one recipe's runs by seed."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences of two models in every line, the most important of each kind first."""

    a: str
    b: str
    seeds: tuple[tuple[int, ...], tuple[int, ...]]
    """Seeds of the first and of the second model."""
    differences: tuple[Difference, ...]
    chance: tuple[dict[str, ChanceTest], dict[str, ChanceTest]] = ({}, {})
    """Tests of the first and of the second model against guessers, by kind."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values, each difference with its verdict; an infinite figure is null."""
        rows = [
            {
                **asdict(difference),
                "detectable": None if difference.detectable == inf else difference.detectable,
                "verdict": difference.verdict,
            }
            for difference in self.differences
        ]
        return {"a": self.a, "b": self.b, "seeds": self.seeds, "differences": rows}

    @property
    def sentences(self) -> tuple[str, ...]:
        """Verdict on each kind's first line, in words."""
        main = first_lines(self.differences)
        titles = [
            f"{TYPES[difference.kind].title}: " if len(main) > 1 else "" for difference in main
        ]
        return tuple(
            title + self._sentence(difference)
            for title, difference in zip(titles, main, strict=True)
        )

    @property
    def short_verdict(self) -> str:
        """Verdicts on all kinds in a sentence: "b against a: better at times; tied at numbers".

        Kinds in which b does not beat chance come first.
        """
        titles = {
            verdict: [
                lower_first(TYPES[difference.kind].title)
                for difference in first_lines(self.differences)
                if difference.verdict == verdict
            ]
            for verdict in ("better", "worse", "tied")
        }
        parts = [f"{verdict} at {', '.join(kinds)}" for verdict, kinds in titles.items() if kinds]
        # The second model alone: whether the first beats chance is no news of a comparison.
        at_chance = [
            lower_first(TYPES[kind].title)
            for kind, test in self.chance[1].items()
            if not test.is_beaten
        ]
        if not at_chance:
            return f"{self.b} against {self.a}: {'; '.join(parts)}"
        return (
            f"{self.b} is not shown to be better than chance at {', '.join(at_chance)}; against"
            f" {self.a}: {'; '.join(parts)}"
        )

    def _sentence(self, difference: Difference) -> str:
        """Put chance before the difference, unless the second model beats it."""
        first, second = (
            figure(mean, difference.unit) for mean in (difference.first, difference.second)
        )
        size = difference_text(difference.estimate, difference.unit)
        figures = f"{lower_first(difference.label)} {second} against {first}, {size}"
        correction = f", Holm over {difference.family}" if difference.family > 1 else ""
        figures += f", p {p_text(difference.adjusted)} ({difference.test}{correction})"
        # Reversed, so that the second model, which the sentence is about, comes first.
        chance, chance_of_a = (side.get(difference.kind) for side in self.chance[::-1])
        if chance is None or chance.is_beaten:
            if difference.verdict == "tied":
                return f"{self.b} and {self.a} are tied in this: {figures}"
            return f"{self.b} is {difference.verdict} than {self.a}: {figures}"
        if difference.verdict == "tied":
            neither = ", nor is " + self.a if chance_of_a and not chance_of_a.is_beaten else ""
            tie = f"{self.b} and {self.a} are tied in this"
            return f"{self.b} is {chance.words}{neither}; {tie}: {figures}"
        conjunction = "though" if difference.verdict == "better" else "and"
        verdict = f"{conjunction} {difference.verdict} than {self.a}"
        return f"{self.b} is {chance.words}, {verdict}: {figures}"


def compare(
    a: Scores | Seeds, b: Scores | Seeds, *, names: tuple[str, str] = ("a", "b")
) -> Comparison:
    """Compare b with a, item by item; refused unless both have the same items.

    Either is one run, or several by seed. Every item counts: unread answers as wrong, or with what
    they are charged. With several seeds a line is judged by Student's t over seeds and pictures
    (`crossed`), with one by McNemar's exact test or sign flips over the items, which says nothing
    of other seeds. The first lines of all kinds are corrected together by Holm, the other lines of
    each kind among themselves.
    """
    return apply_holm([compare_uncorrected(a, b, names=names)])[0]


def compare_uncorrected(
    a: Scores | Seeds, b: Scores | Seeds, *, names: tuple[str, str] = ("a", "b")
) -> Comparison:
    """Compare without any correction, if several comparisons are to be corrected together."""
    # A single run is a recipe with one seed, whatever its seed was.
    first, second = ({0: side} if isinstance(side, Scores) else side for side in (a, b))
    sides = [_items_by_seed(side, name) for side, name in zip((first, second), names, strict=True)]
    items = next(iter(sides[0].values()))
    _check_same(items, next(iter(sides[1].values())), names)
    differences = []
    for kind in next(iter(first.values())).summaries:
        of_kind = [i for i, item in items.items() if item.kind == kind]
        costs = TYPES[kind].costs([items[i].truth for i in of_kind])
        for line in lines(kind, [items[i].measures for i in of_kind]):
            # Medians and R² have no measure per item, and a line without a better side has no
            # verdict.
            if line.among != "all" or not line.better or line.statistic not in ("share", "mean"):
                continue
            ids = [i for i in of_kind if _is_measured(line, i, sides)]
            if ids:
                most = _largest_difference(line, sum(costs) / len(costs))
                differences.append(estimate_difference(kind, line, ids, sides, most=most))
    chance = compare_with_chance(first), compare_with_chance(second)
    return Comparison(*names, (tuple(first), tuple(second)), tuple(differences), chance)


def apply_holm(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Apply Holm's correction: over the first lines of all kinds and comparisons; over the other
    lines of one kind in one comparison."""
    by_key = {(i, d.kind, d.name): d for i, c in enumerate(comparisons) for d in c.differences}
    main_keys = [
        (i, d.kind, d.name) for i, c in enumerate(comparisons) for d in first_lines(c.differences)
    ]
    families: dict[tuple[int, str] | None, list[tuple[int, str, str]]] = {None: main_keys}
    # Families: None is that of all first lines, else comparison and kind.
    for key in by_key:
        if key not in main_keys:
            families.setdefault(key[:2], []).append(key)
    for keys in families.values():
        for key, p in zip(keys, holm([by_key[key].p for key in keys]), strict=True):
            by_key[key] = replace(by_key[key], adjusted=p, family=len(keys))
    return [
        replace(c, differences=tuple(by_key[i, d.kind, d.name] for d in c.differences))
        for i, c in enumerate(comparisons)
    ]


def first_lines(differences: Sequence[Difference]) -> list[Difference]:
    """Select the first line of each kind, on which its verdict rests."""
    # A dict keeps the last of each key: the first line, if the order is reversed.
    return list({d.kind: d for d in reversed(differences)}.values())[::-1]


def _items_by_seed(side: Seeds, name: str) -> dict[int, dict[str, ScoredAnswer]]:
    """Return each seed's items by id; refuse seeds with other items."""
    by_seed = {s: {item.sample_id: item for item in scores.items} for s, scores in side.items()}
    # All seeds are compared with the first: equal to it, they are equal to each other.
    (seed, first), *rest = by_seed.items()
    for other, items in rest:
        _check_same(first, items, (f"{name}, seed {seed}", f"{name}, seed {other}"))
    return by_seed


def _check_same(
    a: Mapping[str, ScoredAnswer], b: Mapping[str, ScoredAnswer], names: tuple[str, str]
) -> None:
    """Refuse two runs that answered other samples, or the same ids with other truths."""
    for name, ids, other_ids in ((names[0], a, b), (names[1], b, a)):
        missing = [i for i in ids if i not in other_ids]
        if missing:
            examples = ", ".join(map(repr, missing[:3])) + (", …" if len(missing) > 3 else "")
            raise ValueError(
                f"not the same samples: {len(missing)} of {len(ids)} are only in {name}"
                f" ({examples}): compare runs that answered the same questions"
            )
    for sample_id, item in a.items():
        other_item = b[sample_id]
        # The same box has other pixels where another model saw the picture in another size.
        same = item.truth.has_place or item.truth == other_item.truth
        if item.kind != other_item.kind or not same:
            raise ValueError(
                f"not the same samples: {sample_id!r} is {item.truth} in {names[0]} and"
                f" {other_item.truth} in {names[1]}"
            )


def _largest_difference(line: Line, cost: float) -> float:
    """Largest amount by which two models can differ; `cost` is what an unread answer costs."""
    # Nobody can be further off than an unread answer is charged with.
    if line.measure == "charged" or line.unit == "min":
        return cost
    return 1.0 if line.statistic == "share" or line.unit == "%" or line.better == "higher" else inf


def _is_measured(line: Line, item: str, sides: Sequence[Side]) -> bool:
    """True if every run has the line's measure of an item: some may have stored no belief."""
    return all(line.measure in items[item].measures for side in sides for items in side.values())
