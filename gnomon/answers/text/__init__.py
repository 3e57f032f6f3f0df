"""Words, phrases and verdicts."""
