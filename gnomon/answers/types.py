"""How each type of answer is read, measured and summed up: those of TARGETS, in their order."""

from __future__ import annotations

from importlib import import_module

from gnomon.answers.base import AnswerType
from gnomon.answers.truths import TARGETS

TYPES: dict[str, AnswerType] = {
    name: answer_type
    for truth in TARGETS.values()
    for name, answer_type in import_module(
        truth.__module__.replace(".truth", ".answer_type")
    ).TYPES.items()
}
"""A folder may hold several: dials of 12 and of 24 hours are never averaged together."""
