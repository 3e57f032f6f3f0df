"""Calibration: learn a model's errors from labelled pictures, then add intervals to new answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import cached_property
from hashlib import blake2b
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import ConfigDict, TypeAdapter, ValidationError

from gnomon import files, jsons
from gnomon.answers.base.number_range import NumberRange
from gnomon.answers.base.target import AnswerForm
from gnomon.answers.number.answer import tolerance_of, value_of_number
from gnomon.answers.unreadable.answer import WORD
from gnomon.atomic import put_text
from gnomon.eval.calibration import conformal
from gnomon.eval.calibration.estimates import BestAnswer
from gnomon.eval.calibration.rule_choice import group_name
from gnomon.eval.scoring.belief import range_of, searched_range, value_answers
from gnomon.eval.scoring.question_file import Question
from gnomon.options import option
from gnomon.sample import Certainty, Prediction, Target

NAME = "calibration.json"
"""Name of the calibration's file in the folder of a run."""


@dataclass(frozen=True)
class Terms:
    """The coverage of intervals and the limit for refusals that a user asks for."""

    coverage: float = conformal.USUAL_COVERAGE
    """Share of truths that intervals contain, above 0 and below 1."""
    wrong: float | None = None
    """Largest share of wrong answers. Answers with less confidence are refused."""
    answered: float | None = None
    """Share of pictures that are answered, the most confident first."""

    def __post_init__(self) -> None:
        for name, share in vars(self).items():
            if share is not None and not isinstance(share, Real):
                raise ValueError(f"{name}={share!r}: give a share, such as 0.9")
        conformal.fewest_groups(self.coverage)  # raises if it is not a share
        if self.wrong is not None and self.answered is not None:
            raise ValueError(
                f"wrong={self.wrong:g} and answered={self.answered:g}: give only one of them"
            )

    @property
    def name(self) -> str:
        """Part of a file name, for example calibrated-wrong-0.05. Defaults are left out."""
        parts = ["calibrated"]
        if self.coverage != Terms.coverage:
            parts.append(f"coverage-{self.coverage:g}")
        if self.wrong is not None:
            parts.append(f"wrong-{self.wrong:g}")
        if self.answered is not None:
            parts.append(f"answered-{self.answered:g}")
        return "-".join(parts)


@dataclass(frozen=True)
class CalibrationPart:
    """The labelled answers that share a list of possible answers. Tuples have an entry for each."""

    listing: str
    """Hash of the possible answers, from `listing_key`."""
    within: float
    """Largest distance of a right answer from the truth."""
    groups: tuple[str, ...]
    scores: tuple[float | None, ...]
    """Nonconformity of the truths. None means infinite: the truth is not in the list."""
    trusts: tuple[float, ...]
    right: tuple[bool, ...]
    unreadable: tuple[bool, ...] = ()
    """True for unreadable pictures, which lack a score. Empty if all pictures are readable."""
    questions: tuple[str, ...] = ()
    """The questions of the labelled pictures. Empty if most pictures had different questions."""
    step: Decimal = Decimal(0)
    """Step of the labels if some labels lie between listed answers, else 0."""

    def knows(self, question: str) -> bool:
        """Return True if the part was calibrated on this question, or on different questions."""
        return not self.questions or question in self.questions

    @property
    def scored(self) -> tuple[tuple[float | None, ...], tuple[str, ...]]:
        """Scores and groups of the readable pictures, which intervals are learnt from."""
        unreadable = self.unreadable or (False,) * len(self.scores)
        rows = list(zip(self.scores, self.groups, unreadable, strict=True))
        return (
            tuple([score for score, _, is_left_out in rows if not is_left_out]),
            tuple([group for _, group, is_left_out in rows if not is_left_out]),
        )

    @property
    def outside(self) -> int:
        """Number of readable truths outside the listed answers."""
        return sum(score is None for score in self.scored[0])

    def limit(self, coverage: float) -> float:
        """Return the largest nonconformity score within an interval of this coverage."""
        scores, groups = self.scored
        return conformal.limit(
            [np.inf if score is None else score for score in scores], groups, coverage
        )

    def threshold(self, terms: Terms) -> float:
        """Return the smallest trust of an answer that is not refused."""
        if terms.answered is not None:
            return conformal.threshold_by_share(self.trusts, terms.answered)
        if terms.wrong is not None:
            return conformal.threshold_by_risk(self.trusts, self.right, terms.wrong, self.groups)
        return 0.0

    def doubt(self, terms: Terms) -> str:
        """Explain why all answers are refused under these terms. Empty if some are not refused."""
        if terms.wrong is None or self.threshold(terms) < np.inf:
            return ""
        n = len(set(self.groups))
        is_grouped = n < len(self.groups)
        fewest = conformal.fewest_for_risk(terms.wrong, is_grouped=is_grouped)
        refusal = f"wrong={terms.wrong:g}: every answer is refused:"
        if n >= fewest:
            return f"{refusal} even among the most confident answers, more may be wrong"
        units = "groups" if is_grouped else "labelled pictures"
        same_groups = option("same_groups", True)
        way_out = f", or with {same_groups} if the next pictures are of these groups" * is_grouped
        return f"{refusal} {n} {units} cannot show it: calibrate on at least {fewest}{way_out}"

    @cached_property
    def confidence_curve(self) -> tuple[list[float], list[float]]:
        """Rising trusts, and the fitted share of right answers at each trust."""
        levels, shares = conformal.fit_confidence(self.trusts, self.right)
        return levels.tolist(), shares.tolist()

    def confidence(self, trust: float) -> float:
        """Return the calibrated probability that an answer with this trust is right."""
        return float(np.interp(trust, *self.confidence_curve))


@dataclass(frozen=True)
class Calibration:
    """The calibration of a run: a part for each list of possible answers.

    It is stored as RUN/calibration.json.
    """

    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "forbid"}

    weights: str | None
    """Hash of the weights that answered. New weights need a new calibration."""
    rule: Literal["mode", "median", "mean"]
    """Rule that chooses the answer from a belief, as `eval.answer`."""
    grid: tuple[float, float, float] | None
    """First, last and step of the listed numbers, as `eval.grid`."""
    listing: tuple[str, ...] | None
    """Answers that the user listed in `eval.belief`. A part has only their hash."""
    parts: tuple[CalibrationPart, ...]
    refusals: bool = False
    """True if "unreadable" is among the listed answers."""
    views: Literal[1, 3] = 1
    """Number of views of a picture whose beliefs are averaged, as `eval.views`."""
    finder: str | None = None
    """Hash of the finder that cut the instruments out. None if whole pictures were read."""

    def knows(self, question: str) -> bool:
        """Return True if any part covers this question."""
        return any(part.knows(question) for part in self.parts)

    def number_range(self, form: AnswerForm) -> NumberRange | None:
        """Return the range of a belief that lists only the most likely numbers, else None."""
        return searched_range(form, self.grid, self.listing)

    def part(self, answers: Sequence[str], form: AnswerForm) -> CalibrationPart | None:
        """Return the part for questions of a form with these listed answers, or None."""
        listing = listing_key(answers, self.number_range(form))
        return next((part for part in self.parts if part.listing == listing), None)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        row: dict[str, Any] = TypeAdapter(Calibration).dump_python(self, mode="json")
        return row

    def write(self, run: Path) -> Path:
        """Write the file into the folder of a run, and return its path."""
        file = run / NAME
        put_text(file, json.dumps(self.to_json()) + "\n")
        return file


def read(run: Path) -> Calibration | None:
    """Read the calibration of a run, or return None if it is not calibrated."""
    file = run / NAME
    if not file.is_file():
        return None
    try:
        row = jsons.loads(files.read_bytes(file, "a calibration"), file)
        return TypeAdapter(Calibration).validate_python(row)
    except (ValueError, ValidationError) as error:
        raise ValueError(
            f"{file}: not a file that `gnomon calibrate` wrote: delete it, and calibrate again"
        ) from error


def calibrate(
    pairs: Iterable[tuple[Prediction, Question]],
    rule: str,
    *,
    within: float | None = None,
    same_groups: bool = False,
) -> tuple[CalibrationPart, ...]:
    """Learn a calibration from answers and their labelled questions.

    Answers without a belief are ignored. `within` is the largest error of a right answer. By
    default, it is the smallest tolerance of the labels, because a new picture lacks a label. With
    `same_groups`, each picture is a group by itself, because new pictures come from the same
    groups.
    """
    # Each list of possible answers has a part: confidence in clock times does not tell about
    # confidence in the values of a gauge.
    by_listing: dict[str, list[tuple[Prediction, Question]]] = {}
    for prediction, question in pairs:
        form = question.target.answer_form
        if prediction.logprobs:
            listing = listing_key(tuple(prediction.logprobs), range_of(prediction, form))
            by_listing.setdefault(listing, []).append((prediction, question))
    parts = []
    for listing, answers in by_listing.items():
        tolerance = within
        if tolerance is None:
            truths = [question.target for _, question in answers if question.target.is_readable]
            # Labels may have different tolerances, and a new picture lacks a label.
            tolerance = min((tolerance_of(truth) for truth in truths), default=0.0)
        rows = [
            _listed_row(prediction, question, rule, tolerance) for prediction, question in answers
        ]
        parts.append(_part(listing, tolerance, answers, rows, same_groups=same_groups))
    return tuple(parts)


class _LabelledAnswer(NamedTuple):
    """The figures of one labelled answer."""

    score: float | None
    """Nonconformity of the truth, or None if it is outside the list or unreadable."""
    trust: float
    """Confidence before calibration."""
    is_right: bool
    is_between: bool = False
    """True if the truth lies between two listed answers."""
    is_unreadable: bool = False
    """True if the picture is unreadable according to its label."""


def _part(
    listing: str,
    tolerance: float,
    pairs: Sequence[tuple[Prediction, Question]],
    rows: Sequence[_LabelledAnswer],
    *,
    same_groups: bool,
) -> CalibrationPart:
    """Convert rows to the columns of a part. `unreadable` is left empty if it is always False."""
    names = [group_name(question, same_groups=same_groups) for _, question in pairs]
    unreadable = tuple(row.is_unreadable for row in rows)
    return CalibrationPart(
        listing,
        tolerance,
        tuple(names),
        tuple(row.score for row in rows),
        tuple(row.trust for row in rows),
        tuple(row.is_right for row in rows),
        unreadable if any(unreadable) else (),
        _recurring([question.question for _, question in pairs]),
        _step_between([question.target for _, question in pairs], rows),
    )


def _recurring(questions: Sequence[str]) -> tuple[str, ...]:
    """Return the distinct questions, or () if a question occurs less than twice on average.

    In that case each picture has a different question, for example a sum, and so will new pictures.
    """
    distinct = tuple(sorted(set(questions)))
    return distinct if 2 * len(distinct) <= len(questions) else ()


def _step_between(truths: Sequence[Target], rows: Sequence[_LabelledAnswer]) -> Decimal:
    """Return the step of the labels, a power of ten, if some lie between listed answers, else 0."""
    if not any(row.is_between for row in rows):
        return Decimal(0)
    numbers = [value_of_number(truth) for truth in truths]
    exponents = [int(number.as_tuple().exponent) for number in numbers if number is not None]
    return Decimal(1).scaleb(min([0, *exponents]))


def _listed_row(
    prediction: Prediction, question: Question, rule: str, tolerance: float
) -> _LabelledAnswer:
    """Choose the answer from the belief by `rule`, and compute its figures."""
    truth = question.target
    form = truth.answer_form
    numbers = range_of(prediction, form)
    best = BestAnswer.of(
        prediction.logprobs or {}, form, prediction.dialect, rule, tolerance, numbers
    )
    score = best.nonconformity(truth) if truth.is_readable else np.inf
    return _LabelledAnswer(
        None if score == np.inf else score,
        best.trust,
        best.is_right(truth, tolerance),
        is_between=truth.is_readable and best.is_between(truth),
        is_unreadable=not truth.is_readable,
    )


class Certifier:
    """Adds intervals, confidence and refusals to answers, from a calibration.

    `terms` hold the coverage of intervals and the limit for refusals.
    """

    def __init__(self, calibration: Calibration, terms: Terms) -> None:
        self.calibration, self.terms = calibration, terms
        # Impossible terms must raise an error here, before a model is loaded.
        self._limits = {
            part.listing: (part.limit(terms.coverage), part.threshold(terms))
            for part in calibration.parts
        }

    @property
    def doubts(self) -> list[str]:
        """Reasons why all answers of a part are refused, one for each such part."""
        doubts = [part.doubt(self.terms) for part in self.calibration.parts]
        return [doubt for doubt in doubts if doubt]

    @cached_property
    def settings(self) -> dict[str, object]:
        """A hash of the calibration, and the terms. Files of answers store them as settings."""
        content = json.dumps(self.calibration.to_json()).encode()
        digest = blake2b(content, digest_size=8).hexdigest()
        return {"hash": digest, **asdict(self.terms)}

    def certify(
        self, logprobs: Mapping[str, float], form: AnswerForm, dialect: str, question: str
    ) -> tuple[str, Certainty] | None:
        """Return the answer with its interval and confidence, or None if it is not calibrated.

        The calibration must cover both the list of possible answers and the question, because
        confidence in one hand of a clock does not tell about another hand.

        The interval has its coverage over readable pictures, even if the answer is "unreadable".
        """
        part = self.calibration.part(tuple(logprobs), form)
        if part is None or not part.knows(question):
            return None
        limit, threshold = self._limits[part.listing]
        numbers = self.calibration.number_range(form)
        best = BestAnswer.of(logprobs, form, dialect, self.calibration.rule, part.within, numbers)
        answers = value_answers(logprobs, form)
        words: tuple[str, ...] = ()
        if best.belief.answer_type.axis is None:
            words = tuple(best.choices(answers, limit))
            interval = (", ".join(words), "")
        else:
            interval = best.interval(answers, limit, form, part.step)
        certainty = Certainty(
            interval,
            confidence=round(part.confidence(best.trust), 4),
            refused=best.trust < threshold,
            words=words,
        )
        return WORD if best.refuses else answers[best.index], certainty


def listing_key(answers: Sequence[str], numbers: NumberRange | None) -> str:
    """Hash a list of answers in order, or the range of numbers if the list comes from a search."""
    texts = list(answers) if numbers is None else [repr(numbers)]
    return blake2b(json.dumps(texts).encode(), digest_size=8).hexdigest()
