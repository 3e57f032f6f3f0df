"""The report as HTML and as text."""
