"""How many answers of the corpus are read as judged: python tests/answers/accuracy.py [--by-style].

Each line of corpus/*.jsonl is an answer in the style of a current model, written by hand, with what
a person takes it to say, judged before the rules were changed by what it showed. Every third line
is set aside, for a look at the end: `--set-aside` scores these alone (246 of its 250 times were
read as judged then, 249 of 254 numbers, 244 of 251 choices, all 146 boxes, and 3 of its 103 unread
answers were read). blind.jsonl was written later without a look at the rules: `--blind` scores it.
As written, 473 of the first part's 495 answers were read as judged, and 354 of the last one's 360.
fresh.jsonl came last, with counters and more of how people hedge and correct: 209 of its 247 were
read as judged, and 236 after nine classes of fault among them were mended. Three boxes in <box>,
which its writer took for pixels, are judged in InternVL's 0 to 1000.

boxes.jsonl has answers about several boxes, or none, in forms that issues and repositories show:
read at first were 216 of 217; of 54 harder ones in fresh.jsonl 31. A label of null is not compared,
since prose gives none or many.
"""

import argparse
import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from gnomon.answers.box.answer import BoxForm
from gnomon.answers.box.measure import BoxType
from gnomon.answers.boxes.read import read_boxes
from gnomon.answers.reading.base import Which
from gnomon.answers.text.read import read_text
from gnomon.dialect import create
from gnomon.eval import read_number, read_time
from gnomon.sample import Boxes

CORPUS = Path(__file__).parent / "corpus"
Row = dict[str, Any]
Part = Literal["open", "set aside", "blind", "fresh"]


def rows(name: str, part: Part = "open") -> list[Row]:
    """The answers of one type; none where there is no such file."""
    file = CORPUS / (f"{part}.jsonl" if part in ("blind", "fresh") else f"{name}.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    if part in ("blind", "fresh"):
        return [row for row in map(json.loads, lines) if row["type"] == name]
    aside = part == "set aside"
    return [json.loads(line) for n, line in enumerate(lines, 1) if (n % 3 == 0) == aside]


def read(name: str, row: Row, which: Which) -> Any:
    """The value that the type's reader finds, None if there is none."""
    text, asked = row["text"], row["asked"]
    if name == "time":
        found = read_time(text, hours=asked["hours"], which=which)
    elif name == "number":
        found = read_number(text, unit=asked["unit"], which=which)
    elif name == "text":
        found = read_text(text, choices=tuple(asked["choices"]), which=which)
    elif name == "boxes":
        found = read_boxes(text, create(asked["dialect"]), tuple(asked["size"]))
    else:
        size = tuple(asked["size"])
        spoken = create(asked["dialect"])
        found = BoxType().read(text, BoxForm(), which=which, dialect=spoken, size=size)
    return found and found.value


def as_judged(name: str, value: Any, judged: Any) -> bool:
    """Whether a value is what a person took the answer to be; boxes to a pixel."""
    if value is None or judged is None:
        return value is judged
    if name == "time":
        return tuple(judged) == value[: len(judged)] and value[2] == (*judged, None)[2]
    if name == "number":
        return bool(value == Decimal(judged))
    if name == "box":
        return all(abs(one - other) <= 1 for one, other in zip(value, judged, strict=True))
    if name == "boxes":
        return value.invalid == judged["invalid"] and _are_same(value, judged["items"])
    return bool(value == judged)


def _are_same(value: Boxes, judged: list[tuple[str | None, list[float]]]) -> bool:
    """Whether boxes are those that a person took from the answer, in any order, to a pixel."""
    read = sorted((item.box.corners, item.label.casefold()) for item in value.items)
    truth = sorted(judged, key=lambda row: row[1])
    return len(read) == len(truth) and all(
        all(abs(one - other) <= 1 for one, other in zip(corners, true, strict=True))
        and (label is None or text == label.casefold())
        for (corners, text), (label, true) in zip(read, truth, strict=True)
    )


def counted(name: str, which: Which = "final", *, part: Part = "open") -> dict[str, float]:
    """Shares read as judged, of all and by style, and of the unreadable that were read at all."""
    right, total = Counter[str](), Counter[str]()
    for row in rows(name, part):
        value = read(name, row, which)
        groups = ["all", row["style"], row["language"]]
        if row["judged"] is None:
            total["unread read"] += 1
            right["unread read"] += value is not None
        for group in groups:
            total[group] += 1
            right[group] += as_judged(name, value, row["judged"])
    return {group: right[group] / total[group] for group in sorted(total)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--by-style", action="store_true")
    parts = parser.add_mutually_exclusive_group()
    for part in ("set aside", "blind", "fresh"):
        flag = "--" + part.replace(" ", "-")
        parts.add_argument(flag, dest="part", action="store_const", const=part, default="open")
    options = parser.parse_args()
    for name in ("time", "number", "text", "box", *["boxes"] * (options.part != "blind")):
        last, final = (counted(name, which, part=options.part) for which in ("last", "final"))
        for group in final if options.by_style else ("all", "unread read"):
            if group in final:
                print(f"{name:<8} {group:<18} last {last[group]:6.1%}  final {final[group]:6.1%}")


if __name__ == "__main__":
    main()
