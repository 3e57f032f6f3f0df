"""Answers as data for a report: for the page's script, its examples, and a CSV file."""

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
    steps_text,
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
"""Largest number of questions in a page. It is less if there are more than two runs."""
_MOST_ANSWERS = 20_000
# Largest number of characters of all answers together. If they have more, each is shortened to an
# equal share, but to at least `_SHORTEST_CUT`.
_MOST_CHARACTERS = 20_000_000
_SHORTEST_CUT = 400
_STATES = ("right", "wrong", "not read")


def answer_browser_data(
    runs: Sequence[RunResult],
    samples: Mapping[str, Sample],
    classes_by_type: Mapping[str, Sequence[FactClasses]],
    chosen: Container[str],
) -> dict[str, Any]:
    """Collect the questions of the last run with the answers of all runs, for the page's script.

    If there are too many, an even selection is collected, together with the `chosen` sample ids.
    Questions, rules and classes of facts are listed once. Items refer to them by index.
    """
    n_questions = len(runs[-1].scores.items)
    # Every nth question, rounded up.
    step = max(1, -(-n_questions // min(MOST, _MOST_ANSWERS // len(runs))))
    facts: dict[str, _Index] = {_TYPE_FACT: _Index()} if len(classes_by_type) > 1 else {}
    for classes_of_type in classes_by_type.values():
        for classes in classes_of_type:  # in the order of the classes
            facts.setdefault(classes.name, _Index()).extend(classes.labels)
    questions, rules, error_classes = _Index(), _Index(), _Index()
    for type_name in classes_by_type:
        error_classes.extend(TYPES[type_name].error_histogram.names)
    items: dict[str, dict[str, Any]] = {}
    for index, (item, question, question_facts) in enumerate(describe_answers(runs[-1], samples)):
        # Chosen questions are always included: the script finds their pictures by id.
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
    """Yield (index of the fact, index of its class, exact value in a bin or "") for each fact."""
    index_of = {name: index for index, name in enumerate(facts)}
    if _TYPE_FACT in facts:
        yield index_of[_TYPE_FACT], facts[_TYPE_FACT][TYPES[item.type_name].title], ""
    for classes in classes_of_type:
        if (
            classes.key in question_facts
            and (label := classes.label_of(question_facts[classes.key])) is not None
        ):
            # A bin such as "5 to 10" hides the value, but the page shows it for a single question.
            exact = fact_text(question_facts[classes.key]) if classes.edges else ""
            yield index_of[classes.name], facts[classes.name][label], exact


def _answer_entry(
    item: ScoredAnswer, max_characters: int, rules: _Index, error_classes: _Index
) -> list[Any]:
    """Return the list that report.js expects for an answer.

    It has the excerpt, the value, the index of the state, the text of the error, the sort key, and
    the indices of the rule and of the error class. The value is "" if the text is only the value.
    Answers of a calibrated run also have the text of the interval, and 1 if the answer is refused,
    else 0. A last entry says which of its steps are wrong.
    """
    is_read = item.value is not None
    value = value_text(item.value, item.type_name) if is_read else ""
    more: list[Any] = []
    if item.certainty is not None:
        more = [certainty_text(item.certainty), int(item.certainty.refused)]
    if item.steps:
        more = [*(more or ["", 0]), steps_text(item)]
    return [
        excerpt(item.text, item.span, max_characters),
        # A clock's answer may have a leading zero that the value lacks: 09:15 counts as 9:15.
        "" if item.text.strip() in (value, f"0{value}") else value,
        _STATES.index(state_text(item)),
        error_text(item),
        float(f"{badness(item) if is_read else 0:.6g}"),
        rules[item.rule or ""],
        error_classes[error_class(item)],
        *more,
    ]


class _Index(dict[str, int]):
    """The index of each text. A new text gets the next index when it is looked up."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]

    def extend(self, texts: Iterable[str]) -> None:
        """Add texts that do not have an index yet."""
        for text in texts:
            self.setdefault(text, len(self))


def write_csv(path: Path, runs: Sequence[RunResult]) -> None:
    """Write a CSV row for each answer of each run, with its measures and its question's facts."""
    # Answers are read twice, first to collect the columns, because rows are not kept in memory.
    names = dict.fromkeys(name for row in _csv_rows(runs) for name in row)
    # Facts come last, because they are many, and users look for the measures.
    columns = sorted(names, key=lambda name: name.startswith("fact."))
    rows = ([row.get(name, "") for name in columns] for row in _csv_rows(runs))
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, chain([columns], rows))


def _csv_rows(runs: Sequence[RunResult]) -> Iterator[dict[str, Any]]:
    """Yield each answer as a dict of columns. Measures with the name of a column are left out."""
    for run in runs:
        for item, question, question_facts in describe_answers(run, {}):
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
            # A fact may have the name of a column or of a measure.
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
    """Select examples, and return the data URI of the picture and its frames by sample id.

    The URI is empty if there is no picture. For each type, the examples are the last run's worst
    answers, half as many answers that could not be read, some right answers, some refused answers,
    and some answers that only the first run or only the last run has right.
    """
    first_run = {item.sample_id: item.correct for item in runs[0].scores.items}
    chosen: dict[str, ScoredAnswer] = {}
    for type_name in runs[-1].scores.summaries:
        items = runs[-1].scores.of_type(type_name)
        # A question that is missing in the first run gives None, which is neither True nor False.
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
    """Return the error of a readable answer. The worst answer has the largest value."""
    answer_type, measures = TYPES[item.type_name], item.measures
    # The error is not capped at the cost of an unread answer, which would make many errors equal.
    if answer_type.cost_measure:
        return measures[answer_type.cost_measure]
    return 1 - measures[answer_type.reward_measure]


def _worst(items: Sequence[ScoredAnswer], n: int) -> list[ScoredAnswer]:
    """Return the n wrong answers with the largest error, and up to n // 2 unread answers."""
    wrong = [item for item in items if not item.correct]
    readable = [item for item in wrong if item.value is not None]
    # Ids break ties, because a run must always give the same page.
    readable.sort(key=lambda item: (-badness(item), item.sample_id))
    return readable[:n] + [item for item in wrong if item.value is None][: n // 2]


def _evenly_spaced(answers: Sequence[ScoredAnswer], n: int) -> list[ScoredAnswer]:
    """Return at most n answers, evenly spaced."""
    return list(answers[:: max(1, len(answers) // n)][:n]) if n else []


def _frames(
    item: ScoredAnswer, answers_by_run: Iterable[ScoredAnswer | None]
) -> Iterator[tuple[str | float, ...]]:
    """Yield frames of the true boxes and of each run's boxes.

    Boxes are in pixels of the size in which their model saw the picture.
    """
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
    """Yield a frame for each edge of a box: the band that probably contains the edge."""
    x1, y1, x2, y2 = corners
    low, high = ends
    for axis in (0, 2):
        yield _frame(css, (low[axis], y1, high[axis], y2), size)
        yield _frame(css, (x1, low[axis + 1], x2, high[axis + 1]), size)


def _crops(
    answers_by_run: Iterable[ScoredAnswer | None], full_size: Size | None
) -> Iterator[tuple[str | float, ...]]:
    """Yield a frame of each run's crop, if a run was asked about a part of the picture.

    `full_size` is the size of the whole picture.
    """
    for index, answer in enumerate(answers_by_run):
        if answer and answer.cut and full_size:
            yield _frame(f"{colour(index)} cut", answer.cut, full_size)


def _frame(css: str, corners: Corners, size: Size) -> tuple[str | float, ...]:
    """Return the CSS class, and left, top, width and height in percent, clipped to the picture.

    A box with swapped corners gets a width or height of 0.
    """
    (left, right), (top, bottom) = (
        [100 * min(max(corner / side, 0), 1) for corner in pair]
        for pair, side in zip((corners[::2], corners[1::2]), size, strict=True)
    )
    rectangle = left, top, max(right - left, 0), max(bottom - top, 0)
    return css, *(round(percent, 1) for percent in rectangle)
