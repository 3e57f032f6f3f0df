"""A model's answers, from its weights or a server."""
