"""Studies of whether the numeric losses help: plans, runs, outcomes and tables."""
