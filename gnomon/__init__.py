"""Teach vision-language models to read numbers: draw, fine-tune, evaluate."""

__version__ = "0.1.0"
