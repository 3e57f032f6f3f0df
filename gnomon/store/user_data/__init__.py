"""A user's own rows and photographs."""
