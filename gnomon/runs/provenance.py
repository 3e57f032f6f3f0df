"""The record of a file of answers: its exam, its data, and the versions that made it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon import files, jsons, recipe
from gnomon.recipe import RecipeError
from gnomon.runs.exam import Exam


@dataclass(frozen=True)
class Provenance:
    """NAME.about.json, which `gnomon predict` writes before the first answer of NAME.jsonl."""

    exam: Exam
    data: dict[str, Any]
    """The samples' description. If it differs, the exam is a different exam."""
    versions: dict[str, str]
    """Versions of the packages that made the answers."""
    kinds: dict[str, int]
    """Version of each kind that was drawn."""
    trained: int = 0
    """Questions about pictures that the model was trained on."""


def provenance_path(answers: Path) -> Path:
    """Return the path of the record of a file of answers."""
    return answers.with_suffix(".about.json")


def read_provenance(answers: Path) -> Provenance:
    """Read the record of a file of answers."""
    path = provenance_path(answers)
    if not path.exists():
        raise RecipeError(
            f"{answers}: its record {path.name} is missing. Answers of another program need the"
            " questions: `gnomon score ANSWERS --data QUESTIONS`"
        )
    try:
        values = jsons.loads(files.read_bytes(path, "what was asked"), "JSON")
        return recipe.validate(Provenance, values, name="about")
    except ValueError as error:
        raise RecipeError(f"{path}: not what `gnomon predict` writes: {error}") from error
