"""Questions as far as scoring needs them: no picture is drawn or opened again.

`gnomon predict` writes them to a file next to the answers: JSON lines, a question before its
answer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from hashlib import blake2b
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from gnomon import files, jsons
from gnomon.atomic import name_in_errors
from gnomon.sample import Sample, Size, Target, target_from_json, target_to_json

if TYPE_CHECKING:
    from PIL.Image import Image
    from pydantic import ConfigDict, TypeAdapter

# Files on users' disks end so.
SUFFIX = ".asked.jsonl"
_BEGINNING = b'{"id": '
Fact: TypeAlias = "str | float | bool | None"
# Longer texts are whole sentences, which no filter needs.
_LONGEST_FACT = 60
_SampleT = TypeVar("_SampleT", "Sample", "Question")
_WAY_OUT = "delete that file, and the questions are drawn again"


@dataclass(frozen=True, slots=True)
class Question:
    """Sample without its picture."""

    id: str
    target: Target
    """Boxes are in the picture's own pixels."""
    size: Size | None
    """Width and height of the picture in pixels; None without a picture."""
    picture: str
    """Name of the picture, by file or pixels, which questions may share; without one, the id."""
    question: str = ""
    """Words of the question."""
    facts: dict[str, Fact] = field(default_factory=dict)
    """Facts of the scene, as `plain_facts` makes them."""
    content: str = ""
    """Hash of the pixels of its pictures, by which an answer's picture is known again."""

    @classmethod
    def of(cls, sample: Sample | Question) -> Question:
        """Keep of a sample what scoring needs."""
        if isinstance(sample, Question):
            return sample
        facts = plain_facts(sample.facts)
        if sample.image is None:
            return cls(sample.id, sample.target, None, sample.id, sample.question, facts)
        hashes = list(map(picture_hash, sample.images))
        files = [str(getattr(image, "filename", "")) for image in sample.images]
        names = [file or content for file, content in zip(files, hashes, strict=True)]
        return cls(
            *(sample.id, sample.target, sample.image.size, " ".join(names)),
            *(sample.question, facts, " ".join(hashes)),
        )

    @property
    def group(self) -> str:
        """Fact `group`, such as a camera: of a row, the column named for it or else the picture.

        Empty without that fact. No drawn sample has it: their pictures are all independent.
        """
        group = self.facts.get("group")
        return "" if group is None else str(group)

    def truth_at(self, size: Size | None) -> Target:
        """Return the truth; boxes in the pixels of a picture that was resized for the model."""
        if self.size is not None and size is not None:
            return self.target.scaled(self.size, size)
        if self.target.has_place:
            raise ValueError(
                f"sample {self.id!r}: a box needs its picture and the prediction's size; without a"
                " picture give gnomon.eval.Question(id, target, size, picture)"
            )
        return self.target


def picture_hash(picture: Image) -> str:
    """Hash mode, size and pixels."""
    if picture.mode == "P":  # whose pixels are indices into a palette
        picture = picture.convert("RGBA")
    digest = blake2b(f"{picture.mode} {picture.size}".encode(), digest_size=16)
    digest.update(picture.tobytes())
    return digest.hexdigest()


def plain_facts(facts: Mapping[str, Any], path: str = "") -> dict[str, Fact]:
    """Select a sample's facts by which answers can be sorted, under dotted names.

    Words, numbers to four digits, yes and no stay; lists of things become their length. Places in
    the picture, long texts and lists of numbers are left out.
    """
    facts_by_name: dict[str, Fact] = {}
    for key, value in facts.items():
        name = f"{path}{key}"
        if isinstance(value, Mapping):
            facts_by_name |= plain_facts(value, f"{name}.")
        elif isinstance(value, list | tuple):
            # An empty list may be of anything: its length, 0, is a fact.
            if not value or isinstance(value[0], str | Mapping):
                facts_by_name[f"{name}.count"] = len(value)
        # Four digits are more than a filter shows, and keep the files small.
        elif isinstance(value, float) and isfinite(value):
            facts_by_name[name] = float(f"{value:.4g}")
        elif isinstance(value, int | str | None) and len(str(value)) <= _LONGEST_FACT:
            facts_by_name[name] = value
    return facts_by_name


def question_path(predictions: Path) -> Path:
    """Path of the file with the questions that a file of predictions answers."""
    return predictions.with_suffix(SUFFIX)


def is_ours(file: Path) -> bool:
    """True if a file does not exist, or begins as a file of questions, even if only by a few
    bytes."""
    if not file.is_file():
        return not file.exists()
    with file.open("rb") as stream:
        head = stream.read(len(_BEGINNING))
    return _BEGINNING.startswith(head)


@dataclass(frozen=True)
class QuestionFile(Iterable[Question]):
    """Questions of a file in the order of the samples, read anew for each loop.

    A killed run may have asked a question again: it comes once. A line that a kill cut short is
    skipped, for that question was asked again.
    """

    path: Path

    def __iter__(self) -> Iterator[Question]:
        visited: set[int] = set()
        with files.open_bytes(self.path) as file:
            for number, line in enumerate(files.read_lines(file), 1):
                try:
                    row = jsons.loads(line, self.path)
                except ValueError:  # a kill left half of it
                    continue
                # A whole line of another shape is no kill's work: it is refused.
                question = _from_json(row, f"{self.path}, line {number}")
                # Hashes take less memory than ids of 100,000 questions.
                if hash(question.id) not in visited:
                    visited.add(hash(question.id))
                    yield question


def load(predictions: Path, samples: Iterable[Sample], n: int) -> Iterable[Question]:
    """Load the n questions that a file answers: as stored, or of the samples if one is missing."""
    file = question_path(predictions)
    if file.is_file() and sum(1 for _ in QuestionFile(file)) == n:
        return QuestionFile(file)
    return [Question.of(sample) for sample in samples]


def record(samples: Iterable[_SampleT], path: Path) -> Iterator[_SampleT]:
    """Yield the samples, each stored before it is yielded and can be answered.

    A question that a killed run stored is not written again.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = _cut_to_whole_lines(path)
    with files.open_to_append(path) as file:
        for sample in samples:
            if hash(sample.id) in stored:
                yield sample
                continue
            with name_in_errors(path):
                file.write(json.dumps(_to_json(Question.of(sample))) + "\n")
                file.flush()
            yield sample


def _cut_to_whole_lines(path: Path) -> set[int]:
    """Cut off a last line that a kill left incomplete; return hashes of the ids that remain."""
    if not path.exists():
        return set()
    end = 0
    with files.open_bytes(path) as file:
        for line in files.read_lines(file):
            end += len(line) if line.endswith(b"\n") else 0
    # A line without its end would join the next one.
    if end < path.stat().st_size:
        os.truncate(path, end)
    return {hash(question.id) for question in QuestionFile(path)}


def _to_json(question: Question) -> dict[str, Any]:
    row = {attribute.name: getattr(question, attribute.name) for attribute in fields(Question)}
    return {**row, "target": target_to_json(question.target)}


@dataclass(frozen=True, kw_only=True)
class _Stored:
    """Line of a file of questions, as pydantic checks it."""

    __pydantic_config__: ClassVar[ConfigDict] = {"strict": True}

    id: str
    target: dict[str, Any]
    size: Size | None
    picture: str
    question: str = ""
    facts: dict[str, str | int | float | bool | None] = field(default_factory=dict)
    content: str = ""


@cache
def _schema() -> TypeAdapter[_Stored]:
    from pydantic import TypeAdapter

    return TypeAdapter(_Stored)


def _from_json(row: Any, path: str) -> Question:
    from pydantic import ValidationError

    try:
        # Lists may be tuples in JSON's mode alone.
        stored = _schema().validate_json(json.dumps(row))
        target = target_from_json(stored.target)
        if stored.size is not None and min(stored.size) < 1:
            raise ValueError(f"size: {stored.size}")
    except ValidationError as error:
        fault = jsons.first_fault(error)
        raise ValueError(f"{path}: no question of gnomon's: {fault}: {_WAY_OUT}") from error
    except ValueError as error:
        raise ValueError(f"{path}: no question of gnomon's: {error}: {_WAY_OUT}") from error
    values = {**vars(stored), "target": target, "facts": dict(stored.facts)}
    return Question(**values)
