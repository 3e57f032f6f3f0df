"""Files of predictions: JSON lines that are only appended to, so a kill loses at most one line."""

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
    """Read all predictions of a file into a list, as `PredictionFile` yields them."""
    return list(PredictionFile(path))


class PredictionFile(Collection[Prediction]):
    """The predictions of a file. Each iteration reads the file again.

    An incomplete last line, as a kill leaves it, and repeated lines are dropped with a warning.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.end = 0
        """Position of the end of the last complete line, in bytes."""
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
            warnings.warn(f"{path}: dropped {many} an earlier line", stacklevel=2)

    def __len__(self) -> int:
        return self._n

    def __contains__(self, prediction: object) -> bool:
        return any(prediction == other for other in self)

    def __iter__(self) -> Iterator[Prediction]:
        for number, line in self._lines():
            yield self._prediction(line, number)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number and bytes of complete lines, without repeated lines."""
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
        """Parse a line. A line of another program raises a ValueError that names a way out."""
        try:
            return prediction_from_json(jsons.loads(line, "a prediction"))
        except ValueError as error:
            raise ValueError(
                f"{self.path}, line {number}: not an answer that gnomon wrote ({error}). Delete"
                " that line and run `gnomon predict` again, which keeps the other lines, or name"
                " another file"
            ) from error


def append(path: Path, predictions: Iterable[Prediction]) -> None:
    """Append predictions to a file. They are on disk when this returns."""
    # After a kill during a single write, at most the last line is incomplete.
    lines = "".join(json.dumps(prediction_to_json(p)) + "\n" for p in predictions)
    path.parent.mkdir(parents=True, exist_ok=True)
    with name_in_errors(path), files.open_to_append(path) as file:
        file.write(lines)
        file.flush()
        # Hours of a GPU's answers must survive a power cut.
        os.fsync(file.fileno())


def resume(path: Path) -> Collection[Prediction]:
    """Open a file to append to it, after removing an incomplete last line."""
    if not path.exists():
        return []
    stored = PredictionFile(path)
    if stored.end < path.stat().st_size:
        os.truncate(path, stored.end)
    return stored


def check(path: Path, question_ids: Container[str]) -> None:
    """Raise a ValueError if a file answers an unknown question, or one question twice."""
    visited = set()
    for prediction in PredictionFile(path):
        sample_id = prediction.sample_id
        if sample_id not in question_ids:
            raise ValueError(
                f"{path}: {sample_id!r} is not among the questions: delete its line, or name"
                " another file"
            )
        if sample_id in visited:
            raise ValueError(f"{path}: {sample_id!r} is answered twice: delete one of its lines")
        visited.add(sample_id)


def answered_ids(path: Path, settings: dict[str, Any]) -> set[str]:
    """Return the ids of the samples that a file answers.

    Raises a ValueError if the answers have other settings, because these must not be mixed.
    """
    return {prediction.sample_id for prediction in require_settings(path, resume(path), settings)}


def require_settings(
    path: Path, predictions: Iterable[Prediction], settings: dict[str, Any] | None = None
) -> Iterator[Prediction]:
    """Yield the predictions. Raises a ValueError if the settings of any of them differ.

    Without `settings`, the settings of the first prediction are required.
    """
    for prediction in predictions:
        answer_settings = prediction.settings
        settings = answer_settings if settings is None else settings
        # Compare the dicts first: 100,000 answers mostly have the same settings.
        keys = answer_settings != settings and settings_that_differ(answer_settings, settings)
        if keys:
            was, now = ({key: s.get(key) for key in keys} for s in (answer_settings, settings))
            raise ValueError(
                f"{path}: {prediction.sample_id!r} was answered with {was}, not {now}: name another"
                " file, or delete this file"
            )
        yield prediction


def settings_that_differ(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """List the settings that differ between two answers. A setting of None counts as absent.

    The directory of the model may differ if the hash of the trained weights is the same.
    """
    keys = [key for key in {**new, **old} if new.get(key) != old.get(key)]
    if "name" in keys and old.get("weights") is not None and "weights" not in keys:
        names = {Path(str(settings.get("name"))).name for settings in (old, new)}
        if len(names) == 1:
            keys.remove("name")
    return keys


def _was_cut(line: bytes) -> bool:
    """Return True if a line is incomplete, and begins like a line that gnomon wrote."""
    # The line may be shorter than the beginning, because a kill may come at any byte.
    ours = _BEGINNING.startswith(line[: len(_BEGINNING)])
    return bool(line) and ours and not line.endswith(b"\n")
