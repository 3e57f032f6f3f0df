"""Metrics of texts."""

from __future__ import annotations


def text_exact(prediction: str, target: str) -> bool:
    """Whether two texts are the same but for capitals and blanks."""
    return " ".join(prediction.casefold().split()) == " ".join(target.casefold().split())
