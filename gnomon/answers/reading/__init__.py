"""What the readers of all types share."""
