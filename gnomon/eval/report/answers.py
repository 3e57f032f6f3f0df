"""Answers as data: for the page's script to filter and sort, for its examples, and for a CSV."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from gnomon.answers.base.answer_type import boxes_in
from gnomon.answers.base.target import Corners
from gnomon.answers.registry import TYPES
from gnomon.atomic import replace_file
from gnomon.eval.formatting import (
    certainty_text,
    error_text,
    state_text,
    truth_text,
    value_text,
)
from gnomon.eval.report.facts import FactClasses, describe_answers, fact_text
from gnomon.eval.report.markup import data_uri, excerpt
from gnomon.eval.report.plots import colour, error_class
from gnomon.eval.scoring.question_file import Fact
from gnomon.eval.scoring.runs import RunResult, ScoredAnswer
from gnomon.files import write_rows
from gnomon.sample import Sample, Size

MOST = 10_000
"""Questions in a page; fewer if there are more than two runs."""
_MOST_ANSWERS = 20_000
# Characters of all answers together; if they have more, each is shortened, but to no fewer than
# `_SHORTEST_CUT`.
_MOST_CHARACTERS = 20_000_000
_SHORTEST_CUT = 400
_STATES = ("right", "wrong", "not read")


def answer_browser_data(
    runs: Sequence[RunResult],
    samples: Mapping[str, Sample],
    classes_by_type: Mapping[str, Sequence[FactClasses]],
    chosen: Container[str],
) -> dict[str, Any]:
    """Collect the last run's questions, or an even selection of them and the chosen ones.

    Questions, rules and classes of facts are listed once, and referred to by their index.
    """
    n_questions = len(runs[-1].scores.items)
    # Every nth question, rounded up.
    step = max(1, -(-n_questions // min(MOST, _MOST_ANSWERS // len(runs))))
    facts: dict[str, _Index] = {_TYPE_FACT: _Index()} if len(classes_by_type) > 1 else {}
    for classes_of_type in classes_by_type.values():
        for classes in classes_of_type:  # in the order of the classes, not of the questions
            facts.setdefault(classes.name, _Index()).extend(classes.labels)
    questions, rules, error_classes = _Index(), _Index(), _Index()
    for type_name in classes_by_type:
        error_classes.extend(TYPES[type_name].error_histogram.names)
    items: dict[str, dict[str, Any]] = {}
    for index, (item, question, question_facts) in enumerate(describe_answers(runs[-1], samples)):
        # Questions with a picture are always there: the script looks their pictures up by id.
        if index % step == 0 or item.sample_id in chosen:
            if isinstance(name := question_facts.get("picture"), str):
                question = f"{question} ({name})"
            items[item.sample_id] = {
                "id": item.sample_id,
                "question": questions[question],
                "truth": truth_text(item.truth),
                "facts": list(
                    _fact_entries(
                        item, question_facts, classes_by_type.get(item.type_name, ()), facts
                    )
                ),
                "answers": [None] * len(runs),
            }
    max_characters = max(_SHORTEST_CUT, _MOST_CHARACTERS // max(1, len(items) * len(runs)))
    for index, run in enumerate(runs):
        for item in run.scores.items:
            if item.sample_id in items:
                items[item.sample_id]["answers"][index] = _answer_entry(
                    item, max_characters, rules, error_classes
                )
    return {
        "n_questions": n_questions,
        "runs": [run.name for run in runs],
        "states": _STATES,
        "errors": list(error_classes),
        "questions": list(questions),
        "rules": list(rules),
        "facts": [[name, list(labels)] for name, labels in facts.items()],
        "items": list(items.values()),
    }


_TYPE_FACT = "kind of answer"


def _fact_entries(
    item: ScoredAnswer,
    question_facts: Mapping[str, Fact],
    classes_of_type: Sequence[FactClasses],
    facts: Mapping[str, _Index],
) -> Iterator[tuple[int, int, str]]:
    """Yield the indices of each fact and of its class, and the exact value if the class is a
    bin."""
    index_of = {name: index for index, name in enumerate(facts)}
    if _TYPE_FACT in facts:
        yield index_of[_TYPE_FACT], facts[_TYPE_FACT][TYPES[item.type_name].title], ""
    for classes in classes_of_type:
        if (
            classes.key in question_facts
            and (label := classes.label_of(question_facts[classes.key])) is not None
        ):
            # A bin such as "5 to 10" hides the value, which the page shows for a single question.
            exact = fact_text(question_facts[classes.key]) if classes.edges else ""
            yield index_of[classes.name], facts[classes.name][label], exact


def _answer_entry(
    item: ScoredAnswer, max_characters: int, rules: _Index, error_classes: _Index
) -> list[Any]:
    """Return [excerpt, value or "" if the text is just that, state, error text, sort key, reading
    rule, error class]; of a calibrated run also [interval text, 1 if it abstains]."""
    is_read = item.value is not None
    value = value_text(item.value, item.type_name) if is_read else ""
    certainty: list[Any] = []
    if item.certainty is not None:
        certainty = [certainty_text(item.certainty), int(item.certainty.refused)]
    return [
        excerpt(item.text, item.span, max_characters),
        # A clock's answer may have a leading zero that the value lacks: 09:15 is no other text than
        # 9:15.
        "" if item.text.strip() in (value, f"0{value}") else value,
        _STATES.index(state_text(item)),
        error_text(item),
        float(f"{badness(item) if is_read else 0:.6g}"),
        rules[item.rule or ""],
        error_classes[error_class(item)],
        *certainty,
    ]


class _Index(dict[str, int]):
    """Index of each text, in the order in which they come."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]

    def extend(self, texts: Iterable[str]) -> None:
        """Add these texts before others come."""
        for text in texts:
            self.setdefault(text, len(self))


def write_csv(
    path: Path, runs: Sequence[RunResult], samples: Mapping[str, Sample] | None = None
) -> None:
    """Write a row per answer of each run, with its measures and the facts of its question."""
    # The answers are gone through twice: columns first, so that no row has to wait for the last
    # one.
    names = dict.fromkeys(name for row in _csv_rows(runs, samples or {}) for name in row)
    # Facts come last, for types have many and measures are what is looked for.
    columns = sorted(names, key=lambda name: name.startswith("fact."))
    rows = ([row.get(name, "") for name in columns] for row in _csv_rows(runs, samples or {}))
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, chain([columns], rows))


def _csv_rows(runs: Sequence[RunResult], samples: Mapping[str, Sample]) -> Iterator[dict[str, Any]]:
    """Yield the columns of each answer by name; measures that clash with a column are left out."""
    for run in runs:
        for item, question, question_facts in describe_answers(run, samples):
            answer = {
                "run": run.name,
                "sample_id": item.sample_id,
                "kind": item.type_name,
                "question": question,
                "truth": truth_text(item.truth),
                "text": item.text,
                "value": "" if item.value is None else value_text(item.value, item.type_name),
                "rule": item.rule or "",
                "state": state_text(item),
            }
            if item.cut is not None:
                names = ("cut_x1", "cut_y1", "cut_x2", "cut_y2")
                answer |= {name: str(at) for name, at in zip(names, item.cut, strict=True)}
            if item.certainty is not None:
                low, high = item.certainty.interval
                answer |= {"low": low, "high": high, "confidence": str(item.certainty.confidence)}
                answer["refused"] = "yes" if item.certainty.refused else ""
            # A fact may be named like a column or a measure.
            fact_columns = {f"fact.{name}": value for name, value in question_facts.items()}
            measures = {name: value for name, value in item.measures.items() if name not in answer}
            yield answer | measures | fact_columns


def example_pictures(
    runs: Sequence[RunResult],
    samples: Mapping[str, Sample],
    *,
    n_worst: int,
    n_right: int,
    n_disagreeing: int,
) -> dict[str, tuple[str, list[Any]]]:
    """Return a data URI and frames by question id; the URI is empty without a picture.

    Selected are of each type the last run's worst answers and half as many unread ones, some right
    ones, some that are refused, and some that are right in only one of the first and the last run.
    """
    first_run = {item.sample_id: item.correct for item in runs[0].scores.items}
    chosen: dict[str, ScoredAnswer] = {}
    for type_name in runs[-1].scores.summaries:
        items = runs[-1].scores.of_type(type_name)
        # first_run has no entry for a question that the first run was not asked: None equals
        # neither.
        in_dispute = [item for item in items if first_run.get(item.sample_id) == (not item.correct)]
        selection = _worst(items, n_worst)
        selection += _evenly_spaced([item for item in items if item.correct], n_right)
        refused = [item for item in items if item.certainty and item.certainty.refused]
        selection += _evenly_spaced(refused, n_worst // 2)
        selection += _evenly_spaced(in_dispute, n_disagreeing)
        chosen |= {item.sample_id: item for item in selection}
    answers = [{i.sample_id: i for i in run.scores.items if i.sample_id in chosen} for run in runs]
    pictures = {}
    for sample_id, item in chosen.items():
        sample = samples.get(sample_id)
        picture = data_uri(sample.display) if sample and sample.display else ""
        answers_by_run = [by_id.get(sample_id) for by_id in answers]
        full_size = sample.image.size if sample and sample.image else None
        frames = [
            *_frames(item, answers_by_run),
            *_crops(answers_by_run, full_size),
        ]
        pictures[sample_id] = picture, frames
    return pictures


def badness(item: ScoredAnswer) -> float:
    """Return the key by which the worst of the readable answers are sorted first."""
    answer_type, measures = TYPES[item.type_name], item.measures
    # Without the limit of the charge, beyond which all answers would be equally bad.
    if answer_type.cost_measure:
        return measures[answer_type.cost_measure]
    return 1 - measures[answer_type.reward_measure]


def _worst(items: Sequence[ScoredAnswer], n: int) -> list[ScoredAnswer]:
    """Return the n answers that are furthest off, and up to half as many unread ones."""
    wrong = [item for item in items if not item.correct]
    readable = [item for item in wrong if item.value is not None]
    # Ids break ties, so that the same run gives the same page.
    readable.sort(key=lambda item: (-badness(item), item.sample_id))
    return readable[:n] + [item for item in wrong if item.value is None][: n // 2]


def _evenly_spaced(answers: Sequence[ScoredAnswer], n: int) -> list[ScoredAnswer]:
    """Return at most n answers, evenly spaced."""
    return list(answers[:: max(1, len(answers) // n)][:n]) if n else []


def _frames(
    item: ScoredAnswer, answers_by_run: Iterable[ScoredAnswer | None]
) -> Iterator[tuple[str | float, ...]]:
    """Yield true boxes and those of the runs, each in the size in which its model saw the
    picture."""
    if item.size is None:
        return
    for corners in item.truth.boxes:
        yield _frame("truth", corners, item.size)
    for index, answer in enumerate(answers_by_run):
        if answer and answer.size and answer.value is not None:
            boxes = boxes_in(TYPES[answer.type_name], answer.value)
            for corners, ends in zip(boxes, answer.intervals, strict=False):
                if ends is not None:
                    yield from _bands(f"{colour(index)} edge", corners, ends, answer.size)
            for corners in boxes:
                yield _frame(colour(index), corners, answer.size)


def _bands(
    css: str, corners: Corners, ends: tuple[Corners, Corners], size: Size
) -> Iterator[tuple[str | float, ...]]:
    """Yield the band along each edge of a box in which it is believed to lie."""
    x1, y1, x2, y2 = corners
    low, high = ends
    for axis in (0, 2):
        yield _frame(css, (low[axis], y1, high[axis], y2), size)
        yield _frame(css, (x1, low[axis + 1], x2, high[axis + 1]), size)


def _crops(
    answers_by_run: Iterable[ScoredAnswer | None], full_size: Size | None
) -> Iterator[tuple[str | float, ...]]:
    """Yield the part of the picture, whose size is `full_size`, that each run was asked about."""
    for index, answer in enumerate(answers_by_run):
        if answer and answer.cut and full_size:
            yield _frame(f"{colour(index)} cut", answer.cut, full_size)


def _frame(css: str, corners: Corners, size: Size) -> tuple[str | float, ...]:
    """Return left, top, width and height in percent, inside the picture; swapped corners leave a
    line."""
    (left, right), (top, bottom) = (
        [100 * min(max(corner / side, 0), 1) for corner in pair]
        for pair, side in zip((corners[::2], corners[1::2]), size, strict=True)
    )
    rectangle = left, top, max(right - left, 0), max(bottom - top, 0)
    return css, *(round(percent, 1) for percent in rectangle)
