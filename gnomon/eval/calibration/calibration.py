"""A calibration: what answers to labelled pictures showed of errors, and what it says of others."""

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
"""Name of its file in a run."""


@dataclass(frozen=True)
class Terms:
    """Coverage of intervals and limits of refusal, as a user asks for them."""

    coverage: float = conformal.USUAL_COVERAGE
    """Share of the truths that lie in their intervals."""
    wrong: float | None = None
    """Share of the answers that may be wrong; what is less sure is refused."""
    answered: float | None = None
    """Share of the pictures that are answered, the surest."""

    def __post_init__(self) -> None:
        for name, share in vars(self).items():
            if share is not None and not isinstance(share, Real):
                raise ValueError(f"{name}={share!r}: give a share, such as 0.9")
        conformal.fewest_groups(self.coverage)  # refuses what is no share
        if self.wrong is not None and self.answered is not None:
            raise ValueError(
                f"wrong={self.wrong:g} and answered={self.answered:g}: give one, the other follows"
            )

    @property
    def name(self) -> str:
        """Name in a file's, such as calibrated-wrong-0.05; usual terms are left out."""
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
    """Answers to questions that share a list of answers, each with a score and a trust."""

    listing: str
    """Key of the listed answers (`listing_key`)."""
    within: float
    """Distance from the truth that is still right."""
    groups: tuple[str, ...]
    scores: tuple[float | None, ...]
    """None for a truth that is not in the list, whose score is infinite."""
    trusts: tuple[float, ...]
    right: tuple[bool, ...]
    unreadable: tuple[bool, ...] = ()
    """True where nothing can be read, so that there is no score; empty if that is so nowhere."""
    questions: tuple[str, ...] = ()
    """Questions that were asked; empty if most pictures had a question of their own."""
    step: Decimal = Decimal(0)
    """Step of the labels if some lie between the listed answers; else 0."""

    def knows(self, question: str) -> bool:
        """Return whether the part says anything about answers to a question."""
        return not self.questions or question in self.questions

    @property
    def scored(self) -> tuple[tuple[float | None, ...], tuple[str, ...]]:
        """Scores and groups of the pictures that intervals are about."""
        unreadable = self.unreadable or (False,) * len(self.scores)
        rows = list(zip(self.scores, self.groups, unreadable, strict=True))
        return (
            tuple([score for score, _, is_left_out in rows if not is_left_out]),
            tuple([group for _, group, is_left_out in rows if not is_left_out]),
        )

    @property
    def outside(self) -> int:
        """Number of readable truths that are not in the list."""
        return sum(score is None for score in self.scored[0])

    def limit(self, coverage: float) -> float:
        """Return the greatest score of an interval of this coverage."""
        scores, groups = self.scored
        return conformal.limit(
            [np.inf if score is None else score for score in scores], groups, coverage
        )

    def threshold(self, terms: Terms) -> float:
        """Return the trust from which answers are given."""
        if terms.answered is not None:
            return conformal.threshold_by_share(self.trusts, terms.answered)
        if terms.wrong is not None:
            return conformal.threshold_by_risk(self.trusts, self.right, terms.wrong, self.groups)
        return 0.0

    def doubt(self, terms: Terms) -> str:
        """Say why every answer is refused under these terms; empty if some are given."""
        if terms.wrong is None or self.threshold(terms) < np.inf:
            return ""
        n = len(set(self.groups))
        is_grouped = n < len(self.groups)
        fewest = conformal.fewest_for_risk(terms.wrong, is_grouped=is_grouped)
        refusal = f"wrong={terms.wrong:g}: every answer is refused:"
        if n >= fewest:
            return f"{refusal} of the surest, too, more may be wrong"
        units = "groups" if is_grouped else "labelled pictures"
        same_groups = option("same_groups", True)
        way_out = f", or with {same_groups} if the next pictures are of these" * is_grouped
        return f"{refusal} {n} {units} cannot show so few: calibrate on at least {fewest}{way_out}"

    @cached_property
    def confidence_curve(self) -> tuple[list[float], list[float]]:
        """Rising trusts with the share of answers that is right at each."""
        levels, shares = conformal.fit_confidence(self.trusts, self.right)
        return levels.tolist(), shares.tolist()

    def confidence(self, trust: float) -> float:
        """Return how often an answer of this trust is right."""
        return float(np.interp(trust, *self.confidence_curve))


@dataclass(frozen=True)
class Calibration:
    """A part for each list of answers; stored as RUN/calibration.json."""

    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "forbid"}

    weights: str | None
    """Hash of the weights that answered; another training needs another calibration."""
    rule: Literal["mode", "median", "mean"]
    """The answer that is given."""
    grid: tuple[float, float, float] | None
    """First, last and step of the numbers that are listed, as `eval.grid`."""
    listing: tuple[str, ...] | None
    """Texts of the answers that a user listed, as `eval.belief`; a part has their key alone."""
    parts: tuple[CalibrationPart, ...]
    refusals: bool = False
    """True if that nothing can be read is one of the listed answers."""
    views: Literal[1, 3] = 1
    """Views of a picture whose beliefs are averaged, as `eval.views`."""

    def knows(self, question: str) -> bool:
        """Return whether any part says anything about answers to a question."""
        return any(part.knows(question) for part in self.parts)

    def number_range(self, form: AnswerForm) -> NumberRange | None:
        """Return the numbers of which a belief has the likeliest alone; None where it has all."""
        return searched_range(form, self.grid, self.listing)

    def part(self, answers: Sequence[str], form: AnswerForm) -> CalibrationPart | None:
        """Return the part for questions of a form with these listed answers."""
        listing = listing_key(answers, self.number_range(form))
        return next((part for part in self.parts if part.listing == listing), None)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        row: dict[str, Any] = TypeAdapter(Calibration).dump_python(self, mode="json")
        return row

    def write(self, run: Path) -> Path:
        """Write the file into a run, and return its path."""
        file = run / NAME
        put_text(file, json.dumps(self.to_json()) + "\n")
        return file


def read(run: Path) -> Calibration | None:
    """Read a run's calibration; None if it has none."""
    file = run / NAME
    if not file.is_file():
        return None
    try:
        row = jsons.loads(files.read_bytes(file, "a calibration"), file)
        return TypeAdapter(Calibration).validate_python(row)
    except (ValueError, ValidationError) as error:
        raise ValueError(
            f"{file}: not what `gnomon calibrate` writes: delete it, and calibrate again"
        ) from error


def calibrate(
    pairs: Iterable[tuple[Prediction, Question]],
    rule: str,
    *,
    within: float | None = None,
    same_groups: bool = False,
) -> tuple[CalibrationPart, ...]:
    """Learn from answers with beliefs and their labelled questions; others are passed over.

    `within` is the distance that is still right; without it, what the labels say, and the least
    where they differ: a new picture has no label. With `same_groups` every picture counts for
    itself, since the next ones come from the same groups.
    """
    # A part for each list of possible answers: how sure a model is of an hour tells nothing of how
    # sure it is of a dial.
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
            # Labels may differ in their tolerance, and the next picture has no label.
            tolerance = min((tolerance_of(truth) for truth in truths), default=0.0)
        rows = [
            _listed_row(prediction, question, rule, tolerance) for prediction, question in answers
        ]
        parts.append(_part(listing, tolerance, answers, rows, same_groups=same_groups))
    return tuple(parts)


class _LabelledAnswer(NamedTuple):
    """A labelled answer that a calibration learns from."""

    score: float | None
    """Nonconformity of the truth; None where no interval holds it, or can be about it."""
    trust: float
    """Confidence before it is calibrated."""
    is_right: bool
    is_between: bool = False
    """True if the truth lies between two listed answers."""
    is_unreadable: bool = False
    """True of a picture that nobody can read."""


def _part(
    listing: str,
    tolerance: float,
    pairs: Sequence[tuple[Prediction, Question]],
    rows: Sequence[_LabelledAnswer],
    *,
    same_groups: bool,
) -> CalibrationPart:
    """Put rows into columns; a mask that is false everywhere is left empty."""
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
    """Return the distinct questions; none if a question comes less than twice on average.

    Then each picture has its own question, as sums have, and the next pictures have others.
    """
    distinct = tuple(sorted(set(questions)))
    return distinct if 2 * len(distinct) <= len(questions) else ()


def _step_between(truths: Sequence[Target], rows: Sequence[_LabelledAnswer]) -> Decimal:
    """Return the unit of the last figure of all labels if some are not listed, else 0."""
    if not any(row.is_between for row in rows):
        return Decimal(0)
    numbers = [value_of_number(truth) for truth in truths]
    exponents = [int(number.as_tuple().exponent) for number in numbers if number is not None]
    return Decimal(1).scaleb(min([0, *exponents]))


def _listed_row(
    prediction: Prediction, question: Question, rule: str, tolerance: float
) -> _LabelledAnswer:
    """Measure an answer that was chosen from a list by its belief."""
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
    """A calibration under a user's terms, which certifies one answer after another."""

    def __init__(self, calibration: Calibration, terms: Terms) -> None:
        self.calibration, self.terms = calibration, terms
        # Computed here, so that terms which cannot be kept are refused before a model is loaded.
        self._limits = {
            part.listing: (part.limit(terms.coverage), part.threshold(terms))
            for part in calibration.parts
        }

    @property
    def doubts(self) -> list[str]:
        """Reasons for which every answer of a part is refused."""
        doubts = [part.doubt(self.terms) for part in self.calibration.parts]
        return [doubt for doubt in doubts if doubt]

    @cached_property
    def settings(self) -> dict[str, object]:
        """Calibration and terms in short, which a file of answers notes."""
        content = json.dumps(self.calibration.to_json()).encode()
        digest = blake2b(content, digest_size=8).hexdigest()
        return {"hash": digest, **asdict(self.terms)}

    def certify(
        self, logprobs: Mapping[str, float], form: AnswerForm, dialect: str, question: str
    ) -> tuple[str, Certainty] | None:
        """Return the answer with its interval and confidence; None if it was not calibrated.

        An answer was calibrated if both its list and its question were. How sure a model is of one
        hand says nothing of another hand in the same picture.

        The interval holds nine of ten truths of the pictures that can be read, also where the
        answer is that this one cannot be.
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
    """Hash a list of answers in their order, or the range of which it has the likeliest numbers."""
    texts = list(answers) if numbers is None else [repr(numbers)]
    return blake2b(json.dumps(texts).encode(), digest_size=8).hexdigest()
