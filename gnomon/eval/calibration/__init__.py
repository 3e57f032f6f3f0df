"""Intervals, confidence and refusal, learnt from answers to pictures that have labels."""
