"""The small model that is trained for the measure: always the same one, for the same budget."""

from __future__ import annotations

from typing import Any

from gnomon import recipe
from gnomon.recipe import RecipeError
from gnomon.runs.resolve import Resolved, resolve_values

BATCH = 64
STEPS = 2000
"""128,000 pictures: half as many as the embedded model was trained on."""
WITHOUT: dict[str, dict[str, dict[str, Any]]] = {
    "clock": {
        "turns": {"rotation": 0.0, "perspective": 0.0},
        "sizes": {"dial_size": [0.85, 0.96], "offset": 0.3},
        "dials": {"dials": ["round"]},
        "hands": {"hands": ["baton"]},
        "numerals": {"numerals": ["arabic"]},
        "palettes": {"palettes": ["plain"]},
        "backgrounds": {"backgrounds": ["plain"]},
        "tracks": {"minute_track": 1.0},
        "seconds": {"second_hand": 0.0},
        "shadows": {"shadow": 0.0},
        "makes": {"variety": 0.0},
    },
    "gauge": {
        "turns": {"rotation": 0.0, "perspective": 0.0},
        "instruments": {"instruments": ["gauge"]},
        "backgrounds": {"backgrounds": ["plain"]},
    },
    "chart": {
        "types": {"charts": ["bar"]},
        "questions": {"questions": ["retrieve"]},
        "labels": {"value_labels": 0.0},
    },
}
"""Sources of variety by kind, and the options that leave each out."""


def recipe_of(
    kind: str, *, steps: int, without: str | None = None, overrides: tuple[str, ...] = ()
) -> Resolved:
    """gnomon-tiny, all of it trained in float32 on a kind's default options."""
    if without is not None and without not in WITHOUT[kind]:
        raise RecipeError(f"--without {without}: of {kind} give one of {', '.join(WITHOUT[kind])}")
    options = recipe.override(dict(WITHOUT[kind][without]) if without else {}, overrides)
    train = {
        "samples": steps * BATCH,
        "max_steps": steps,
        "learning_rate": 5e-4,
        "warmup_steps": min(100, steps),
        "per_device_train_batch_size": BATCH,
        "language": "full",
        "vision": "full",
        "projector": "full",
        "save_steps": 250,
        "logging_steps": 25,
    }
    raw = {
        "data": [{"kind": kind, **({"options": options} if options else {})}],
        "model": {"name": "gnomon-tiny", "load_in_4bit": False, "dtype": "float32"},
        "loss": {"name": "ce"},
        "train": train,
        "eval": {"samples": BATCH, "batch_size": BATCH, "max_new_tokens": 12},
    }
    return resolve_values(raw, name="transfer")
