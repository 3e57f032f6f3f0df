"""Instruments with a scale: gauges, meters, thermometers, rulers, scales, measuring cylinders."""

from gnomon.generators.gauge.generator import Gauge as Gauge
