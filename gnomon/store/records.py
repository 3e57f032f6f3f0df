"""Conversion of samples to records, the rows of stored tables, and back."""

import json
from hashlib import sha256
from typing import Any, TypeAlias

from gnomon import jsons
from gnomon.dialect import Dialect
from gnomon.jsons import shape_error
from gnomon.sample import Sample, Size, Target, target_from_json, target_to_json
from gnomon.store import pictures

TEXTS = ("id", "question", "rationale", "answer", "target", "facts")
"""Columns other than the pictures."""
MORE_IMAGES = "more_images"
"""Column of the second and later pictures, in datasets whose samples may have several."""


Record: TypeAlias = dict[str, Any]
"""Sample by columns, as it is stored and read."""


class Fingerprints:
    """Hashes over the pictures and over the labels of consecutive records."""

    def __init__(self) -> None:
        self._pixels, self._labels = sha256(), sha256()

    def add(self, sample: Sample, record: Record) -> None:
        """Add the next record with its sample, whose pictures are already decoded."""
        # A sample without a picture also counts. Its entry in the hash is "none".
        for image in sample.images or (None,):
            self._pixels.update(pictures.fingerprint(image))
        # Without the picture's bytes, so the hash is the same for every file format.
        labels = json.dumps([record[name] for name in TEXTS], ensure_ascii=False)
        self._labels.update(labels.encode() + b"\n")

    def to_json(self) -> dict[str, str]:
        """Return the hashes in the form of a shard's entry in the manifest."""
        return {"pixels": self._pixels.hexdigest(), "labels": self._labels.hexdigest()}


def to_record(sample: Sample, *, has_several_pictures: bool = False) -> Record:
    """Return the record of a sample. Refuse a sample that cannot be stored completely.

    `has_several_pictures` adds the column for further pictures. Either all records of a source have
    it or none.
    """
    try:
        images = [wrap_picture(pictures.encode_png(image)) for image in sample.images]
        record = {"image": images[0] if images else None, **text_columns(sample)}
    except (OSError, TypeError, ValueError) as error:
        raise ValueError(f"sample {sample.id!r} cannot be stored: {error}") from error
    # Empty lists are also written, so all rows have the same columns.
    return {**record, MORE_IMAGES: images[1:]} if has_several_pictures else record


def text_columns(sample: Sample) -> dict[str, str | None]:
    """Return the columns other than pictures. `answer` is for people, in the plain dialect."""
    return {
        "id": sample.id,
        "question": sample.question,
        "rationale": sample.rationale,
        "answer": plain_answer(sample.target, sample.image.size if sample.image else None),
        "target": _json(target_to_json(sample.target)),
        "facts": _json(sample.facts),
    }


def from_record(record: Record) -> Sample:
    """Return the sample of a record as a reader gives it. Tuples in the facts become lists."""
    image = record["image"]
    for name in ("id", "question"):
        if not isinstance(record[name], str):
            raise shape_error(f"column {name!r}", record[name], "give a text")
    facts = jsons.loads(record.get("facts") or "{}", "facts")
    if not isinstance(facts, dict):
        raise shape_error("column 'facts'", facts, "give an object")
    return Sample(
        id=record["id"],
        image=None if image is None else pictures.decode_picture(image["bytes"]),
        question=record["question"],
        target=target_from_json(jsons.loads(record["target"], "target")),
        facts=facts,
        rationale=record.get("rationale") or "",
        more_images=tuple(
            pictures.decode_picture(image["bytes"]) for image in record.get(MORE_IMAGES) or ()
        ),
    )


def plain_columns(record: Record) -> dict[str, str]:
    """Return the text columns without nulls, for files whose readers guess types."""
    return {name: record[name] or "" for name in TEXTS}


def wrap_picture(picture: bytes) -> dict[str, Any]:
    """Wrap a picture's bytes as Arrow and the Hugging Face libraries do."""
    return {"bytes": picture, "path": None}


def plain_answer(target: Target, size: Size | None) -> str | None:
    """Return the answer for people, in the plain dialect, or None if it cannot be written."""
    try:
        return Dialect().write(target, size)
    except ValueError:  # a sliver of a box, or a box without a picture
        return None


def _json(values: dict[str, Any]) -> str:
    """Write JSON with sorted keys, so facts in another order give the same bytes."""
    # NaN is not valid JSON, and other readers would refuse the whole column.
    return json.dumps(values, ensure_ascii=False, allow_nan=False, sort_keys=True)
