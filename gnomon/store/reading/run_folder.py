"""The folder of a run: where its files lie, and which samples it wrote down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gnomon.store.formats import manifest as manifests
from gnomon.store.reading.dataset import open_copy
from gnomon.store.samples import Samples


@dataclass(frozen=True)
class RunFolder:
    """Folder of a run. Its recipe makes it a run's, and is the last file of a claim."""

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
        """The trainer's log, a line of JSON a step."""
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
        """Folders of trained weights, of which a finished run has one."""
        return self.adapter, self.model

    @property
    def is_run(self) -> bool:
        """True if a recipe lies there; that may be a user's own, before anything has begun."""
        return self.recipe.is_file()

    @property
    def has_begun(self) -> bool:
        """True if a verb took the folder for a run."""
        return self.recipe.is_file() and self.versions.is_file()

    @property
    def has_weights(self) -> bool:
        """True if the training is finished: weights get these names when they are whole."""
        return any(folder.is_dir() for folder in self.weight_folders)

    def answers(self, name: str) -> Path:
        """Return the file of answers of this name, which need not be there."""
        return self.predictions / f"{name}.jsonl"

    def has_samples(self, split: str) -> bool:
        """True if the run wrote down the samples of a split, or began to."""
        return split in manifests.read(self.data)["splits"]

    def stored(self, split: str) -> Samples | None:
        """Open the samples of a split that the run wrote down, as those of their sources.

        None if it did not write down all of them.
        """
        entry = manifests.read(self.data)["splits"].get(split)
        return None if entry is None or None in entry["shards"] else open_copy(self.data, split)
