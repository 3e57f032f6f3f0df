"""Analogue clocks in many styles, turned and tilted. The pixels always show the time of the
answer."""

from gnomon.generators.clock.generator import Clock as Clock
