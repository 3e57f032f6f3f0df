"""What a model is asked about: foreign renderers, and gnomon's own held-out styles.

Pictures are written as a user's own rows, a CSV beside PNG files, and read back as such.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from PIL import Image

from benchmarks.transfer import worn
from gnomon import store
from gnomon.atomic import put_bytes, put_text
from gnomon.files import write_rows
from gnomon.progress import track
from gnomon.recipe import Columns, Source
from gnomon.sample import Number, Time

if TYPE_CHECKING:
    from benchmarks.transfer.asked import Drawn
    from gnomon.store import Samples

ANSWERS = {"clock": "time", "chart": "number", "gauge": "number"}
"""What the answers of each kind are."""
_OWN: dict[str, dict[str, Any]] = {
    "clock": {"ask_seconds": 0.0},
    "chart": {"questions": ["retrieve"], "charts": ["bar", "barh", "grouped", "line"]},
    "gauge": {},
}
"""Default options, but for what would ask or draw what no foreign picture is asked or shows."""


class Drawer(Protocol):
    """What draws pictures by index."""

    name: str
    title: str

    @property
    def kind(self) -> str: ...
    @property
    def designs(self) -> tuple[str, ...]: ...
    @property
    def digest(self) -> str: ...
    def draw(self, index: int) -> Drawn: ...


@dataclass(frozen=True)
class OwnStyles:
    """gnomon's own test split, in styles that were never trained on, by a kind's defaults."""

    kind: str
    name: str = "own"
    title: str = "own held-out styles"

    @property
    def designs(self) -> tuple[str, ...]:
        """Styles are drawn, not taken in turns."""
        return ("any",)

    @property
    def digest(self) -> str:
        """Of what the generator says of itself, its version among it."""
        return sha256(json.dumps(self._drawn.describe()).encode()).hexdigest()[:8]

    def draw(self, index: int) -> Drawn:
        """A sample."""
        sample = self._drawn[index]
        assert sample.image is not None
        return sample.image.convert("RGB"), sample.question, sample.target

    @cached_property
    def _drawn(self) -> Samples:
        source = Source(kind=self.kind, options=_OWN[self.kind])
        return store.mixture((source,), split="test", seed=0)


def written(
    drawer: Drawer, folder: Path, n: int, *, wear: bool = False, shrink: int | None = None
) -> Source:
    """The drawer's first n pictures as a source of a recipe; those that are there are kept.

    Worn and shrunk ones are made of the plain ones, which are drawn once.
    """
    plain = folder / f"{drawer.kind}-{drawer.name}-{drawer.digest}"
    parts = [
        plain.name,
        *([f"{shrink}px"] if shrink else []),
        *([f"worn-{worn.CODE}"] if wear else []),
    ]
    place = folder / "-".join(parts)
    place.mkdir(parents=True, exist_ok=True)
    plain.mkdir(exist_ok=True)
    told = []
    for index in track(range(n), desc=f"drawing {drawer.title}{', worn' * wear}", delay=2):
        _draw(drawer, index, plain)
        if place != plain and not (place / f"{index:05}.json").is_file():
            _change(drawer.kind, index, plain, place, wear=wear, shrink=shrink)
        told.append(json.loads((place / f"{index:05}.json").read_text(encoding="utf-8")))
    rows = place / f"first-{n}.csv"
    if not rows.is_file():
        lines = StringIO()
        columns = list(told[0])
        write_rows(lines, [columns, *([row[name] for name in columns] for row in told)])
        put_text(rows, lines.getvalue())
    return Source(path=str(rows), columns=Columns(kind=ANSWERS[drawer.kind], split="split"))


def _draw(drawer: Drawer, index: int, place: Path) -> None:
    row = place / f"{index:05}.json"
    if row.is_file():  # it is written last
        return
    image, question, target = drawer.draw(index)
    answer = target.display() if isinstance(target, Time) else f"{cast('Number', target).value:f}"
    told = {"image": f"{index:05}.png", "question": question, "answer": answer, "split": "test"}
    _save(image, row, told)


def _change(
    kind: str, index: int, plain: Path, place: Path, *, wear: bool, shrink: int | None
) -> None:
    told = json.loads((plain / f"{index:05}.json").read_text(encoding="utf-8"))
    with Image.open(plain / told["image"]) as image:
        image.load()
    if shrink is not None:
        image.thumbnail((shrink, shrink))
    _save(worn.worn(image, kind, index) if wear else image, place / f"{index:05}.json", told)


def _save(image: Image.Image, row: Path, told: dict[str, str]) -> None:
    png = BytesIO()
    image.save(png, "PNG")
    put_bytes(row.with_suffix(".png"), png.getvalue())
    put_text(row, json.dumps(told))
