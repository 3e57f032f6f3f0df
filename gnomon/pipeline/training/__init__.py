"""Fine-tuning with TRL and a numeric loss."""
