"""Questions without pictures, for scoring. No picture has to be drawn or opened again.

`gnomon predict` writes them as JSON lines to a file in the folder of the answers. Each question is
written before its answer.
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
from gnomon.answers.reading.steps import add_working, value_start
from gnomon.atomic import name_in_errors
from gnomon.sample import Sample, Size, Target, target_from_json, target_to_json

if TYPE_CHECKING:
    from PIL.Image import Image
    from pydantic import ConfigDict, TypeAdapter

# End of the file name, which must not change: users have such files.
SUFFIX = ".asked.jsonl"
_BEGINNING = b'{"id": '
Fact: TypeAlias = "str | float | bool | None"
# Longer texts are whole sentences, which are useless for a filter.
_LONGEST_FACT = 60
_SampleT = TypeVar("_SampleT", "Sample", "Question")
_WAY_OUT = "delete this file, and gnomon draws the questions again"


@dataclass(frozen=True, slots=True)
class Question:
    """A sample without its picture."""

    id: str
    target: Target
    """The true answer. Its boxes are in pixels of the original picture."""
    size: Size | None
    """Width and height of the picture in pixels, or None without a picture."""
    picture: str
    """Name of the picture: its file, a hash of its pixels, or `id` without a picture.

    Questions about the same picture have the same name."""
    question: str = ""
    """Text of the question."""
    facts: dict[str, Fact] = field(default_factory=dict)
    """Facts of the scene by name, from `plain_facts`."""
    content: str = ""
    """Hash of the pixels of its pictures, to check that an answer is about the same pictures."""
    steps: str = ""
    """True steps before the answer. Empty if the answer has none."""

    @classmethod
    def of(cls, sample: Sample | Question) -> Question:
        """Convert a sample. A question is returned unchanged."""
        if isinstance(sample, Question):
            return sample
        facts = plain_facts(sample.facts)
        # A working in free words has no steps to compare.
        steps = sample.rationale if value_start(add_working(sample.rationale, "")) else ""
        hashes = list(map(picture_hash, sample.images))
        files = [str(getattr(image, "filename", "")) for image in sample.images]
        names = [file or content for file, content in zip(files, hashes, strict=True)]
        size = sample.image.size if sample.image else None
        return cls(
            *(sample.id, sample.target, size, " ".join(names) or sample.id),
            *(sample.question, facts, " ".join(hashes), steps),
        )

    @property
    def group(self) -> str:
        """Group of a user's row, such as a camera. It is empty for drawn samples.

        It is the value of the column that the user named, or the name of the picture. Drawn
        pictures are independent, so drawn samples do not need groups.
        """
        group = self.facts.get("group")
        return "" if group is None else str(group)

    def truth_at(self, size: Size | None) -> Target:
        """Return the truth with boxes in pixels of `size`, the picture as the model saw it."""
        if self.size is not None and size is not None:
            return self.target.scaled(self.size, size)
        if self.target.has_place:
            raise ValueError(
                f"sample {self.id!r}: a box needs its picture and the prediction's size: without a"
                " picture, give gnomon.eval.Question(id, target, size, picture)"
            )
        return self.target


def picture_hash(picture: Image) -> str:
    """Return a hash of a picture's mode, size and pixels."""
    if picture.mode == "P":  # whose pixels are indices into a palette
        picture = picture.convert("RGBA")
    digest = blake2b(f"{picture.mode} {picture.size}".encode(), digest_size=16)
    digest.update(picture.tobytes())
    return digest.hexdigest()


def plain_facts(facts: Mapping[str, Any], path: str = "") -> dict[str, Fact]:
    """Select the facts of a sample that can filter answers, under dotted names.

    Short texts, booleans and None stay, numbers are rounded to four digits, and lists become their
    length. Positions, long texts and lists of numbers are left out.
    """
    facts_by_name: dict[str, Fact] = {}
    for key, value in facts.items():
        name = f"{path}{key}"
        if isinstance(value, Mapping):
            facts_by_name |= plain_facts(value, f"{name}.")
        elif isinstance(value, list | tuple):
            # The type of an empty list is unknown, but its length, 0, is a fact.
            if not value or isinstance(value[0], str | Mapping):
                facts_by_name[f"{name}.count"] = len(value)
        # Four digits are enough for a filter, and keep the files small.
        elif isinstance(value, float) and isfinite(value):
            facts_by_name[name] = float(f"{value:.4g}")
        elif isinstance(value, int | str | None) and len(str(value)) <= _LONGEST_FACT:
            facts_by_name[name] = value
    return facts_by_name


def question_path(predictions: Path) -> Path:
    """Return the path of the file of questions for a file of predictions."""
    return predictions.with_suffix(SUFFIX)


def is_ours(file: Path) -> bool:
    """Return True if a file is a file of questions, possibly incomplete, or does not exist."""
    if not file.is_file():
        return not file.exists()
    with file.open("rb") as stream:
        head = stream.read(len(_BEGINNING))
    return _BEGINNING.startswith(head)


@dataclass(frozen=True)
class QuestionFile(Iterable[Question]):
    """The questions of a file in the order of the samples. Each iteration reads the file again.

    A resumed run may have written a question twice: it is yielded once. An incomplete line, as a
    kill leaves it, is skipped, because the resumed run wrote its question again.
    """

    path: Path

    def __iter__(self) -> Iterator[Question]:
        visited: set[int] = set()
        with files.open_bytes(self.path) as file:
            for number, line in enumerate(files.read_lines(file), 1):
                try:
                    row = jsons.loads(line, self.path)
                except ValueError:  # an incomplete line after a kill
                    continue
                # A complete line with other fields is an error, which a kill does not explain.
                question = _from_json(row, f"{self.path}, line {number}")
                # Hashes take less memory than ids of 100,000 questions.
                if hash(question.id) not in visited:
                    visited.add(hash(question.id))
                    yield question


def load(predictions: Path, samples: Iterable[Sample], n: int) -> Iterable[Question]:
    """Load the n questions of a file of predictions.

    If their file is missing or incomplete, they are made from `samples`.
    """
    file = question_path(predictions)
    if file.is_file() and sum(1 for _ in QuestionFile(file)) == n:
        return QuestionFile(file)
    return [Question.of(sample) for sample in samples]


def record(samples: Iterable[_SampleT], path: Path) -> Iterator[_SampleT]:
    """Write the question of each sample to a file, and then yield the sample.

    Questions that an earlier run has written are not written again.
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
    """Remove an incomplete last line from a file. Return hashes of the ids of its questions."""
    if not path.exists():
        return set()
    end = 0
    with files.open_bytes(path) as file:
        for line in files.read_lines(file):
            end += len(line) if line.endswith(b"\n") else 0
    # The next line would be appended to an incomplete line.
    if end < path.stat().st_size:
        os.truncate(path, end)
    return {hash(question.id) for question in QuestionFile(path)}


def _to_json(question: Question) -> dict[str, Any]:
    row = {attribute.name: getattr(question, attribute.name) for attribute in fields(Question)}
    return {**row, "target": target_to_json(question.target)}


@dataclass(frozen=True, kw_only=True)
class _Stored:
    """The fields of a line of a file of questions, for pydantic to check."""

    __pydantic_config__: ClassVar[ConfigDict] = {"strict": True}

    id: str
    target: dict[str, Any]
    size: Size | None
    picture: str
    question: str = ""
    facts: dict[str, str | int | float | bool | None] = field(default_factory=dict)
    content: str = ""
    steps: str = ""


@cache
def _schema() -> TypeAdapter[_Stored]:
    from pydantic import TypeAdapter

    return TypeAdapter(_Stored)


def _from_json(row: Any, path: str) -> Question:
    from pydantic import ValidationError

    try:
        # Only in JSON mode does strict pydantic convert lists to tuples.
        stored = _schema().validate_json(json.dumps(row))
        target = target_from_json(stored.target)
        if stored.size is not None and min(stored.size) < 1:
            raise ValueError(f"size: {stored.size}")
    except ValidationError as error:
        fault = jsons.first_fault(error)
        raise ValueError(f"{path}: not a question by gnomon: {fault}: {_WAY_OUT}") from error
    except ValueError as error:
        raise ValueError(f"{path}: not a question by gnomon: {error}: {_WAY_OUT}") from error
    values = {**vars(stored), "target": target, "facts": dict(stored.facts)}
    return Question(**values)
