"""Group questions by their facts, to filter answers and to break figures down."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from gnomon.answers.base.answer_type import Metric
from gnomon.answers.registry import TYPES
from gnomon.eval.formatting import difference_value_text, figure, interval_text
from gnomon.eval.scoring.metrics import Units, estimate_values
from gnomon.eval.scoring.question_file import Fact, plain_facts
from gnomon.eval.scoring.runs import RunResult, ScoredAnswer
from gnomon.eval.stats.intervals import Floats
from gnomon.sample import Sample

MOST = 12
"""Largest number of classes of a fact.

Facts with more different words are left out. Facts with more different numbers are binned."""
# Largest number of different values of a fact that are counted, which is enough for its bins.
_MOST_VALUES = 2000


# Largest number of instruments, each of which has a figure.
_MOST_INSTRUMENTS = 50
# Facts of user rows that are names, even if they look like numbers, for example dates.
_NAME_FACTS = ("file", "group", "picture")
# Facts that every user row has, but a drawn scene lacks.
_USER_ROW_FACTS = {"file", "line", "group"}


@dataclass(frozen=True, slots=True)
class FactClasses:
    """The classes of one fact among the questions of a type."""

    key: str
    name: str
    """The name of the fact as the report shows it."""
    labels: tuple[str, ...]
    edges: tuple[float, ...] = ()
    """Edges between the bins of numbers. The labels of bins come first in `labels`.

    Without edges, each number is a class."""

    def label_of(self, value: Fact) -> str | None:
        """Return the label of a value, or None if the value was not counted."""
        number = _number(value) if self.edges else None
        if number is not None:
            return self.labels[bisect_right(self.edges, number)]
        text = fact_text(value)
        return text if text in self.labels else None


def describe_answers(
    run: RunResult, samples: Mapping[str, Sample]
) -> Iterator[tuple[ScoredAnswer, str, Mapping[str, Fact]]]:
    """Yield each answer with the text and facts of its question.

    They come from the run's questions, or from `samples` if the run has no questions.
    """
    sources = {
        item.sample_id: name for name, scores in run.sources.items() for item in scores.items
    }
    questions = iter(run.questions)
    for item in run.scores.items:
        words, facts = "", {}
        if run.questions:
            # The questions are read from a file one by one: they may be too many for memory.
            question = next(questions)
            assert question.id == item.sample_id  # both are in the order of the samples
            words, facts = question.question, question.facts
        elif sample := samples.get(item.sample_id):
            words, facts = sample.question, plain_facts(sample.facts)
        source = {"source": sources[item.sample_id]} if item.sample_id in sources else {}
        yield item, words, {**source, **facts}


def facts_heading(run: RunResult, samples: Mapping[str, Sample]) -> str:
    """Return the heading of facts: "Drawn" if gnomon drew all pictures, else "Fact"."""
    is_drawn = False
    for _, _, facts in describe_answers(run, samples):
        if facts.keys() >= _USER_ROW_FACTS:
            return "Fact"
        is_drawn = is_drawn or bool(facts.keys() - {"source"})
    return "Drawn" if is_drawn else "Fact"


def fact_classes(run: RunResult, samples: Mapping[str, Sample]) -> dict[str, list[FactClasses]]:
    """Return the facts that divide the questions of each type of answer into classes."""
    counts: dict[str, dict[str, Counter[Fact]]] = {}
    for item, _, facts in describe_answers(run, samples):
        of_type = counts.setdefault(item.type_name, {})
        for name, value in facts.items():
            if name == "line":  # the line number of a row does not describe its picture
                continue
            counter = of_type.setdefault(name, Counter())
            # A value that is not counted does not get a label.
            if value in counter or len(counter) < _MOST_VALUES:
                counter[value] += 1
    return {
        type_name: [
            classes for name, counter in facts.items() if (classes := _classes(name, counter))
        ]
        for type_name, facts in counts.items()
    }


def _classes(name: str, counter: Counter[Fact]) -> FactClasses | None:
    """Return the classes of a fact, or None if it cannot divide the questions.

    This is so if all questions have the same value, or if there are too many words or names.
    """
    display_name = name.replace(".", " ").replace("_", " ")
    numbers = {value: number for value in counter if (number := _number(value)) is not None}
    words = sorted((value for value in counter if value not in numbers), key=fact_text)
    if len(counter) <= (_MOST_INSTRUMENTS if name == "instrument" else MOST):
        values = [*sorted(numbers, key=lambda value: numbers[value]), *words]
        labels = tuple(dict.fromkeys(map(fact_text, values)))
        return FactClasses(name, display_name, labels) if labels[1:] else None
    is_name = name in _NAME_FACTS and any(isinstance(value, str) for value in counter)
    if is_name or len(words) > MOST or len(numbers) <= MOST:
        return None
    all_numbers = np.repeat(list(numbers.values()), [counter[value] for value in numbers])
    # Quartiles, rounded to short labels. Rounding may make two edges equal.
    edges = sorted({float(f"{edge:.3g}") for edge in np.quantile(all_numbers, (0.25, 0.5, 0.75))})
    middle = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
    bins = f"under {edges[0]:g}", *middle, f"{edges[-1]:g} and over"
    return FactClasses(name, display_name, (*bins, *map(fact_text, words)), tuple(edges))


def _number(value: Fact) -> float | None:
    """Parse a finite number, else return None. Gauges store values as texts to keep all digits."""
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if isfinite(number) else None


def fact_text(value: Fact) -> str:
    """Format a fact's value as text, for example "yes" for True."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return value if isinstance(value, str) else f"{value:.4g}"


FEWEST = 10
"""Smallest number of answers in a slice. The figures of fewer answers are mostly chance."""
_MOST_FACTS = 8


def slices(
    runs: Sequence[RunResult],
    samples: Mapping[str, Sample],
    classes_by_type: Mapping[str, Sequence[FactClasses]],
) -> dict[str, dict[str, Any]]:
    """Return a table for each type of answer: its facts, with a row for each class.

    The gap of a fact is the last run's figure in its best class minus the figure in its worst
    class. The fact with the largest gap and the class with the worst figure come first.
    """
    tables = {}
    for type_name, classes_of_type in classes_by_type.items():
        metric = TYPES[type_name].metrics[0]
        columns = [_Column(run, samples, type_name, classes_of_type) for run in runs]
        gaps: dict[frozenset[tuple[int, ...]], tuple[float, FactClasses]] = {}
        for fact in classes_of_type:
            parts = columns[-1].parts(fact)
            means = [columns[-1].values[indices].mean() for indices in parts.values()]
            if len(means) > 1:
                # If two facts divide the answers in the same way, only the first is shown.
                partition = frozenset(map(tuple, columns[-1].indices_by_label[fact.name].values()))
                gaps.setdefault(partition, (max(means) - min(means), fact))
        ranked = sorted(gaps.values(), key=lambda pair: -pair[0])[:_MOST_FACTS]
        facts = [
            {
                "name": fact.name,
                "gap": difference_value_text(gap, metric.unit),
                "rows": _slice_rows(metric, columns, fact),
            }
            for gap, fact in ranked
        ]
        if facts:
            tables[type_name] = {"label": metric.label, "facts": facts}
    return tables


class _Column:
    """The answers of one run and type, with their measure and their class in each fact."""

    values: Floats
    items: list[ScoredAnswer]

    def __init__(
        self,
        run: RunResult,
        samples: Mapping[str, Sample],
        type_name: str,
        classes_of_type: Sequence[FactClasses],
    ) -> None:
        self.indices_by_label: dict[str, dict[str, list[int]]] = {
            fact.name: defaultdict(list) for fact in classes_of_type
        }
        values: list[float] = []
        self.items = []
        for item, _, facts in describe_answers(run, samples):
            if item.type_name != type_name:
                continue
            for fact in classes_of_type:
                # A value that was not counted does not have a label.
                if fact.key in facts and (label := fact.label_of(facts[fact.key])) is not None:
                    self.indices_by_label[fact.name][label].append(len(values))
            values.append(item.measures[TYPES[type_name].metrics[0].key])
            self.items.append(item)
        self.values = np.array(values)

    def parts(self, fact: FactClasses) -> dict[str, list[int]]:
        """Return the indices of the answers in each class, without classes of fewer than FEWEST."""
        by_label = self.indices_by_label[fact.name]
        return {label: by_label[label] for label in fact.labels if len(by_label[label]) >= FEWEST}


def _slice_rows(
    metric: Metric, columns: Sequence[_Column], fact: FactClasses
) -> list[tuple[Any, ...]]:
    """Return a row for each class: its label, its number of answers, and each run's figure.

    The class in which the last run is worst comes first.
    """
    parts = [column.parts(fact) for column in columns]
    sign = -1 if metric.better == "lower" else 1
    last = columns[-1]
    # The worst class of the last run comes first, because it shows what to train.
    ranked = sorted(parts[-1], key=lambda label: sign * last.values[parts[-1][label]].mean())
    rows = []
    for label in ranked:
        cells = []
        for column, of_run in zip(columns, parts, strict=True):
            indices = of_run.get(label, [])
            units = Units.of([column.items[index] for index in indices])
            estimate = estimate_values(metric, column.values[indices], units)
            cells.append(
                (figure(estimate.value, metric.unit), interval_text(estimate, metric.unit))
            )
        rows.append((label, len(parts[-1][label]), cells))
    return rows
