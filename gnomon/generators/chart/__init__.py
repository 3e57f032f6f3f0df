"""Charts of twenty types with the table they display, and questions about it."""

from gnomon.generators.chart.generator import Chart as Chart
