"""Questions and answers as plain data inside the page, for its script to filter and sort."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gnomon.answers.types import TYPES
from gnomon.eval.comparing.runs import RunResult
from gnomon.eval.report.examples import given
from gnomon.eval.report.facts import Classes, described, shown
from gnomon.eval.report.figures import truth_text
from gnomon.eval.report.plots.charts import error_class
from gnomon.eval.scoring.questions import Fact
from gnomon.eval.scoring.scored import Scored
from gnomon.sample import Sample

MOST = 10_000
"""Questions in a page; fewer where there are more than two runs."""
_MOST_ANSWERS = 20_000
_CHARACTERS = 20_000_000
"""Of all answers together; where they have more, each is cut."""
_SHORTEST = 400
_STATES = ("right", "wrong", "not read")


def browsed(
    runs: Sequence[RunResult],
    samples: Mapping[str, Sample],
    by_kind: Mapping[str, Sequence[Classes]],
    pictured: Collection[str],
) -> dict[str, Any]:
    """The last run's questions, or so many of them evenly and those that have a picture.

    Questions, rules and classes of facts are told once, and then by their places.
    """
    asked = len(runs[-1].scores.items)
    step = max(1, -(-asked // min(MOST, _MOST_ANSWERS // len(runs))))
    facts = _labels(by_kind)
    questions, rules = _Places(), _Places()
    classes = dict.fromkeys(name for kind in by_kind for name in TYPES[kind].errors.names)
    errors = _Places(zip(classes, range(len(classes)), strict=True))  # in the charts' order
    items: dict[str, list[Any]] = {}
    for place, (item, words, drawn) in enumerate(described(runs[-1], samples)):
        if place % step == 0 or item.sample_id in pictured:
            if isinstance(name := drawn.get("picture"), str):
                words = f"{words} ({name})"
            codes = _codes(item, drawn, by_kind.get(item.kind, ()), facts)
            items[item.sample_id] = [
                item.sample_id, questions[words], truth_text(item.truth), codes, [None] * len(runs),
                _exact(drawn, by_kind.get(item.kind, ()), facts),
            ]  # fmt: skip
    most = max(_SHORTEST, _CHARACTERS // max(1, len(items) * len(runs)))
    for index, run in enumerate(runs):
        for item in run.scores.items:
            if item.sample_id in items:
                items[item.sample_id][4][index] = _answer(item, most, rules, errors)
    return {
        "asked": asked,
        "runs": [run.name for run in runs],
        "states": _STATES,
        "errors": list(errors),
        "questions": list(questions),
        "rules": list(rules),
        "facts": [[name, list(labels)] for name, labels in facts.items()],
        "items": list(items.values()),
    }


_KIND = "kind of answer"


def _labels(by_kind: Mapping[str, Sequence[Classes]]) -> dict[str, dict[str, int]]:
    """Each fact's classes with their places, of all kinds together."""
    found: dict[str, dict[str, int]] = {}
    if len(by_kind) > 1:
        found[_KIND] = {TYPES[kind].title: place for place, kind in enumerate(by_kind)}
    for known in by_kind.values():
        for fact in known:
            places = found.setdefault(fact.name, {})
            for label in fact.labels:
                places.setdefault(label, len(places))
    return found


def _codes(
    item: Scored,
    drawn: Mapping[str, Fact],
    known: Sequence[Classes],
    facts: Mapping[str, Mapping[str, int]],
) -> list[int]:
    """The place of each fact's class; -1 where the question has no such fact."""
    labels = {_KIND: TYPES[item.kind].title}
    for fact in known:
        if fact.key in drawn and (place := fact.of(drawn[fact.key])) is not None:
            labels[fact.name] = fact.labels[place]
    return [places[labels[name]] if name in labels else -1 for name, places in facts.items()]


def _exact(
    drawn: Mapping[str, Fact], known: Sequence[Classes], facts: Mapping[str, Mapping[str, int]]
) -> dict[int, str]:
    """The values of facts whose classes are bins, by the facts' places."""
    places = {name: place for place, name in enumerate(facts)}
    return {
        places[fact.name]: shown(drawn[fact.key])
        for fact in known
        if fact.edges and fact.key in drawn
    }


def _answer(item: Scored, most: int, rules: _Places, errors: _Places) -> list[Any]:
    """Its words in three parts, value, state, how far off in words and as a figure, rule, and the
    class of its error."""
    told = given("", item, most=most)
    badness = 0.0 if item.value is None else TYPES[item.kind].badness(item.measures)
    return [
        told.words,
        told.value,
        _STATES.index(told.state),
        told.how_far,
        float(f"{badness:.6g}"),
        rules[item.rule or ""],
        errors[error_class(item)],
    ]


class _Places(dict[str, int]):
    """The place of each text, in the order in which they came."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]
