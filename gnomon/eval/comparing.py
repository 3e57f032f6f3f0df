"""Two runs on the same samples: what differs, and whether that is more than luck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from gnomon.eval.figures import difference_text, figure, lowered, p_text
from gnomon.eval.kinds import KINDS
from gnomon.eval.statistics import Estimate, mcnemar, paired_difference
from gnomon.sample import Box, Spots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.eval.kinds.base import Line
    from gnomon.eval.scored import Scored, Scores

Verdict: TypeAlias = Literal["better", "worse", "tied"]

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Difference:
    """The second run minus the first in one line of the summary, over the same items."""

    kind: str
    name: str
    label: str
    unit: str
    first: float
    second: float
    estimate: Estimate
    p: float | None
    """Exact McNemar for shares; None for means, where the interval decides."""
    verdict: Verdict
    """What is shown of the second run; "tied" where nothing is."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences of two runs, the most important of each kind first."""

    a: str
    b: str
    differences: tuple[Difference, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict on each kind's first line, in words."""
        first = {d.kind: d for d in reversed(self.differences)}
        return tuple(self._sentence(d) for d in reversed(first.values()))

    def _sentence(self, found: Difference) -> str:
        first, second = (figure(mean, found.unit) for mean in (found.first, found.second))
        amount = difference_text(found.estimate, found.unit)
        shown = f"{lowered(found.label)} {second} against {first}, {amount}"
        if found.p is not None:
            shown += f", p {p_text(found.p)} (McNemar's exact test)"
        if found.verdict == "tied":
            return f"{self.b} and {self.a} are tied, nothing is shown: {shown}"
        return f"{self.b} is {found.verdict} than {self.a}: {shown}"


def compare(a: Scores, b: Scores, *, names: tuple[str, str] = ("a", "b")) -> Comparison:
    """What b does better or worse than a, item by item; refused unless both have the same items.

    Shares are judged by McNemar's exact test, means by whether the paired bootstrap interval
    leaves out 0. Every item counts: unread answers as wrong, or with what they are charged. Each
    line is judged alone; with many lines, one in twenty would differ by luck.
    """
    first, second = ({item.sample_id: item for item in scores.items} for scores in (a, b))
    _check_same(first, second, names)
    differences = []
    for kind in a.summaries:
        pairs = [(x, second[i]) for i, x in first.items() if x.kind == kind]
        for line in KINDS[kind].lines:
            if line.among == "all" and line.better and line.statistic in ("share", "mean"):
                differences.append(_difference(kind, line, pairs))
    return Comparison(*names, tuple(differences))


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


def _difference(kind: str, line: Line, pairs: Sequence[tuple[Scored, Scored]]) -> Difference:
    first = [a.measures[line.measure] for a, _ in pairs]
    second = [b.measures[line.measure] for _, b in pairs]
    estimate = paired_difference(first, second)
    p = None
    if line.statistic == "share":
        p = mcnemar([x == 1 for x in first], [x == 1 for x in second]).value
    return Difference(
        kind=kind,
        name=line.name,
        label=line.label,
        unit=line.unit,
        first=sum(first) / len(first),
        second=sum(second) / len(second),
        estimate=estimate,
        p=p,
        verdict=_verdict(line, estimate, p),
    )


def _verdict(line: Line, estimate: Estimate, p: float | None) -> Verdict:
    if not estimate.value or not _is_shown(estimate, p):
        return "tied"
    return "better" if (estimate.value > 0) == (line.better == "higher") else "worse"


def _is_shown(estimate: Estimate, p: float | None) -> bool:
    if p is not None:
        return p < ALPHA
    if estimate.low is None or estimate.high is None:
        return 2 * 0.5**estimate.n < ALPHA  # all items differ by the same: a sign test decides
    return estimate.low > 0 or estimate.high < 0
