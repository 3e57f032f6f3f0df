"""Exact arithmetic questions in words or signs, without pictures, with or without the working."""

from gnomon.generators.arithmetic.generator import Arithmetic as Arithmetic
