"""Calibration: learn intervals, confidence and refusal from answers to labelled pictures."""
