"""Analogue clocks. Restyled, turned and tilted; the time is always what the pixels say."""

from gnomon.generators.clock.generator import Clock as Clock
