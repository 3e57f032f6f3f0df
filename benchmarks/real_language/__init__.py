"""Measurements on SmolLM2-135M-Instruct with the eyes of gnomon-tiny."""
