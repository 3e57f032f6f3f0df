"""The version of gnomon, which records and wheels name."""

__version__ = "0.1.0"
