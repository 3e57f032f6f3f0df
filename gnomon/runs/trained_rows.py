"""Hashes of the user's rows that a run was trained on, or that chose its checkpoint."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from multiprocessing.pool import ThreadPool
from pathlib import Path

from gnomon import files, jsons
from gnomon.atomic import put_text
from gnomon.eval.scoring.question_file import Question, picture_hash
from gnomon.progress import track, warn
from gnomon.recipe import Recipe, Source
from gnomon.store import MixedSamples, Samples
from gnomon.store.pictures import load_picture
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.reading.sources import open_validation, user_sources, validation_indices
from gnomon.store.samples import train_size
from gnomon.store.user_data.checked_pictures import Picture
from gnomon.store.user_data.table import UserTable

ENOUGH_ROWS = 100
"""Number of other rows from which a calibration leaves out the rows that chose the checkpoint."""
_KIND = "user's rows"


@dataclass(frozen=True)
class TrainedRows:
    """Hashes of pictures, or of questions without a picture. They are stored in RUN/rows.json."""

    train: frozenset[str] = frozenset()
    """Hashes of the training rows."""
    validation: frozenset[str] = frozenset()
    """Hashes of the rows that chose the checkpoint. Empty if the last checkpoint was kept."""

    def trained(self, question: Question) -> bool:
        """Return True if the run was trained on the picture of this question."""
        return not self.train.isdisjoint(_keys(question))

    def chose(self, question: Question) -> bool:
        """Return True if this question's picture chose the checkpoint but was not trained on."""
        return not self.trained(question) and not self.validation.isdisjoint(_keys(question))

    def count_trained(self, questions: Iterable[Question]) -> int:
        """Count the questions about pictures of the training."""
        return sum(map(self.trained, questions)) if self.train else 0


def read_rows(run: Path | None) -> TrainedRows:
    """Read the rows of a run. An untrained model and a run of drawings have no rows."""
    file = None if run is None else RunFolder(run).rows
    if file is None or not file.is_file():
        return TrainedRows()
    values = jsons.loads(files.read_bytes(file, _KIND), file)
    try:
        return TrainedRows(frozenset(values["train"]), frozenset(values["validation"]))
    except (KeyError, TypeError) as error:
        raise ValueError(
            f"{file}: this is not a record of rows: delete it and train again"
        ) from error


def warn_of_trained(trained: int, n: int) -> None:
    """Warn that some of n questions are about pictures of the training."""
    if trained:
        warn(
            f"{trained:,} of {n:,} questions are about pictures that the model was trained on: it"
            " reads new pictures less well"
        )


def write_rows(recipe: Recipe, samples: Samples, run: Path) -> None:
    """Record which rows of the user's a training reads: all of one pass, and the validation's."""
    validation, sources = frozenset[str](), user_sources(recipe.data)
    if sources and recipe.train.validation_steps is not None:
        questions = open_validation(recipe, RunFolder(run).data)
        validation = _hashes(questions, validation_indices(recipe, questions), sources)
    n = train_size(samples, recipe.train.samples)
    rows = {"train": _hashes(samples, range(n), recipe.data), "validation": validation}
    if any(rows.values()):
        put_text(RunFolder(run).rows, json.dumps({name: sorted(rows[name]) for name in rows}))


def _hashes(
    samples: Samples, indices: Iterable[int], sources: tuple[Source, ...]
) -> frozenset[str]:
    """Hash the samples that are rows of a user's source."""
    parts = samples.sources if isinstance(samples, MixedSamples) else (samples,)
    numbers = {sources.index(source) for source in user_sources(sources)}
    if not numbers:  # drawings may be millions
        return frozenset()
    by_source: list[set[int]] = [set() for _ in parts]
    for index in indices:
        number, row = 0, index
        if isinstance(samples, MixedSamples):
            number, row = samples.source_and_index(index)
        if number in numbers:
            by_source[number].add(row)
    hashes = set[str]()
    for part, rows in zip(parts, by_source, strict=True):
        hashes |= _hashes_of_part(part, sorted(rows))
    return frozenset(hashes)


def _hashes_of_part(samples: Samples, indices: list[int]) -> set[str]:
    if not isinstance(samples, UserTable):
        return {key for index in indices for key in _keys(Question.of(samples[index]))}
    rows = [samples.rows[index] for index in indices]
    hashes = {_text_key(row.question) for row in rows if not row.pictures}
    pictures = list(dict.fromkeys(picture for row in rows for picture in row.pictures))
    # Threads decode them, because Pillow releases Python's lock while it does.
    with ThreadPool(min(os.cpu_count() or 1, len(pictures) or 1)) as threads:
        hashed = threads.imap_unordered(_picture_hash, pictures, chunksize=8)
        bar = track(hashed, desc="hashing pictures", total=len(pictures), delay=2)
        return hashes | set(bar)


def _picture_hash(picture: Picture) -> str:
    return picture_hash(load_picture(picture))


def _keys(question: Question) -> list[str]:
    return question.content.split() or [_text_key(question.question)]


def _text_key(text: str) -> str:
    return "text " + blake2b(text.encode(), digest_size=16).hexdigest()
