"""Runs beside each other: what differs, and whether it is more than luck."""
