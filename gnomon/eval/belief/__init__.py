"""What a model's log-probabilities say beside its answers."""
