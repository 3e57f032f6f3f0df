"""Answers that are stored with their beliefs, certified under other terms without asking again."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from gnomon.eval.calibration.calibration import Certifier
from gnomon.eval.scoring import predictions, question_file
from gnomon.eval.scoring.belief import range_of
from gnomon.eval.scoring.question_file import Question, QuestionFile
from gnomon.progress import note
from gnomon.runs.provenance import Provenance, provenance_path, read_provenance
from gnomon.sample import Prediction

# Settings that choose an answer from its belief, and may be others in the file it is taken from.
_CHOICE = ("belief", "answer", "grid")
# Answers that are written together: each write waits for the disk.
_BATCH = 256


def certify_stored(
    out: Path,
    provenance: Provenance,
    settings: Mapping[str, Any],
    certifier: Certifier,
    folders: Collection[Path],
) -> bool:
    """Take answers to the same questions from other files in these folders. True if all are found.

    The answers must come from the same weights, be asked in the same way and have beliefs. The
    certifier's terms need only these beliefs. `settings` are stored in `out` with each answer.
    """
    if certifier.calibration.weights != settings["weights"]:
        return False  # loading the model refuses it with a reason
    ids = provenance.exam.ids()
    done = predictions.answered_ids(out, dict(settings))
    for folder in folders:
        for file in sorted(folder.glob("*.jsonl")):
            if len(done) == len(ids):
                return True
            if file.resolve() == out.resolve() or not _is_same_exam(file, provenance):
                continue
            pairs = _certified(file, ids - done, settings, certifier)
            added = _append(out, pairs)
            done |= added
            if added:
                note(f"{file} holds the beliefs of {len(added)} answers, which are not asked again")
    return len(done) == len(ids)


def _append(out: Path, pairs: Iterator[tuple[Question, Prediction]]) -> set[str]:
    """Append questions and answers to their files, and return their ids."""
    ids: set[str] = set()
    batch = list(islice(pairs, _BATCH))
    while batch:
        # A question is stored before its answer.
        rows = (question for question, _ in batch)
        for question in question_file.record(rows, question_file.question_path(out)):
            ids.add(question.id)
        predictions.append(out, [answer for _, answer in batch])
        batch = list(islice(pairs, _BATCH))
    return ids


def _is_same_exam(file: Path, provenance: Provenance) -> bool:
    """True for a file of answers about the same samples if its questions are stored."""
    if not (provenance_path(file).is_file() and question_file.question_path(file).is_file()):
        return False
    try:
        other = read_provenance(file)
    except ValueError:
        return False
    return (other.data, other.kinds) == (provenance.data, provenance.kinds)


def _certified(
    file: Path, ids: Collection[str], settings: Mapping[str, Any], certifier: Certifier
) -> Iterator[tuple[Question, Prediction]]:
    """Yield questions with these ids and their answers under the certifier's terms."""
    by_id = {question.id: question for question in QuestionFile(question_file.question_path(file))}
    for prediction in predictions.PredictionFile(file):
        differing = predictions.settings_that_differ(prediction.settings, settings)
        if {*differing} - {*_CHOICE, "calibration"}:
            return  # another model, or asked otherwise: so are all of a file
        if prediction.sample_id in ids and prediction.sample_id in by_id:
            question = by_id[prediction.sample_id]
            answer = _under_terms(prediction, question, settings, certifier)
            if answer is not None:
                yield question, answer


def _under_terms(
    prediction: Prediction, question: Question, settings: Mapping[str, Any], certifier: Certifier
) -> Prediction | None:
    """Return an answer under the certifier's terms; None if the model has to be asked."""
    certified = None
    form = question.target.answer_form
    numbers = certifier.calibration.number_range(form)
    # A belief in other numbers does not apply.
    if prediction.logprobs and range_of(prediction, form) == numbers:
        certified = certifier.certify(
            prediction.logprobs, form, prediction.dialect, question.question
        )
    if certified is not None:
        text, certainty = certified
        return replace(prediction, text=text, certainty=certainty, settings=dict(settings))
    before = prediction.settings.get("calibration") or {}
    is_same = before.get("hash") == settings["calibration"]["hash"] and all(
        prediction.settings.get(name) == settings.get(name) for name in _CHOICE
    )
    # An answer that this calibration does not cover has no terms.
    if is_same and prediction.certainty is None:
        return replace(prediction, settings=dict(settings))
    return None
