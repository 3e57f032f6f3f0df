"""What a run of samples holds, in counts that add up: of a shard, of a split, of a directory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from gnomon.answers.bars import counted
from gnomon.sample import TARGETS, Sample
from gnomon.store.reading.samples import Samples

SOURCE, KIND, QUESTION, ANSWER = "source", "kind", "question", "answer"
PICTURE, TEXTS, LENGTHS = "picture", "texts, the commonest", "questions, characters"
OTHERS = "others"
_MOST, _MOST_OF = 60, {PICTURE: 20, TEXTS: 20}
"""How many labels are kept, so that a manifest of a thousand shards stays small."""
_LONGEST = 60
_FIRST = {axis: place for place, axis in enumerate((SOURCE, KIND, QUESTION, ANSWER))}
_DRAWN = re.compile(r"(.+-v\d+-[0-9a-f]{8}-.+)-\d+$", re.ASCII)
_ORDER = {label: place for kind in TARGETS.values() for place, label in enumerate(kind.bars)}
"""The bars that have an order of their own, from the least."""


class Tally:
    """Counts by axis and label, such as by kind, by question, by the hour of the answer."""

    def __init__(self, titles: Titles) -> None:
        self._titles = titles
        self._counts: dict[str, Counter[str]] = {}

    def add(self, sample: Sample, source: int = 0) -> None:
        """Take in one sample, of that place among the sources."""
        if len(self._titles.sources) > 1:
            self._count(SOURCE, self._titles.sources[source])
        kind = self._titles.kind(sample.id)
        self._count(KIND, kind)
        form = sample.facts.get("question")
        self._count(QUESTION, f"{kind}: {form}" if isinstance(form, str) else kind)
        self._count(ANSWER, sample.target.name)
        size = sample.image.size if sample.image else None
        self._count(sample.target.histogram, sample.target.bar(size))
        if sample.target.words:
            self._count(TEXTS, sample.target.words)
        self._count(
            PICTURE, " and ".join("×".join(map(str, i.size)) for i in sample.images) or "none"
        )
        self._count(LENGTHS, counted(len(sample.question)))

    def to_json(self) -> dict[str, dict[str, int]]:
        """Plain counts; of open lists the commonest labels, and how many others."""
        return {axis: shortened(axis, counts) for axis, counts in self._counts.items()}

    def _count(self, axis: str, label: str) -> None:
        label = " ".join(label.split())
        label = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
        self._counts.setdefault(axis, Counter())[label] += 1


class Titles:
    """What the sources and the kinds of samples are called."""

    def __init__(self, samples: Samples) -> None:
        self.sources = source_names(samples.describe())
        self._kinds = {drawn.name: _levelled(drawn) for drawn in samples.generators()}

    def kind(self, sample_id: str) -> str:
        """The kind and its level, as far as a sample's id tells them."""
        if (drawn := _DRAWN.match(sample_id)) is None:
            return "own rows"
        return self._kinds.get(drawn[1]) or drawn[1].partition("-")[0]


def merged(parts: Iterable[Mapping[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    """The counts of several runs as those of one."""
    total: dict[str, Counter[str]] = {}
    for part in parts:
        for axis, counts in part.items():
            total.setdefault(axis, Counter()).update(counts)
    axes = sorted(total, key=lambda axis: (_FIRST.get(axis, len(_FIRST)), axis))
    return {axis: shortened(axis, total[axis]) for axis in axes}


def shortened(axis: str, counts: Mapping[str, int]) -> dict[str, int]:
    """In order: as the bars stand, or the commonest first; the rest of a long list as others."""
    known = {label: many for label, many in counts.items() if label != OTHERS}
    labels = sorted(known, key=lambda label: (_ORDER.get(label, -1), -known[label], label))
    kept = labels[: _MOST_OF.get(axis, _MOST)]
    rest = sum(counts.values()) - sum(known[label] for label in kept)
    return {label: known[label] for label in kept} | ({OTHERS: rest} if rest else {})


def source_names(description: Mapping[str, Any]) -> list[str]:
    """What each source of a description is called; those of one name have their place with it."""
    found = [_named(source) for source in description.get("sources", [description])]
    return [n if found.count(n) == 1 else f"{n} ({i})" for i, n in enumerate(found, 1)]


def _named(source: Mapping[str, Any]) -> str:
    names = (source.get(key) for key in ("kind", "directory", "file", "source"))
    return str(next(name for name in names if name))


def _levelled(drawn: Any) -> str:
    level = drawn.options.get("level")
    return f"{drawn.kind} {level}" if level else str(drawn.kind)
