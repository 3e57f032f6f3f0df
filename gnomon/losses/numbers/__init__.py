"""Which tokens are digits, and which numbers the labels hold."""
