"""Everything about one type of answer in one folder."""
