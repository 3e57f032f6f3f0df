"""Drawing some of a dataset's samples again, and comparing them with what is stored."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import Any

from gnomon.sample import Sample
from gnomon.store import manifest as manifests
from gnomon.store.pixels import fingerprint
from gnomon.store.reading.dataset import Dataset
from gnomon.store.reading.files import shard_alone
from gnomon.store.reading.order import shuffled
from gnomon.store.reading.sources import drawable, redrawn
from gnomon.store.rows import texts_of
from gnomon.store.writing.formats.base import Format


class Redraw:
    """The samples of one split, as far as they can be drawn again here."""

    def __init__(
        self, root: Path, name: str, form: Format, split: dict[str, Any], share: float
    ) -> None:
        self._root, self._name, self._format, self._share = root, name, form, share
        self._versions = split["versions"]
        self._samples = redrawn(split["samples"])

    def problems(self, shard: dict[str, Any], first: int) -> list[str]:
        """How a shard, whose first row is sample `first`, differs from a new drawing."""
        if self._samples is None:
            return []
        rows = [row for row in self._chosen(shard) if drawable(self._samples, first + row)]
        stored = Dataset(shard_alone(self._root, self._name, self._format, shard))
        found = []
        for row in rows:
            if what := _difference(stored[row], self._samples[first + row]):
                found.append(f"row {row} ({stored[row].id}) in its {what}")
        if not found:
            return []
        told = f"{len(found)} of {len(rows)} samples drawn again differ, such as {found[0]}"
        return [f"{shard['file']}: {told}{self._other_versions()}"]

    def _chosen(self, shard: dict[str, Any]) -> list[int]:
        """Some rows of a shard, always the same ones; at least one."""
        rows, key = shard["rows"], shard["sha256"]
        return sorted(shuffled(place, rows, key) for place in range(ceil(rows * self._share)))

    def _other_versions(self) -> str:
        """Other libraries may draw other pixels, which is no damage."""
        changed = "; ".join(manifests.differences(self._versions, manifests.versions()))
        return f" (but {changed})" if changed else ""


def _difference(stored: Sample, drawn: Sample) -> str:
    old, new = texts_of(stored), texts_of(drawn)
    names = [name for name in old if old[name] != new[name]]
    if list(map(fingerprint, stored.images)) != list(map(fingerprint, drawn.images)):
        names.insert(0, "pixels")
    return ", ".join(names)
