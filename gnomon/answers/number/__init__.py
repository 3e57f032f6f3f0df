"""Exact decimals."""
