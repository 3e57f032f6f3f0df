"""Folder of a run: the places of its files, and the samples that it wrote down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gnomon.store.formats import manifest as manifests
from gnomon.store.reading.dataset import open_copy
from gnomon.store.samples import Samples


@dataclass(frozen=True)
class RunFolder:
    """Folder of a run. It counts as a run once it has a recipe, which a claim writes last."""

    path: Path

    @property
    def recipe(self) -> Path:
        return self.path / "recipe.yaml"

    @property
    def versions(self) -> Path:
        """Versions of packages and of the kinds that the run draws."""
        return self.path / "versions.json"

    @property
    def rows(self) -> Path:
        """Hashes of the user's rows that trained the run, or chose its checkpoint."""
        return self.path / "rows.json"

    @property
    def log(self) -> Path:
        """The trainer's log, a line of JSON per step."""
        return self.path / "log.jsonl"

    @property
    def data(self) -> Path:
        """Dataset of the samples that the run wrote down."""
        return self.path / "data"

    @property
    def predictions(self) -> Path:
        """Folder of the answers, and of the records beside them."""
        return self.path / "predictions"

    @property
    def adapter(self) -> Path:
        """Folder of trained adapters, as PEFT saves them."""
        return self.path / "adapter"

    @property
    def model(self) -> Path:
        """Folder of a model that was trained without adapters."""
        return self.path / "model"

    @property
    def weight_folders(self) -> tuple[Path, Path]:
        """Folders of trained weights. A finished run has one of them."""
        return self.adapter, self.model

    @property
    def is_run(self) -> bool:
        """Return True if the folder has a recipe. It may also be a user's recipe before any run."""
        return self.recipe.is_file()

    @property
    def has_begun(self) -> bool:
        """Return True if a command has claimed the folder for a run."""
        return self.recipe.is_file() and self.versions.is_file()

    @property
    def has_weights(self) -> bool:
        """Return True if the training is finished. Weights get these names only when they are
        complete."""
        return any(folder.is_dir() for folder in self.weight_folders)

    def answers(self, name: str) -> Path:
        """Return the path of the answers with this name. The file need not exist."""
        return self.predictions / f"{name}.jsonl"

    def has_samples(self, split: str) -> bool:
        """Return True if the run wrote down the samples of a split, or started to."""
        return split in manifests.read(self.data)["splits"]

    def stored(self, split: str) -> Samples | None:
        """Open the samples of a split that the run wrote down, with the description of their
        sources.

        None if the split is incomplete.
        """
        entry = manifests.read(self.data)["splits"].get(split)
        return None if entry is None or None in entry["shards"] else open_copy(self.data, split)
