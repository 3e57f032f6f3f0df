"""Exact arithmetic in words and signs: text alone, exact answers, with or without the working."""

from gnomon.generators.arithmetic.generator import Arithmetic as Arithmetic
