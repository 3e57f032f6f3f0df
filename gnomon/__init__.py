"""Teach vision-language models to read numbers: draw, fine-tune, evaluate."""

from gnomon.version import __version__ as __version__
