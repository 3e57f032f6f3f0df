"""Read and measure every prediction, and sum up each type of answer."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gnomon.answers.base.answer_type import Metric, ModelAnswer
from gnomon.answers.reading.base import Which
from gnomon.answers.registry import TYPES
from gnomon.answers.text.answer import may_be_refusal
from gnomon.answers.unreadable.read import is_refusal, is_whole_refusal
from gnomon.dialect import create
from gnomon.eval.scoring import belief, certainty, edges
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
    """Score one answer to each sample; values are read from the texts, whatever was read before.

    An unread answer is wrong, and counted apart. A sample without a prediction or with two is an
    error, and so is a prediction without a sample. If a text states several values, `which` selects
    one. Predictions and samples are each read through once.
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
    # In the order of TYPES, in which reports list them.
    for type_name in TYPES:
        indices = [index for index, answer in enumerate(answers) if answer.type_name == type_name]
        if not indices:
            continue
        # What an unread answer costs depends on all truths of its type: they are measured last.
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
    """Read and measure one answer; `cost` is the charge of an unread answer, and the cap of a
    read one's."""
    return _measure(_read_answer(prediction, question, which), cost)


def _read_answer(prediction: Prediction, question: Question, which: Which) -> ScoredAnswer:
    """Read an answer; its measures are those of its belief alone so far."""
    truth = question.truth_at(prediction.size)
    type_name = truth.type_name
    dialect, size = create(prediction.dialect), prediction.size
    text = prediction.text
    form = truth.answer_form
    reading = TYPES[type_name].read(text, form, which=which, dialect=dialect, size=size)
    # If the text ends by saying that nothing can be read, a number in its working is no answer. A
    # value that reaches the end stays: the word itself may be the answer.
    if reading and reading.span[1] < len(text.rstrip()) and is_whole_refusal(text):
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
        size=size,
        picture=question.picture,
        group=question.group,
        span=reading.span if reading else None,
        cut=prediction.cut,
        certainty=prediction.certainty,
        intervals=tuple(edges.box_intervals(prediction, value, type_name)),
        # A sign or a list of choices may say "unreadable" itself.
        is_refusal=is_refusal(text) and not may_be_refusal(truth),
    )


def _measure(answer: ScoredAnswer, cost: float) -> ScoredAnswer:
    """Add the measures of the value, and decide whether it is correct."""
    answer_type = TYPES[answer.type_name]
    measures = answer_type.measures(answer.truth, ModelAnswer(answer.value, answer.text), cost)
    # Measures that are too slow for chance, which asks for them once per candidate.
    measures |= answer_type.measures_without_chance(answer.truth, answer.value, answer.size)
    correct = answer_type.is_correct(measures)
    measures |= answer.measures
    if measures.get("answered"):
        measures[certainty.RIGHT] = float(correct)
    return replace(answer, measures=measures, correct=correct)


def _summary(
    type_name: str,
    answers: Sequence[ScoredAnswer],
    guesses: Mapping[str, dict[str, float]],
    uniform: Mapping[str, float],
) -> Summary:
    """Sum up the answers of one type, with what guessers reach beside each metric."""
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
            # No guesser has a figure for refusals, intervals, edges, or beliefs in long numbers.
            chance=chance_by_metric.get(metric.name, {}),
        )
        for metric in TYPES[type_name].present(metrics, [answer.truth for answer in answers])
    )
    unread = sum(answer.value is None for answer in answers)
    return Summary(type_name, len(answers), unread, results)


def metrics_of(type_name: str, rows: Sequence[Mapping[str, float]]) -> tuple[Metric, ...]:
    """Return all metrics of a summary: the type's own, and further ones that any answer has."""
    return (
        TYPES[type_name].metrics
        + belief.metrics(type_name, rows)
        + refusal_metrics(rows)
        + certainty.metrics(type_name, rows)
        + edges.metrics(type_name, rows)
    )


def has_refusals(answers: Iterable[ScoredAnswer]) -> bool:
    """True if any answer says that nothing can be read, or should say it."""
    return any(answer.is_refusal or not answer.truth.is_readable for answer in answers)


def measure_refusal(answer: ScoredAnswer) -> ScoredAnswer:
    """Measure whether an answer wrongly says that nothing can be read.

    Where nothing can be read, that is no mistake, and the answer has no such measure.
    """
    if not answer.truth.is_readable:
        return answer
    return replace(answer, measures={**answer.measures, _WRONG_REFUSAL: float(answer.is_refusal)})


def refusal_metrics(rows: Iterable[Mapping[str, float]]) -> tuple[Metric, ...]:
    """Return the metric of wrong refusals, if any answer of the exam is or should be a refusal."""
    return _REFUSAL_METRICS if any(_WRONG_REFUSAL in measures for measures in rows) else ()


_WRONG_REFUSAL = "unreadable_wrongly"
_REFUSAL_METRICS = (
    Metric(_WRONG_REFUSAL, "Said to be unreadable, wrongly", better="lower", headline=True),
)


# Answers per type on which the measures of a uniform belief are averaged.
_MOST_BELIEFS = 48
_MOST_NAMED = 5


def pair_answers(
    predictions: Iterable[Prediction], samples: Iterable[Sample | Question]
) -> Iterator[tuple[Prediction, Sample | Question]]:
    """Yield each sample with its prediction, in the samples' order; refuse unless each has exactly
    one.

    Only predictions that come before their samples stay in memory: a few, if both have about the
    same order.
    """
    early: dict[str, Prediction] = {}
    remaining = iter(predictions)
    ids: set[int] = set()
    missing: list[str] = []
    for sample in samples:
        # Hashes take less memory than ids, and clash once in 2^64 pairs.
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
        "finish predicting, score only what was asked, or give an empty text as the answer",
    )
    _check_paired(
        "are predicted but not among the samples", unclaimed, "score them on their own samples"
    )


def _repeat_error(sample_id: str) -> ValueError:
    """Error of a sample with two predictions, as two runs in one file have them."""
    return ValueError(f"sample {sample_id!r} is predicted twice: score one run at a time")


def _check_paired(problem: str, ids: list[str], way_out: str) -> None:
    """Raise an error that names the first few of these ids, if there are any."""
    if ids:
        examples = ", ".join(map(repr, ids[:_MOST_NAMED])) + (
            ", …" if len(ids) > _MOST_NAMED else ""
        )
        raise ValueError(f"{len(ids)} samples {problem}: {examples}: {way_out}")
