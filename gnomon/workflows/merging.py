"""A run's adapter and its base as one model, with a card."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from gnomon import recipe, store
from gnomon.recipe import Recipe, RecipeError
from gnomon.workflows.directory import AFTER, no_run, versions
from gnomon.workflows.exam import Exam, open_recipe
from gnomon.workflows.scoring import results


def merge(run: Path, out: Path, *, samples: int, push_to: str | None = None) -> str:
    """A run's adapter and its base as one plain model, with a card; how well they agree, and
    whether plain transformers opens it."""
    file = run / "recipe.yaml"
    if not file.is_file():
        raise RecipeError(no_run(run))
    from gnomon.pipeline.exporting.merge import merge as put_together
    from gnomon.pipeline.exporting.merge import open_plainly, push

    opened = open_recipe(file, stored=True)
    exam = Exam.of(opened)
    asked = list(replace(exam, samples=min(samples, exam.samples)))
    found = put_together(opened, run, out, asked, card=_card(opened, run))
    opened_so = open_plainly(out)
    if push_to is not None:
        push(out, push_to)
    return f"{found}; {opened_so}"


def _card(opened: Recipe, run: Path) -> str:
    """A model's README: where it comes from, what it was trained on, how it scored."""
    from gnomon import eval as evaluation

    held = (run / "predictions" / f"{AFTER}.jsonl").is_file()
    trained_on = store.mixture(opened.data, split="train", seed=opened.seed).describe()
    digest = sha256(json.dumps(trained_on, sort_keys=True).encode()).hexdigest()
    text = Path(__file__).with_name("model_card.md").read_text(encoding="utf-8")
    return text.format(
        base=opened.model.name,
        hash=digest[:16],
        scores=_indented(evaluation.table(results(run))) if held else "It was not measured.",
        recipe=recipe.to_yaml(opened).strip(),
        versions=", ".join(f"{name} {number}" for name, number in versions().items()),
    )


def _indented(table: str) -> str:
    return table.replace("\n", "\n    ")
