"""Predictions on disk: JSON lines, only ever appended to, safe against a kill at any moment."""

from __future__ import annotations

import json
import os
import warnings
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from gnomon import jsons
from gnomon.sample import Prediction, prediction_from_json, prediction_to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def read(path: Path) -> list[Prediction]:
    """All predictions of a file; an incomplete last line, left by a kill, is dropped and said."""
    return _parse(path)[0]


class PredictionFile(Sequence[Prediction]):
    """All predictions of a file, each read when it is asked for; to be read from the beginning."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._starts = _starts(path)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __iter__(self) -> Iterator[Prediction]:
        with self.path.open("rb") as file:
            for number in range(1, len(self) + 1):
                yield _prediction(self.path, number, file.readline())

    @overload
    def __getitem__(self, index: int) -> Prediction: ...
    @overload
    def __getitem__(self, index: slice) -> list[Prediction]: ...
    def __getitem__(self, index: int | slice) -> Prediction | list[Prediction]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        with self.path.open("rb") as file:
            file.seek(self._starts[place])
            return _prediction(self.path, place + 1, file.readline())


def append(path: Path, predictions: Iterable[Prediction]) -> None:
    """Add predictions to a file, on the disk before this returns."""
    lines = "".join(json.dumps(prediction_to_json(p)) + "\n" for p in predictions)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())


def resume(path: Path) -> list[Prediction]:
    """What a file holds so far, after cutting off an incomplete last line."""
    if not path.exists():
        return []
    predictions, whole = _parse(path)
    if whole < path.stat().st_size:
        os.truncate(path, whole)
    return predictions


def done(path: Path, settings: dict[str, Any]) -> set[str]:
    """The samples that the file answers already; answers given otherwise are never mixed in."""
    held = resume(path)
    for old in held:
        if keys := _differing(old.settings, settings):
            was, now = ({key: s.get(key) for key in keys} for s in (old.settings, settings))
            raise ValueError(
                f"{path} holds answers given with {was}, not {now}:"
                " name another file, or delete that one"
            )
    return {prediction.sample_id for prediction in held}


def alike(path: Path, predictions: Iterable[Prediction]) -> Iterator[Prediction]:
    """The same, refused where a file holds answers that were not all given with one setting."""
    first: dict[str, Any] | None = None
    for prediction in predictions:
        first = prediction.settings if first is None else first
        if prediction.settings != first and (keys := _differing(first, prediction.settings)):
            was, now = ({key: s.get(key) for key in keys} for s in (first, prediction.settings))
            raise ValueError(
                f"{path}: {prediction.sample_id!r} was answered with {now}, others with {was}:"
                " score one run at a time"
            )
        yield prediction


def _differing(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    """Which settings differ; one that was not known then and is none now changes nothing."""
    return [key for key in b | a if a.get(key) != b.get(key)]


def _starts(path: Path) -> array[int]:
    """Where each line begins, and where the last whole one ends; an incomplete one is dropped."""
    starts, end = array("q", [0]), 0
    last = b""
    with path.open("rb") as file:
        for line in file:
            end += len(line)
            starts.append(end)
            last = line
    try:
        if last:
            _prediction(path, len(starts) - 1, last)
    except ValueError:
        warnings.warn(f"{path}: dropped an incomplete last line", stacklevel=4)
        starts.pop()
    return starts


def _prediction(path: Path, number: int, line: bytes) -> Prediction:
    try:
        if not line.endswith(b"\n"):
            raise ValueError("the line has no end")
        row = jsons.loads(line, "a prediction")
        return prediction_from_json(row)
    except ValueError as error:
        raise ValueError(f"{path}, line {number}: {error}") from error


def _parse(path: Path) -> tuple[list[Prediction], int]:
    """The predictions, and the length of the file's whole part in bytes."""
    lines = path.read_bytes().splitlines(keepends=True)
    predictions, whole = [], 0
    for number, line in enumerate(lines, start=1):
        try:
            predictions.append(_prediction(path, number, line))
        except ValueError:
            if number < len(lines):
                raise
            warnings.warn(f"{path}: dropped an incomplete last line", stacklevel=3)
            break
        whole += len(line)
    return predictions, whole
