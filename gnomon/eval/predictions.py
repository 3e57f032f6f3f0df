"""Predictions on disk: JSON lines, only ever appended to, safe against a kill at any moment."""

from __future__ import annotations

import json
import os
import warnings
from typing import TYPE_CHECKING

from gnomon.sample import Prediction, prediction_from_json, prediction_to_json

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def read(path: Path) -> list[Prediction]:
    """All predictions of a file; an incomplete last line, left by a kill, is dropped and said."""
    return _parse(path)[0]


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


def _parse(path: Path) -> tuple[list[Prediction], int]:
    """The predictions, and the length of the file's whole part in bytes."""
    lines = path.read_bytes().splitlines(keepends=True)
    predictions, whole = [], 0
    for number, line in enumerate(lines, start=1):
        try:
            if not line.endswith(b"\n"):
                raise ValueError("the line has no end")
            predictions.append(prediction_from_json(json.loads(line)))
        except ValueError as error:
            if number < len(lines):
                raise ValueError(f"{path}, line {number}: {error}") from error
            warnings.warn(f"{path}: dropped an incomplete last line", stacklevel=3)
            break
        whole += len(line)
    return predictions, whole
