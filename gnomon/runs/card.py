"""The model card: README.md in the folder of a run's weights, with metadata for the Hugging Face
hub."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon import store
from gnomon.answers.base.answer_type import to_unit
from gnomon.answers.registry import TYPES, form_to_json
from gnomon.atomic import put_text
from gnomon.eval import RunResult
from gnomon.eval.scoring.runs import data_title
from gnomon.pipeline import families
from gnomon.recipe import Recipe, to_yaml
from gnomon.runs.known_questions import (
    CARD_KEY,
    FIND_KEY,
    FORMS_KEY,
    LISTED,
    box_questions,
    known_questions,
)
from gnomon.runs.versions import versions
from gnomon.store.formats import manifest as manifests
from gnomon.store.reading.run_folder import RunFolder

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

_MERGED = "the adapter is merged into the weights, which are in bf16.\nBeside the run itself, on "
_MERGED += "held-out samples: {agreement}"
_OPENING = "From the directory that holds it, plain transformers opens it so:\n\n{opening}"


def write_card(recipe: Recipe, run: Path, runs: Sequence[RunResult] = ()) -> None:
    """Write the card of a run's adapter, or of its model if all weights were trained."""
    # Adapters lie in adapter/, a model that was trained without them in model/.
    adapter = RunFolder(run).adapter.is_dir()
    folder = RunFolder(run).adapter if adapter else RunFolder(run).model
    auto = f"AutoModelFor{'ImageTextToText' if _takes_pictures(run) else 'CausalLM'}"
    name = repr(recipe.model.name if adapter else folder.name)
    lines = [f"from transformers import {auto}", "", f"model = {auto}.from_pretrained({name})"]
    if adapter:
        lines.insert(1, "from peft import PeftModel")
        lines.append("model = PeftModel.from_pretrained(model, 'adapter')")
    # The embedded model is not on the hub: gnomon locates it.
    if adapter and recipe.model.name in families.EMBEDDED:
        lines.insert(2, "from gnomon.pipeline.families import locate")
        lines[-2] = f"model = {auto}.from_pretrained(locate({name}))"
    opening = _OPENING.format(opening="\n".join(["```python", *lines, "```"]))
    what = "this is the adapter" if adapter else "these are the weights"
    library = "peft" if adapter else "transformers"
    put_text(folder / "README.md", card(recipe, run, runs, library, what, opening))


def has_card(folder: Path) -> bool:
    """True if a card is there that is more than the draft that PEFT writes."""
    file = folder / "README.md"
    if not file.is_file():
        return False
    return "[More Information Needed]" not in file.read_text(encoding="utf-8", errors="replace")


def card(
    recipe: Recipe,
    run: Path,
    runs: Sequence[RunResult],
    library: str = "transformers",
    what: str = _MERGED,
    opening: str = _OPENING,
) -> str:
    """Return a model's README: its base model, its training data and the scores of the runs.

    The text of a merged model has {agreement} and {opening} in it, for the merging to fill in.
    """
    from huggingface_hub import ModelCardData

    from gnomon import eval as evaluation

    name = recipe.model.name
    base = Path(families.locate(name))  # a folder; of a hub id just the name again
    # The hub refuses a card whose base model is a path. A blank model has no base model.
    on_hub = str(base) in families.EMBEDDED.values() or not base.is_dir()
    # The two words by which the hub draws a model's tree.
    adapted = "adapter" if library == "peft" else "finetune"
    task = "image-text-to-text" if _takes_pictures(run) else "text-generation"
    forms = known_questions(recipe, run)
    questions = list(forms)
    # `gnomon predict MODEL photo.jpg` asks the question that it finds under this key.
    extra: dict[str, Any] = {}
    if 0 < len(questions) <= LISTED:
        extra[CARD_KEY] = questions
        extra[FORMS_KEY] = {question: form_to_json(form) for question, form in forms.items()}
    # And `--find` the one for a box.
    boxes = box_questions(recipe, run)
    extra |= {FIND_KEY: boxes} if boxes else {}
    metadata = ModelCardData(
        **_license(name, base),
        base_model=name if on_hub else None,
        base_model_relation=adapted if on_hub else None,
        datasets=[source.hub for source in recipe.data if source.hub] or None,
        library_name=library,
        model_name=run.resolve().name,
        eval_results=list(_eval_results(runs[-1], task)) if runs else None,
        pipeline_tag=task,
        tags=["gnomon", "numeric-losses", *(["lora"] if RunFolder(run).adapter.is_dir() else [])],
        **extra,
    )
    scores = evaluation.table(runs) if runs else "It was not measured."
    text = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    return text.format(
        metadata=metadata.to_yaml(),
        base=name,
        what=what,
        opening=opening,
        questions=_question_list(questions),
        hash=_data_hash(recipe, run),
        scores=scores.replace("\n", "\n    "),
        recipe=to_yaml(recipe).strip(),
        # By the names of distributions: gnomon is imported by another than pip knows it by.
        versions=", ".join(
            f"{'gnomon-vlm' if name == 'gnomon' else name} {number}"
            for name, number in versions().items()
        ),
    )


def _data_hash(recipe: Recipe, run: Path) -> str:
    """Hash the description of the training data, which tells two sets of it apart.

    If the run was moved and its sources are missing, the hash is read from its model card.
    """
    split = manifests.read(RunFolder(run).data)["splits"].get("train")
    try:
        samples = split["samples"] if split else None
        samples = samples or store.mixture(recipe.data, split="train", seed=recipe.seed).describe()
    except (ValueError, OSError, ImportError):
        cards = (folder / "README.md" for folder in RunFolder(run).weight_folders)
        texts = [file.read_text(encoding="utf-8") for file in cards if file.is_file()]
        match = re.search("Training data: sha256 ([0-9a-f]{16})", "".join(texts))
        if match is None:
            raise
        return match[1]
    return sha256(json.dumps(samples, sort_keys=True).encode()).hexdigest()[:16]


def _question_list(questions: Sequence[str]) -> str:
    """Return the questions about pictures as a paragraph. It is empty without questions."""
    if not questions:
        return ""
    if len(questions) == 1:
        return f"Its question about a picture: {questions[0]}\n\n"
    lines = [f"- {text}" for text in questions[:LISTED]]
    lines += [f"- and {len(questions) - LISTED:,} more"] if len(questions) > LISTED else []
    return "\n".join(["Its questions about pictures:", "", *lines, "", ""])


def _takes_pictures(run: Path) -> bool:
    """True if the model that a run trained has an image processor."""
    files = (folder / "processor_config.json" for folder in RunFolder(run).weight_folders)
    return any(file.is_file() for file in files)


def _license(name: str, base: Path) -> dict[str, Any]:
    """Return the base model's license by its card, or a link if the card is not here."""
    from huggingface_hub import metadata_load

    keys = ("license", "license_name", "license_link")
    if base.is_dir():
        card = base / "README.md"
        metadata = (metadata_load(card) or {}) if card.is_file() else {}
        return {key: metadata[key] for key in keys if key in metadata} or {"license": "unknown"}
    # The hub knows no license "as the base model", so it is "other" with a name and a link.
    link = f"https://huggingface.co/{name}"
    return dict(zip(keys, ("other", "as-the-base-model", link), strict=True))


def _eval_results(run: RunResult, task: str) -> Iterator[EvalResult]:
    """Yield the headline figures of each source and type of answer, with their intervals."""
    from huggingface_hub import EvalResult

    for source, scores in (run.sources or {data_title(run): run.scores}).items():
        for answer_type, summary in scores.summaries.items():
            for metric in summary.results:
                if metric.headline and metric.estimate.value is not None:
                    low, value, high = (
                        None if value is None else round(float(to_unit(value, metric.unit)), 4)
                        for value in (
                            metric.estimate.low,
                            metric.estimate.value,
                            metric.estimate.high,
                        )
                    )
                    yield EvalResult(
                        task_type=task,
                        task_name=TYPES[answer_type].title,
                        dataset_type="gnomon",
                        dataset_name=source,
                        # The hub tells results apart by this text.
                        dataset_config=f"{source} {answer_type}",
                        dataset_split=run.asked.get("split"),
                        metric_type=metric.name,
                        metric_name=f"{metric.label} ({metric.unit})"
                        if metric.unit
                        else metric.label,
                        metric_value=value,
                        metric_args={"n": metric.estimate.n, "low": low, "high": high},
                    )
