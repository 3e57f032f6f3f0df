"""Numeric losses. KINDS names them; nothing is loaded until asked for."""
