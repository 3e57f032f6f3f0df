"""Samples written out for those who train elsewhere, boxes as the model's family expects them."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from gnomon import dialect
from gnomon.sample import resized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from gnomon.pipeline.families.base import Family
    from gnomon.sample import Sample

Row = dict[str, Any]


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
            for place, sample in enumerate(tqdm(samples, total=total, desc="export", unit="")):
                row = FORMS[form](*_written(sample, family, part, place))
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        part.rename(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return out


def _written(
    sample: Sample, family: Family, folder: Path, place: int
) -> tuple[str, str, str, str | None]:
    """The id, question and answer, and the picture's path in the folder."""
    target, image, path = sample.target, sample.image, None
    if image is not None:
        if family.vision is None:
            raise ValueError(f"sample {sample.id}: {family.name} reads text alone, and sees this")
        size = family.exported(image.size)
        target, image = resized(target, image.size, size), image.resize(size)
        path = f"images/{place:07}.png"  # an id may be no name of a file
        image.save(folder / path)
    spoken = dialect.create(family.dialect)
    answer = spoken.write(target, image.size if image else None)
    return sample.id, sample.question, dialect.worked(sample.rationale, answer), path


def _parts(question: str, path: str | None) -> list[Row]:
    picture: list[Row] = [{"type": "image"}] if path else []
    return [*picture, {"type": "text", "text": question}]


def _trl(_: str, question: str, answer: str, path: str | None) -> Row:
    """Prompt and completion, so that no image placeholder enters the loss."""
    return {
        "prompt": [{"role": "user", "content": _parts(question, path)}],
        "completion": [{"role": "assistant", "content": _parts(answer, None)}],
        **({"images": [path]} if path else {}),
    }


def _messages(_: str, question: str, answer: str, path: str | None) -> Row:
    return {
        "messages": [
            {"role": "user", "content": _parts(question, path)},
            {"role": "assistant", "content": _parts(answer, None)},
        ],
        **({"images": [path]} if path else {}),
    }


def _llava(name: str, question: str, answer: str, path: str | None) -> Row:
    return {
        "id": name,
        **({"image": path} if path else {}),
        "conversations": [
            {"from": "human", "value": f"<image>\n{question}" if path else question},
            {"from": "gpt", "value": answer},
        ],
    }


def _swift(_: str, question: str, answer: str, path: str | None) -> Row:
    return {
        "messages": [
            {"role": "user", "content": f"<image>{question}" if path else question},
            {"role": "assistant", "content": answer},
        ],
        **({"images": [path]} if path else {}),
    }


FORMS: dict[str, Callable[[str, str, str, str | None], Row]] = {
    "trl": _trl,
    "messages": _messages,
    "llava": _llava,
    "swift": _swift,
}
"""How each trainer wants a row."""
