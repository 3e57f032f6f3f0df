"""Predictions on disk: JSON lines that are only appended to, safe against a kill at any moment."""

import json
import os
import warnings
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gnomon import files, jsons
from gnomon.atomic import name_in_errors
from gnomon.sample import Prediction, prediction_from_json, prediction_to_json

_BEGINNING = b'{"sample_id":'


def read(path: Path) -> list[Prediction]:
    """Read all predictions of a file, without what `PredictionFile` drops."""
    return list(PredictionFile(path))


class PredictionFile(Collection[Prediction]):
    """Collection of a file's predictions, which reads the file anew for each loop.

    Dropped with a warning are an incomplete last line, which a kill leaves, and lines that stand
    twice, as in two files put together.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.end = 0
        """Position in the file, in bytes, where the last whole line ends."""
        n_lines, last = 0, b""
        with files.open_bytes(path) as file:
            for last in files.read_lines(file):
                n_lines += 1
                self.end += len(last)
        if _was_cut(last):
            warnings.warn(f"{path}: dropped an incomplete last line", stacklevel=2)
            n_lines -= 1
            self.end -= len(last)
        self._n = sum(1 for _ in self._lines())
        if repeated := n_lines - self._n:
            many = "a line that repeats" if repeated == 1 else f"{repeated:,} lines that repeat"
            warnings.warn(f"{path}: dropped {many} an earlier one", stacklevel=2)

    def __len__(self) -> int:
        return self._n

    def __contains__(self, prediction: object) -> bool:
        return any(prediction == other for other in self)

    def __iter__(self) -> Iterator[Prediction]:
        for number, line in self._lines():
            yield self._prediction(line, number)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the whole lines with their numbers, each line once."""
        end, visited = 0, set()
        with files.open_bytes(self.path) as file:
            for number, line in enumerate(files.read_lines(file), 1):
                end += len(line)
                if end > self.end:
                    return
                if line not in visited:
                    visited.add(line)
                    yield number, line

    def _prediction(self, line: bytes, number: int) -> Prediction:
        """Parse a line; a line of another program is refused with the way out."""
        try:
            return prediction_from_json(jsons.loads(line, "a prediction"))
        except ValueError as error:
            raise ValueError(
                f"{self.path}, line {number}: no answer of gnomon's ({error}). Delete that line:"
                " `gnomon predict`, run again, keeps the others; or name another file (--out)"
            ) from error


def append(path: Path, predictions: Iterable[Prediction]) -> None:
    """Add predictions to a file, on the disk before this returns."""
    # One write: a kill leaves whole lines and at most one part of a line.
    lines = "".join(json.dumps(prediction_to_json(p)) + "\n" for p in predictions)
    path.parent.mkdir(parents=True, exist_ok=True)
    with name_in_errors(path), files.open_to_append(path) as file:
        file.write(lines)
        file.flush()
        # Hours of a GPU's answers survive a power cut.
        os.fsync(file.fileno())


def resume(path: Path) -> Collection[Prediction]:
    """Open a file to go on with it, after cutting off an incomplete last line."""
    if not path.exists():
        return []
    stored = PredictionFile(path)
    if stored.end < path.stat().st_size:
        os.truncate(path, stored.end)
    return stored


def check(path: Path, question_ids: Container[str]) -> None:
    """Refuse a file with an answer to another question, or with two answers to one."""
    visited = set()
    for prediction in PredictionFile(path):
        sample_id = prediction.sample_id
        if sample_id not in question_ids:
            raise ValueError(
                f"{path}: {sample_id!r} is not among the questions: delete its line, or name"
                " another file (--out)"
            )
        if sample_id in visited:
            raise ValueError(f"{path}: {sample_id!r} is answered twice: delete one of its lines")
        visited.add(sample_id)


def answered_ids(path: Path, settings: dict[str, Any]) -> set[str]:
    """List the samples that a file answers; answers under other settings are refused, never mixed
    in."""
    return {prediction.sample_id for prediction in require_settings(path, resume(path), settings)}


def require_settings(
    path: Path, predictions: Iterable[Prediction], settings: dict[str, Any] | None = None
) -> Iterator[Prediction]:
    """Yield the predictions, refusing any under other settings than these, or than the first's."""
    for prediction in predictions:
        answer_settings = prediction.settings
        settings = answer_settings if settings is None else settings
        # Compare the dicts first: 100,000 answers mostly have the same settings.
        keys = answer_settings != settings and settings_that_differ(answer_settings, settings)
        if keys:
            was, now = ({key: s.get(key) for key in keys} for s in (answer_settings, settings))
            raise ValueError(
                f"{path}: {prediction.sample_id!r} was answered with {was}, not {now}: name another"
                " file, or delete that one"
            )
        yield prediction


def settings_that_differ(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """List the settings that two answers do not share; None counts as absent.

    Trained weights belong to one base model, which is called otherwise from another directory.
    """
    keys = [key for key in {**new, **old} if new.get(key) != old.get(key)]
    if "name" in keys and old.get("weights") is not None and "weights" not in keys:
        names = {Path(str(settings.get("name"))).name for settings in (old, new)}
        if len(names) == 1:
            keys.remove("name")
    return keys


def _was_cut(line: bytes) -> bool:
    """True for a line that a kill left; a line that begins otherwise is somebody else's."""
    # Also true of a line shorter than the beginning: a kill may come at any byte.
    ours = _BEGINNING.startswith(line[: len(_BEGINNING)])
    return bool(line) and ours and not line.endswith(b"\n")
