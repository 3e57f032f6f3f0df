"""What leaves a run: merged weights, tasks of other programs."""
