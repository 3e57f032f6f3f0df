"""Score predictions: read each answer, measure it, and summarize each type of answer."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gnomon.answers.base.answer_type import Metric, ModelAnswer
from gnomon.answers.reading.base import Which
from gnomon.answers.reading.steps import value_start
from gnomon.answers.registry import TYPES, may_be_refusal
from gnomon.answers.unreadable.read import is_refusal, is_whole_refusal
from gnomon.dialect import create
from gnomon.eval.scoring import belief, certainty, edges, steps
from gnomon.eval.scoring.chance import chance
from gnomon.eval.scoring.metrics import Units, estimate_metric
from gnomon.eval.scoring.question_file import Question
from gnomon.eval.scoring.runs import Result, ScoredAnswer, Scores, Summary
from gnomon.sample import Prediction, Sample, Target


def score(
    predictions: Iterable[Prediction],
    samples: Iterable[Sample | Question],
    *,
    which: Which = "final",
) -> Scores:
    """Score one prediction for each sample. The value of an answer is read from its text.

    An answer that cannot be read is wrong, and is also counted separately. Raises a ValueError if
    a sample has no prediction or two predictions, or if a prediction has no sample. If a text
    states several values, `which` selects one. Predictions and samples are each iterated once.
    """
    predictions_with_beliefs: defaultdict[str, list[tuple[Prediction, Target]]] = defaultdict(list)
    answers: list[ScoredAnswer] = []
    for prediction, sample in pair_answers(predictions, samples):
        answer = _read_answer(prediction, Question.of(sample), which)
        if prediction.logprobs and len(predictions_with_beliefs[answer.type_name]) < _MOST_BELIEFS:
            predictions_with_beliefs[answer.type_name].append((prediction, answer.truth))
        answers.append(answer)
    summaries, constant_measures = {}, {}
    if has_refusals(answers):
        answers = [measure_refusal(answer) for answer in answers]
    # The order of TYPES is the order of types in reports.
    for type_name in TYPES:
        indices = [index for index, answer in enumerate(answers) if answer.type_name == type_name]
        if not indices:
            continue
        # The cost of an unread answer depends on all truths of its type.
        costs = TYPES[type_name].costs([answers[index].truth for index in indices])
        for index, cost in zip(indices, costs, strict=True):
            answers[index] = _measure(answers[index], cost)
        of_type = [answers[index] for index in indices]
        guesses = chance(type_name, of_type)
        uniform = belief.uniform(predictions_with_beliefs[type_name], type_name)
        summaries[type_name] = _summary(type_name, of_type, guesses.metrics, uniform)
        constant_measures[type_name] = guesses.constant_measures
    return Scores(tuple(answers), summaries, constant_measures)


def score_answer(
    prediction: Prediction, question: Question, cost: float, *, which: Which = "final"
) -> ScoredAnswer:
    """Read and measure one answer.

    `cost` is the error of an answer that cannot be read, and the largest error of other answers.
    """
    return _measure(_read_answer(prediction, question, which), cost)


def _read_answer(prediction: Prediction, question: Question, which: Which) -> ScoredAnswer:
    """Read an answer. It has only measures of belief, interval and edges, until `_measure`."""
    truth = question.truth_at(prediction.size)
    type_name = truth.type_name
    dialect, size = create(prediction.dialect), prediction.size
    text = prediction.text
    form = truth.answer_form
    reading = TYPES[type_name].read(text, form, which=which, dialect=dialect, size=size)
    # If the text ends with a refusal, an earlier number is not the answer. A value at the end of
    # the text stays, because "unreadable" itself may be the answer.
    if reading and reading.span[1] < len(text.rstrip()) and is_whole_refusal(text):
        reading = None
    if question.steps and value_start(text) == len(text):
        reading = None
    value = reading.value if reading else None
    return ScoredAnswer(
        sample_id=prediction.sample_id,
        type_name=type_name,
        truth=truth,
        text=text,
        value=value,
        rule=reading.rule if reading else None,
        correct=False,
        measures=belief.measures(prediction, truth, type_name)
        | certainty.measures(prediction, truth, type_name)
        | edges.measures(prediction, truth, type_name, value),
        steps=steps.score_steps(text, question.steps),
        size=size,
        picture=question.picture,
        group=question.group,
        span=reading.span if reading else None,
        cut=prediction.cut,
        certainty=prediction.certainty,
        intervals=tuple(edges.box_intervals(prediction, value, type_name)),
        # The true text of a sign or of a choice may be "unreadable".
        is_refusal=is_refusal(text) and not may_be_refusal(truth),
    )


def _measure(answer: ScoredAnswer, cost: float) -> ScoredAnswer:
    """Add the measures of the value, and decide if it is correct."""
    answer_type = TYPES[answer.type_name]
    start = value_start(answer.text)
    text = answer.text[start:].strip() if start else answer.text
    measures = answer_type.measures(answer.truth, ModelAnswer(answer.value, text), cost)
    # These measures are too slow for `chance`, which measures many candidates.
    measures |= answer_type.measures_without_chance(answer.truth, answer.value, answer.size)
    correct = answer_type.is_correct(measures)
    measures |= answer.measures | steps.measures(answer, measures, correct=correct)
    if measures.get("answered"):
        measures[certainty.RIGHT] = float(correct)
    return replace(answer, measures=measures, correct=correct)


def _summary(
    type_name: str,
    answers: Sequence[ScoredAnswer],
    guesses: Mapping[str, dict[str, float]],
    uniform: Mapping[str, float],
) -> Summary:
    """Estimate all metrics of one type of answer, with the figures of guessers."""
    chance_by_metric = {
        **guesses,
        **{measure: {"uniform": value} for measure, value in uniform.items()},
    }
    units = Units.of(answers)
    metrics = metrics_of(type_name, [answer.measures for answer in answers])
    results = tuple(
        Result(
            name=metric.name,
            label=metric.label,
            unit=metric.unit,
            better=metric.better,
            headline=metric.headline,
            estimate=estimate_metric(metric, answers, units),
            # Guessers lack figures for refusals, intervals, edges, and beliefs from a search.
            chance=chance_by_metric.get(metric.name, {}),
        )
        for metric in TYPES[type_name].present(metrics, [answer.truth for answer in answers])
    )
    unread = sum(answer.value is None for answer in answers)
    return Summary(type_name, len(answers), unread, results)


def metrics_of(type_name: str, rows: Sequence[Mapping[str, float]]) -> tuple[Metric, ...]:
    """Return all metrics of a type's summary.

    Metrics of beliefs, refusals, intervals and edges are included if any row has their measures.
    """
    return (
        TYPES[type_name].metrics
        + belief.metrics(type_name, rows)
        + refusal_metrics(rows)
        + certainty.metrics(type_name, rows)
        + edges.metrics(type_name, rows)
        + steps.metrics(rows)
    )


def has_refusals(answers: Iterable[ScoredAnswer]) -> bool:
    """Return True if any answer is a refusal ("unreadable"), or should be."""
    return any(answer.is_refusal or not answer.truth.is_readable for answer in answers)


def measure_refusal(answer: ScoredAnswer) -> ScoredAnswer:
    """Add the measure of a wrong refusal: 1 if the answer is "unreadable", else 0.

    Answers to unreadable pictures do not get the measure, because a refusal is right for them.
    """
    if not answer.truth.is_readable:
        return answer
    return replace(answer, measures={**answer.measures, _WRONG_REFUSAL: float(answer.is_refusal)})


def refusal_metrics(rows: Iterable[Mapping[str, float]]) -> tuple[Metric, ...]:
    """Return the metric of wrong refusals, or () if `rows`, all answers' measures, lack it."""
    return _REFUSAL_METRICS if any(_WRONG_REFUSAL in measures for measures in rows) else ()


_WRONG_REFUSAL = "unreadable_wrongly"
_REFUSAL_METRICS = (
    Metric(_WRONG_REFUSAL, "Wrongly said to be unreadable", better="lower", headline=True),
)


# Largest number of answers of a type over which the measures of a uniform belief are averaged.
_MOST_BELIEFS = 48
_MOST_NAMED = 5


def pair_answers(
    predictions: Iterable[Prediction], samples: Iterable[Sample | Question]
) -> Iterator[tuple[Prediction, Sample | Question]]:
    """Yield each prediction with its sample, in the order of the samples.

    Raises a ValueError unless each sample has exactly one prediction. Predictions that precede
    their sample are kept in memory, which are few if both have about the same order.
    """
    early: dict[str, Prediction] = {}
    remaining = iter(predictions)
    ids: set[int] = set()
    missing: list[str] = []
    for sample in samples:
        # Hashes take less memory than ids, and collide for one in 2^64 pairs.
        if hash(sample.id) in ids:
            raise ValueError(f"sample {sample.id!r} occurs twice: ids must be unique")
        ids.add(hash(sample.id))
        while sample.id not in early and (prediction := next(remaining, None)) is not None:
            if prediction.sample_id in early:
                raise _repeat_error(prediction.sample_id)
            early[prediction.sample_id] = prediction
        if sample.id in early:
            yield early.pop(sample.id), sample
        else:
            missing.append(sample.id)
    unclaimed = [*early, *(prediction.sample_id for prediction in remaining)]
    for sample_id in unclaimed:
        if hash(sample_id) in ids:
            raise _repeat_error(sample_id)
    _check_paired(
        "have no prediction",
        missing,
        "finish predicting, score only the questions asked, or give an empty text as the answer",
    )
    _check_paired(
        "are predicted but not among the samples", unclaimed, "score them on their own samples"
    )


def _repeat_error(sample_id: str) -> ValueError:
    """Return the error for a sample with two predictions, for example from two runs in a file."""
    return ValueError(f"sample {sample_id!r} is predicted twice: score one run at a time")


def _check_paired(problem: str, ids: list[str], way_out: str) -> None:
    """Raise a ValueError that names the first few ids, unless `ids` is empty."""
    if ids:
        examples = ", ".join(map(repr, ids[:_MOST_NAMED])) + (
            ", …" if len(ids) > _MOST_NAMED else ""
        )
        raise ValueError(f"{len(ids)} samples {problem}: {examples}: {way_out}")
