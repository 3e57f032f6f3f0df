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
from typing import TYPE_CHECKING, Any, Protocol

from PIL import Image

from benchmarks.transfer import worn
from benchmarks.transfer.asked import FORMS, number, rng_of, short
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
"""Type of the answers of each kind."""
_OWN: dict[str, dict[str, Any]] = {
    "clock": {"ask_seconds": 0.0},
    "chart": {"questions": ["retrieve"], "rows": [3, 8], "series": [1, 1], "value_labels": 0.0},
    "gauge": {},
}
"""Options with which gnomon draws and asks what the foreign sources do."""
_OWN_CHARTS = {"bar": "bar", "lying bar": "barh", "line": "line"}
"""Types of gnomon's own charts, by design."""


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
        """Types of charts in turns. Other styles are random."""
        return tuple(_OWN_CHARTS) if self.kind == "chart" else ("any",)

    @property
    def digest(self) -> str:
        """Hash of the options and versions of the generators, and of the code that asks."""
        described = json.dumps([samples.describe() for samples in self._samples])
        code = [
            (Path(__file__).parent / f"{name}.py").read_bytes() for name in ("asked", "sources")
        ]
        return sha256(described.encode() + b"".join(code)).hexdigest()[:8]

    def draw(self, index: int) -> Drawn:
        """Draw a picture of the test split. Charts are asked all forms of questions in turns."""
        turn, design = divmod(index, len(self.designs))
        sample = self._samples[design][turn]
        assert sample.image is not None
        image, facts, target = sample.image.convert("RGB"), sample.facts, sample.target
        if not isinstance(target, Number):
            return image, sample.question, target
        scale = facts.get("axis") or facts
        ends = float(scale["low"]), float(scale["high"])
        question, value = sample.question, target.value
        if self.kind == "chart" and turn % len(FORMS) < 3:
            mark = "point" if facts["chart"] == "line" else "bar"
            values = [row[0] for row in facts["cells"]]
            question, value = short(rng_of("own", index), turn, mark, facts["rows"], values)
        return image, question, number(value, ends)

    @cached_property
    def _samples(self) -> list[Samples]:
        """Test split of each design."""
        options = _OWN[self.kind]
        choices = [options]
        if self.kind == "chart":
            choices = [options | {"charts": [chart]} for chart in _OWN_CHARTS.values()]
        sources = [Source(kind=self.kind, options=choice) for choice in choices]
        return [store.mixture((source,), split="test", seed=0) for source in sources]


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
        row = f"{drawer.name}-{index:05}.json"
        _draw(drawer, index, plain / row)
        if place != plain and not (place / row).is_file():
            _change(drawer.kind, index, plain / row, place / row, wear=wear, shrink=shrink)
        told.append(json.loads((place / row).read_text(encoding="utf-8")))
    # Ids begin with the name of the file, and differ between sources.
    rows = place / f"{drawer.name}{'-worn' * wear}-{n}.csv"
    if not rows.is_file():
        lines = StringIO()
        columns = list(told[0])
        write_rows(lines, [columns, *([row[name] for name in columns] for row in told)])
        put_text(rows, lines.getvalue())
    kind = ANSWERS[drawer.kind]
    within = "within" if kind == "number" else 0.0
    return Source(path=str(rows), columns=Columns(kind=kind, split="split", within=within))


def _draw(drawer: Drawer, index: int, row: Path) -> None:
    if row.is_file():  # it is written last
        return
    image, question, target = drawer.draw(index)
    told = {"image": f"{row.stem}.png", "question": question, "split": "test"}
    if isinstance(target, Time):
        told["answer"] = target.display()
    else:
        assert isinstance(target, Number)
        told |= {"answer": f"{target.value:f}", "within": f"{target.within:f}"}
    _save(image, row, told)


def _change(
    kind: str, index: int, plain: Path, changed: Path, *, wear: bool, shrink: int | None
) -> None:
    told = json.loads(plain.read_text(encoding="utf-8"))
    with Image.open(plain.with_suffix(".png")) as image:
        image.load()
    if shrink is not None:
        image.thumbnail((shrink, shrink))
    _save(worn.worn(image, kind, index) if wear else image, changed, told)


def _save(image: Image.Image, row: Path, told: dict[str, str]) -> None:
    png = BytesIO()
    image.save(png, "PNG")
    put_bytes(row.with_suffix(".png"), png.getvalue())
    put_text(row, json.dumps(told))
