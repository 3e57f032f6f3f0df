"""Samples written out for those who train or measure elsewhere, boxes as the family has them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from gnomon.answers import dialect
from gnomon.pipeline.families.base import Family
from gnomon.progress import track
from gnomon.sample import Sample, Size, Target, target_to_json

Row = dict[str, Any]


class Written(NamedTuple):
    """A sample in the words of a family."""

    id: str
    question: str
    answer: str
    path: str | None
    """Its picture's, in the folder."""
    target: Target
    """A box in the pixels of `size`."""
    size: Size | None
    dialect: str


def export(samples: Iterable[Sample], total: int, family: Family, form: str, out: Path) -> Path:
    """Write `out`: a file of rows and the pictures beside it, whole or not at all.

    Pictures are written in the size that the family's processor would give them where its boxes
    are pixels of that size, so that every trainer sees what the boxes say.
    """
    if form not in FORMS:
        raise ValueError(f"form={form!r}: give one of {', '.join(FORMS)}")
    if out.exists():
        raise FileExistsError(f"{out} is there already; nothing was exported")
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    (part / "images").mkdir(parents=True)
    try:
        with (part / "data.jsonl").open("w", encoding="utf-8") as file:
            for place, sample in enumerate(track(samples, total=total, desc="export")):
                row = FORMS[form](_written(sample, family, part, place))
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        if form == "lmms-eval":
            from gnomon.pipeline.exporting import lmms_task

            lmms_task.write(part, part / "data.jsonl", out.name)
        part.rename(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return out


def _written(sample: Sample, family: Family, folder: Path, place: int) -> Written:
    target, image, path, size = sample.target, sample.image, None, None
    if image is not None:
        if family.vision is None:
            raise ValueError(
                f"sample {sample.id}: {family.name} reads text alone, and it has a picture"
            )
        size = family.exported(image.size)
        target, image = target.scaled(image.size, size), image.resize(size)
        path = f"images/{place:07}.png"  # an id may be no name of a file
        image.save(folder / path)
    answer = dialect.create(family.dialect).write(target, size)
    answer = dialect.worked(sample.rationale, answer)
    return Written(sample.id, sample.question, answer, path, target, size, family.dialect)


def _parts(question: str, path: str | None) -> list[Row]:
    picture: list[Row] = [{"type": "image"}] if path else []
    return [*picture, {"type": "text", "text": question}]


def _trl(one: Written) -> Row:
    """Prompt and completion, so that no image placeholder enters the loss."""
    return {
        "prompt": [{"role": "user", "content": _parts(one.question, one.path)}],
        "completion": [{"role": "assistant", "content": _parts(one.answer, None)}],
        **({"images": [one.path]} if one.path else {}),
    }


def _messages(one: Written) -> Row:
    return {
        "messages": [
            {"role": "user", "content": _parts(one.question, one.path)},
            {"role": "assistant", "content": _parts(one.answer, None)},
        ],
        **({"images": [one.path]} if one.path else {}),
    }


def _llava(one: Written) -> Row:
    return {
        "id": one.id,
        **({"image": one.path} if one.path else {}),
        "conversations": [
            {"from": "human", "value": f"<image>\n{one.question}" if one.path else one.question},
            {"from": "gpt", "value": one.answer},
        ],
    }


def _swift(one: Written) -> Row:
    return {
        "messages": [
            {"role": "user", "content": f"<image>{one.question}" if one.path else one.question},
            {"role": "assistant", "content": one.answer},
        ],
        **({"images": [one.path]} if one.path else {}),
    }


def _lmms_eval(one: Written) -> Row:
    """Plain columns; a target as text, since those of several kinds share no fields."""
    return {
        "id": one.id,
        "question": one.question,
        "answer": one.answer,
        "image": one.path,
        "target": json.dumps(target_to_json(one.target), ensure_ascii=False),
        "size": one.size,
        "dialect": one.dialect,
    }


FORMS: dict[str, Callable[[Written], Row]] = {
    "trl": _trl,
    "messages": _messages,
    "llava": _llava,
    "swift": _swift,
    "lmms-eval": _lmms_eval,
}
"""How each trainer, and lmms-eval, wants a row."""
