"""What a recipe will take, before anything is spent."""
