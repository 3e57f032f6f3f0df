"""Reader of boxes with their labels, or of the statement that the list is empty.

JSON is read by its structure, other text line by line. A box that was cut off is ignored. Boxes
that are swapped, degenerate or not four numbers are counted in `Boxes.invalid` and not repaired.
read.toml has the keys and words.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gnomon.answers.base.dialect import Dialect, final_answer
from gnomon.answers.base.target import Corners, Size
from gnomon.answers.box.answer import Box
from gnomon.answers.box.read import NAMES, find_boxes, to_pixels
from gnomon.answers.boxes.answer import Boxes, LabelledBox
from gnomon.answers.reading.base import (
    Reading,
    is_sentence,
    lower_case,
    normalize,
    table,
    trim_label,
)
from gnomon.answers.reading.cues import PATTERNS
from gnomon.answers.reading.loose_json import Array, Mapping, Scalar, Value, objects

_TABLE = table(__file__)
_KEYS = {name: frozenset(words.split()) for name, words in _TABLE["keys"].items()}
_FORMS = {
    name: re.compile("".join(pattern).replace(" ", r"\s"))
    for name, pattern in _TABLE["patterns"].items()
}
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)\s?(?:%|px)?", re.ASCII)
# The content of a code fence. Its end may have been cut off.
_FENCED = re.compile(r"```\w*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
# Molmo's points, <points x1="12" y1="30" x2=…>, which look like boxes.
_POINTS = re.compile(r"<points?\s[^<>]{1,800}>")
# Most characters of a text that consists of the four numbers of a box.
_MAX_BOX_CHARACTERS = 60
# Characters of an answer in which a statement that there are no boxes is looked for.
_MAX_STATEMENT_CHARACTERS = 1000


class _BoxRow(NamedTuple):
    """A box as the text has it. `box` is None if it does not have four numbers."""

    label: str
    box: Reading[Corners] | None
    span: tuple[int, int]


def read_boxes(text: str, dialect: Dialect, size: Size) -> Reading[Boxes] | None:
    """Read all boxes of an answer, or the statement that the list is empty.

    Only the text after the thinking counts. If it has code fences, their content counts, but only
    the last fence if it corrects the fences before it. Boxes are not clipped to the picture. None
    if the text has neither a box nor such a statement.
    """
    answer = final_answer(text)
    # The thinking was cut off before the answer.
    if PATTERNS["thinks"].search(lower_case(answer)):
        return None
    # `final_answer` returns a piece of the text, whose last occurrence is meant.
    start = text.rindex(answer)
    next_question = PATTERNS["runs_on"].search(lower_case(answer))
    if next_question and answer[: next_question.start()].strip():
        answer = answer[: next_question.start()]
    rows: list[_BoxRow] = []
    is_empty = False
    for part, offset in _parts(answer):
        part_rows, says_empty = _part_rows(part)
        shift = start + offset
        rows += [row._replace(span=(row.span[0] + shift, row.span[1] + shift)) for row in part_rows]
        is_empty = is_empty or says_empty
    if not rows:
        says_nothing_found = is_empty or _says_none(answer)
        return (
            Reading(Boxes(), (start, start + len(answer)), "none") if says_nothing_found else None
        )
    items = [_to_labelled_box(row, dialect, size) for row in rows]
    value = Boxes(tuple(filter(None, items)), items.count(None))
    span = min(row.span[0] for row in rows), max(row.span[1] for row in rows)
    return Reading(value, span, "list of boxes")


def _to_labelled_box(row: _BoxRow, dialect: Dialect, size: Size) -> LabelledBox | None:
    try:
        corners = to_pixels(row.box, dialect, size).value if row.box else None
        return LabelledBox(row.label, Box(*corners)) if corners else None
    except ValueError:  # swapped corners, or a degenerate box
        return None


def _parts(answer: str) -> list[tuple[str, int]]:
    """Return the parts of an answer that count, with their offsets."""
    fences = [match for match in _FENCED.finditer(answer) if match[1].strip()]
    fences = [match for match in fences if any(_part_rows(match[1]))]
    if not fences:
        return [(answer, 0)]
    # Each class may have a fence. Words between two fences mean that the second corrects the first.
    talk = lower_case(answer[fences[0].end() : fences[-1].start()])
    if _FORMS["corrects"].search(talk):
        fences = fences[-1:]
    return [(match[1], match.start(1)) for match in fences]


def _part_rows(part: str) -> tuple[list[_BoxRow], bool]:
    """Return the boxes of a part, and True if the part has an empty list."""
    mappings = objects(part)
    if not mappings:
        text = _POINTS.sub(lambda match: " " * len(match[0]), part)
        rows = list(_line_rows(text)) or [_BoxRow("", box, box.span) for box in find_boxes(text)]
        return rows, bool(_FORMS["empty"].search(part))
    rows = [row for mapping in mappings for row in _rows(mapping, "", "")]
    # Some models write four zeros, and say in the label that there is no box.
    nothing = [row for row in rows if row.box and not any(row.box.value) and _is_none(row.label)]
    is_empty = bool(nothing) or any(map(_has_empty_list, mappings))
    if not rows and not is_empty:
        # {"answer": "mug [1, 2, 3, 4]"}
        rows = [row for mapping in mappings for row in _rows_of_text(mapping)]
    return [row for row in rows if row not in nothing], is_empty


def _rows(value: Value, label: str, key: str) -> list[_BoxRow]:
    """Return the boxes in the JSON value of `key`, with the label of the object around it."""
    if isinstance(value, Mapping):
        return _rows_of_mapping(value, label)
    if isinstance(value, Scalar):
        # "bbox_2d": "1, 2, 3, 4"
        is_box = key in _KEYS["box"] and value.whole and len(value.text) <= _MAX_BOX_CHARACTERS
        readings = find_boxes(f"{key}: [{value.text.strip('[]() ')}]") if is_box else []
        span = value.start, value.end
        return [_BoxRow(label, reading._replace(span=span), span) for reading in readings]
    if not value.is_flat:
        return [row for item in value.items for row in _rows(item, label, key)]
    numbers = [item.text for item in value.items if isinstance(item, Scalar)]
    # A list that was cut off is ignored: 41 may be the beginning of 410.
    if not value.whole or not all(map(_NUMBER.fullmatch, numbers)):
        return []
    span = value.start, value.end
    if len(numbers) == 4:
        readings = find_boxes(f"{key}: [{', '.join(numbers)}]")
        return [_BoxRow(label, reading._replace(span=span), span) for reading in readings]
    # Two numbers are a point, not an invalid box.
    is_attempt = key in _KEYS["box"] and len(numbers) != 2
    return [_BoxRow(label, None, span)] if is_attempt else []


def _rows_of_mapping(mapping: Mapping, label: str) -> list[_BoxRow]:
    keys = [key.text.lower() for key, _ in mapping.pairs]
    label_key = next((key for key in _TABLE["keys"]["label"].split() if key in keys), "")
    if len({key for key in keys if key in NAMES}) >= 4:
        return _box_from_fields(mapping, label_key, label)
    rows: list[_BoxRow] = []
    # A label names the boxes before it if the object begins with a box, else those after it.
    label_follows = (
        bool(label_key) and keys[0] != label_key and keys.index(label_key) > _first_box(keys)
    )
    first_unlabelled = 0
    for key, value in mapping.pairs:
        word = key.text.lower()
        if word == label_key and isinstance(value, Scalar):
            text = _text(value)
            if label_follows:
                rows[first_unlabelled:] = [
                    row._replace(label=text) for row in rows[first_unlabelled:]
                ]
                first_unlabelled = len(rows)
            else:
                label = text
        elif word not in _KEYS["other"]:
            is_known = word in _KEYS["box"] or word in _KEYS["lists"]
            rows += _rows(value, label if is_known or label_key else key.text, word)
    return rows


def _rows_of_text(mapping: Mapping) -> Iterator[_BoxRow]:
    """Yield the boxes in a text that is the value of a key such as "answer"."""
    for key, value in mapping.pairs:
        if key.text.lower() in _KEYS["lists"] and isinstance(value, Scalar):
            for row in _line_rows(value.text):
                yield row._replace(span=(value.start, value.end))


def _box_from_fields(mapping: Mapping, label_key: str, label: str) -> list[_BoxRow]:
    """Return the box of an object with a number for each edge, such as x1, y1, width and height."""
    span = mapping.start, mapping.end
    fields: list[str] = []
    for key, value in mapping.pairs:
        if key.text.lower() == label_key:
            label = _text(value)
        elif isinstance(value, Scalar):
            fields.append(f"{key.text}={value.text}")
    # Written as x1=10, y1=20, …, which the reader of single boxes understands.
    readings = find_boxes(", ".join(fields))
    return [_BoxRow(label, reading._replace(span=span), span) for reading in readings[:1]]


def _first_box(keys: list[str]) -> int:
    return next((index for index, key in enumerate(keys) if key in _KEYS["box"]), len(keys))


def _text(value: Value) -> str:
    """Return the label of a value; "" if it is null or was cut off."""
    if not isinstance(value, Scalar) or not value.whole or value.text in ("null", "None"):
        return ""
    return " ".join(value.text.split())


def _has_empty_list(value: Value, key: str = "") -> bool:
    """True if a key of lists or boxes has an empty list, or null, anywhere in a value."""
    if isinstance(value, Mapping):
        return any(_has_empty_list(inner, k.text.lower()) for k, inner in value.pairs)
    if isinstance(value, Array):
        inside = any(_has_empty_list(item, key) for item in value.items)
        return inside or (value.whole and not value.items and key not in _KEYS["other"])
    return key in _KEYS["box"] and value.text in ("null", "None")


def _line_rows(part: str) -> Iterator[_BoxRow]:
    """Yield the boxes of each line. The label is the text before a box, or after it.

    Boxes with only commas between them share a label. The label of a lone box may be in the line
    above it.
    """
    offset = 0
    heading = ""
    for line in part.splitlines(keepends=True):
        rows = _rows_of_line(line) or _row_of_csv(line)
        for row in rows:
            label = row.label or (heading if len(rows) == 1 else "")
            span = offset + row.span[0], offset + row.span[1]
            yield row._replace(label=label, span=span)
        # "Cats:" announces the following lines and is not the label of one box.
        is_heading = not rows and not line.rstrip().endswith(":")
        heading = _label(line) if is_heading else ""
        offset += len(line)


def _rows_of_line(line: str) -> list[_BoxRow]:
    readings = find_boxes(line)
    edges = [0, *(edge for box in readings for edge in box.span), len(line)]
    gaps = [line[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    labels = [_label(gap) for gap in gaps]
    if not labels[0]:
        labels = labels[1:]
    rows: list[_BoxRow] = []
    for index, box in enumerate(readings):
        previous = readings[index - 1] if index else None
        gap = line[previous.span[1] : box.span[0]] if previous else ""
        if previous and not re.search(r"\w", _TOKENS.sub("", gap)):
            labels[index] = labels[index] or labels[index - 1]
            # The tag before a list of lists holds for all of them.
            if box.rule == "list" and previous.rule.endswith("tag"):
                box = readings[index] = box._replace(rule=previous.rule)
        rows.append(_BoxRow(labels[index], box, box.span))
    for match in _FORMS["wrong_count"].finditer(line):
        if not any(box.span[0] < match.end() and match.start() < box.span[1] for box in readings):
            rows.append(_BoxRow("", None, match.span()))
    return rows


def _row_of_csv(line: str) -> list[_BoxRow]:
    """Return the box of a line such as "cat,120,80,180,160"."""
    match = _CSV.fullmatch(line)
    if match is None:
        return []
    span = match.span(2)
    readings = find_boxes(f"[{match[2]}]")
    return [_BoxRow(_label(match[1]), reading._replace(span=span), span) for reading in readings]


_CSV = re.compile(
    r"\s*([^\d,;:\[\]{}()<>]{1,60})[,;:\t]\s*((?:-?\d[\d.]*+\s*[,;\t]\s*){3}-?\d[\d.]*+)\s*"
)


def _label(gap: str) -> str:
    """Return the label in the text between two boxes; "" if the text is a sentence."""
    tags = _TAGGED.findall(gap) or _ATTRIBUTE.findall(gap)
    if tags:
        return " ".join(tags[-1].split())
    text = " ".join(trim_label(_TOKENS.sub(" ", gap)).split()).removesuffix("->").strip(" $")
    is_label = re.search(r"\w", text) and not _FORMS["no_label"].fullmatch(lower_case(text))
    return text if is_label and not is_sentence(text) else ""


_TAGGED = re.compile(
    r"(?:<ref>|<\|ref\|>|<\|object_ref_start\|>|<label>)(.{0,200}?)"
    r"(?:</ref>|<\|/ref\|>|<\|object_ref_end\|>|</label>)"
)
# As in <box label="cat" x1="120" …>.
_ATTRIBUTE = re.compile(r"\b(?:label|name|class)\s?=\s?\"([^\"<>]{0,200})\"")
# Special tokens and tags, the first half of a truncated box, and LaTeX's frame.
_TOKENS = re.compile(r"<\|/?\w+\|>|</?\w+>|<loc_?\d*>?|\\boxed\{|[\[\](){}]")


def _says_none(answer: str) -> bool:
    """True if a text without boxes says that the picture has no such object."""
    low = normalize(answer[:_MAX_STATEMENT_CHARACTERS])
    if _FORMS["refuses"].search(low):
        return False
    return _is_none(low) or bool(_FORMS["absent"].search(low))


def _is_none(text: str) -> bool:
    return bool(_FORMS["nothing"].fullmatch(lower_case(text)))
