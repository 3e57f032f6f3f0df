"""Predictions on disk: JSON lines, only ever appended to, safe against a kill at any moment."""

from __future__ import annotations

import json
import os
import warnings
from array import array
from collections.abc import Container, Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO, overload

import numpy as np

from gnomon import jsons
from gnomon.sample import Prediction, prediction_from_json, prediction_to_json

_SHOWN = 10
"""How many lines that cannot be used are told one by one."""


def read(path: Path) -> list[Prediction]:
    """All predictions of a file, without what `PredictionFile` drops."""
    return list(PredictionFile(path))


class PredictionFile(Sequence[Prediction]):
    """All predictions of a file, each read when it is asked for; to be read from the beginning.

    A line that stands there a second time is dropped, and so is an incomplete last one, which a
    kill leaves; both are said.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._starts, self.end = _starts(path)

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[Prediction]:
        with self.path.open("rb") as file:
            for start in self._starts:
                yield self._at(file, start)

    @overload
    def __getitem__(self, index: int) -> Prediction: ...
    @overload
    def __getitem__(self, index: slice) -> list[Prediction]: ...
    def __getitem__(self, index: int | slice) -> Prediction | list[Prediction]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        start = self._starts[range(len(self))[index]]
        with self.path.open("rb") as file:
            return self._at(file, start)

    def _at(self, file: BinaryIO, start: int) -> Prediction:
        file.seek(start)
        try:
            return _prediction(file.readline())
        except ValueError as error:
            file.seek(0)
            number = file.read(start).count(b"\n") + 1
            raise ValueError(
                f"{self.path}, line {number}: {error}. Delete that line, and `gnomon predict`, run"
                " again, keeps the other answers"
            ) from error


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
    held = PredictionFile(path)
    if held.end < path.stat().st_size:
        os.truncate(path, held.end)
    return list(held)


def check(path: Path, asked: Container[str]) -> None:
    """A ValueError that names each line that answers none of these questions, by sample id.

    Of two different answers to one question it names the later.
    """
    faults: dict[int, str] = {}
    first: dict[str, tuple[int, bytes]] = {}
    for number, line in enumerate(_whole_lines(path), 1):
        try:
            sample_id = _prediction(line).sample_id
        except ValueError as error:
            faults[number] = str(error)
            continue
        digest = blake2b(line, digest_size=8).digest()
        before, told = first.setdefault(sample_id, (number, digest))
        if sample_id not in asked:
            faults[number] = f"{sample_id!r} is not among the questions"
        elif told != digest:
            faults[number] = f"{sample_id!r} is answered otherwise in line {before}"
    if not first and (faults or not _begins_as_ours(path)):
        raise ValueError(f"{path} holds no answers of gnomon's: name another file (--out)")
    if faults:
        raise ValueError(_refusal(path, faults))


def _refusal(path: Path, faults: dict[int, str]) -> str:
    """The lines, and a command that deletes them and keeps the file as it was beside."""
    shown = "".join(f"\nline {number}: {faults[number]}" for number in list(faults)[:_SHOWN])
    more = f"\nand {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    many = "1 line" if len(faults) == 1 else f"{len(faults)} lines"
    spans = ";".join(f"{a}d" if a == b else f"{a},{b}d" for a, b in _spans(faults))
    return (
        f"{path}: {many} cannot be used:{shown}{more}\n"
        f"Delete {'it' if len(faults) == 1 else 'them'}, as `sed -i.bak -e '{spans}'"
        f" {quote(str(path))}` does, and `gnomon predict`, run again, keeps the other answers and"
        " asks for what is missing; or begin another file"
    )


def _spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Numbers in order as the first and last of each run of neighbours."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = spans[-1][0], number
        else:
            spans.append((number, number))
    return spans


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


def _starts(path: Path) -> tuple[array[int], int]:
    """Where each line begins, each kept once; and where the last whole one ends."""
    starts, hashes, end, last = array("q"), array("q"), 0, b""
    with path.open("rb") as file:
        for line in file:
            starts.append(end)
            hashes.append(hash(line))
            end += len(line)
            last = line
    if last and not _is_whole(last):
        warnings.warn(f"{path}: dropped an incomplete last line", stacklevel=4)
        hashes.pop()
        end = starts.pop()
    once = np.sort(np.unique(hashes, return_index=True)[1])
    if twice := len(starts) - len(once):
        many = "a line that repeats an" if twice == 1 else f"{twice} lines that repeat an"
        warnings.warn(f"{path}: dropped {many} earlier one", stacklevel=4)
        starts = array("q", (starts[place] for place in once))
    return starts, end


def _whole_lines(path: Path) -> Iterator[bytes]:
    """All lines but an incomplete last one."""
    with path.open("rb") as file:
        line = next(file, b"")
        for following in file:
            yield line
            line = following
    if _is_whole(line):
        yield line


def _begins_as_ours(path: Path) -> bool:
    """A kill may have left the beginning of a first line."""
    first = b'{"sample_id":'
    with path.open("rb") as file:
        return first.startswith(file.read(len(first)))


def _is_whole(line: bytes) -> bool:
    """Whether no kill cut it; what is whole and no prediction is somebody else's."""
    try:
        jsons.loads(line, "a prediction")
    except ValueError:
        return False
    return line.endswith(b"\n")


def _prediction(line: bytes) -> Prediction:
    if not line.endswith(b"\n"):
        raise ValueError("the line has no end")
    try:
        row = jsons.loads(line, "a prediction")
    except ValueError as error:
        raise ValueError(f"the line is cut short or damaged ({error})") from error
    return prediction_from_json(row)
