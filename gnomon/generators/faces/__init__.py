"""Instruments described as data: a body with parts, drawn by one engine."""

from gnomon.generators.faces.generator import Face as Face
