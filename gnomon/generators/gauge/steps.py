"""Steps of answers about instruments with a scale."""

from decimal import Decimal
from typing import Any

from gnomon.generators.faces.scale import Scale, ScaleReading
from gnomon.generators.faces.scale_steps import between_labels, with_reading


def steps(facts: dict[str, Any], scale: Scale, reading: ScaleReading) -> str:
    """State the labels around the pointer and its place between them, and the value if the
    question asks for another."""
    labels = [Decimal(label["text"]) for label in facts["labels"]]
    text = between_labels(reading.value, labels, scale.ticks, scale.cycle or Decimal(0))
    return with_reading(text, facts, f"{reading.value:f}")
