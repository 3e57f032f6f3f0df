"""Reading answers, scoring them, and saying honestly what the scores show."""
