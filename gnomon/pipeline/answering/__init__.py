"""Answers of a model, from its weights or through a server."""
