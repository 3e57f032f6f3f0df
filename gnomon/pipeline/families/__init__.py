"""Model families by name (FAMILIES). A family's file is imported on first use."""

from pathlib import Path

from gnomon import names
from gnomon.pipeline.families.base import Family

FAMILIES = {
    "auto": "gnomon.pipeline.families.auto:Auto",
    "gemma3": "gnomon.pipeline.families.gemma:Gemma3",
    "gemma4": "gnomon.pipeline.families.gemma:Gemma4",
    "gnomon-tiny": "gnomon.pipeline.families.tiny:GnomonTiny",
    "gnomon-tiny-charts": "gnomon.pipeline.families.tiny:GnomonTinyCharts",
    "gnomon-tiny-gauges": "gnomon.pipeline.families.tiny:GnomonTinyGauges",
    "idefics3": "gnomon.pipeline.families.idefics3:Idefics3",
    "internvl": "gnomon.pipeline.families.internvl:InternVL",
    "llama": "gnomon.pipeline.families.llama:Llama",
    "llava": "gnomon.pipeline.families.llama:Llava",
    "mllama": "gnomon.pipeline.families.llama:Mllama",
    "qwen2": "gnomon.pipeline.families.qwen:Qwen2",
    "qwen2-vl": "gnomon.pipeline.families.qwen:Qwen2VL",
    "qwen2.5-vl": "gnomon.pipeline.families.qwen:Qwen25VL",
    "qwen3.5": "gnomon.pipeline.families.qwen:Qwen35",
    "qwen3-vl": "gnomon.pipeline.families.qwen:Qwen3VL",
    "smolvlm": "gnomon.pipeline.families.idefics3:SmolVLM",
}
AUTO = "auto"
TINY = Path(__file__).parent.parent / "tiny"
"""Folder of the embedded model: weights, tokenizer, and the recipe and log of its training."""
BLANK = "gnomon-tiny-blank"
"""Name of the embedded model with random weights, drawn from the seed."""
CHARTS = TINY.parent / "tiny_charts"
"""Folder of the embedded model that reads charts."""
GAUGES = TINY.parent / "tiny_gauges"
"""Folder of the embedded model that reads gauges."""
EMBEDDED = {
    "gnomon-tiny": str(TINY),
    "gnomon-tiny-charts": str(CHARTS),
    "gnomon-tiny-gauges": str(GAUGES),
    BLANK: BLANK,
}
"""Folders of the embedded models by name. A name with a family of its own belongs to this family,
the others to gnomon-tiny's."""


def load(name: str) -> type[Family]:
    """Import the family class of this name, or of the user's own code (`module:Class`)."""
    family: type[Family] = names.load(
        FAMILIES,
        name,
        what="family",
        command="gnomon ls families",
        base="gnomon.pipeline.families.base:Family",
    )
    return family


def create(name: str) -> Family:
    """Create the family of this name."""
    return load(name)()


def model_types() -> dict[str, str]:
    """Map each known model_type to the name of its family."""
    return {model_type: name for name in FAMILIES for model_type in create(name).model_types}


def of_model_type(model_type: str, checkpoint: str = "a checkpoint") -> Family:
    """Return the family for a config's `model_type`, or auto for other vision-language models."""
    families = model_types()
    if model_type in families:
        return create(families[model_type])
    # A table of names, so no model code is imported.
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES

    if model_type in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES:
        return create(AUTO)
    listing = ", ".join(sorted(families))
    raise ValueError(
        f"model.name: {checkpoint}: model_type {model_type!r} belongs to no family here; gnomon"
        f" knows {listing} (`gnomon ls families`), and every model that"
        " AutoModelForImageTextToText opens"
    )


def locate(name: str, searched: str = "") -> str:
    """Return the path of an embedded checkpoint, or the directory or hub id itself.

    `searched` says in a message where the directory was searched, such as " in /home/me".
    """
    if name in EMBEDDED:
        return EMBEDDED[name]
    if Path(name).is_dir() or (name.count("/") == 1 and not name.startswith((".", "/"))):
        return name
    message = (
        f"model.name: {name!r} is not a directory{searched}, a hub id (owner/name) or a built-in"
        f" model ({', '.join(EMBEDDED)})"
    )
    checkpoints = {
        checkpoint.rpartition("/")[2].lower(): checkpoint
        for family in FAMILIES
        for checkpoint in create(family).sizes
    }
    near = [checkpoints[short] for short in names.nearest_names(name.lower(), checkpoints)]
    raise names.UnknownNameError(message + (f": did you mean {', '.join(near)}?" if near else ""))
