"""A run from Python: its directory, its recipe, its weights, its reader, its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.recipe import Recipe, RecipeError
from gnomon.runs.directory import no_run_message
from gnomon.runs.loading import load
from gnomon.runs.python_arguments import path_of
from gnomon.runs.resolve import resolve
from gnomon.store.reading.run_folder import RunFolder

if TYPE_CHECKING:
    from gnomon.eval import RunResult
    from gnomon.runs.reader import Reader


@dataclass(frozen=True)
class Run:
    """A directory in which a recipe is trained."""

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_of(self.path, "path"))
        if not self._folder.is_run:
            raise RecipeError(no_run_message(self.path))

    @property
    def _folder(self) -> RunFolder:
        return RunFolder(self.path)

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe with every default, as the run stored it."""
        return resolve(self._folder.recipe, stored=True, recipes_only=True).check_names()

    @property
    def is_trained(self) -> bool:
        """True if the training is finished and the weights are whole."""
        return self._folder.has_weights

    @property
    def weights(self) -> Path:
        """The folder of the trained adapter, or of the model if all weights were trained."""
        for folder in self._folder.weight_folders:
            if folder.is_dir():
                return folder
        raise RecipeError(f"{self.path} holds no trained weights yet: train its recipe first")

    def reader(self, **options: Any) -> Reader:
        """Open the trained model. The options are the same as for `gnomon.load`."""
        return load(self.path, **options)

    def scores(self) -> Mapping[str, RunResult]:
        """Return the scores of the answers before and after training, by their name."""
        from gnomon.runs.answer_scores import score_run  # scipy, which a training does without

        return {result.name: result for result in score_run(self.path)}
