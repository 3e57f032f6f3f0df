"""Benchmarks of charts, photographs and texts: ChartQA, GSM8K, RefCOCO, and those of VLMEvalKit."""

import re
from base64 import b64decode
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from gnomon.recipe import Columns
from gnomon.sample import Box, Number, Text
from gnomon.store.benchmarks import find_picture, first_filled_cell, picture_group, split_of_file
from gnomon.store.pictures import picture_size
from gnomon.store.user_data.lines import read_rows
from gnomon.store.user_data.table import UserRow

_DECIMAL = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)


def chartqa(line: int, raw: dict[str, Any], file: Path) -> Iterator[UserRow]:
    """Questions about charts. A label that is a plain decimal is a number, otherwise a text.

    ChartQA (Masry et al. 2022) is read from the authors' JSON, a list of {"imgname", "query",
    "label"} with the charts in png/ next to it, or from Parquet rows of `image`, `query`, `label`,
    as on the Hugging Face hub.
    """
    image = find_picture(raw, file, "imgname", "png")
    question = " ".join(str(first_filled_cell(raw, "query", "question")).split())
    label = first_filled_cell(raw, "label", "answer")
    if isinstance(label, list):  # on the hub it is a list of one
        (label,) = label
    target = _number_or_text(label)
    yield UserRow(line, image, question, target, picture_group(image), split_of_file(file))


_MARKS = re.compile(r"<<[^<>]*>>")


def gsm8k(line: int, raw: dict[str, Any], file: Path) -> Iterator[UserRow]:
    """Math word problems, with their working as the rationale.

    GSM8K (Cobbe et al. 2021) is JSONL of `question` and `answer`. An answer is the working, ####
    and the number. The calculator's marks, <<48/2=24>>, are removed from the working.
    """
    question = str(first_filled_cell(raw, "question")).strip()
    working, sign, number = str(first_filled_cell(raw, "answer")).rpartition("####")
    if not sign:
        raise ValueError("the answer does not have #### before its number")
    columns = Columns(image=None, kind="number")
    # GSM8K writes 1,000 with its comma.
    target = Number.from_label(number.replace(",", "").strip(), columns, None)
    rationale = _MARKS.sub("", working).strip()
    yield UserRow(line, None, question, target, question, split_of_file(file), rationale)


def refcoco(line: int, raw: dict[str, Any], file: Path) -> Iterator[UserRow]:
    """Boxes of the things that expressions describe: RefCOCO, RefCOCO+ and RefCOCOg.

    They (Yu et al. 2016) are read from Qwen's JSONL of `image`, `sent`, `bbox` as x1, y1, x2, y2,
    or from lmms-eval's rows of `image`, `answer` (several expressions of the same thing) and `bbox`
    as x, y, width, height. The names of the columns decide between the two, never the numbers.
    """
    columns = Columns(kind="box", box_format="xyxy" if "sent" in raw else "xywh")
    value = first_filled_cell(raw, "sent", "answer")
    image = find_picture(raw, file, "image")
    target = Box.from_label(first_filled_cell(raw, "bbox"), columns, picture_size(image))
    expressions = [value] if isinstance(value, str) else value
    for index, expression in enumerate(expressions, 1):
        question = f"Where is {' '.join(str(expression).split())}? Give its box."
        part = str(index) if len(expressions) > 1 else ""
        group = picture_group(image)
        yield UserRow(line, image, question, target, group, split_of_file(file), part=part)


# Largest length of an `image` that is an index, as in VLMEvalKit. Pictures are never this short.
_MAX_INDEX_LENGTH = 64


def vlmevalkit(line: int, raw: dict[str, Any], file: Path) -> Iterator[UserRow]:
    """Rows of any TSV of VLMEvalKit. Answers are letters of choices, numbers or texts.

    VLMEvalKit's TSVs (Duan et al. 2024) have `index`, `image` in base64, `question` and `answer`.
    Columns A, B, C, … are choices, whose letter is the answer. An `image` may be the index of an
    earlier row with the picture. `image_path` names a file instead.
    """
    image = _image(raw, file)
    question = str(first_filled_cell(raw, "question")).strip()
    hint = (raw.get("hint") or "").strip()
    if hint:
        question = f"{hint}\n{question}"
    choices = {letter: raw[letter] for letter in ascii_uppercase if raw.get(letter)}
    answer = first_filled_cell(raw, "answer")
    target = Text(answer, tuple(choices)) if choices else _number_or_text(answer)
    lines = [f"{letter}. {' '.join(choice.split())}" for letter, choice in choices.items()]
    if lines:
        question = "\n".join((question, *lines, "Answer with the letter."))
    yield UserRow(line, image, question, target, picture_group(image), split_of_file(file))


def _image(raw: dict[str, Any], file: Path) -> Path | bytes:
    if raw.get("image_path"):
        return find_picture(raw, file, "image_path", "images")
    image = str(first_filled_cell(raw, "image"))
    # Anything longer is the picture itself.
    if len(image) > _MAX_INDEX_LENGTH:
        return b64decode(image, validate=True)
    by_index = _pictures(file, file.stat().st_mtime_ns)
    if image not in by_index:
        raise ValueError(f"image {image!r} is not the index of a row with a picture")
    return b64decode(by_index[image], validate=True)


@lru_cache(maxsize=1)
def _pictures(file: Path, mtime: int) -> dict[str, str]:  # noqa: ARG001 - for the cache
    """Return the base64 of the pictures that rows contain, by the rows' index."""
    cells = ((raw.get("index", ""), raw.get("image") or "") for _, raw in read_rows(file))
    return {index: image for index, image in cells if len(image) > _MAX_INDEX_LENGTH}


def _number_or_text(answer: Any) -> Number | Text:
    """Take a plain decimal as a number, and anything else as a text."""
    text = " ".join(str(answer).split())
    return Number(Decimal(text)) if _DECIMAL.fullmatch(text) else Text(text)
