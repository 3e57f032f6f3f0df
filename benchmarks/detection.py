"""Pairs that gnomon and pycocotools match, on 500 drawn lists of boxes with labels.

python benchmarks/detection.py (pip install pycocotools first: gnomon itself needs it nowhere)

pycocotools takes the boxes of an answer in the order of their scores, here all 1, and gives each
the best true box that is still free; gnomon makes as many pairs as there can be. They part only
where boxes lie so close that the best one for a box is the only one for another.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any

from gnomon.eval import detection  # type: ignore[attr-defined]
from gnomon.sample import Box, Boxes, LabelledBox

PICTURES = 500
SIZE = (640, 480)
LABELS = ("cat", "dog")
Row = tuple[str, float, float, float, float]
"""Label, left and upper edge, width, height."""


def lists(room: float) -> Iterator[tuple[list[Row], list[Row]]]:
    """Answered and true boxes of each picture; `room` is the share of it in which they lie."""
    rng = random.Random(0)
    for _ in range(PICTURES):
        true: list[Row] = []
        answer: list[Row] = []
        for _ in range(rng.randrange(6)):
            label = rng.choice(LABELS)
            x, y = (rng.uniform(0, room * (side - 130)) for side in SIZE)
            wide, high = rng.uniform(40, 130), rng.uniform(40, 130)
            true.append((label, x, y, wide, high))
            for _ in range(rng.choice([0, 1, 1, 1, 1, 2])):
                by = rng.choice([2, 6, 15, 30])
                dx, dy, dw, dh = (rng.uniform(-by, by) for _ in range(4))
                name = label if rng.random() < 0.9 else rng.choice(LABELS)
                answer.append((name, x + dx, y + dy, wide + dw, high + dh))
        yield answer, true


def boxes(rows: list[Row]) -> Boxes:
    items = (LabelledBox(label, Box(x, y, x + w, y + h)) for label, x, y, w, h in rows)
    return Boxes(tuple(items))


def pairs_of_coco(answers: list[tuple[list[Row], list[Row]]]) -> dict[float, int]:
    """Pairs by threshold of IoU, as pycocotools matches them."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    def rows(side: int) -> list[dict[str, Any]]:
        every = [(n, row) for n, pair in enumerate(answers, 1) for row in pair[side]]
        return [
            {"id": i, "image_id": n, "category_id": 1 + LABELS.index(label), "bbox": [x, y, w, h]}
            | {"area": w * h, "iscrowd": 0, "score": 1.0}
            for i, (n, (label, x, y, w, h)) in enumerate(every, 1)
        ]

    images = [{"id": n, "width": SIZE[0], "height": SIZE[1]} for n in range(1, PICTURES + 1)]
    categories = [{"id": n, "name": name} for n, name in enumerate(LABELS, 1)]
    with redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = {"images": images, "annotations": rows(1), "categories": categories}
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(rows(0)), "bbox")
        evaluation.params.maxDets = [1000]
        evaluation.params.areaRng = evaluation.params.areaRng[:1]
        evaluation.evaluate()
    thresholds = evaluation.params.iouThrs
    matches = [image["dtMatches"] for image in evaluation.evalImgs if image]
    return {
        float(at): sum(int((m[i] > 0).sum()) for m in matches) for i, at in enumerate(thresholds)
    }


def pairs_of_gnomon(answers: list[tuple[list[Row], list[Row]]], threshold: float) -> int:
    pairs = 0.0
    for answer, true in answers:
        if answer and true:
            pairs += detection(boxes(answer), boxes(true), threshold).recall * len(true)
    return round(pairs)


def main() -> None:
    print(f"{'':<12}" + "".join(f"{name:>24}" for name in ("spread out", "crowded")))
    print(f"{'IoU':<12}" + f"{'pycocotools':>14}{'gnomon':>10}" * 2)
    spread, crowded = (list(lists(room)) for room in (1.0, 0.08))
    theirs = [pairs_of_coco(answers) for answers in (spread, crowded)]
    for threshold in theirs[0]:
        cells = ""
        for answers, coco in zip((spread, crowded), theirs, strict=True):
            cells += f"{coco[threshold]:>14,}{pairs_of_gnomon(answers, threshold):>10,}"
        print(f"{threshold:<12.2f}{cells}")


if __name__ == "__main__":
    main()
